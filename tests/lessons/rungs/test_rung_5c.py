"""Rung 5c: cross-entropy with torch: p̄ has a 1/p, s̄ is p − y, and a mean over rows divides by their number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Lines
from graphlab.lessons.lesson import Walk

torch.set_num_threads(1)
SCORES, RIGHT = [math.log(2), 0.0, 0.0], 1


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    s = torch.tensor(SCORES, dtype=torch.float64, requires_grad=True)
    p = torch.softmax(s, dim=0)
    p.retain_grad()
    loss = -torch.log(p[RIGHT])
    loss.backward()  # type: ignore[no-untyped-call]
    assert s.grad is not None and p.grad is not None
    values, p_bar = p.detach().numpy(), p.grad.numpy() + 0.0
    return {
        "p": values,
        "right": values[RIGHT],
        "loss": float(loss.detach()),
        "p_bar": p_bar,
        "gradient": s.grad.numpy(),
        "difference": values - np.eye(3)[RIGHT],
        "total": 0.0,
        "only": values * (1 - values) * p_bar + 0.0,
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert found["right"] == pytest.approx(1 / 4)
    np.testing.assert_allclose(found["gradient"], [1 / 2, -3 / 4, 1 / 4])
    np.testing.assert_allclose(found["p_bar"], [0, -4, 0])


@pytest.mark.parametrize("right", ["1", "2", "3"])
@pytest.mark.parametrize("scores", [[0.3, -1.7, 2.2], [5.0, 5.0, 5.0], [0.0, -30.0, 30.0]])
def test_the_gradient_is_p_minus_y_and_adds_up_to_zero(right: str, scores: list[float]) -> None:
    found = LESSONS["5c"].experiment.run({"scores": scores, "right": right}).quantities
    wanted = torch.softmax(torch.tensor(scores, dtype=torch.float64), 0).numpy() - np.eye(3)[int(right) - 1]
    np.testing.assert_allclose(found["gradient"].value, wanted, atol=1e-15)
    assert found["total"].shown == "0"


def test_on_the_curve_the_upstream_of_p_explodes_and_that_of_the_score_does_not() -> None:
    """p̄ is −1/p on the whole curve; s̄ stays between −1 and 0."""
    (curve,) = [view for view in LESSONS["5c"].experiment.at_first.views if isinstance(view, Lines)]
    scores = torch.zeros(len(curve.x), 3, dtype=torch.float64)
    scores[:, RIGHT] = torch.tensor(curve.x)
    p = torch.softmax(scores, 1)[:, RIGHT].numpy()
    np.testing.assert_allclose(curve.lines["p̄"], -1 / p)
    np.testing.assert_allclose(curve.lines["s̄"], p - 1, atol=1e-12)
    assert min(curve.lines["p̄"]) < -1000


def test_a_probability_that_is_0_in_floats_leaves_the_gradient_of_the_scores_finite() -> None:
    settings = first_settings(LESSONS["5c"].experiment.controls)
    found = LESSONS["5c"].experiment.run({**settings, "scores": [800.0, 0.0, 0.0]}).quantities
    assert np.isfinite(found["gradient"].value).all()
    np.testing.assert_allclose(found["gradient"].value, [1, -1, 0])


def test_a_mean_over_rows_divides_by_their_number() -> None:
    walk = walk_of("Several rows")
    scores = torch.tensor(walk.values["S"], dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor(walk.values["t"]))
    loss.backward()  # type: ignore[no-untyped-call]
    assert scores.grad is not None
    np.testing.assert_allclose(walk.graph.gradients(walk.values)["S"], scores.grad.numpy())
    assert walk.graph.evaluate(walk.values) == pytest.approx(loss.item())


def test_both_screens_of_one_row_find_the_same_gradient() -> None:
    """By the two steps, and from the logarithm of the sum."""
    by_steps, at_once = walk_of("Two steps back"), walk_of("Multiplied out")
    found = at_once.graph.gradients(at_once.values)
    wanted = by_steps.graph.gradients(by_steps.values)["s"]
    np.testing.assert_allclose([found["s_1"], found["s_2"], found["s_3"]], wanted)


def walk_of(title: str) -> Walk:
    (walk,) = [screen.walk for screen in LESSONS["5c"].screens if screen.title == title]
    assert walk is not None
    return walk
