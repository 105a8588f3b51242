"""The examples on the Explore page: formulas from the lecture with values that show something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphlab.ui.state import PageState
from graphlab.ui.values import write_value


@dataclass(frozen=True)
class Example:
    """One example: topic, key in links, title, formula, the inputs' values, and what to look for."""

    topic: str
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
        "Computational graphs", "lecture", "L = c(a + 2b)", "L = c(a+2b)", {"a": 3, "b": 1, "c": -2},
        "The lecture's computational graph: three operations forward, five edges back.",
    ),
    Example(
        "Computational graphs", "asking", "The same, other numbers", "L = c(a+2b)", {"a": 5, "b": 3, "c": -4},
        "With these numbers no wrong rule gives the right answer: good for predicting.",
    ),
    Example(
        "Chain rule", "chain", "Chain rule u(v(w(x)))", "w = x^2\nv = 3w + 1\nu = sqrt(v)", {"x": 1},
        "Each slope is taken at its own input: 2 · 3 · ¼ = 1.5.",
    ),
    Example(
        "Chain rule", "paths", "One value, two paths", "d = 2a\nL = d*(d+1)", {"a": 3},
        "d is used twice, so its gradient is a sum: 7 + 6 = 13, and 26 at a.",
    ),
    Example(
        "Chain rule", "abstract", "The chain rule itself", "y = u(v(w(x)))", {"x": 1},
        "The functions stay abstract: the formula of the gradient is u′(v) · v′(w) · w′(x).",
    ),
    Example(
        "Activations", "sigmoid", "Sigmoid",
        "y = sigmoid(x)", {"x": 0.5}, "The slope is s(1 − s): never more than ¼.",
    ),
    Example(
        "Activations", "tanh", "tanh",
        "y = tanh(x)", {"x": 0.5}, "The slope is 1 − y²: 1 in the middle, almost 0 outside.",
    ),
    Example(
        "Activations", "relu", "ReLU and its kink",
        "y = relu(x)", {"x": 0}, "At the kink the slope is taken to be 0.",
    ),
    Example(
        "Activations", "leaky", "Leaky ReLU", "y = leaky_relu(x, alpha)", {"x": -1, "alpha": 0.1},
        "A little gradient passes on the left, and alpha has one too.",
    ),
    Example(
        "Models", "logistic", "Logistic regression",
        "z = w_1*x_1 + w_2*x_2 + b\np = sigmoid(z)\nL = -(y*log(p) + (1-y)*log(1-p))",
        {"w_1": 0.5, "x_1": 2, "w_2": -1, "x_2": 1, "b": 0.1, "y": 1},
        "Binary cross-entropy of a sigmoid: at z arrives p − y.",
    ),
    Example(
        "Models", "layer", "A layer with matrices", "H = tanh(W@x + b)\nL = sum(H)",
        {"W": [[0.5, -1, 0.2], [0.3, 0.8, -0.6]], "x": [1, 2, -1], "b": [0.1, -0.2]},
        "The gradient of W is an outer product, and has the shape of W.",
    ),
    Example(
        "Towards transformers", "softmax", "Softmax and its gradient", "p = softmax(s)\nL = sum(p*u)",
        {"s": [0.6931471805599453, 0, 0], "u": [2, 4, 0]},
        "p̄ = u: each score gets p times its upstream less the average upstream: 0, ½, −½.",
    ),
    Example(
        "Towards transformers", "cross_entropy", "Cross-entropy", "L = cross_entropy(s, k)",
        {"s": [[0.6931471805599453, 0, 0]], "k": [1]},
        "The gradient of the scores is p − y: ½, −¾, ¼.",
    ),
    Example(
        "Towards transformers", "attention", "Causal self-attention",
        "S = X@X.T\nP = softmax(causal_mask(S))\nY = P@X\nL = sum(Y)",
        {"X": [[1, 0], [0, 1], [1, 1]]},
        "Row by row: whom does a word look at? The first can only look at itself.",
    ),
    Example(
        "Towards transformers", "layer_norm", "Layer norm", "y = layer_norm(x)\nL = sum(y*u)",
        {"x": [1, 1, 5, 5], "u": [1, 0, 0, 0]},
        "Only the first output is asked for, and its neighbour moves too: ¼, −¼, 0, 0.",
    ),
)  # fmt: skip
EXAMPLES = {example.key: example for example in GALLERY}
