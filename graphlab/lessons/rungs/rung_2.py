"""Rung 2: activation functions, their slopes, and what is left of a gradient after many of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Findings, Lines, Quantity, Table
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

FORMULAS = {
    "sigmoid": "sigmoid(x)",
    "tanh": "tanh(x)",
    "ReLU": "relu(x)",
    "leaky ReLU": "leaky_relu(x, alpha)",
    "GELU": "gelu(x)",
    "SiLU": "silu(x)",
    "ELU": "elu(x)",
    "softplus": "softplus(x)",
}
OF_THE_LECTURE = ("sigmoid", "tanh", "ReLU", "leaky ReLU", "GELU")
GRAPHS = {name: gl.parse(formula) for name, formula in FORMULAS.items()}
SLOPES = {name: graph.derivative("x") for name, graph in GRAPHS.items()}
CURVE_GRID = np.linspace(-6, 6, 241)
LOWEST_POINTS = (-2.0, 0.0)  # GELU has its lowest point between them
STEEPEST_POINTS = (2.0, 1.0)
HALVING_STEPS = 60
MOST_STEPS = 20


def compare(settings: Settings) -> Findings:
    """One function with its slope, and every function many times in a row."""
    name, x, alpha, depth = (settings[control] for control in ("function", "x", "alpha", "depth"))
    lefts = {other: left(other, x, alpha) for other in FORMULAS}
    value, slope = value_of(GRAPHS[name], x, alpha), value_of(SLOPES[name], x, alpha)
    return Findings(
        {
            "value": Quantity(f"{name} at x", value),
            "slope": Quantity(f"slope of {name} at x", slope),
            "gelu_lowest": Quantity("GELU's lowest point (x, value)", lowest_point()),
            "gelu_steepest": Quantity("GELU's largest slope (x, slope)", steepest_point()),
            **{f"{key(other)}_left": Quantity(other, row[depth][0], in_view=True) for other, row in lefts.items()},
            **{f"{key(other)}_negative": Quantity(other, row[depth][1], in_view=True) for other, row in lefts.items()},
        },
        (
            curves(name, alpha, {name: (x, value), "slope": (x, slope)}),
            remaining(x, alpha, {name: found[depth] for name, found in lefts.items()}, depth),
            decline({name: lefts[name][:, 0] for name in OF_THE_LECTURE}),
        ),
    )


def key(name: str) -> str:
    return name.lower().replace(" ", "_")


def inputs_of(graph: gl.Graph, x: Any, alpha: float) -> dict[str, Any]:
    """x, and alpha where the function has one."""
    return {"x": x, "alpha": alpha} if "alpha" in graph.dag.inputs else {"x": x}


def value_of(graph: gl.Graph, x: Any, alpha: float) -> Any:
    """A function or slope at x."""
    return graph.evaluate(inputs_of(graph, x, alpha))


# ---- many in a row ---------------------------------------------------------------------------------------------------
def left(name: str, x: float, alpha: float) -> Any:
    """How much gradient is left after 0, 1, … of them, from x and from −x: (MOST_STEPS + 1, 2).

    Forward mode, one function after the other: each takes the value and the tangent of the one before.
    """
    graph = GRAPHS[name]
    value = np.array([x, -x], dtype=float)
    tangent = np.ones_like(value)
    found = [tangent]
    for _ in range(MOST_STEPS):
        values = inputs_of(graph, value, alpha)
        value, tangent = graph.evaluate(values), graph.jvp({"x": tangent}, values)
        found.append(tangent)
    return np.array(found)


def remaining(x: float, alpha: float, lefts: Mapping[str, Any], depth: int) -> Table:
    """What each function does once, and what `depth` of them leave of a gradient, from x and from −x."""
    rows: list[list[Any]] = [
        [name, value_of(GRAPHS[name], x, alpha), value_of(SLOPES[name], x, alpha), *pair]
        for name, pair in lefts.items()
    ]
    columns = ["", "value at x", "slope at x", f"left after {depth}", f"left after {depth}, from −x"]
    return Table("An upstream gradient of 1 comes in: how much is left?", columns, rows)


def decline(lefts: Mapping[str, Any]) -> Lines:
    """The gradient that is left, layer by layer, in powers of ten."""
    with np.errstate(divide="ignore"):
        powers = {name: np.log10(np.abs(found)) for name, found in lefts.items()}
    seen = {name: np.where(np.isfinite(line), line, np.nan) for name, line in powers.items()}
    title = "Powers of ten of the gradient; a line that is not there is exactly 0"
    return Lines(title, np.arange(MOST_STEPS + 1), seen, "so many in a row", "log₁₀ |gradient|")


# ---- one of them -----------------------------------------------------------------------------------------------------
def curves(name: str, alpha: float, marks: dict[str, tuple[float, float]]) -> Lines:
    """The function and its slope."""
    lines = {name: value_of(GRAPHS[name], CURVE_GRID, alpha), "slope": value_of(SLOPES[name], CURVE_GRID, alpha)}
    whole = {title: np.broadcast_to(line, CURVE_GRID.shape) for title, line in lines.items()}
    return Lines(f"{name} and its slope", CURVE_GRID, whole, "x", "", marks)


@cache
def lowest_point() -> list[float]:
    """Where GELU's slope is 0, and GELU there."""
    x = root(SLOPES["GELU"], *LOWEST_POINTS)
    return [x, GRAPHS["GELU"].evaluate(x=x)]


@cache
def steepest_point() -> list[float]:
    """Where the slope of GELU's slope is 0, and the slope there."""
    x = root(SLOPES["GELU"].derivative("x"), *STEEPEST_POINTS)
    return [x, SLOPES["GELU"].evaluate(x=x)]


def root(graph: gl.Graph, below: float, above: float) -> float:
    """Where it is 0, by halving: at `below` it is negative, at `above` positive."""
    for _ in range(HALVING_STEPS):
        middle = float(np.mean([below, above]))
        below, above = (middle, above) if graph.evaluate(x=middle) < 0 else (below, middle)
    return below


LESSON = Lesson(
    key="2",
    title="Activation functions",
    says="Between two layers stands a bend: $\\sigma(x) = 1/(1 + \\exp(-x))$, $\\tanh(x)$, "
    "$\\mathrm{ReLU}(x) = \\max(0, x)$, leaky ReLU with a small slope $\\alpha$ on the left, or GELU, which BERT uses. "
    "On the way back each multiplies the gradient by its slope.",
    needs=("4", "5"),
    symbols={
        "σ": "the sigmoid; no deviation here",
        "α": "the slope of leaky ReLU on the left, typed alpha; no attention weights here",
        "exp(·)": "Euler's e to a power",
        "x, y": "input and output of the function",
    },
    predict=Question(
        "Twenty sigmoids in a row, and $x = 1$ goes in. How much of an upstream gradient of 1 comes back to $x$?",
        (
            Choice(
                "Most of it: all values stay between 0 and 1",
                "The values do; but every sigmoid multiplies the gradient by its slope, and [[sigmoid_left]] is left.",
                tempting=True,
            ),
            Choice(
                "A quarter: that is the sigmoid's largest slope",
                "A quarter at most is left after one of them. After twenty it is [[sigmoid_left]].",
            ),
            Choice(
                "Less than a billionth",
                "Yes: [[sigmoid_left]]. Twenty tanh leave [[tanh_left]], and ReLU leaves [[relu_left]].",
                right=True,
            ),
        ),
    ),
    experiment=Experiment(
        question="Which functions pass a gradient on through twenty layers? Which do so from a negative $x$? Where is "
        "a function flat, so that nothing comes back even through one?",
        controls={
            "function": Choose("Function", "sigmoid", tuple(FORMULAS)),
            "x": Slider("x", 1.0, -6.0, 6.0, 0.25),
            "alpha": Slider("α of leaky ReLU", 0.1, 0.0, 1.0, 0.05),
            "depth": Slider("How many in a row", 20, 1, 20, 1),
        },
        run=compare,
        expect=(
            "sigmoid_left",
            "tanh_left",
            "relu_left",
            "gelu_left",
            "relu_negative",
            "leaky_relu_negative",
            "gelu_lowest",
            "gelu_steepest",
        ),
    ),
    screens=(
        Screen(
            title="Sigmoid",
            says="Its slope can be written with its own output $s$. A blank takes a number, or a formula in $x$ and "
            "$s$: type the derivative.",
            walk=Walk(program="s = sigmoid(x)", values={"x": 0.5}),
            formulas=("forward",),
            blanks=("s", "x_bar"),
        ),
        Screen(
            title="Sigmoid from its parts",
            says="The same with $a = \\exp(-x)$ and $n = 1 + a$, one rule at a time. What comes back is the same.",
            walk=Walk(program="a = exp(-x); n = 1 + a; s = 1/n", values={"x": 0.5}),
            formulas=("forward", "backward"),
            blanks=("a", "n", "s", "n_bar", "a_bar", "x_bar"),
        ),
        Screen(
            title="Tanh",
            says="From −1 to 1, with slope 1 in the middle. Its slope, too, can be written with its output $t$.",
            walk=Walk(program="t = tanh(x)", values={"x": 0.5}),
            formulas=("forward",),
            blanks=("t", "x_bar"),
        ),
        Screen(
            title="ReLU and its kink",
            says="On the right all of the gradient passes, on the left none. At $x = 0$ there is no slope: by "
            "convention 0 is taken, as PyTorch does.",
            walk=Walk(program="r = relu(x); L = sum(r*u)", values={"x": [-2, 0, 3], "u": [5, 4, -2]}),
            formulas=("forward", "backward"),
            blanks=("r", "r_bar", "x_bar"),
        ),
        Screen(
            title="Leaky ReLU",
            says="On the left a little passes, so that a unit can learn to come back.",
            walk=Walk(
                program="r = leaky_relu(x, alpha); L = sum(r*u)",
                values={"x": [-2, 0, 3], "alpha": 0.1, "u": [5, 4, -2]},
            ),
            formulas=("forward", "backward"),
            blanks=("r", "x_bar"),
        ),
        Screen(
            title="GELU",
            says="$x$ times the share of a normal distribution below $x$. Left of its lowest point, "
            "[[gelu_lowest]], its slope is negative; at [[gelu_steepest]] it is larger than 1.",
            walk=Walk(program="y = gelu(x)", values={"x": 1}, open=("y",)),
            formulas=("forward", "x"),
        ),
        Screen(
            title="Three in a row",
            says="Each step back multiplies by one more slope, taken at what went in *there*.",
            walk=Walk(program="a = sigmoid(x); b = sigmoid(a); c = sigmoid(b)", values={"x": 1}),
            formulas=("forward", "backward"),
            blanks=("c", "b_bar", "a_bar", "x_bar"),
        ),
    ),
    why=Question(
        "Why is so little gradient left after twenty sigmoids?",
        (
            Choice(
                "Each multiplies it by a slope of at most ¼",
                "Yes: twenty small factors. It does not matter that no single value is small.",
                right=True,
            ),
            Choice(
                "The values get smaller and smaller from layer to layer",
                "They do not: they settle between ½ and 1. It is the slopes that are multiplied.",
                tempting=True,
            ),
            Choice("Numbers between 0 and 1 are rounded to 0", "Nothing is rounded away here: [[sigmoid_left]]."),
        ),
    ),
    recall="4",
)
