"""The examples on the Explore page: formulas from the lecture with values that show something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphlab.ui.state import PageState
from graphlab.ui.values import write_value


@dataclass(frozen=True)
class Example:
    """One example: its key in links, what it is called, the formula, the inputs' values, and what to look for."""

    key: str
    title: str
    formula: str
    values: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    def as_page(self) -> PageState:
        """The page that shows this example from its beginning."""
        return PageState(self.formula, {name: write_value(value) for name, value in self.values.items()})


GALLERY = (
    Example(
        "lecture", "L = c(a + 2b)", "L = c(a+2b)", {"a": 3, "b": 1, "c": -2},
        "The lecture's computational graph: three operations forward, five edges back.",
    ),
    Example(
        "asking", "The same, other numbers", "L = c(a+2b)", {"a": 5, "b": 3, "c": -4},
        "With these numbers no wrong rule gives the right answer: good for predicting.",
    ),
    Example(
        "chain", "Chain rule u(v(w(x)))", "w = x^2\nv = 3w + 1\nu = sqrt(v)", {"x": 1},
        "Each slope is taken at its own input: 2 · 3 · ¼ = 1.5.",
    ),
    Example(
        "paths", "One value, two paths", "d = 2a\nL = d*(d+1)", {"a": 3},
        "d is used twice, so its gradient is a sum: 7 + 6 = 13, and 26 at a.",
    ),
    Example("sigmoid", "Sigmoid", "y = sigmoid(x)", {"x": 0.5}, "The slope is s(1 − s): never more than ¼."),
    Example("tanh", "tanh", "y = tanh(x)", {"x": 0.5}, "The slope is 1 − y²: 1 in the middle, almost 0 outside."),
    Example("relu", "ReLU and its kink", "y = relu(x)", {"x": 0}, "At the kink the slope is taken to be 0."),
    Example(
        "leaky", "Leaky ReLU", "y = leaky_relu(x, alpha)", {"x": -1, "alpha": 0.1},
        "A little gradient passes on the left, and alpha has one too.",
    ),
    Example(
        "logistic", "Logistic regression",
        "z = w_1*x_1 + w_2*x_2 + b\np = sigmoid(z)\nL = -(y*log(p) + (1-y)*log(1-p))",
        {"w_1": 0.5, "x_1": 2, "w_2": -1, "x_2": 1, "b": 0.1, "y": 1},
        "Binary cross-entropy of a sigmoid: at z arrives p − y.",
    ),
    Example(
        "layer", "A layer with matrices", "H = tanh(W@x + b)\nL = sum(H)",
        {"W": [[0.5, -1, 0.2], [0.3, 0.8, -0.6]], "x": [1, 2, -1], "b": [0.1, -0.2]},
        "The gradient of W is an outer product, and has the shape of W.",
    ),
)  # fmt: skip
EXAMPLES = {example.key: example for example in GALLERY}
