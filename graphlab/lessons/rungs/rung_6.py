"""Rung 6: self-attention on the words themselves. Scores, the causal mask, weights, and what each word takes along."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Numbers, Settings, Text
from graphlab.lessons.findings import Findings, Heat, Quantity, Table
from graphlab.lessons.laboratories.checkpoints import minilm
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

X_VALUES = [[1, 0], [0, 1], [1, 1]]
ASK_VALUES = {"X": [[1, 0], [0, 2], [1, 1]], "x": [1, 1]}
PASS_VALUES = {"X": X_VALUES, "U": [[2, 1], [1, -1], [0, 3]]}
WORD_SIZES = 4
MOST_SIZES = 8
RANDOM_SEED = 6
DRAWS_SIZES = 200
D_SIZES = (4, 16, 64)
SCORES = gl.parse("S = X @ X.T", values={"X": X_VALUES})
MASKED = {
    "−∞": gl.parse("P = softmax(causal_mask(S))", values={"S": np.eye(1)}),
    "0": gl.parse("P = softmax(S * M)", values={"S": np.eye(1), "M": np.eye(1)}),
    "none": gl.parse("P = softmax(S)", values={"S": np.eye(1)}),
}
MIXTURE = gl.parse("Y = P @ X", values={"P": np.eye(1), "X": np.eye(1)})
WORD_TABLE, UNKNOWN = "embeddings_word_embeddings_weight", "[UNK]"
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # so no label holds Markdown
VECTORS, SENTENCE = "three small vectors", "a sentence"


def look(settings: Settings) -> Findings:
    """Scores, weights and outputs of the chosen words, and how much weight comes from the future."""
    labels, x, whose = words(settings)
    scores = SCORES.evaluate(X=x)
    weights = weights_of(scores, settings["mask"])
    y = MIXTURE.evaluate(P=weights, X=x)
    rows = [[label, vector, taken] for label, vector, taken in zip(labels, x, y, strict=True)]
    is_short = x.shape[-1] <= MOST_SIZES
    return Findings(
        {
            **({"vectors": Quantity("Vectors of the words", whose)} if whose else {}),
            "leak": Quantity("Weight of the first word on later ones", later(weights)),
            "leak_zero": Quantity("the same, were the mask 0", later(weights_of(scores, "0"))),
            **{f"row_{i}": Quantity(f"P, row {i}", row, in_view=True) for i, row in enumerate(weights, start=1)},
            **{f"y_{i}": Quantity(f"y, row {i}", row, in_view=True) for i, row in enumerate(y, start=1)},
        },
        (
            Heat("Scores: how well do row and column go together?", scores, labels, labels, signed=True),
            Heat("Weights: how much does the row look at the column?", weights, labels, labels),
            *([Table("What each takes along", ["", "x goes in", "y comes out"], rows)] if is_short else []),
        ),
    )


def words(settings: Settings) -> tuple[list[str], Any, str]:
    """Labels and vectors (n, d): the typed vectors, or one for every word of the sentence, with whose they are."""
    if settings["words"] == VECTORS:
        x = np.array(settings["vectors"], float)
        return [f"x{'₁₂₃₄₅₆₇₈'[i]}" for i in range(len(x))], x, ""
    labels = WORD.findall(settings["sentence"])[:MOST_SIZES] or ["…"]
    model = minilm()
    if model is None:
        return labels, np.array([vector(label) for label in labels]), f"random, {WORD_SIZES} numbers each"
    table = model.weights[WORD_TABLE]
    ids = [model.ids.get(label.lower(), model.ids[UNKNOWN]) for label in labels]
    return labels, table[ids], f"MiniLM's, {table.shape[-1]} numbers each"


def vector(word: str) -> Any:
    """Random numbers in which nothing is learnt; the same word always gets the same ones."""
    start = int.from_bytes(sha256(word.lower().encode()).digest()[:WORD_SIZES], "big")
    return np.random.default_rng(start).normal(size=WORD_SIZES).round(1)


def weights_of(scores: Any, mask: str) -> Any:
    """The weights with this number in place of the scores of later words."""
    graph = MASKED[mask]
    values = {"S": scores, "M": np.tri(len(scores))}
    return graph.evaluate({name: values[name] for name in graph.inputs})


def later(weights: Any) -> float:
    """How much of the first row lies on later words."""
    return float(np.sum(weights[0, 1:]))


@cache
def longer() -> Findings:
    """The mean weight of a random word on itself, for vectors of more and more numbers; nobody is masked."""
    random = np.random.default_rng(RANDOM_SEED)
    rows = []
    for d in D_SIZES:
        x = random.normal(size=(DRAWS_SIZES, MOST_SIZES, d))
        attention = gl.parse("P = softmax(X @ X.T)", values={"X": x})
        rows.append([str(d), float(np.mean(np.diagonal(attention.evaluate(X=x), axis1=1, axis2=-1)))])
    return Findings(views=(Table(f"{MOST_SIZES} random words, {DRAWS_SIZES} draws", ["d", "weight on itself"], rows),))


LESSON = Lesson(
    key="6",
    title="Self-attention, basic",
    says="Each word looks at itself and at the words before it, and takes along a mixture of them: "
    "$y_i = \\sum_{j \\le i} \\alpha_{ij}\\,x_j$. How much of each is a softmax of the scores $x_i \\cdot x_j$. "
    "Nothing is learnt here yet.",
    needs=("5a", "5b"),
    symbols={
        "xᵢ": "the vector of word i, a row of X",
        "S": "scores, every word with every word",
        "P, α": "attention weights; α is no leaky slope here",
        "Y, yᵢ": "what comes out, no label: on attention pages a label is t",
        "n, d": "how many words; how many numbers in a vector",
    },
    predict=Question(
        "Three words are $x_1 = (1, 0)$, $x_2 = (0, 1)$, $x_3 = (1, 1)$. Each looks at itself and at those before it. "
        "The second word's score with the first is 0, with itself 1. Whom does it look at?",
        (
            Choice(
                "Only at itself: a score of 0 is no weight",
                "Its weights are [[row_2]]: softmax takes exp of the scores, and exp(0) is 1. To get no weight at all, "
                "a score must be −∞: so that is what the mask puts there.",
                tempting=True,
            ),
            Choice(
                "At both, mostly at itself",
                "Yes: its weights are [[row_2]]. With two words that is the sigmoid of the difference of the scores.",
                right=True,
            ),
            Choice(
                "At all three: the third has score 1 as well",
                "It has; but the third comes later, and is masked: [[row_2]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Put 0 instead of −∞ where a word must not look. Does it still look there? Then try a sentence: does "
        "the first word ever change, and what do two equal words do? (A word has the vector that MiniLM learnt for it, "
        "where that is fetched; else a random one, which means nothing.)",
        controls={
            "mask": Choose("In place of later scores", "−∞", tuple(MASKED)),
            "words": Choose("Words", VECTORS, (VECTORS, SENTENCE)),
            "vectors": Numbers("The vectors, one row each", X_VALUES, grows=True, most=8),
            "sentence": Text("The sentence (its first 8 words)", "the dog bites the man", longest=60),
        },
        run=look,
        expect=("leak", "leak_zero", "row_1", "row_2", "row_3", "y_1", "y_3"),
    ),
    screens=(
        Screen(
            title="One word",
            says="The third of three words, with $x = x_3$: its scores with all, their softmax, and the mixture. Other "
            "numbers than above.",
            walk=Walk(program="s = X @ x; p = softmax(s); y = p @ X", values=ASK_VALUES, kind="forward"),
            blanks=("s", "p", "y"),
        ),
        Screen(
            title="All words at once",
            says="The same as three products. On the way back $X$ is used three times: as the word that looks, as the "
            "word that is looked at, and as what is taken along. So its gradient is a sum of three.",
            walk=Walk(program="S = X @ X.T; P = softmax(causal_mask(S)); Y = P @ X; L = sum(Y*U)", values=PASS_VALUES),
            formulas=("forward", "backward"),
            blanks=("S", "P", "Y", "P_bar", "S_bar", "X_bar"),
        ),
        Screen(
            title="Longer vectors",
            says="A word's score with itself is its squared length, which grows with $d$; with the others it stays "
            "around 0. So the more numbers a vector has, the more a word looks at itself alone. Rung 7 does something "
            "about it.",
            show=longer,
        ),
    ),
    why=Question(
        "Whatever the vectors are, $y_1 = x_1$. Why?",
        (
            Choice(
                "The first word sees only itself, and the softmax of one score is 1",
                "Yes: its weights are [[row_1]], and what comes out is [[y_1]].",
                right=True,
            ),
            Choice(
                "Its score with itself is the largest",
                "It need not be; and the largest score does not get all the weight: see the second word, [[row_2]].",
                tempting=True,
            ),
            Choice(
                "The first word is never changed by design",
                "Nothing singles it out. Take the mask away, and it changes like all the others.",
            ),
        ),
    ),
    recall="5c",
)
