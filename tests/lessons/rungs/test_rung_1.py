"""Rung 1: two losses, four points, many factors, and the line by line derivation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.laboratories.likelihood import LINES, derivation, heading, holds
from graphlab.lessons.lesson import Training

torch.set_num_threads(1)
INPUTS = np.array([[-2.0, 1], [-1, 1], [1, 1], [2, 1]])


def expected() -> dict[str, Any]:
    """What the experiment must show: the slopes with torch, the descents with NumPy."""
    z = torch.tensor([-8.0], dtype=torch.float64, requires_grad=True)
    one = torch.ones(1, dtype=torch.float64)
    (bce,) = torch.autograd.grad(torch.nn.functional.binary_cross_entropy_with_logits(z, one), z)
    (squared,) = torch.autograd.grad(((torch.sigmoid(z) - one) ** 2 / 2).sum(), z)
    overlapping, separable = descend([0, 1, 0, 1], 1000), descend([0, 0, 1, 1], 10_000)
    return {
        "bce": float(bce),
        "squared": float(squared),
        "weaker": float(bce / squared),
        "best": np.where(np.abs(overlapping[1000]) < 1e-12, 0, overlapping[1000]),
        "loss_start": cross_entropy(np.zeros(2), [0, 1, 0, 1]),
        "loss_best": cross_entropy(overlapping[1000], [0, 1, 0, 1]),
        **{f"norm_{steps}": float(np.linalg.norm(separable[steps])) for steps in (10, 100, 1000, 10_000)},
        "product": 0.5**1075,
        "logs": 1075 * math.log(0.5),
    }


def cross_entropy(w: Any, y: list[int]) -> float:
    """The mean of log(1 + exp(∓z))."""
    z = INPUTS @ w * np.where(np.array(y) == 1, 1, -1)
    return float(np.mean(np.logaddexp(0, -z)))


def descend(y: list[int], longest: int) -> dict[int, Any]:
    """The weights after each step, mean loss, rate 1, from 0."""
    w, found = np.zeros(2), {}
    for step in range(1, longest + 1):
        p = 1 / (1 + np.exp(-(INPUTS @ w)))
        w = w - INPUTS.T @ (p - y) / len(y)
        found[step] = w
    return found


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert found["bce"] == pytest.approx(-0.9997, abs=5e-5) and found["squared"] == pytest.approx(-0.000335, abs=5e-7)
    assert found["weaker"] == pytest.approx(2983, abs=0.5)
    np.testing.assert_allclose(found["best"], [0.4196, 0], atol=5e-5)
    assert found["loss_start"] == pytest.approx(0.6931, abs=5e-5)
    assert found["loss_best"] == pytest.approx(0.6420, abs=5e-5)
    norms = [found[f"norm_{steps}"] for steps in (10, 100, 1000, 10_000)]
    np.testing.assert_allclose(norms, [2.10, 4.02, 6.23, 8.52], atol=5e-3)
    assert found["product"] == 0 and found["logs"] == pytest.approx(-745.13, abs=5e-3)


def test_one_factor_less_still_has_a_product() -> None:
    """So 1,075 is where it happens."""
    run = LESSONS["1"].experiment.run
    assert run({"z": -8.0, "n": 1074}).quantities["product"].value > 0
    assert run({"z": -8.0, "n": 1075}).quantities["product"].value == 0


def test_the_squared_error_is_weaker_for_every_score_of_the_slider() -> None:
    """The more so the worse the score."""
    run = LESSONS["1"].experiment.run
    weaker = [run({"z": z, "n": 1}).quantities["weaker"].value for z in np.arange(-10, -1.5, 0.5)]
    assert all(factor > 1 for factor in weaker) and weaker == sorted(weaker, reverse=True)


# ---- the derivation --------------------------------------------------------------------------------------------------
def test_every_line_of_the_derivation_is_what_it_claims() -> None:
    found = derivation()
    assert all(line.holds for line in found) and len(found) == len(LINES)
    assert [line.line.claim for line in found].count("order reversed") == 1
    assert all("not so" not in heading(number, line) for number, line in enumerate(found))


def test_the_last_line_is_the_cross_entropy_of_torch() -> None:
    """At the best of the random w the likelihood is largest and the cross-entropy smallest."""
    first, *_, last = derivation()
    assert np.argmax(first.values) == np.argmin(last.values)
    assert first.values.max() == pytest.approx(np.exp(-5 * last.values.min()))


@pytest.mark.parametrize("claim", ["same value", "order kept", "order reversed"])
def test_a_claim_about_other_numbers_is_refused(claim: Any) -> None:
    """So the marks on the page can fail."""
    random = np.random.default_rng(3)
    assert not holds(claim, random.normal(size=20), random.normal(size=20))


# ---- training --------------------------------------------------------------------------------------------------------
def training() -> tuple[Training, dict[str, Any]]:
    found = LESSONS["1"].training
    assert found is not None
    return found, first_settings(found.controls)


def test_training_takes_the_steps_of_torch() -> None:
    """Both losses, 100 steps."""
    learner, settings = training()
    rows = torch.tensor(settings["points"], dtype=torch.float64)
    x, y = torch.column_stack([rows[:, :2], torch.ones(len(rows))]), rows[:, 2]
    losses = {
        "cross-entropy": lambda w: torch.nn.functional.binary_cross_entropy_with_logits(x @ w, y),
        "squared error": lambda w: torch.mean((torch.sigmoid(x @ w) - y) ** 2) / 2,
    }
    for name, loss in losses.items():
        chosen = {**settings, "loss": name}
        state = learner.start(chosen)
        w = torch.zeros(3, dtype=torch.float64, requires_grad=True)
        peer = torch.optim.SGD([w], lr=settings["rate"])
        for _ in range(100):
            state = learner.step(state, chosen)
            peer.zero_grad()
            loss(w).backward()
            peer.step()
        np.testing.assert_allclose(state["w"], w.detach().numpy(), rtol=0, atol=1e-10)
        assert state["losses"][-1] == pytest.approx(loss(w).item())


def test_after_200_steps_the_loss_is_below_half_of_the_start() -> None:
    learner, settings = training()
    state = learner.start(settings)
    for _ in range(200):
        state = learner.step(state, settings)
    assert state["losses"][-1] < state["losses"][0] / 2
    plane, curve = learner.findings(state, settings).views
    assert len(curve.as_table().rows) > 1 and len(plane.as_table().rows) == len(settings["points"])


def test_the_pulls_of_all_points_together_are_the_step() -> None:
    """Their mean times the rate moves w."""
    learner, settings = training()
    state = learner.step(learner.start(settings), settings)
    arrows = learner.findings(state, settings).views[0].arrows  # type: ignore[union-attr]
    moved = learner.step(state, settings)["w"] - state["w"]
    np.testing.assert_allclose(np.mean(arrows[:, 2:], axis=0) * settings["rate"], moved[:2], atol=1e-14)
