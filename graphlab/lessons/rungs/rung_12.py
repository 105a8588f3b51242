"""Rung 12: BERT. The whole model, how many numbers it has, and what becomes of one word in four sentences."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from graphlab import layers
from graphlab.engine.core import Node
from graphlab.engine.shapes import Shape
from graphlab.layers.bert import HEADS
from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Findings, Heat, Lines, Quantity, Table
from graphlab.lessons.laboratories.checkpoints import (
    FIRST,
    LAST,
    Checkpoint,
    find_minilm,
    minilm,
    missing,
    read_texts,
)
from graphlab.lessons.laboratories.encoders import seeded_weights
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

SENTENCES = {
    "money": "i went to the bank to get money .",
    "loan": "i rushed to the bank for a loan .",
    "river": "i sat on the bank of the river .",
    "stream": "i stood on the bank of the stream .",
}
WORD = "bank"
REAL, RANDOM = KINDS = ("MiniLM, where it is fetched", "random")
RANDOM_SIZES = {
    "num_hidden_layers": 6,
    "hidden_size": 16,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 16,
}
WEIGHTS_SEED = 12
SPREAD_VALUES = 0.3
WHOLE_SIZES = {"vocab_size": 9, "hidden_size": 24, "intermediate_size": 48, "max_position_embeddings": 8}
WHOLE_VALUES = {
    "input_ids": np.array([0, 3, 7, 2, 8, 1]),
    "token_type_ids": np.array([0, 0, 0, 0, 1, 1]),
    "labels": np.array([-100, -100, 5, -100, -100, -100]),
    "next_sentence_label": np.array(0),
}
TABLE_VALUES = {
    "W": [[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0], [3.0, -2.0]],
    "ids": np.array([1, 3, 1]),
    "U": [[2.0, -1.0], [5.0, 4.0], [1.0, 3.0]],
}


# ---- one word in four sentences --------------------------------------------------------------------------------------
@cache
def random_checkpoint() -> Checkpoint:
    """A small BERT with a word for every word of the sentences, as it begins."""
    words = dict.fromkeys([FIRST, LAST, *" ".join(SENTENCES.values()).split()])
    config = layers.Config(vocab_size=len(words), **RANDOM_SIZES)  # type: ignore[arg-type]
    shapes = layers.parameter_shapes(layers.bert(config, padding=False).hidden)
    weights = seeded_weights(shapes, seed=WEIGHTS_SEED, spread=SPREAD_VALUES)
    return Checkpoint(config, {word: number for number, word in enumerate(words)}, weights)


def checkpoint(kind: str) -> Checkpoint:
    """MiniLM, unless random numbers are asked for or are all there is."""
    return (minilm() if kind == REAL else None) or random_checkpoint()


@cache
def vectors(kind: str) -> Any:
    """The vectors of the word, (blocks + 1, sentences, d): before the first block, and after each. The sentences are
    equally long, and every word in them is an entry of the vocabulary.
    """
    model = checkpoint(kind)
    ids, values = read_texts(model, SENTENCES.values())
    is_word = ids == model.ids[WORD]
    return np.array([values[node][is_word] for node in states(values)])


def states(nodes: Iterable[Node]) -> list[Node]:
    """The rows before the first block and after each."""
    return [node for node in nodes if node.name == "Y" or (node.name == "X" and node.scope == "embeddings")]


def cosines(kind: str) -> Any:
    """How alike the word's vectors point, (blocks + 1, sentences, sentences)."""
    unit = vectors(kind) / np.linalg.norm(vectors(kind), axis=-1, keepdims=True)
    return unit @ np.swapaxes(unit, 1, -1)


def compare(settings: Settings) -> Findings:
    """The word in four sentences, block by block."""
    is_random = settings["weights"] == RANDOM or find_minilm() is None
    found = cosines(RANDOM if is_random else REAL)
    block = min(int(settings["block"]), len(found) - 1)
    alike = dict(zip(SENTENCES, range(len(SENTENCES)), strict=True))
    pairs = {
        "money – loan": found[:, alike["money"], alike["loan"]],
        "river – stream": found[:, alike["river"], alike["stream"]],
        "across, mean": found[:, : alike["river"], alike["river"] :].mean(axis=(1, -1)),
    }
    across = found[-1, : alike["river"], alike["river"] :]
    blocks = range(len(found))
    return Findings(
        {
            "weights": Quantity("Weights", "random" if is_random else "MiniLM"),
            "bottom": Quantity("Before the first block, all pairs", found[0].min()),
            "money_loan": Quantity("Last block, money – loan", pairs["money – loan"][-1]),
            "river_stream": Quantity("river – stream", pairs["river – stream"][-1]),
            "across_least": Quantity("across, from", across.min()),
            "across_most": Quantity("to", across.max()),
            **{name: Quantity(LEARNT[name], f"{number:,}") for name, number in totals().items()},
        },
        (
            *(
                [missing("these weights are random, nothing was learnt")]
                if is_random and settings["weights"] == REAL
                else []
            ),
            Heat(f"Cosine of {WORD} with {WORD} after block {block}", found[block], list(alike), list(alike)),
            Lines("The same pairs, block by block", list(blocks), pairs, "after block", "cosine"),
        ),
    )


# ---- counting --------------------------------------------------------------------------------------------------------
@cache
def shapes(*heads: str) -> dict[str, Shape]:
    """Every parameter of BERT base with these heads, and its shape."""
    built = layers.bert(layers.Config(), heads, padding=False)
    if built.loss is not None:
        return layers.parameter_shapes(built.loss)
    assert built.pooled is not None
    return layers.parameter_shapes(built.hidden, built.pooled)


def count(found: Iterable[Shape]) -> int:
    return sum(prod(int(size) for size in shape) for shape in found)


LEARNT = {
    "parameters": "Numbers learnt by BERT base",
    "with_tokens": "with the head for masked tokens",
    "with_both": "with both heads",
}


@cache
def totals() -> dict[str, int]:
    """The numbers that BERT base learns: alone, with a head for masked tokens, and with both heads."""
    return {
        "parameters": count(shapes().values()),
        "with_tokens": count(shapes("masked_tokens").values()),
        "with_both": count(shapes("masked_tokens", "next_sentence").values()),
    }


def counting() -> Findings:
    """Where the parameters are."""
    base = shapes()

    def part(title: str, start: str) -> list[str]:
        chosen = {name: shape for name, shape in base.items() if name.startswith(start)}
        largest = max(chosen.values(), key=lambda shape: count([shape]))
        return [title, " × ".join(f"{size:,}" for size in largest), f"{count(chosen.values()):,}"]

    blocks = layers.Config().num_hidden_layers
    rows = [
        part("word embeddings", "embeddings_word"),
        part("position embeddings", "embeddings_position"),
        part("embeddings, all together", "embeddings"),
        part("attention of one block", "encoder_layer_0_attention"),
        part("one block", "encoder_layer_0_"),
        part(f"all {blocks} blocks", "encoder"),
        part("pooler", "pooler"),
    ]
    names = {
        "parameters": "BERT base",
        "with_tokens": "without pooler, with the head for masked tokens",
        "with_both": "with both heads",
    }
    rows += [[names[name], "", f"{number:,}"] for name, number in totals().items()]
    return Findings(views=(Table("Parameters of BERT base", ["Part", "Largest matrix", "Numbers"], rows),))


# ---- the whole model -------------------------------------------------------------------------------------------------
NARROW = layers.Config(**WHOLE_SIZES)  # type: ignore[arg-type]


def whole() -> Node:
    """BERT with all its blocks and both heads, but narrow, so that it has numbers to show."""
    loss = layers.bert(NARROW, HEADS, ids_shape=WHOLE_VALUES["input_ids"].shape, padding=False).loss
    assert loss is not None
    return loss


def whole_values() -> dict[str, Any]:
    """Six tokens of two sentences, one of them asked for, and weights as at the beginning."""
    return WHOLE_VALUES | seeded_weights(layers.parameter_shapes(whole()), seed=WEIGHTS_SEED, spread=SPREAD_VALUES)


LESSON = Lesson(
    key="12",
    title="BERT",
    says="Everything so far, put together: word, position and sentence rows are added and normalised, and 12 blocks "
    "with 12 heads each work on them, 768 numbers a token. Words are cut into pieces from a list of some 30 thousand "
    "(WordPiece). There is nothing in it that you have not stepped.",
    needs=("8", "9", "10", "11"),
    symbols={
        "E": "rows that are added: words, types (first or second sentence), positions",
        "X": "their sum, normalised: what the first block reads",
        "Y": "what a block gives to the next",
        "H, G": "inside a feed-forward network, before and after GELU; H is no number of heads here",
        "W": "a table or matrix of weights",
    },
    predict=Question(
        "*bank* is token 5 of *i went to the bank to get money*, and token 5 of *i sat on the bank of the river*. Is "
        "its vector the same in both?",
        (
            Choice(
                "Yes: the same word in the same place",
                "So it begins: before the first block the cosine is [[bottom]]. But every block mixes in the other "
                "words, and after the last one it lies between [[across_least]] and [[across_most]].",
                tempting=True,
            ),
            Choice(
                "Before the first block, yes; after the last, no",
                "Yes: [[bottom]] before the first block, then between [[across_least]] and [[across_most]]. The "
                "vector of a word tells what stands around it.",
                right=True,
            ),
            Choice(
                "No: in two sentences no vector is the same",
                "Before the first block it is: one row of the word table, one row of the position table, cosine "
                "[[bottom]]. The others come in by attention.",
            ),
        ),
    ),
    experiment=Experiment(
        question="Go through the blocks. When do the two meanings part? Random weights part them too: by what?",
        controls={
            "block": Slider("After block", 6, 0, 6, 1),
            "weights": Choose("Weights", REAL, KINDS),
        },
        run=compare,
        expect=(
            "bottom",
            "money_loan",
            "river_stream",
            "across_least",
            "across_most",
            "parameters",
            "with_tokens",
            "with_both",
        ),
    ),
    screens=(
        Screen(
            title="The whole model",
            says="All 12 blocks and both heads, each block with its 12 heads; only the rows are narrow here, so that "
            "you can look at numbers. Open a box, and the next, down to single operations.",
            walk=Walk(program=whole, values=whole_values()),
            formulas=(),
        ),
        Screen(
            title="Three tables",
            says="A token's row is looked up, not computed. Token 1 stands here twice, so its row of the table gets "
            "two contributions; a row that nobody looked up gets nothing, and learns nothing from this sentence.",
            walk=Walk(program="E = embedding(W, ids); L = sum(E*U)", values=TABLE_VALUES),
            formulas=("forward",),
            blanks=("E", "E_bar", "W_bar"),
        ),
        Screen(
            title="Count them",
            says="Exact, from the shapes of the graph: BERT base learns [[parameters]] numbers. The head for masked "
            "tokens has few of its own, because its large matrix is the word table, used a second time.",
            show=counting,
        ),
    ),
    why=Question(
        "What makes the vectors of one word in one place differ between two sentences?",
        (
            Choice(
                "Attention: the word's row takes in the values of the other words",
                "Yes: all else works on each row alone.",
                right=True,
            ),
            Choice(
                "Each meaning of a word has a row of its own in the word table",
                "There is one row for *bank*, whatever it means: before the first block the cosine is [[bottom]].",
                tempting=True,
            ),
            Choice(
                "The feed-forward networks",
                "They see one row at a time: equal rows in, equal rows out.",
            ),
        ),
    ),
    recall="10",
)
