"""Rung 2: slopes and stacks of activation functions, with torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from graphlab.lessons.blanks import blank_called, check
from graphlab.lessons.course import LESSONS
from graphlab.lessons.rungs.rung_2 import FORMULAS

torch.set_num_threads(1)
PEERS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "ReLU": functional.relu,
    "leaky ReLU": lambda x: functional.leaky_relu(x, 0.1),
    "GELU": functional.gelu,
    "SiLU": functional.silu,
    "ELU": functional.elu,
    "softplus": functional.softplus,
}


def left(name: str, at: float, depth: int = 20) -> float:
    """The gradient of so many of them in a row."""
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(depth):
        y = PEERS[name](y)
    (found,) = torch.autograd.grad(y, x)
    return float(found)


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    lowest = root(lambda x: left("GELU", x, 1), -2, 0)
    return {
        "sigmoid_left": left("sigmoid", 1),
        "tanh_left": left("tanh", 1),
        "relu_left": left("ReLU", 1),
        "gelu_left": left("GELU", 1),
        "relu_negative": left("ReLU", -1),
        "leaky_relu_negative": left("leaky ReLU", -1),
        "gelu_lowest": np.array([lowest, functional.gelu(torch.tensor(lowest, dtype=torch.float64))]),
        "gelu_steepest": np.array([math.sqrt(2), left("GELU", math.sqrt(2), 1)]),
    }


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """By halving; the function is negative at `low`."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert found["sigmoid_left"] == pytest.approx(9.1e-14, rel=0.01)
    assert found["tanh_left"] == pytest.approx(0.0161, abs=5e-5) and found["relu_left"] == 1
    assert found["gelu_left"] == pytest.approx(4.5e-5, rel=0.01)
    assert found["relu_negative"] == 0 and found["leaky_relu_negative"] == pytest.approx(1e-20)
    np.testing.assert_allclose(found["gelu_lowest"], [-0.7518, -0.1700], atol=5e-5)
    np.testing.assert_allclose(found["gelu_steepest"], [math.sqrt(2), 1.1289], atol=5e-5)


@pytest.mark.parametrize("name", FORMULAS)
def test_slopes_and_stacks_of_every_function_are_those_of_torch(name: str) -> None:
    """At several x and depths; every function can be chosen."""
    run = LESSONS["2"].experiment.run
    for x, depth in [(-2.5, 1), (-0.5, 3), (0.0, 2), (1.75, 20)]:
        found = run({"function": name, "x": x, "alpha": 0.1, "depth": depth}).quantities
        key = name.lower().replace(" ", "_")
        assert found["slope"].value == pytest.approx(left(name, x, 1))
        assert found[f"{key}_left"].value == pytest.approx(left(name, x, depth))
        assert found[f"{key}_negative"].value == pytest.approx(left(name, -x, depth))


@pytest.mark.parametrize(
    ("title", "right", "wrong"),
    [("Sigmoid", "s(1 - s)", "x(1 - x)"), ("Tanh", "1 - t^2", "1 - x^2"), ("Sigmoid", "s - s^2", "s*(1 + s)")],
)
def test_a_derivative_may_be_typed(title: str, right: str, wrong: str) -> None:
    """In the output; with the input in its place it is wrong."""
    (walk,) = [screen.walk for screen in LESSONS["2"].screens if screen.title == title]
    assert walk is not None
    blank = blank_called(walk.trace, "x_bar")
    assert check(walk, blank, right).right is True
    assert check(walk, blank, wrong).right is False
