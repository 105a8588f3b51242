"""Rung 8a: layer norm backward. Three paths lead from every x to every y: direct, by the mean, by the variance."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Numbers, Settings, Slider
from graphlab.lessons.findings import Bars, Findings, Heat, Quantity, Table
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import tidy

ROW_VALUES = [1.0, 1.0, 5.0, 5.0]
UPSTREAM_VALUES = [1.0, 0.0, 0.0, 0.0]
ASKED_VALUES = {"x": [9.0, 1.0, 3.0, 3.0], "u": [9.0, 3.0, 3.0, -3.0]}
ONES_VALUES, ZEROS_VALUES = [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]
GIVEN = ("x", "epsilon")
INPUTS, OUTPUTS = ("x₁", "x₂", "x₃", "x₄"), ("y₁", "y₂", "y₃", "y₄")

NORM = gl.parse("x_hat = (x - mean(x))/sqrt(var(x) + epsilon)", values=GIVEN)
PATHS = {
    "direct": gl.parse("(x - detach(mean(x)))/detach(sqrt(var(x) + epsilon))", values=GIVEN),
    "through the mean": gl.parse("(detach(x) - mean(x))/detach(sqrt(var(x) + epsilon))", values=GIVEN),
    "through the variance": gl.parse("detach(x - mean(x))/sqrt(var(x) + epsilon)", values=GIVEN),
}
DEVIATION = gl.parse("sqrt(var(x))", values=("x",))
TORCH_DEVIATION = gl.parse("sqrt(sum((x - mean(x))^2)/(size(x) - 1))", values=("x",))
CLOSED = gl.parse("y = layer_norm(x, eps=0)", values=("x",))


def follow(settings: Settings) -> Findings:
    """The gradient of x, path by path: in each one only that path is open, and the others are held."""
    at = {"x": np.asarray(settings["x"]), "epsilon": settings["epsilon"]}
    upstream = np.asarray(settings["upstream"])
    x_hat = NORM.evaluate(at)
    gradient = tidy(NORM.gradients(at, seed=upstream)["x"])
    paths = {name: tidy(graph.gradients(at, seed=upstream)["x"]) for name, graph in PATHS.items()}
    return Findings(
        {
            "x_hat": Quantity("x̂", x_hat),
            "gradient": Quantity("Gradient x̄", gradient),
            "direct": Quantity("Direct path only", paths["direct"]),
            "second": Quantity("x̄₂", gradient[1], in_view=True),
            "total": Quantity("Sum of x̄", last_part(gradient)),
            "along": Quantity("x̂ · x̄", last_part(x_hat * gradient)),
            "std": Quantity("std of x, by 1/d", DEVIATION.evaluate(x=at["x"])),
            "torch_std": Quantity("x̂.std() in torch, by 1/(d − 1)", TORCH_DEVIATION.evaluate(x=x_hat)),
        },
        (
            Bars("The gradient, and what the direct path alone would say", INPUTS, bars(gradient, paths)),
            Table("Path by path", ["", *INPUTS], [*rows(paths), ["together: x̄", *gradient]]),
        ),
    )


def bars(gradient: Any, paths: dict[str, Any]) -> dict[str, Any]:
    return {"x̄": gradient, "direct path only": paths["direct"]}


def rows(paths: dict[str, Any]) -> list[list[Any]]:
    return [[name, *found] for name, found in paths.items()]


def last_part(parts: Any) -> float:
    """The sum of some numbers; 0 where it is only their rounding."""
    return float(tidy(np.append(parts, np.sum(parts)))[-1])


def slopes() -> Findings:
    """Every ∂yᵢ/∂xⱼ at the x of the question."""
    return Findings(views=(Heat("∂yᵢ/∂xⱼ", tidy(CLOSED.jacobian("x", x=ROW_VALUES)), OUTPUTS, INPUTS, signed=True),))


LESSON = Lesson(
    key="8a",
    title="Layer norm backward",
    says="Layer norm takes a row, subtracts its mean and divides by its deviation: "
    "$\\hat x_i = (x_i - \\mu) / \\sqrt{\\mathrm{var} + \\epsilon}$. Both are made from all entries of the row. So "
    "each $x_i$ reaches each $\\hat x_j$, and three paths lead back.",
    needs=("4", "5b"),
    symbols={
        "x̂": "x with mean 0 and variance 1 (hat); y = γ ⊙ x̂ + β",
        "x̄": "gradient of L with respect to x (bar)",
        "μ": "mean of the row",
        "var, std": "variance of the row and its root, here always by 1/d",
        "ε": "a small number against division by 0; `epsilon` in programs",
        "u": "upstream gradient: what L says to x̂",
        "d": "number of entries of the row",
        "c, q, s": "in the program: distances from the mean, their squares, and the deviation; no class, no query",
    },
    predict=Question(
        "$x = (1, 1, 5, 5)$ is normalised ($\\epsilon = 0$, $\\gamma = 1$, $\\beta = 0$). The loss asks for more "
        "$y_1$ and for nothing else: $\\bar y = (1, 0, 0, 0)$. Which entries of $x$ get a gradient?",
        (
            Choice(
                "Only x₁",
                "That is the direct path alone: [[direct]]. But x₂ moves the mean and the variance, and so y₁: its "
                "gradient is [[second]].",
                tempting=True,
            ),
            Choice(
                "x₁ and x₂, opposite to each other",
                "Yes: [[gradient]]. At x₃ and x₄ the path through the mean and the one through the variance cancel.",
                right=True,
            ),
            Choice(
                "All four",
                "Three paths do lead from y₁ to all four. At x₃ and x₄ two of them cancel: [[gradient]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Read the table path by path. Then push $y_3$ instead of $y_1$, and move $\\epsilon$: which of the "
        "two sums stays 0? Last, make all $x$ equal with $\\epsilon = 0$: there is no deviation to divide by, and "
        "that is what $\\epsilon$ is for.",
        controls={
            "x": Numbers("Row x", ROW_VALUES),
            "upstream": Numbers("Upstream ȳ", UPSTREAM_VALUES),
            "epsilon": Slider("ε", 0.0, 0.0, 4.0, 0.5),
        },
        run=follow,
        expect=("x_hat", "gradient", "direct", "second", "total", "along", "std", "torch_std"),
    ),
    screens=(
        Screen(
            title="Opened",
            says="Step by step, with other numbers. $c$ is used twice: once directly, and once (as two factors) for "
            "the squares $q$. $x$ is used twice too: directly, and for the mean. Wait for all of them first.",
            walk=Walk(
                program="mu = mean(x); c = x - mu; q = c*c; v = mean(q); s = sqrt(v + epsilon); x_hat = c/s; "
                "L = sum(x_hat*u)",
                values={**ASKED_VALUES, "epsilon": 0.0},
            ),
            formulas=("forward",),
            blanks=("mu", "c", "v", "s", "x_hat", "s_bar", "v_bar", "c_bar", "mu_bar", "x_bar"),
        ),
        Screen(
            title="In one formula",
            says="Collected, the three paths are three terms: what arrives, *minus its mean*, *minus its part along* "
            "$\\hat x$; all divided by the deviation. $\\gamma$ comes first: what arrives is $\\bar y \\odot \\gamma$.",
            walk=Walk(
                program="y = layer_norm(x, gamma, beta, eps=0); L = sum(y*u)",
                values={**ASKED_VALUES, "gamma": ONES_VALUES, "beta": ZEROS_VALUES},
            ),
            formulas=("forward", "x"),
            blanks=("y", "gamma_bar", "beta_bar", "x_bar"),
        ),
        Screen(
            title="The table of slopes",
            says="Row $i$, column $j$: how fast $y_i$ changes with $x_j$, for the $x$ of the question. Every row adds "
            "up to 0: when all $x$ grow together, no $y$ changes. With two entries *every* slope would be 0, because "
            "$\\hat x$ is then $(-1, 1)$ or $(1, -1)$ whatever $x$ is; so there are four here.",
            show=slopes,
        ),
        Screen(
            title="Rows of a matrix",
            says="Each token is a row, and each row has its own mean and deviation: no gradient crosses from one row "
            "to another. Only $\\gamma$ and $\\beta$ are shared, and they add over the rows.",
            walk=Walk(
                program="Y = layer_norm(X, gamma, beta, eps=0); L = sum(Y*U)",
                values={
                    "X": [ASKED_VALUES["x"], ROW_VALUES],
                    "U": [ASKED_VALUES["u"], UPSTREAM_VALUES],
                    "gamma": ONES_VALUES,
                    "beta": ZEROS_VALUES,
                },
            ),
            formulas=("forward",),
            blanks=("X_bar", "gamma_bar"),
        ),
    ),
    why=Question(
        "With $\\epsilon = 0$, why does $\\bar x$ never have a part along $\\hat x$?",
        (
            Choice(
                "Moving x along x̂ only stretches the row, and no y changes",
                "Yes: along that direction the slope of L is 0. With ε > 0 stretching changes y a little, and a little "
                "gradient comes through.",
                right=True,
            ),
            Choice(
                "Because x̂ has mean 0",
                "That is why the entries of x̄ add up to [[total]]. Here another direction is asked for: all distances "
                "from the mean grow by one factor.",
                tempting=True,
            ),
            Choice(
                "Only for this upstream",
                "Try others in the experiment: as long as ε is 0, x̂ · x̄ stays [[along]].",
            ),
        ),
    ),
    recall="5b",
)
