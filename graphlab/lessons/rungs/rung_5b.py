"""Rung 5b: softmax and its backward, from two scores to the rows of a matrix."""

from __future__ import annotations

import math

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Numbers, Settings
from graphlab.lessons.findings import Bars, Findings, Heat, Quantity
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import tidy

VALUES = {"s": [math.log(2), 0.0, 0.0], "u": [2.0, 4.0, 0.0]}
OUTPUTS = ("p₁", "p₂", "p₃")
SCORES = ("s₁", "s₂", "s₃")
SOFTMAX = gl.parse("p = softmax(s)", values=VALUES)
DIAGONAL = gl.parse("p_bar * p * (1 - p)", values=("p_bar", "p"))
NO_AVERAGE = gl.parse("p_bar * p", values=("p_bar", "p"))


def compare(settings: Settings) -> Findings:
    """The gradient of the scores beside what two wrong rules say."""
    scores, upstream = np.asarray(settings["scores"]), np.asarray(settings["upstream"])
    p = SOFTMAX.evaluate(s=scores)
    found = SOFTMAX.gradients({"s": scores}, seed=upstream)["s"]
    gradient = tidy(np.append(found, upstream))[: found.size]
    diagonal = DIAGONAL.evaluate(p_bar=upstream, p=p)
    no_average = NO_AVERAGE.evaluate(p_bar=upstream, p=p)
    rules = {"s̄": gradient, "diagonal only": diagonal, "p̄ ⊙ p": no_average}
    return Findings(
        {
            "p": Quantity("p", p),
            "upstream": Quantity("Upstream p̄", upstream),
            "average": Quantity("Average upstream p̄ · p", float(upstream @ p)),
            "gradient": Quantity("Gradient s̄", gradient),
            "first": Quantity("s̄₁", gradient[0]),
            "total": Quantity("Sum of s̄", tidy(np.append(upstream, np.sum(gradient)))[-1]),
            "diagonal": Quantity("Diagonal only", diagonal),
            "no_average": Quantity("p̄ ⊙ p", no_average),
        },
        (Bars("The gradient, and two wrong rules", SCORES, rules),),
    )


def slopes() -> Findings:
    """Every ∂pⱼ/∂sᵢ."""
    return Findings(views=(Heat("∂pⱼ/∂sᵢ", SOFTMAX.jacobian("s", s=VALUES["s"]), OUTPUTS, SCORES, signed=True),))


LESSON = Lesson(
    key="5b",
    title="Softmax and its backward",
    says="Softmax shares one unit among the scores: $p_i = \\exp(s_i) / \\sum_j \\exp(s_j)$. So no score can win "
    "without the others losing, and on the way back each score asks: is my upstream above the average?",
    needs=("4", "5a"),
    symbols={
        "s": "scores; no sigmoid here",
        "p": "softmax of s: positive, and together 1",
        "u, p̄": "upstream gradient: what L says to p",
        "Z": "the sum of all exp(s)",
        "exp(·)": "Euler's e is written so; e₁, e₂, e₃ are nodes",
    },
    predict=Question(
        "$p = (\\tfrac12, \\tfrac14, \\tfrac14)$, and the upstream is $\\bar p = (2, 4, 0)$. The first output has "
        "upstream 2: what is the gradient of the first score?",
        (
            Choice(
                "Positive: 2 is positive, and more score is more p",
                "With the diagonal alone it would be; but p₂ and p₃ lose what p₁ wins. Together: [[first]].",
                tempting=True,
            ),
            Choice(
                "Zero",
                "Yes: the average upstream is [[average]], and 2 is not above it. All three: [[gradient]].",
                right=True,
            ),
            Choice(
                "Negative: the second output wants more",
                "The second output does; but the third wants less. Weighted by p they cancel: [[first]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Change the upstream. When does a score get no gradient although its upstream is large? What do the "
        "gradients always add up to?",
        controls={
            "scores": Numbers("Scores s", VALUES["s"]),
            "upstream": Numbers("Upstream p̄", VALUES["u"]),
        },
        run=compare,
        expect=("p", "gradient", "diagonal", "no_average", "total"),
    ),
    screens=(
        Screen(
            title="Two scores",
            says="With two scores only their difference counts, and softmax is a sigmoid: its slope is $p\\,(1 - p)$.",
            walk=Walk(program="z = s_1 - s_2; p = sigmoid(z)", values={"s_1": 1, "s_2": 0.5}),
            formulas=("forward", "s_1", "s_2"),
            blanks=("z", "z_bar", "s_1_bar", "s_2_bar"),
        ),
        Screen(
            title="Opened",
            says="Three scores, step by step. $Z$ is used by every output, so each score reaches all of them.",
            walk=Walk(
                program="e_1 = exp(s_1); e_2 = exp(s_2); e_3 = exp(s_3); Z = e_1 + e_2 + e_3; "
                "p_1 = e_1/Z; p_2 = e_2/Z; p_3 = e_3/Z; L = u_1*p_1 + u_2*p_2 + u_3*p_3",
                values={f"{name}_{i}": x for name, row in VALUES.items() for i, x in enumerate(row, start=1)},
            ),
            formulas=("forward",),
            blanks=("Z", "p_1", "Z_bar", "s_1_bar"),
        ),
        Screen(
            title="One score moves",
            says="Forward mode: only $s_1$ moves, and every output answers. The first wins what the others lose.",
            walk=Walk(program="p = softmax(s)", values={"s": VALUES["s"]}, moving={"s": [1, 0, 0]}),
            formulas=("forward",),
        ),
        Screen(
            title="The table of slopes",
            says="Row $j$, column $i$: how fast $p_j$ changes with $s_i$. On the diagonal $p_i(1 - p_i)$, elsewhere "
            "$-p_i\\,p_j$; every row and every column adds up to 0.",
            show=slopes,
        ),
        Screen(
            title="Add over the outputs",
            says="Column by column, times the upstream: *your upstream compared with the average upstream*.",
            walk=Walk(program="p = softmax(s); L = sum(p*u)", values=VALUES),
            formulas=("forward", "backward"),
            blanks=("p", "p_bar", "s_bar"),
        ),
        Screen(
            title="Rows of a matrix",
            says="In attention every row is a softmax of its own. The average is taken row by row.",
            walk=Walk(
                program="P = softmax(S); L = sum(P*U)",
                values={"S": [VALUES["s"], [0.0, 0.0, 0.0]], "U": [VALUES["u"], [1.0, 2.0, 3.0]]},
            ),
            formulas=("forward", "backward"),
            blanks=("P", "S_bar"),
        ),
    ),
    why=Question(
        "Why do the gradients of the scores always add up to 0?",
        (
            Choice(
                "Adding the same number to all scores changes no p, so L does not change",
                "Yes: along that direction the slope is 0.",
                right=True,
            ),
            Choice(
                "Because the p add up to 1",
                "That is a fact about the outputs. Think of what happens when all scores grow together.",
                tempting=True,
            ),
            Choice("They do so only for this upstream", "Try others in the experiment: the sum stays [[total]]."),
        ),
    ),
    recall="4",
)
