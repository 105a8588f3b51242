"""The models of the Models page: how each is built, what can be chosen, and what to look for.

A model is a function from its settings to the output's node; the numbers for its inputs are random, seeded, and of the
shapes that the inputs were declared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

import graphlab as gl
from graphlab import layers
from graphlab.api import Graph
from graphlab.engine.core import Node, variable
from graphlab.engine.inference import declared_shapes


@dataclass(frozen=True)
class Number:
    """A whole number that a reader may choose."""

    title: str
    first: int
    least: int
    most: int

    def within(self, chosen: int | None) -> int:
        """What is chosen, brought into the range; what is chosen at first if nothing is."""
        return self.first if chosen is None else min(max(int(chosen), self.least), self.most)


@dataclass(frozen=True)
class Switch:
    """Something that is on (1) or off (0)."""

    title: str
    first: bool

    def within(self, chosen: int | None) -> int:
        return int(self.first if chosen is None else bool(chosen))


class Built(NamedTuple):
    """A model's graph, and a value for each input; None for a graph that is only looked at."""

    graph: Graph
    values: Mapping[str, Any] | None


@dataclass(frozen=True)
class Model:
    """One model. `build` is given a value for each of its settings and makes the output; `ids` says below what an
    input of whole numbers stays. Without numbers the graph is only looked at.
    """

    title: str
    note: str
    settings: Mapping[str, Number | Switch]
    build: Callable[[Mapping[str, int]], Node]
    ids: Mapping[str, str | int] = field(default_factory=dict)
    numbers: bool = True

    def built(self, chosen: Mapping[str, int]) -> Built:
        """The graph with these settings, and its numbers."""
        graph = gl.graph(L=self.build(chosen))
        if not self.numbers:
            return Built(graph, None)
        most = {name: chosen[size] if isinstance(size, str) else size for name, size in self.ids.items()}
        return Built(graph, random_values(graph, most, chosen["seed"]))


def random_values(graph: Graph, most: Mapping[str, int], seed: int) -> dict[str, Any]:
    """A value for each input in its declared shape: normal numbers, ids below `most`, masks that are true."""
    numbers = np.random.default_rng(seed)
    shapes = declared_shapes(graph.dag)
    masks = {node for node, slots in graph.dag.input_slots.items() if any(i in op.masks for op, i in slots)}
    values: dict[str, Any] = {}
    for name, node in graph.dag.inputs.items():
        shape = tuple(int(size) for size in shapes[name])
        if node in masks:
            values[name] = np.ones(shape, dtype=bool)
        elif name in most:
            values[name] = numbers.integers(most[name], size=shape)
        else:
            values[name] = np.round(numbers.normal(size=shape), 2)
    return values


# ---- how they are built ----------------------------------------------------------------------------------------------
def logistic(chosen: Mapping[str, int]) -> Node:
    x = variable("X", shape=(chosen["rows"], chosen["d"]))
    z, _ = layers.logistic_regression(x, chosen["d"], bias=True)
    loss: Node = gl.mean(gl.bce_with_logits(z, variable("y", shape=(chosen["rows"],))))
    return loss


def perceptron(chosen: Mapping[str, int]) -> Node:
    x = variable("X", shape=(chosen["rows"], chosen["d"]))
    sizes = [chosen["d"], *[chosen["hidden"]] * chosen["layers"], chosen["classes"]]
    loss: Node = gl.cross_entropy(layers.mlp(x, sizes), variable("k", shape=(chosen["rows"],)))
    return loss


def weighed(y: Node, chosen: Mapping[str, int], size: int) -> Node:
    """The lecture's scalar for a layer that has no loss of its own: Σ U ⊙ Y."""
    total: Node = gl.sum(y * variable("U", shape=(chosen["tokens"], size)))
    return total


def basic_attention(chosen: Mapping[str, int]) -> Node:
    x, sight = tokens(chosen, chosen["d"]), layers.Sight(causal=bool(chosen["causal"]))
    return weighed(layers.basic_self_attention(x, sight, scaled=bool(chosen["scaled"])).y, chosen, chosen["d"])


def attention(chosen: Mapping[str, int]) -> Node:
    d, k = chosen["d"], chosen["k"]
    sight, scaled = layers.Sight(causal=bool(chosen["causal"])), bool(chosen["scaled"])
    return weighed(layers.self_attention(tokens(chosen, d), sight, size=d, key_size=k, scaled=scaled).y, chosen, k)


def multi_head(chosen: Mapping[str, int]) -> Node:
    d, sight = width(chosen), layers.Sight(causal=bool(chosen["causal"]))
    return weighed(layers.multi_head_attention(tokens(chosen, d), chosen["heads"], sight, size=d).y, chosen, d)


def one_block(chosen: Mapping[str, int]) -> Node:
    norm: Literal["pre", "post"] = "pre" if chosen["pre"] else "post"
    made = layers.block(tokens(chosen, width(chosen)), config(chosen), norm=norm)
    return weighed(made, chosen, width(chosen))


def stack(chosen: Mapping[str, int]) -> Node:
    norm: Literal["pre", "post"] = "pre" if chosen["pre"] else "post"
    made = layers.encoder(tokens(chosen, width(chosen)), config(chosen), norm=norm)
    return weighed(made, chosen, width(chosen))


def small_bert(chosen: Mapping[str, int]) -> Node:
    return bert_loss(config(chosen), chosen["tokens"])


def bert_base(chosen: Mapping[str, int]) -> Node:
    return bert_loss(layers.Config(), chosen["tokens"])


def bert_loss(sizes: layers.Config, tokens: int) -> Node:
    loss = layers.bert(sizes, ("masked_tokens", "next_sentence"), ids_shape=(tokens,)).loss
    assert loss is not None, "there are heads"
    return loss


def tokens(chosen: Mapping[str, int], size: int) -> Node:
    return variable("X", shape=(chosen["tokens"], size))


def width(chosen: Mapping[str, int]) -> int:
    """All heads side by side."""
    return chosen["heads"] * chosen["head"]


def config(chosen: Mapping[str, int]) -> layers.Config:
    size = width(chosen)
    return layers.Config(
        vocab_size=chosen.get("vocabulary", 0),
        hidden_size=size,
        num_hidden_layers=chosen.get("layers", 1),
        num_attention_heads=chosen["heads"],
        intermediate_size=2 * size,
        max_position_embeddings=chosen["tokens"],
    )


# ---- the models ------------------------------------------------------------------------------------------------------
SEED = {"seed": Number("Seed", 0, 0, 9_999)}
ROWS = {"rows": Number("Rows", 3, 1, 8)}
TOKENS = {"tokens": Number("Tokens", 3, 1, 8)}
HEADS = {"heads": Number("Heads", 2, 1, 4), "head": Number("Head size", 2, 1, 8)}
LAYERS = {"layers": Number("Layers", 2, 1, 6)}
CAUSAL = {"causal": Switch("Causal", False)}
SCALED = {"scaled": Switch("Scaled", True)}
PRE = {"pre": Switch("Norm first", False)}
BERT_IDS: Mapping[str, str | int] = {"token_type_ids": 2, "next_sentence_label": 2}

MODELS: Mapping[str, Model] = {
    "logistic": Model(
        "Logistic regression", "At the scores arrives p − y, divided by the number of rows.",
        {**ROWS, "d": Number("Features d", 2, 1, 8), **SEED}, logistic, {"y": 2},
    ),
    "mlp": Model(
        "Multilayer perceptron", "Affine maps with a tanh between them; a weight's gradient is an outer product.",
        {**ROWS, "d": Number("Features d", 2, 1, 8), "hidden": Number("Hidden units", 3, 1, 8),
         "layers": Number("Hidden layers", 1, 1, 4), "classes": Number("Classes", 2, 2, 5), **SEED},
        perceptron, {"k": "classes"},
    ),
    "basic": Model(
        "Self-attention, basic", "Every word is compared with every other; the rows of S̄ sum to 0.",
        {**TOKENS, "d": Number("Size d", 2, 1, 8), **CAUSAL, "scaled": Switch("Scaled", False), **SEED},
        basic_attention,
    ),
    "attention": Model(
        "Self-attention", "Queries, keys and values. Open the softmax with + to see what it is made of.",
        {**TOKENS, "d": Number("Size d", 4, 1, 8), "k": Number("Key size", 2, 1, 8), **CAUSAL, **SCALED, **SEED},
        attention,
    ),
    "heads": Model(
        "Multi-head attention", "Every head attends on its own stretch of Q, K and V; W_O mixes them.",
        {**TOKENS, **HEADS, **CAUSAL, **SEED}, multi_head,
    ),
    "block": Model(
        "Transformer block", "Attention and a small network, each with a shortcut around it and a layer norm.",
        {**TOKENS, **HEADS, **PRE, **SEED}, one_block,
    ),
    "encoder": Model(
        "Encoder", "Equal blocks one after the other: closed, they are one box ×N.",
        {**TOKENS, **HEADS, **LAYERS, **PRE, **SEED}, stack,
    ),
    "bert-small": Model(
        "BERT, small", "The whole of BERT with both of its losses, small enough to run: step through it.",
        {**TOKENS, **HEADS, **LAYERS, "vocabulary": Number("Vocabulary", 12, 4, 30), **SEED}, small_bert,
        {**BERT_IDS, "input_ids": "vocabulary", "labels": "vocabulary"},
    ),
    "bert-base": Model(
        "BERT-base", "12 layers of 12 heads, 110 million parameters and both losses: the whole graph with all shapes.",
        {"tokens": Number("Tokens", 128, 2, 512)}, bert_base, numbers=False,
    ),
}  # fmt: skip
