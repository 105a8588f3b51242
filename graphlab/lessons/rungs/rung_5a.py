"""Rung 5a: from numbers to matrices. One weight matrix is many scalar edges, and its gradient is one outer product."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Numbers, Settings
from graphlab.lessons.findings import Findings, Quantity, Table
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import show_value

PRESET_VALUES: dict[str, list[Any]] = {"W": [[1, 2, 0], [0, 1, 3]], "x": [1, 2, 3], "u": [1, -2]}
ASK_VALUES = {"W": [[2, -1], [4, 3]], "x": [3, 5], "u": [2, -7]}
COLLECT_VALUES = {"W": [[2, -1, 3], [4, 3, -2]], "x": [3, 5, 1], "u": [2, -7]}
TOKENS_VALUES = {"X": [[3, 5, 1], [2, -1, 4]], "W": [[2, -1, 3], [4, 3, -2]], "U": [[2, -7], [1, 3]]}
PROGRAM = "q = W @ x; L = sum(u*q)"
AFFINE = gl.parse("q = W @ x", values={"W": PRESET_VALUES["W"], "x": PRESET_VALUES["x"]})
WIDE, SQUARE = "2 × 3", "2 × 2, the last column left out"
ENTRIES = {"W₁₁": (0, 0), "W₁₂": (0, 1), "W₂₁": (1, 0), "W₂₂": (1, 1)}
PRODUCTS = {"q̄ xᵀ": "outer(q_bar, x)", "x q̄ᵀ": "outer(x, q_bar)", "Wᵀ q̄": "W.T @ q_bar", "W q̄": "W @ q_bar"}
TWO_TOKENS = Walk(program="Q = X @ W.T; L = sum(Q*U)", values=TOKENS_VALUES)


def compare(settings: Settings) -> Findings:
    """The gradients beside every product of the right letters, and what a change of one weight really does."""
    columns = slice(None) if settings["sizes"] == WIDE else slice(-1)
    w, x = np.array(settings["w"], float)[:, columns], np.array(settings["x"], float)[columns]
    upstream = np.array(settings["q_bar"], float)
    gradients = AFFINE.gradients({"W": w, "x": x}, seed=upstream)
    entry = ENTRIES[settings["entry"]]
    moved = change(w, x, entry)
    swapped = gl.parse(PRODUCTS["x q̄ᵀ"], values=("q_bar", "x")).evaluate(q_bar=upstream, x=x)
    return Findings(
        {
            "q": Quantity("q = Wx", AFFINE.evaluate(W=w, x=x)),
            "W_bar": Quantity("W̄", gradients["W"]),
            "x_bar": Quantity("x̄", gradients["x"]),
            "moved": Quantity(f"Add 1 to {settings['entry']}: q changes by", moved),
            "felt": Quantity("so L changes by q̄ times that", float(upstream @ moved)),
            "entry": Quantity(f"q̄ xᵀ says at {settings['entry']}", gradients["W"][entry]),
            "entry_swapped": Quantity(f"x q̄ᵀ says at {settings['entry']}", swapped[entry]),
            "swapped": Quantity("x q̄ᵀ", swapped, in_view=True),
        },
        (candidates(gradients, {"W": w, "x": x, "q_bar": upstream}),),
    )


def change(w: Any, x: Any, entry: tuple[int, int]) -> Any:
    """How q changes when 1 is added to one weight."""
    more = np.array(w, dtype=float)
    more[entry] += 1
    return AFFINE.evaluate(W=more, x=x) - AFFINE.evaluate(W=w, x=x)


def candidates(gradients: dict[str, Any], values: dict[str, Any]) -> Table:
    """Every product with its shape: does it fit, and is it the gradient?"""
    rows = [
        [f"{name}̄", title, *judged(PRODUCTS[title], gradients[name], values)]
        for name, titles in (("W", ("q̄ xᵀ", "x q̄ᵀ")), ("x", ("Wᵀ q̄", "W q̄")))
        for title in titles
    ]
    fits = [i for i, row in enumerate(rows) if row[-1] == "yes"]
    return Table("Does it fit, and is it right?", ["For", "Product", "Gives", "Shape fits", "Right"], rows, marks(fits))


def marks(rows: list[int]) -> frozenset[tuple[int, int]]:
    return frozenset((row, 1) for row in rows)


def judged(formula: str, gradient: Any, values: dict[str, Any]) -> list[str]:
    """What a product gives, whether it has the shape of the gradient, and whether it is the gradient."""
    try:
        found = gl.parse(formula, values=values).evaluate({name: values[name] for name in names_in(formula)})
    except gl.errors.ShapeError:
        return ["the sizes do not match", "no", "no"]
    fits = np.shape(found) == np.shape(gradient)
    return [show_value(found), "yes" if fits else "no", "yes" if fits and np.allclose(found, gradient) else "no"]


def names_in(formula: str) -> list[str]:
    return list(gl.parse(formula).inputs)


def opened(values: dict[str, Any]) -> Walk:
    """q = Wx and L = u·q with a node for every entry."""
    view = gl.parse(PROGRAM, values=values).scalar_view(values)
    return Walk(program=view.graph.text, values=view.values())


def per_token() -> Findings:
    """Each token's outer product, and their sum."""
    values = {name: np.asarray(value) for name, value in TOKENS_VALUES.items()}
    outer = gl.parse(PRODUCTS["q̄ xᵀ"], values={"q_bar": values["U"][0], "x": values["X"][0]})
    each = [outer.evaluate(q_bar=u, x=x) for u, x in zip(values["U"], values["X"], strict=True)]
    rows: list[list[Any]] = [
        [f"token {i}", *row] for i, row in enumerate(zip(values["U"], values["X"], each, strict=True), start=1)
    ]
    rows.append(["added: Q̄ᵀX", "", "", TWO_TOKENS.graph.gradients(TOKENS_VALUES)["W"]])
    return Findings(views=(Table("One outer product per token", ["", "q̄", "x", "q̄ xᵀ"], rows),))


LESSON = Lesson(
    key="5a",
    title="From numbers to matrices",
    says="A matrix is many numbers, and $q = Wx$ is many small products: $q_i = \\sum_j W_{ij}\\,x_j$. Nothing new "
    "happens on the way back, either: each weight gets *upstream times local derivative*. Collected into a matrix, "
    "that is one product.",
    needs=("4", "5"),
    symbols={
        "W": "weights, stored (outputs, inputs); W₁₂ is in row 1, column 2 (W_1_2 in the graph)",
        "x, q": "vectors: what goes in, what comes out",
        "q̄, W̄, x̄": "gradients of L, shaped like q, W and x; no mean here",
        "u": "the upstream gradient; no function here",
        "X, Q, U": "the same for several tokens: a token is a row",
    },
    predict=Question(
        "$q = Wx$ with $W$ of shape $2 \\times 3$, and the upstream $\\bar q$ has arrived. Which product is the "
        "gradient $\\bar W$?",
        (
            Choice(
                "x q̄ᵀ",
                "With x = (1, 2, 3) and q̄ = (1, −2) that is [[swapped]], which has not even the shape of W. "
                "The gradient is [[W_bar]]: one row per output.",
                tempting=True,
            ),
            Choice(
                "q̄ xᵀ",
                "Yes: W₁₂ carries x₂ to q₁, so its gradient is q̄₁x₂ = [[entry]]. All of them together: [[W_bar]].",
                right=True,
            ),
            Choice("Wᵀ q̄", "That is a vector, [[x_bar]]: the gradient of x."),
            Choice(
                "Any product whose shape fits",
                "Here only one fits: [[W_bar]]. With equal sizes several do, and only one of them is right: "
                "switch to 2 × 2 below.",
            ),
        ),
    ),
    experiment=Experiment(
        question="Add 1 to one weight. Which entries of $q$ move? Then make the sizes equal: which products have "
        "the right shape, and which of them agree with what $L$ does?",
        controls={
            "sizes": Choose("Sizes", WIDE, (WIDE, SQUARE)),
            "entry": Choose("Add 1 to", "W₁₂", tuple(ENTRIES)),
            "w": Numbers("W", PRESET_VALUES["W"]),
            "x": Numbers("x", PRESET_VALUES["x"]),
            "q_bar": Numbers("Upstream q̄", PRESET_VALUES["u"]),
        },
        run=compare,
        expect=("q", "W_bar", "x_bar", "moved", "felt", "entry", "entry_swapped", "swapped"),
    ),
    screens=(
        Screen(
            title="Opened",
            says="Every entry is a node. $W_{12}$ has one edge, and it leads to $q_1$: so it gets $\\bar q_1 x_2$. "
            "$x_2$ is used by both outputs: what comes back is added.",
            walk=opened(PRESET_VALUES),
        ),
        Screen(
            title="Your turn",
            says="A smaller matrix with other numbers. Which outputs does $W_{12}$ reach, and which does $x_1$ reach?",
            walk=opened(ASK_VALUES),
            blanks=("q_1", "q_2", "W_1_2_bar", "W_2_1_bar", "x_1_bar"),
        ),
        Screen(
            title="Collected",
            says="The same in one step each: $\\bar W = \\bar q\\,x^\\top$, every upstream times every input; and "
            "$\\bar x = W^\\top \\bar q$, the weights walked the other way. A gradient has the shape of its variable.",
            walk=Walk(program=PROGRAM, values=COLLECT_VALUES),
            formulas=("forward", "backward"),
            blanks=("q", "q_bar", "W_bar", "x_bar"),
        ),
        Screen(
            title="Two tokens",
            says="Each token is a row of $X$, and all use the same $W$. A weight that is used twice adds what comes "
            "back, so the outer products add: $\\bar W = \\bar Q^\\top X$.",
            walk=TWO_TOKENS,
            formulas=("forward", "backward"),
            blanks=("Q", "W_bar", "X_bar"),
            show=per_token,
        ),
    ),
    why=Question(
        "$W$ is square, and both $\\bar q\\,x^\\top$ and $x\\,\\bar q^\\top$ have its shape. How do you know which one "
        "is the gradient?",
        (
            Choice(
                "Follow one weight: W₁₂ takes x₂ to q₁, so row 1, column 2 must be q̄₁x₂",
                "Yes: one edge decides it.",
                right=True,
            ),
            Choice(
                "Both are, because the shapes fit",
                "Shapes can only rule a product out. In the experiment with 2 × 2, only one agrees with L.",
                tempting=True,
            ),
            Choice("Transpose until it fits", "It fits already, both ways; and only one of them is right."),
        ),
    ),
    recall="5",
)
