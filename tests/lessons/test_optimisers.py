"""SGD, momentum and Adam take the steps of torch.optim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphlab.lessons.optimisers import OPTIMISERS, optimiser
from tests.requirements import needs

torch = needs("torch")
torch.set_num_threads(1)
RATE, STEPS = 0.05, 100
SHAPES: dict[str, tuple[int, ...]] = {"W": (3, 2), "b": (3,), "c": ()}
PEERS = {
    "SGD": lambda weights: torch.optim.SGD(weights, lr=RATE),
    "Momentum": lambda weights: torch.optim.SGD(weights, lr=RATE, momentum=0.9),
    "Adam": lambda weights: torch.optim.Adam(weights, lr=RATE),
}


def start() -> dict[str, Any]:
    random = np.random.default_rng(1)
    return {name: random.normal(size=shape) for name, shape in SHAPES.items()}


def gradients(weights: dict[str, Any]) -> dict[str, Any]:
    """Those of a bowl that is steeper in some directions than in others, with a ripple."""
    return {name: (i + 1) * value + np.sin(3 * value) for i, (name, value) in enumerate(weights.items())}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_hundred_steps_are_those_of_torch(name: str) -> None:
    """To 1e-10."""
    weights, memory = start(), dict[str, Any]()
    leaves = {key: torch.tensor(value, requires_grad=True) for key, value in weights.items()}
    peer = PEERS[name](list(leaves.values()))
    for _ in range(STEPS):
        weights, memory = optimiser(name, RATE).step(weights, gradients(weights), memory)
        there = gradients({key: leaf.detach().numpy() for key, leaf in leaves.items()})
        for key, leaf in leaves.items():
            leaf.grad = torch.tensor(there[key])
        peer.step()
    for key, leaf in leaves.items():
        np.testing.assert_allclose(weights[key], leaf.detach().numpy(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_step_changes_nothing_that_it_was_given(name: str) -> None:
    """So a state may be kept, and two sessions never meet."""
    weights, memory = start(), dict[str, Any]()
    before = {key: value.copy() for key, value in weights.items()}
    moved = optimiser(name, RATE).step(weights, gradients(weights), memory)
    assert memory == {} and all(np.array_equal(weights[key], before[key]) for key in before)
    assert all(np.shape(moved.weights[key]) == shape for key, shape in SHAPES.items())
