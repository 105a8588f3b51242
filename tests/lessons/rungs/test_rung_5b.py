"""Rung 5b: softmax and its backward, with torch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from graphlab.lessons.course import LESSONS

torch.set_num_threads(1)
SCORES, UPSTREAM = [math.log(2), 0.0, 0.0], [2.0, 4.0, 0.0]


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    s = torch.tensor(SCORES, dtype=torch.float64, requires_grad=True)
    upstream = torch.tensor(UPSTREAM, dtype=torch.float64)
    p = torch.softmax(s, dim=0)
    p.backward(upstream)
    assert s.grad is not None
    jacobian = torch.func.jacrev(lambda scores: torch.softmax(scores, dim=0))(s.detach())
    values, gradient = p.detach().numpy(), np.where(s.grad.abs() < 1e-15, 0, s.grad.numpy())
    return {
        "p": values,
        "gradient": gradient,
        "total": 0.0,
        "diagonal": np.diag(jacobian.numpy()) * UPSTREAM,
        "no_average": values * UPSTREAM,
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    np.testing.assert_allclose(found["p"], [1 / 2, 1 / 4, 1 / 4])
    np.testing.assert_allclose(found["gradient"], [0, 1 / 2, -1 / 2], atol=1e-15)
    np.testing.assert_allclose(found["diagonal"], [1 / 2, 3 / 4, 0])
    np.testing.assert_allclose(found["no_average"], [1, 1, 0])


def test_the_gradients_add_up_to_zero_whatever_the_upstream() -> None:
    """So the claim of the question does not hang on the preset."""
    random = np.random.default_rng(5)
    for _ in range(20):
        settings = {"scores": random.normal(size=3).tolist(), "upstream": random.normal(size=3).tolist()}
        assert LESSONS["5b"].experiment.run(settings).quantities["total"].shown == "0"


def test_the_table_of_slopes_is_the_jacobian_of_torch() -> None:
    (screen,) = [screen for screen in LESSONS["5b"].screens if screen.show is not None]
    assert screen.show is not None
    (heat,) = screen.show().views
    jacobian = torch.func.jacrev(lambda s: torch.softmax(s, dim=0))(torch.tensor(SCORES, dtype=torch.float64))
    np.testing.assert_allclose(heat.numbers, jacobian.numpy(), atol=1e-15)  # type: ignore[union-attr]


def test_the_forward_screen_moves_only_the_first_score() -> None:
    """Its tangent is the first column of the Jacobian."""
    (walk,) = [s.walk for s in LESSONS["5b"].screens if s.walk is not None and s.walk.moving]
    jacobian = torch.func.jacrev(lambda s: torch.softmax(s, dim=0))(torch.tensor(SCORES, dtype=torch.float64))
    trace = walk.trace
    np.testing.assert_allclose(trace.known_gradients[trace.output], jacobian[:, 0].numpy(), atol=1e-15)
