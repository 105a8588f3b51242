"""Rung 5c: cross-entropy. The 1/p of the logarithm meets the p of the softmax, and p − y is left."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Numbers, Settings
from graphlab.lessons.findings import Bars, Findings, Lines, Quantity
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import tidy

SCORE_VALUES = [math.log(2), 0.0, 0.0]
RIGHT_VALUES = [0.0, 1.0, 0.0]
SCORE_GRID = np.linspace(-8, 8, 65)
CLASSES = ("1", "2", "3")
SOFTMAX = gl.parse("p = softmax(s)", values={"s": SCORE_VALUES})
LOGARITHM = gl.parse("L = -log(r)")
LOSS = gl.parse("L = -sum(y*log_softmax(s))", values={"s": SCORE_VALUES, "y": RIGHT_VALUES})
DIAGONAL = gl.parse("p_bar * p * (1 - p)", values=("p_bar", "p"))


def compare(settings: Settings) -> Findings:
    """The gradient at the probabilities and at the scores, and what is left when only one score is blamed."""
    scores, right = np.array(settings["scores"], float), CLASSES.index(settings["right"])
    y = np.eye(len(CLASSES))[right]
    p = SOFTMAX.evaluate(s=scores)
    p_bar = np.where(y, LOGARITHM.gradients(r=p[right])["r"], 0.0)
    gradient = LOSS.gradients(s=scores, y=y)["s"]
    only = DIAGONAL.evaluate(p_bar=p_bar, p=p)
    return Findings(
        {
            "p": Quantity("p", p),
            "right": Quantity("p of the right class", p[right]),
            "loss": Quantity("L = −log of that", LOSS.evaluate(s=scores, y=y)),
            "p_bar": Quantity("p̄", p_bar),
            "gradient": Quantity("s̄", gradient),
            "difference": Quantity("p − y", p - y),
            "total": Quantity("Sum of s̄", tidy(np.append(p, np.sum(gradient)))[-1]),
            "only": Quantity("Diagonal only", only),
        },
        (
            Bars(
                "Who is pushed", [f"s{'₁₂₃'[i]}" for i in range(len(CLASSES))], {"s̄": gradient, "diagonal only": only}
            ),
            curve(right),
        ),
    )


@cache
def curve(right: int) -> Lines:
    """What reaches the probability and the score of the right class, while only that score moves from bad to good."""
    scores = np.zeros((len(SCORE_GRID), len(CLASSES)))
    scores[:, right] = SCORE_GRID
    y = np.eye(len(CLASSES))[right]
    p_bars = [LOGARITHM.gradients(r=SOFTMAX.evaluate(s=s)[right])["r"] for s in scores]
    s_bars = [LOSS.gradients(s=s, y=y)["s"][right] for s in scores]
    title = "The right class from bad to good, others at 0: p̄ explodes, s̄ never leaves −1 … 0"
    return Lines(title, SCORE_GRID, {"p̄": p_bars, "s̄": s_bars}, "score of the right class", logarithmic=True)


LESSON = Lesson(
    key="5c",
    title="Cross-entropy",
    says="The loss is $L = -\\log p_t$, where $t$ is the right class: 0 if it has all the probability, large if it has "
    "little. Two steps back, through the logarithm and through softmax, and what is left is the simplest gradient "
    "there is: $\\bar s = p - y$.",
    needs=("5b",),
    symbols={
        "s": "scores; no sigmoid here",
        "p": "softmax of s",
        "t": "the right class; as an id it counts from 0, so the second class has id 1",
        "y": "the right answer as probabilities: 1 at the right class, else 0",
        "r": "the probability that the right class gets",
        "n": "the number of rows (tokens) that the loss is averaged over",
    },
    predict=Question(
        "$p = (\\tfrac12, \\tfrac14, \\tfrac14)$, and the second class is right: $L = -\\log p_2$. What is the "
        "gradient of the scores?",
        (
            Choice(
                "(0, −¾, 0): only p₂ is in the loss",
                "Only p₂ hears from the loss: p̄ = [[p_bar]]. But p₂ depends on every score, as softmax shares: "
                "s̄ = [[gradient]].",
                tempting=True,
            ),
            Choice(
                "(½, −¾, ¼): each p, minus 1 at the right class",
                "Yes: s̄ = p − y = [[gradient]]. The right score is pulled up, and the others pay for it: "
                "the sum is [[total]].",
                right=True,
            ),
            Choice(
                "(−½, ¾, −¼): the right class up, the others down",
                "That is where the scores should go. The gradient says where L grows, so it points the other way: "
                "[[gradient]].",
            ),
            Choice(
                "(0, −4, 0): minus one over p",
                "So far you are at p: p̄ = [[p_bar]]. Softmax is still to come: s̄ = [[gradient]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Make the right class less and less likely. What happens to p̄, and what to s̄? Which scores are left "
        "alone?",
        controls={
            "scores": Numbers("Scores s", SCORE_VALUES),
            "right": Choose("Right class", "2", CLASSES),
        },
        run=compare,
        expect=("p", "right", "loss", "p_bar", "gradient", "difference", "total", "only"),
    ),
    screens=(
        Screen(
            title="Two steps back",
            says="$r$ picks the probability of the right class. The logarithm sends back $-1/r$, to that class only; "
            "then softmax compares with the average: $\\bar s_i = p_i\\,(\\bar p_i - \\bar p \\cdot p)$.",
            walk=Walk(
                program="p = softmax(s); r = sum(p*y); L = -log(r)", values={"s": SCORE_VALUES, "y": RIGHT_VALUES}
            ),
            formulas=("forward", "backward"),
            blanks=("p", "r", "r_bar", "p_bar", "s_bar"),
        ),
        Screen(
            title="Multiplied out",
            says="$\\bar p \\cdot p$ is $-1$: the one upstream is $-1/p_t$, and it is weighted by $p_t$. So "
            "$\\bar s_i = p_i\\,\\bar p_i + p_i$, and $p_i\\,\\bar p_i$ is $-y_i$. The same at once, from "
            "$L = \\log \\sum_j \\exp(s_j) - s_t$: the first part gives $p$, the second takes 1 from the right class.",
            walk=Walk(
                program="Z = exp(s_1) + exp(s_2) + exp(s_3); l = log(Z); L = l - s_2",
                values={f"s_{i}": score for i, score in enumerate(SCORE_VALUES, start=1)},
            ),
            formulas=("forward", "s_1", "s_2"),
            blanks=("Z", "l_bar", "Z_bar", "s_3_bar", "s_2_bar", "s_1_bar"),
        ),
        Screen(
            title="Several rows",
            says="Every token has its own scores and its own right class. The loss is the mean over the $n$ rows, so "
            "each row's gradient is divided by $n$: $\\bar S = (P - Y)/n$.",
            walk=Walk(
                program="L = cross_entropy(S, t)",
                values={"S": [SCORE_VALUES, [0.0, 0.0, math.log(2)]], "t": [1, 2]},
            ),
            blanks=("L", "S_bar"),
        ),
    ),
    why=Question(
        "$\\bar p$ has a $1/p$ in it, which may be huge. Why is there none left in $\\bar s$?",
        (
            Choice(
                "Softmax's slope has a factor p, and p · 1/p is 1",
                "Yes: the less probable a class is, the less its score moves it, and the two cancel exactly.",
                right=True,
            ),
            Choice(
                "The gradient is cut off when it gets too large",
                "Nothing is cut: p − y is exact, and between −1 and 1 all by itself.",
                tempting=True,
            ),
            Choice(
                "The loss does not care how small p is",
                "It does: the smaller p, the larger L. But a score can only pull so hard: see the curve.",
            ),
        ),
    ),
    recall="5b",
)
