"""Rung 10: positional encoding. Who notices that words changed their places, and what must be added so that all do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import graphlab as gl
from graphlab import layers
from graphlab.lessons.controls import Choose, Settings, Slider, Text
from graphlab.lessons.findings import Bars, Findings, Heat, Lines, Quantity
from graphlab.lessons.laboratories.encoders import distance, seeded_weights, word_rows
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import ROUNDING

ENCODER_SIZES = {"num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
SPREAD_VALUES = {"weights": 0.4, "table": 0.7}
WEIGHTS_SEED = 10
WORDS_SEED = 3
TABLE_SEED = 4
CONFIG = layers.Config(**ENCODER_SIZES)  # type: ignore[arg-type]
WAVES_GRID = np.arange(32)
PAIR_SIZES = 2
SENTENCE_VALUES = "dog bites man"
SINUSOIDS, LEARNT = "sinusoids", "a learnt table"
TURNED, FIRST_LAST = "turned round", "first word last"
WAVES = gl.graph(R=layers.sinusoidal_positions(gl.variable("E")))
SMALL_VALUES = {"X": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], "U": [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]}
TURNED_VALUES = {"X": SMALL_VALUES["X"][::-1], "U": SMALL_VALUES["U"]}
ADDED_VALUES = {
    "E": [[2.0, 1.0], [0.0, 3.0], [2.0, 1.0]],
    "R": [[0.0, 1.0], [0.5, 0.5], [1.0, -1.0]],
    "U": [[3.0, -1.0], [2.0, 5.0], [-4.0, 1.5]],
}


# ---- the experiment --------------------------------------------------------------------------------------------------
@cache
def model(*, causal: bool) -> gl.Graph:
    """Two blocks on words E and positions R, which count s times."""
    words, rows, strength = gl.variables("E R s")
    return gl.graph(Y=layers.encoder(words + strength * rows, CONFIG, layers.Sight(causal=causal)))


@cache
def weights() -> dict[str, Any]:
    """The same for all three columns."""
    shapes = layers.parameter_shapes(layers.encoder(gl.variable("X"), CONFIG))
    return seeded_weights(shapes, seed=WEIGHTS_SEED, spread=SPREAD_VALUES["weights"])


def outputs(words: list[str], kind: str, *, strength: float, causal: bool) -> Any:
    """The encoder's row for every word."""
    rows = word_rows(words, ENCODER_SIZES["hidden_size"], seed=WORDS_SEED)
    table = WAVES.evaluate(E=rows) if kind == SINUSOIDS else learnt_table(len(words))
    return model(causal=causal).evaluate({"E": rows, "R": table, "s": strength, **weights()})


def learnt_table(longest: int) -> Any:
    """As a table begins: random rows, one for each place."""
    shape = (longest, ENCODER_SIZES["hidden_size"])
    return SPREAD_VALUES["table"] * np.random.default_rng(TABLE_SEED).normal(size=shape)


def compare(settings: Settings) -> Findings:
    """One sentence in two orders, through three encoders."""
    words, kind, strength = settings["sentence"].split(), settings["positions"], settings["strength"]
    places = np.arange(len(words))
    order = places[::-1] if settings["order"] == TURNED else np.roll(places, -1)
    columns = {
        "bidirectional, no positions": {"strength": 0.0, "causal": False},
        "bidirectional, with positions": {"strength": strength, "causal": False},
        "causal, no positions": {"strength": 0.0, "causal": True},
    }
    changes = {title: change(words, order, kind, column) for title, column in columns.items()}
    whole = [found[-1] for found in changes.values()]
    labels = [*(f"{place} {word}" for place, word in enumerate(words, start=1)), "mean of all"]
    return Findings(
        {
            "other": Quantity("Read second", " ".join(words[place] for place in order)),
            "without": Quantity("The mean moves by: bidirectional, no positions", or_rounding(whole[0])),
            "added": Quantity("with positions", or_rounding(whole[1])),
            "causal": Quantity("causal, no positions", or_rounding(whole[-1])),
        },
        (Bars("How far each word's output moves when the order changes", labels, changes),),
    )


def change(words: list[str], order: Any, kind: str, column: dict[str, Any]) -> list[float]:
    """How far each word's output moves when the words are read in another order, and how far the mean does."""
    first = outputs(words, kind, **column)
    second = outputs([words[place] for place in order], kind, **column)
    moves = [distance(first[place], second[at]) for at, place in enumerate(order)]
    by_word = [moves[at] for at in np.argsort(order)]
    return [*by_word, distance(np.mean(first, axis=0), np.mean(second, axis=0))]


def or_rounding(moved: float) -> float | str:
    """Sums in another order differ in the last bits of a double."""
    return moved if moved > ROUNDING else "0 up to rounding"


# ---- the screens -----------------------------------------------------------------------------------------------------
def waves() -> Findings:
    """The first columns of the sinusoids, and how alike two positions are."""
    table = WAVES.evaluate(E=np.zeros((len(WAVES_GRID), ENCODER_SIZES["hidden_size"])))
    few = table[: ENCODER_SIZES["hidden_size"]]
    names = [str(place) for place in range(len(few))]
    return Findings(
        views=(
            Lines(
                "Every second column of the table: sines, from fast to slow",
                WAVES_GRID,
                {f"column {column}": table[:, column] for column in range(0, len(table[0]), PAIR_SIZES)},
                "position",
            ),
            Heat("The rows of two positions multiplied: only their distance counts", few @ few.T, names, names),
        )
    )


def attention_of(words: list[str], rows: list[list[float]], *, causal: bool) -> Heat:
    """Who looks at whom in one small attention."""
    x = gl.variable("X")
    weights = gl.graph(P=layers.basic_self_attention(x, layers.Sight(causal=causal)).p).evaluate(X=rows)
    return Heat(f"{' '.join(words)}: each row's weights", weights, words, words)


def both_orders(*, causal: bool) -> Findings:
    """The weights of one attention for both sentences."""
    words = SENTENCE_VALUES.split()
    first = attention_of(words, SMALL_VALUES["X"], causal=causal)
    return Findings(views=(first, attention_of(words[::-1], TURNED_VALUES["X"], causal=causal)))


LESSON = Lesson(
    key="10",
    title="Positional encoding",
    says="Attention compares every word with every other one, but nothing in it says where a word stands. So the place "
    "is added to the word: row $i$ of a table of positions is added to row $i$ of the embeddings.",
    needs=("6", "8"),
    symbols={
        "E": "word embeddings, a row for each word; no error here",
        "R": "rows for positions 0, 1, 2, …",
        "X": "what attention reads: E + R",
        "S, P": "scores, and their softmax; P is no position here",
        "Y": "outputs; y is no label here",
        "d": "entries of a row",
    },
    predict=Question(
        "An encoder of two blocks reads *dog bites man*, then *man bites dog*. Every word looks at every word, and "
        "nothing is added for positions. Is the mean of its outputs different?",
        (
            Choice(
                "Yes: in the second sentence the man bites, so other words meet",
                "The same three words meet: each compares itself with the same three, whatever the order. The mean "
                "moves by [[without]]. With positions it moves by [[added]].",
                tempting=True,
            ),
            Choice(
                "No: for this encoder they are the same sentence",
                "Yes: it moves by [[without]]. With positions added it moves by [[added]].",
                right=True,
            ),
            Choice(
                "No, and a causal encoder would not notice either",
                "This one does not notice: [[without]]. But a causal one does, even without positions: [[causal]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Three encoders with the same weights read one sentence in two orders. Which of them notice? How "
        "little of the positions is enough?",
        controls={
            "sentence": Text("Sentence", SENTENCE_VALUES, 60),
            "order": Choose("Second order", TURNED, (TURNED, FIRST_LAST)),
            "positions": Choose("Positions", SINUSOIDS, (SINUSOIDS, LEARNT)),
            "strength": Slider("Positions times", 1.0, 0.0, 2.0, 0.1),
        },
        run=compare,
        expect=("without", "added", "causal"),
    ),
    screens=(
        Screen(
            title="Order is lost",
            says="Three words as rows, and one attention. Turn the sentence round: rows and columns of the weights "
            "change places together, and no number in them changes. Each word takes its output with it.",
            show=lambda: both_orders(causal=False),
        ),
        Screen(
            title="Step the mean",
            says="The rows of $U$ are all the same, so $L$ depends only on the sum of the outputs: no order of the "
            "rows of $X$ can change it.",
            walk=Walk(program="S = X@X.T; P = softmax(S); Y = P@X; L = sum(Y*U)", values=SMALL_VALUES),
            formulas=("forward",),
            blanks=("S", "Y_bar"),
        ),
        Screen(
            title="Add positions",
            says="The first and the third word are the same word; after adding $R$ their rows differ. Adding sends the "
            "gradient on unchanged, so a *learnt* row of $R$ gets what its word's row gets. Sinusoids are computed, "
            "not learnt: nothing is sent back to them.",
            walk=Walk(program="X = E + R; L = sum(X*U)", values=ADDED_VALUES),
            formulas=("forward", "backward"),
            blanks=("X", "X_bar", "E_bar", "R_bar"),
        ),
        Screen(
            title="Sinusoids",
            says="Columns come in pairs, a sine and a cosine of $i / 10000^{2k/d}$ for position $i$ and pair $k$: fast "
            "waves tell neighbours apart, slow ones tell near from far. BERT learns its table instead, for at most so "
            "many positions as it has rows.",
            show=waves,
        ),
        Screen(
            title="Causal is not blind",
            says="With the causal mask a word sees itself and what stands before it. The first word sees one word, the "
            "last sees all: who stands where changes what is seen, so the order leaks in without any positions.",
            show=lambda: both_orders(causal=True),
        ),
    ),
    why=Question(
        "Why does a causal encoder notice the order although nothing is added for positions?",
        (
            Choice(
                "Each word is mixed with those before it only, and in another order those are others",
                "Yes: the mask itself is tied to places.",
                right=True,
            ),
            Choice(
                "Scores are larger for words that stand close together",
                "A score is $x_i \\cdot x_j$ and knows no place. What differs is which scores are left in.",
                tempting=True,
            ),
            Choice(
                "Because softmax adds up to 1 in every row",
                "It does so without the mask too, and there the mean moves by [[without]].",
            ),
        ),
    ),
    recall="6",
)
