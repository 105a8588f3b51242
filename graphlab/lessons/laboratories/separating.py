"""Logistic regression that learns: four points of the line for the experiment, points of the plane for live training.

There is no bias of its own: the last feature is a constant 1, and its weight moves the boundary away from the origin.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Points, Settings, Slider
from graphlab.lessons.findings import Findings, Lines, Plane, Quantity
from graphlab.lessons.lesson import State, Training

INPUTS_VALUES = (-2, -1, 1, 2)
OVERLAPPING_VALUES = (0, 1, 0, 1)
SEPARABLE_VALUES = (0, 0, 1, 1)
LINE_RATE = 1.0
SHOWN_STEPS = (10, 100, 1_000, 10_000)


# ---- four points of the line -----------------------------------------------------------------------------------------
class Reached(NamedTuple):
    """Weight, constant's weight and loss after some steps."""

    steps: int
    w: float
    b: float
    loss: float


def mean_loss(labels: tuple[int, ...]) -> gl.Graph:
    """The mean cross-entropy of the four points: −log σ(z) where y = 1, −log σ(−z) where y = 0."""
    terms = [f"softplus({'-' if y else ''}({x}w + b))" for x, y in zip(INPUTS_VALUES, labels, strict=True)]
    return gl.parse(f"L = ({' + '.join(terms)})/{len(terms)}")


@cache
def descend(labels: tuple[int, ...], longest: int) -> list[Reached]:
    """Gradient descent from 0: the start, and what is reached after each of SHOWN_STEPS up to `longest`."""
    plan = mean_loss(labels).compile()
    w = b = 0.0
    found = [Reached(0, w, b, plan.evaluate(w=w, b=b))]
    for step in range(1, longest + 1):
        slopes = plan.gradients(w=w, b=b)
        w, b = w - LINE_RATE * slopes["w"], b - LINE_RATE * slopes["b"]
        if step in SHOWN_STEPS:
            found.append(Reached(step, w, b, plan.evaluate(w=w, b=b)))
    return found


# ---- points of the plane ---------------------------------------------------------------------------------------------
LOSSES = {"cross-entropy": "bce_with_logits(z, y)", "squared error": "mean((sigmoid(z) - y)^2)/2"}
CROSS_ENTROPY = "cross-entropy"
OF_WEIGHTS = {name: gl.parse(f"z = X@w; L = {text}", values={"X": [[0, 0, 1]], "w": [0, 0, 0], "y": [0]}).compile()
              for name, text in LOSSES.items()}  # fmt: skip
OF_SCORES = {name: gl.parse(f"L = {text}", values={"z": [0], "y": [0]}).compile() for name, text in LOSSES.items()}
SCORES = gl.parse("X@w", values={"X": [[0, 0, 1]], "w": [0, 0, 0]}).compile()
PROBABILITIES = gl.parse("sigmoid(X@w)", values={"X": [[0, 0, 1]], "w": [0, 0, 0]}).compile()
REACH_GRID = np.linspace(-4, 4, 33)
PLANE_POINTS = [
    [-2.1, -0.4, 0], [-1.6, 1.3, 0], [-0.9, -1.5, 0], [-0.4, 0.6, 0], [0.5, -1.1, 0], [-2.4, -1.8, 0], [1.2, -0.3, 0],
    [1.9, 0.7, 1], [0.8, 1.8, 1], [2.3, -0.9, 1], [-0.6, 2.2, 1], [1.4, 2.4, 1], [0.2, 0.4, 1], [2.7, 1.6, 1],
]  # fmt: skip


def features(settings: Settings) -> tuple[Any, Any]:
    """The points with their constant feature (n, 3), and their classes (n,)."""
    rows = np.asarray(settings["points"], dtype=float)
    return np.column_stack([rows[:, :-1], np.ones(len(rows))]), rows[:, -1]


def loss_at(w: Any, settings: Settings) -> float:
    x, y = features(settings)
    return float(OF_WEIGHTS[settings["loss"]].evaluate(X=x, w=w, y=y))


def start(settings: Settings) -> State:
    """All weights 0: every probability is ½."""
    w = np.zeros(3)
    return {"w": w, "losses": np.array([loss_at(w, settings)])}


def step(state: State, settings: Settings) -> State:
    """One step down the slope on all points together."""
    x, y = features(settings)
    slope = OF_WEIGHTS[settings["loss"]].gradients(X=x, w=state["w"], y=y)["w"]
    w = state["w"] - settings["rate"] * slope
    return {"w": w, "losses": np.append(state["losses"], loss_at(w, settings))}


def pulls(w: Any, settings: Settings) -> Any:
    """How every point pulls at the weights of x₁ and x₂: minus the gradient of its own loss, drawn at the point."""
    x, y = features(settings)
    of_mean = OF_SCORES[settings["loss"]].gradients(z=SCORES.evaluate(X=x, w=w), y=y)["z"]
    own = len(y) * of_mean
    return np.column_stack([x[:, :-1], -own[:, np.newaxis] * x[:, :-1]])


def findings(state: State, settings: Settings) -> Findings:
    """The boundary among the points, the pulls, and the loss so far."""
    x, y = features(settings)
    corners = np.array([[a, b, 1] for b in REACH_GRID for a in REACH_GRID])
    ground = PROBABILITIES.evaluate(X=corners, w=state["w"]).reshape(len(REACH_GRID), len(REACH_GRID))
    right = (SCORES.evaluate(X=x, w=state["w"]) > 0) == (y == 1)
    return Findings(
        {
            "w": Quantity("Weights of x₁, x₂ and the constant 1", state["w"]),
            "loss": Quantity("Loss", loss_at(state["w"], settings)),
            "right": Quantity("Points on the right side", f"{np.count_nonzero(right)} of {len(y)}"),
        },
        (
            Plane("Where p = ½ the ground changes its colour; a line shows how a point pulls at w",
                  x[:, :-1], y, (REACH_GRID, REACH_GRID, ground), pulls(state["w"], settings)),
            Lines("Loss", np.arange(len(state["losses"])), {settings["loss"]: state["losses"]}, "step", "loss"),
        ),
    )  # fmt: skip


TRAINING = Training(
    controls={
        "loss": Choose("Loss", CROSS_ENTROPY, tuple(LOSSES)),
        "rate": Slider("Learning rate", 0.5, 0.05, 2.0, 0.05),
        "points": Points("Points", PLANE_POINTS, 4.0, 200),
    },
    start=start,
    step=step,
    findings=findings,
    longest=2000,
    editable=("w",),
)
