"""Rung 3: XOR with and without an activation, and training live, with torch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.laboratories.network import STARTS, WEIGHTS, all_starts, data_called
from graphlab.lessons.lesson import Training
from graphlab.lessons.optimisers import OPTIMISERS

torch.set_num_threads(1)
X = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
Y = torch.tensor([[0], [1], [1], [0]], dtype=torch.float64)
Weights = list[torch.Tensor]


def scores(x: torch.Tensor, weights: Weights, bend: Any) -> torch.Tensor:
    w1, b1, w2, b2 = weights
    return bend(x @ w1.mT + b1) @ w2.mT + b2


def descend(bend: Any, steps: int) -> tuple[dict[int, Any], Any]:
    """From all starts at once, rate 0.5: the losses (start 0 is the one of zeros) by step, and who solves XOR."""
    weights = [torch.tensor(all_starts()[name], requires_grad=True) for name in WEIGHTS]
    wanted = Y.expand(STARTS + 1, 4, 1)
    losses = {}
    for step in range(steps + 1):
        z = scores(X, weights, bend)
        each = binary_cross_entropy_with_logits(z, wanted, reduction="none").mean(dim=(1, 2))
        losses[step] = each.detach().numpy()
        slopes = torch.autograd.grad(each.sum(), weights)
        with torch.no_grad():
            weights = [(w - 0.5 * slope).requires_grad_() for w, slope in zip(weights, slopes, strict=True)]
    right = ((z > 0) == (wanted == 1)).all(dim=1)[1:]
    return losses, int(right.sum())


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    tanh, tanh_solved = descend(torch.tanh, 2000)
    none, none_solved = descend(lambda a: a, 2000)
    return {
        **{f"tanh_{step}": tanh[step][1] for step in (0, 50, 2000)},
        "none_loss": none[2000][1],
        "zero_loss": tanh[2000][0],
        "coin": math.log(2),
        "tanh_solved": f"{tanh_solved} of 20",
        "none_solved": f"{none_solved} of 20",
    }


def test_the_lecture_says_so() -> None:
    """The row of the experiments table: orders of magnitude, as the starts are random."""
    quantities = LESSONS["3"].experiment.at_first.quantities
    found = {name: quantities[name].value for name in LESSONS["3"].experiment.expect}
    assert found["tanh_0"] > found["tanh_50"] > 0.1 and 1e-3 < found["tanh_2000"] < 1e-2
    assert found["none_loss"] == pytest.approx(math.log(2), abs=1e-12)
    assert found["zero_loss"] == pytest.approx(math.log(2), abs=1e-15)
    assert (found["tanh_solved"], found["none_solved"]) == ("20 of 20", "0 of 20")


def test_zeros_stay_zeros_at_every_step_and_with_every_activation() -> None:
    """The loss of the start 0 never changes."""
    run = LESSONS["3"].experiment.run
    for activation in ("tanh", "none"):
        curve = run({"activation": activation, "start": 0, "step": 1000}).views[1]
        for line in curve.lines.values():  # type: ignore[union-attr]
            np.testing.assert_allclose(line, math.log(2), rtol=0, atol=1e-15)


def test_two_affine_maps_are_one() -> None:
    (screen,) = [screen for screen in LESSONS["3"].screens if screen.show is not None]
    assert screen.show is not None
    (table,) = screen.show().views
    for _, two, one in table.as_table().rows:
        assert two == pytest.approx(one, abs=1e-12)


# ---- training --------------------------------------------------------------------------------------------------------
def training(**chosen: Any) -> tuple[Training, dict[str, Any]]:
    found = LESSONS["3"].training
    assert found is not None
    return found, {**first_settings(found.controls), **chosen}


PEERS: dict[str, Any] = {
    "SGD": torch.optim.SGD,
    "Momentum": lambda weights, lr: torch.optim.SGD(weights, lr=lr, momentum=0.9),
    "Adam": torch.optim.Adam,
}
BENDS: dict[str, Any] = {"tanh": torch.tanh, "none": lambda a: a, "ReLU": torch.relu, "sigmoid": torch.sigmoid}


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize(("data", "activation"), [("XOR", "tanh"), ("moons", "ReLU"), ("moons", "sigmoid")])
def test_training_takes_the_steps_of_torch(name: str, data: str, activation: str) -> None:
    """100 steps of each optimiser, to 1e-10."""
    learner, settings = training(optimiser=name, data=data, activation=activation, rate=0.1)
    state = learner.start(settings)
    rows = torch.tensor(data_called(data))
    weights = [torch.tensor(state[key], requires_grad=True) for key in WEIGHTS]
    peer = PEERS[name](weights, lr=0.1)
    for _ in range(100):
        state = learner.step(state, settings)
        peer.zero_grad()
        binary_cross_entropy_with_logits(scores(rows[:, :2], weights, BENDS[activation]), rows[:, 2:]).backward()
        peer.step()
    for key, weight in zip(WEIGHTS, weights, strict=True):
        np.testing.assert_allclose(state[key], weight.detach().numpy(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("data", ["XOR", "moons"])
def test_after_200_steps_the_loss_is_below_half_of_the_start(data: str) -> None:
    learner, settings = training(data=data)
    state = learner.start(settings)
    for _ in range(200):
        state = learner.step(state, settings)
    assert state["losses"][-1] < state["losses"][0] / 2
    assert all(view.as_table().rows for view in learner.findings(state, settings).views)


def test_weights_changed_by_hand_are_used() -> None:
    """The findings and the next step start from them."""
    learner, settings = training()
    state = learner.start(settings)
    edited = {**state, "b_2": state["b_2"] + 3}
    assert learner.findings(edited, settings).quantities["loss"] != learner.findings(state, settings).quantities["loss"]
    assert not np.allclose(learner.step(edited, settings)["W_1"], learner.step(state, settings)["W_1"])


def test_a_step_changes_nothing_that_it_was_given() -> None:
    """So two tabs never meet."""
    learner, settings = training(optimiser="Adam")
    state = learner.start(settings)
    before = {name: np.copy(value) for name, value in state.items()}
    learner.step(state, settings)
    assert state.keys() == before.keys() and all(np.array_equal(state[name], before[name]) for name in before)
