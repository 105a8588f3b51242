"""Rung 1: logistic regression. From the likelihood to cross-entropy, and why not the squared error."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Settings, Slider
from graphlab.lessons.findings import Findings, Formula, Lines, Quantity, Table
from graphlab.lessons.laboratories.likelihood import derivation, heading
from graphlab.lessons.laboratories.separating import (
    OVERLAPPING_VALUES,
    SEPARABLE_VALUES,
    SHOWN_STEPS,
    TRAINING,
    Reached,
    descend,
)
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

TRUTH_VALUES = {"y": 1.0}
CROSS_ENTROPY_SLOPE = gl.parse("y*softplus(-z) + (1 - y)*softplus(z)").derivative("z")
SQUARED_ERROR_SLOPE = gl.parse("(sigmoid(z) - y)^2/2").derivative("z")
PROBABILITY = gl.parse("sigmoid(z)")
SCORE_GRID = np.linspace(-10, 10, 101)
FACTOR_VALUES = {"p": 0.5}
LIKELIHOOD = gl.parse("prod(p)", values={"p": [FACTOR_VALUES["p"]]})
LOG_LIKELIHOOD = gl.parse("sum(log(p))", values={"p": [FACTOR_VALUES["p"]]})


def push(settings: Settings) -> Findings:
    """How hard two losses push the score of a positive example; what four points and many factors do."""
    z = settings["z"]
    strong, weak = (slope.evaluate(z=z, **TRUTH_VALUES) for slope in (CROSS_ENTROPY_SLOPE, SQUARED_ERROR_SLOPE))
    return Findings(
        {
            "p": Quantity("p = σ(z), should be 1", PROBABILITY.evaluate(z=z)),
            "bce": Quantity("∂BCE/∂z", strong),
            "squared": Quantity("∂[½(σ(z) − y)²]/∂z", weak),
            "weaker": Quantity("Times weaker", strong / weak),
            **many_factors(settings["n"]),
            **four_points(),
        },
        (both_slopes(z, strong, weak), descents()),
    )


def both_slopes(z: float, strong: float, weak: float) -> Lines:
    """The slopes of both losses over the score."""
    curves = {
        "cross-entropy": CROSS_ENTROPY_SLOPE.evaluate(z=SCORE_GRID, **TRUTH_VALUES),
        "squared error": SQUARED_ERROR_SLOPE.evaluate(z=SCORE_GRID, **TRUTH_VALUES),
    }
    marks = {"this z": (z, strong), "this z, squared error": (z, weak)}
    return Lines("The slope that pushes z up, y = 1", SCORE_GRID, curves, "score z", "∂L/∂z", marks)


def many_factors(n: int) -> dict[str, Quantity]:
    """A likelihood of n factors ½ as a product, and its logarithm as a sum."""
    factors = np.full(n, FACTOR_VALUES["p"])
    return {
        "product": Quantity(f"½ · ½ · … ({n} factors)", LIKELIHOOD.evaluate(p=factors)),
        "logs": Quantity("Sum of the logarithms", LOG_LIKELIHOOD.evaluate(p=factors)),
    }


# ---- four points -----------------------------------------------------------------------------------------------------
def overlapping() -> list[Reached]:
    return descend(OVERLAPPING_VALUES, SHOWN_STEPS[-2])


def separable() -> list[Reached]:
    return descend(SEPARABLE_VALUES, SHOWN_STEPS[-1])


def four_points() -> dict[str, Quantity]:
    """Where the weights go, when the classes overlap and when a boundary separates them."""
    first, *_, last = overlapping()
    norms = {f"norm_{reached.steps}": Quantity("|w|", size(reached), in_view=True) for reached in separable()[1:]}
    return {
        "best": Quantity("Best w, classes that overlap", [last.w, last.b], in_view=True),
        "loss_start": Quantity("BCE at the start", first.loss, in_view=True),
        "loss_best": Quantity("BCE at the best w", last.loss, in_view=True),
        **norms,
    }


def size(reached: Reached) -> float:
    return float(np.hypot(reached.w, reached.b))


def descents() -> Table:
    """Both descents, row by row."""
    named = {"0, 1, 0, 1 overlap": overlapping(), "0, 0, 1, 1 separable": separable()}
    rows: list[list[Any]] = [
        [labels, f"{reached.steps:,}", [reached.w, reached.b], size(reached), reached.loss]
        for labels, steps in named.items()
        for reached in steps
    ]
    return Table(
        "Four points x = −2, −1, 1, 2 and the constant 1: gradient descent from 0",
        ["y", "steps", "w", "|w|", "BCE"],
        rows,
    )


# ---- the derivation --------------------------------------------------------------------------------------------------
def line_by_line() -> Findings:
    """The likelihood turns into cross-entropy."""
    lines = enumerate(derivation(), start=1)
    return Findings(views=tuple(Formula(heading(number, line), line.latex) for number, line in lines))


LESSON = Lesson(
    key="1",
    title="Logistic regression",
    says="A score $z = w \\cdot x$ becomes a probability: $p(c_1 \\mid x) = \\sigma(z)$ and "
    "$p(c_2 \\mid x) = 1 - \\sigma(z)$. The best $w$ makes the labels that were seen as probable as possible.",
    needs=("4", "2"),
    symbols={
        "x": "the features; the last one is a constant 1 in place of a bias",
        "w": "weights, one for each feature",
        "z": "the score w·x",
        "σ": "the sigmoid; no deviation here",
        "y": "the label: 1 for class c₁, 0 for class c₂",
        "L": "the loss; BCE is binary cross-entropy",
    },
    predict=Question(
        "The label is $y = 1$, but the score is $z = -8$: the model is sure, and wrong. Which loss pushes $z$ up "
        "harder?",
        (
            Choice(
                "The squared error: it punishes large errors most",
                "The error is large, but the sigmoid is flat there, and its slope is a factor: [[squared]], against "
                "[[bce]] from cross-entropy.",
                tempting=True,
            ),
            Choice(
                "Cross-entropy",
                "Yes: [[bce]] against [[squared]], which is [[weaker]] times weaker.",
                right=True,
            ),
            Choice(
                "Both about the same: the error is nearly 1 in both",
                "The error is the same, but its way back to z is not: [[bce]] against [[squared]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Make the score better and worse. Where do the two losses push equally hard? Then look at the four "
        "points: when is there a best $w$, and when does $w$ grow for ever? How many factors can a likelihood have "
        "before nothing is left of it?",
        controls={
            "z": Slider("Score z, while y = 1", -8.0, -10.0, -2.0, 0.5),
            "n": Slider("Factors of the likelihood", 1075, 1, 2000, 1),
        },
        run=push,
        expect=(
            "bce",
            "squared",
            "weaker",
            "best",
            "loss_start",
            "loss_best",
            *(f"norm_{steps}" for steps in SHOWN_STEPS),
            "product",
            "logs",
        ),
    ),
    training=TRAINING,
    screens=(
        Screen(
            title="From likelihood to cross-entropy",
            says="Each line is the one before, a little changed. *Same value*: nothing has changed but how it is "
            "written. *Same best w*: the numbers are others, but the same $w$ wins.",
            show=line_by_line,
        ),
        Screen(
            title="The label is 1",
            says="The loss is $-\\log p$. Its slope has a $1/p$, the sigmoid's slope has a $p$: they cancel, and "
            "$\\bar z = p - 1$ is left.",
            walk=Walk(program="z = w*x; p = sigmoid(z); L = -log(p)", values={"w": -1, "x": 2}, as_typed=True),
            formulas=("forward", "backward"),
            blanks=("z", "p", "p_bar", "z_bar", "w_bar"),
        ),
        Screen(
            title="The label is 0",
            says="Now the loss is $-\\log(1 - p)$, and $\\bar z = p$ is left. Both together: "
            "$\\bar z = \\sigma(z) - y$.",
            walk=Walk(
                program="z = w*x; p = sigmoid(z); q = 1 - p; L = -log(q)", values={"w": -1, "x": 2}, as_typed=True
            ),
            formulas=("forward", "backward"),
            blanks=("q", "q_bar", "p_bar", "z_bar", "w_bar"),
        ),
        Screen(
            title="All examples at once",
            says="Sigmoid and cross-entropy as one step, because the two together keep every digit. Each row of $X$ is "
            "one example; the last column is the constant.",
            walk=Walk(
                program="z = X@w; L = bce_with_logits(z, y)",
                values={"X": [[-2, 1], [-1, 1], [1, 1], [2, 1]], "w": [0, 0], "y": [0, 1, 0, 1]},
            ),
            formulas=("forward", "w"),
            blanks=("z", "z_bar", "w_bar"),
        ),
        Screen(
            title="The squared error",
            says="Here the slope of the sigmoid, $p(1 - p)$, stays. Where the model is sure it is nearly 0, also where "
            "the model is sure and wrong.",
            walk=Walk(program="p = sigmoid(z); d = p - y; L = d^2/2", values={"z": -3, "y": 1}),
            formulas=("forward", "z"),
            blanks=("p", "d_bar", "p_bar", "z_bar"),
        ),
    ),
    why=Question(
        "Why does cross-entropy still push where the sigmoid is flat?",
        (
            Choice(
                "Its slope in p has a 1/p, which cancels the p in the sigmoid's slope",
                "Yes: what is left is p − y, and that is large exactly where the model is wrong.",
                right=True,
            ),
            Choice(
                "Because its values are larger than those of the squared error",
                "A large value need not have a large slope. Look at what each edge multiplies on the way back.",
                tempting=True,
            ),
            Choice(
                "Because it does not go through the sigmoid",
                "It does: p = σ(z) stands in both. But its slope in p is another one.",
            ),
        ),
    ),
    recall="4",
)
