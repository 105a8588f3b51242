"""BERT as one explicit graph, whose parameters have the names of the reference implementation's.

The inputs are input_ids, token_type_ids and attention_mask (true = a token, false = padding), and for the losses labels
and next_sentence_label; a label of -100 is not counted. With a head the encoder stands in the scope "bert", as there.
The decoder of the masked-token head is the word embedding itself: one node, used twice. Dropout is not built.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from typing import NamedTuple

from graphlab.engine.core import Node, named, scope, variable
from graphlab.engine.ops.activation import tanh
from graphlab.engine.ops.linalg import linear
from graphlab.engine.ops.losses import cross_entropy
from graphlab.engine.ops.shaping import embedding, take
from graphlab.engine.shapes import Shape
from graphlab.errors import ValueProblem
from graphlab.layers.activations import activation_called
from graphlab.layers.attention import Sight
from graphlab.layers.blocks import encoder
from graphlab.layers.config import BertConfig
from graphlab.layers.parameters import dense, normalised, parameter
from graphlab.layers.positions import learnt_positions

HEADS = ("masked_tokens", "next_sentence")
IGNORED = -100


class Bert(NamedTuple):
    """The nodes one asks for; None where a head was not built.

    hidden (…, n, hidden_size); pooled (…, hidden_size); token_scores (…, n, vocab_size); sentence_scores (…, 2).
    """

    hidden: Node
    pooled: Node | None
    token_scores: Node | None
    sentence_scores: Node | None
    loss: Node | None


def bert(config: BertConfig, heads: Collection[str] = (), *, ids_shape: Shape = ("n",), padding: bool = True) -> Bert:
    """BERT, alone or with heads: "masked_tokens", "next_sentence" or both, whose losses are added.

    `ids_shape` is that of the ids, (n,) or (batch, n), while nobody gives them values; `padding=False` builds it
    without an attention_mask. As in the reference, there is no pooler where only the masked-token head is there.
    """
    for head in heads:
        if head not in HEADS:
            raise ValueProblem(f"BERT has no head called {head!r:.40}", hint=f"Its heads: {', '.join(HEADS)}.")
    mask = variable("attention_mask", shape=ids_shape) if padding else None
    with scope("bert") if heads else nullcontext():
        x, words = embeddings(config, ids_shape)
        hidden = encoder(x, config, Sight(padding=mask))
        pooled = pooler(hidden, config) if not heads or "next_sentence" in heads else None
    losses: list[Node] = []
    tokens = sentences = None
    if "masked_tokens" in heads:
        tokens = token_head(hidden, words, config)
        losses.append(token_loss(tokens, ids_shape))
    if "next_sentence" in heads and pooled is not None:
        sentences = sentence_head(pooled, config)
        losses.append(sentence_loss(sentences, ids_shape))
    loss = sum(losses[1:], start=losses[0]) if losses else None
    return Bert(hidden, pooled, tokens, sentences, loss)


def embeddings(config: BertConfig, ids_shape: Shape) -> tuple[Node, Node]:
    """Rows for words, types and positions, added and normalised; and the table of the words."""
    size = config.hidden_size
    ids, types = (variable(name, shape=ids_shape) for name in ("input_ids", "token_type_ids"))
    with scope("embeddings"):
        words = parameter("word_embeddings.weight", "W_word", config.vocab_size, size)
        kinds = parameter("token_type_embeddings.weight", "W_type", config.type_vocab_size, size)
        x = named("E_word", embedding(words, ids)) + named("E_type", embedding(kinds, types))
        x = named("E", x + learnt_positions(x, config.max_position_embeddings, size))
        return named("X", normalised(x, "LayerNorm", "0", size, config.layer_norm_eps)), words


def pooler(hidden: Node, config: BertConfig) -> Node:
    """tanh of an affine map of the first token's row."""
    with scope("pooler"):
        first = named("y_1", take(hidden, index=0, axis=-2))
        return named("c", tanh.node(named("a", dense(first, "dense", "C", config.hidden_size, config.hidden_size))))


def token_head(hidden: Node, words: Node, config: BertConfig) -> Node:
    """A score for every word of the vocabulary at every place."""
    size = config.hidden_size
    with scope("cls.predictions"):
        with scope("transform"):
            bent = activation_called(config.hidden_act)(named("H", dense(hidden, "dense", "T", size, size)))
            x = named("X_T", normalised(named("G", bent), "LayerNorm", "T", size, config.layer_norm_eps))
        return named("Z", linear.node(x, words, parameter("bias", "b_word", config.vocab_size)))


def sentence_head(pooled: Node, config: BertConfig) -> Node:
    """Two scores: the second sentence follows the first, or it does not."""
    with scope("cls"):
        return named("z", dense(pooled, "seq_relationship", "S", 2, config.hidden_size))


def token_loss(scores: Node, ids_shape: Shape) -> Node:
    labels = variable("labels", shape=ids_shape)
    return named("L_tokens", cross_entropy.node(scores, labels, ignore=IGNORED))


def sentence_loss(scores: Node, ids_shape: Shape) -> Node:
    label = variable("next_sentence_label", shape=ids_shape[:-1])
    return named("L_sentences", cross_entropy.node(scores, label, ignore=IGNORED))
