"""Rung 9: multi-head attention. What one head cannot pass on, two can; and their outputs add."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import graphlab as gl
from graphlab.engine.core import Node
from graphlab.layers import Sight, multi_head_attention, parameter_shapes
from graphlab.lessons.controls import Choose, Numbers, Settings, Slider
from graphlab.lessons.findings import Findings, Heat, Quantity, Table
from graphlab.lessons.laboratories.checkpoints import FIRST, LAST, find_minilm, minilm, missing, read_texts
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import tidy

WORDS_VALUES = [[1.0, 0.0], [0.0, 1.0]]
BERT_SIZES = 768
JOINED_VALUES = {
    "h_1": [[2.0, 1.0]],
    "h_2": [[0.0, 3.0]],
    "W_1": [[1.0, 0.0], [2.0, -1.0]],
    "W_2": [[0.0, 4.0], [1.0, 1.0]],
    "U": [[1.0, -2.0]],
}
# Three tokens, a b a: the first two entries say which word, the last two which place (a quarter turn for each).
HEADS_VALUES = 2
TOKENS = ("a₁", "b₂", "a₃")
LAYER_VALUES = {
    "X": [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, -1.0, 0.0]],
    "W_Q": [[6.0, 0.0, 0.0, 0.0], [0.0, 6.0, 0.0, 0.0], [0.0, 0.0, 0.0, 6.0], [0.0, 0.0, -6.0, 0.0]],
    "W_K": [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    "W_V": [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]],
    "W_O": [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    "U": [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]],
}

SENTENCE = "the cat sat on the mat because it was tired ."
HEADS_CHOSEN_VALUES = BEFORE, MEANT = (1, 3), (6, 12)  # layer and head, counted from 1
DECIMALS_VALUES = 2

ONE_HEAD = gl.parse("h = p@X", values={"p": [1.0, 0.0], "X": WORDS_VALUES})
TWO_HEADS = gl.parse("concat(p_1@X, p_2@X)", values={"p_1": [1.0, 0.0], "p_2": [0.0, 1.0], "X": WORDS_VALUES})
JOINED = Walk(
    program="C = concat(h_1, h_2, axis=-1); W_O = concat(W_1, W_2); Y = C@W_O; L = sum(Y*U)", values=JOINED_VALUES
)
ADDED = Walk(program="Y = h_1@W_1 + h_2@W_2; L = sum(Y*U)", values=JOINED_VALUES)


def copy(settings: Settings) -> Findings:
    """What one head and two heads pass on of two words, in both orders."""
    forward = np.asarray(settings["words"])
    backward = forward[::-1]
    one, own = settings["one"], settings["own"]
    single = [ONE_HEAD.evaluate(p=[one, 1 - one], X=words) for words in (forward, backward)]
    double = [TWO_HEADS.evaluate(p_1=[own, 1 - own], p_2=[1 - own, own], X=words) for words in (forward, backward)]
    return Findings(
        {
            "one_ab": Quantity("One head, a b", single[0], in_view=True),
            "one_ba": Quantity("One head, b a", single[1], in_view=True),
            "two_ab": Quantity("Two heads, a b", double[0], in_view=True),
            "two_ba": Quantity("Two heads, b a", double[1], in_view=True),
            "single": Quantity(f"Parameters at {BERT_SIZES}, 1 head", parameters(1)),
            "many": Quantity(
                f"Parameters at {BERT_SIZES}, {settings['heads']} heads", parameters(int(settings["heads"]))
            ),
        },
        (Table("What comes out", ["", "a b", "b a"], [["one head", *single], ["two heads", *double]]),),
    )


@cache
def parameters(heads: int) -> str:
    """How many numbers a layer with so many heads learns, written out."""
    layer = multi_head_attention(gl.variable("X"), heads, size=BERT_SIZES)
    return f"{sum(math.prod(map(int, shape)) for shape in parameter_shapes(layer.y).values()):,}"


def both_ways() -> Findings:
    """concat(h₁, h₂) W^O beside h₁W₁ + h₂W₂."""
    values = JOINED_VALUES
    joined = JOINED.trace.known_values[JOINED.id_of("Y")]
    parts = [gl.parse("h@W").evaluate(h=values[f"h_{i}"], W=values[f"W_{i}"]) for i in "12"]
    rows = [["h₁ W₁", parts[0]], ["h₂ W₂", parts[1]], ["their sum", sum(parts)], ["concat(h₁, h₂) W^O", joined]]
    return Findings(views=(Table("The same row", ["", "Y"], rows),))


def layer() -> Node:
    """A whole layer with two heads, and a loss that asks for b in the last row."""
    width = len(LAYER_VALUES["X"][0])
    found = multi_head_attention(gl.variable("X"), HEADS_VALUES, Sight(causal=True), size=width, bias=False)
    loss: Node = gl.sum(found.y * gl.variable("U"))
    return loss


LAYER = Walk(program=layer, values=LAYER_VALUES)


def patterns() -> Findings:
    """Who looks at whom in each head, and what the loss would change there."""
    trace = LAYER.trace
    weights = trace.known_values[LAYER.id_of("P")]
    gradients = tidy(trace.known_gradients[LAYER.id_of("S_causal")])
    columns = [f"{number}: {token}" for number in range(1, 1 + len(weights)) for token in TOKENS]
    return Findings(
        views=(
            Heat("Weights P, head 1 and head 2 side by side", np.hstack(list(weights)), TOKENS, columns),
            Heat("Gradient of the scores, head 1 and head 2", np.hstack(list(gradients)), TOKENS, columns, signed=True),
        )
    )


@cache
def probabilities(_folder: Path) -> Any:
    """How much every word of the sentence looks at every other: (layers, heads, n, n)."""
    model = minilm()
    assert model is not None, "it was found"
    _, values = read_texts(model, [SENTENCE])
    return np.array([value[0] for node, value in values.items() if node.name == "P"])


def real_heads() -> Findings:
    """Two heads that training made, on a sentence."""
    folder = find_minilm()
    if folder is None:
        return Findings(views=(missing("here you would see two heads that training made"),))
    tokens = [FIRST, *SENTENCE.split(), LAST]
    before, meant = (probabilities(folder)[layer - 1, head - 1] for layer, head in (BEFORE, MEANT))
    it, cat = tokens.index("it"), tokens.index("cat")
    words = slice(1, -1)
    shown = ((BEFORE, before[words, words]), (MEANT, meant[words, words]))
    return Findings(
        {
            "before": Quantity(f"{called(BEFORE)}: sat → cat", before[cat + 1, cat]),
            "meant": Quantity(f"{called(MEANT)}: it → cat", meant[it, cat]),
        },
        tuple(
            Heat(
                f"{called(head)}: weights, to two places",
                np.round(weights, DECIMALS_VALUES),
                tokens[words],
                tokens[words],
            )
            for head, weights in shown
        ),
    )


def called(head: tuple[int, int]) -> str:
    return f"Layer {head[0]}, head {head[1]}"


LESSON = Lesson(
    key="9",
    title="Multi-head attention",
    says="Several attentions side by side, each with queries, keys and values of its own; their outputs stand end to "
    "end and are mixed: $Y = (h_1 \\oplus \\dots \\oplus h_H)\\,W^O$.",
    needs=("7",),
    symbols={
        "h₁, h₂": "outputs of the heads; no node in between",
        "H": "number of heads",
        "⊕": "end to end (concat); no sum",
        "P": "attention weights (α in the lecture)",
        "d": "size d_model of a row; each head has d/H of it",
        "W^O": "stands on the right here, as in the lecture; layers store its transpose",
        "a, b": "two words",
    },
    predict=Question(
        "One attention head looks at two words, $a = (1, 0)$ and $b = (0, 1)$, with weight ½ each. Can whoever reads "
        "its output tell “a b” from “b a”?",
        (
            Choice(
                "Yes: it looks at both words, so both are in its output",
                "Both are in it, but as one mean: [[one_ab]] for a b, [[one_ba]] for b a.",
                tempting=True,
            ),
            Choice(
                "No: both orders give the same output",
                "Yes: [[one_ab]] and [[one_ba]]. Two heads, one for each word, give [[two_ab]] and [[two_ba]].",
                right=True,
            ),
            Choice(
                "Only if the words come with positions",
                "Positions help a head to choose whom it looks at. But what it passes on is still one mean: [[one_ab]] "
                "and [[one_ba]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Give the one head another weight. Then the orders differ; but is one of the outputs *both words*? "
        "Last, take the sharpness from the two heads. And what do more heads cost?",
        controls={
            "words": Numbers("Words a and b", WORDS_VALUES),
            "one": Slider("One head: weight on its first word", 0.5, 0.0, 1.0, 0.05),
            "own": Slider("Two heads: weight of each on its own word", 1.0, 0.5, 1.0, 0.05),
            "heads": Choose("Heads", "12", ("1", "2", "4", "12")),
        },
        run=copy,
        expect=("one_ab", "one_ba", "two_ab", "two_ba", "single", "many"),
    ),
    screens=(
        Screen(
            title="End to end",
            says="Two heads for one token: their rows stand end to end, then $W_O$ mixes them. On the way back each "
            "head gets its own stretch of $\\bar C$.",
            walk=JOINED,
            formulas=("forward",),
            blanks=("C", "Y", "Y_bar", "C_bar", "h_1_bar", "h_2_bar", "W_O_bar"),
        ),
        Screen(
            title="The same as a sum",
            says="Cut $W_O$ into the part $W_1$ that meets $h_1$ and the part $W_2$ that meets $h_2$: every head adds "
            "its own share to $Y$. So each gets the whole $\\bar Y$, through its own part.",
            walk=ADDED,
            formulas=("forward", "backward"),
            blanks=("Y", "h_1_bar", "h_2_bar", "W_1_bar", "W_2_bar"),
            show=both_ways,
        ),
        Screen(
            title="A whole layer",
            says="The words a b a. Weights made by hand: head 1 looks for the same word, head 2 for the place before, "
            "and both pass on the word found. The loss asks both for *b* in the last row. A head that hardly looks at "
            "b hardly gets a gradient there: its softmax passes little on.",
            walk=LAYER,
            formulas=("forward",),
            show=patterns,
        ),
        Screen(
            title="Heads that training made",
            says="MiniLM reads “the cat sat on the mat because it was tired .” Nobody told a head what to do. One "
            "looks at the word before. Another looks from *it* to *cat*; but read its other rows before you call it a "
            "head for pronouns. The Heads page shows all of them.",
            show=real_heads,
        ),
    ),
    why=Question(
        "A row has 768 entries. Why do twelve heads have as many parameters as one head?",
        (
            Choice(
                "Twelve heads of 64 rows each are the 768 rows of the same four matrices",
                "Yes: [[single]] for one head, [[many]] for twelve.",
                right=True,
            ),
            Choice(
                "They have not: each head has its own queries, keys and values, so twelve times as many",
                "Each has its own, but with 64 rows instead of 768. Together: [[many]].",
                tempting=True,
            ),
            Choice(
                "All heads share their weights",
                "Then all would look at the same words. Each has its own rows of the four matrices.",
            ),
        ),
    ),
    recall="7",
)
