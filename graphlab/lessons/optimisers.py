"""Optimisers as pure functions: weights and gradients by name go in, new weights and a new memory come out.

They take the steps that torch.optim's SGD and Adam take (tests/lessons/test_optimisers.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Arrays = Mapping[str, Any]


class Moved(NamedTuple):
    """The weights after a step, and what the optimiser remembers: arrays and numbers by name, {} at first."""

    weights: dict[str, Any]
    memory: dict[str, Any]


@dataclass(frozen=True)
class Descent:
    """w ← w − rate · v, where v is the gradient, or with momentum μ the running v ← μ·v + gradient."""

    rate: float
    momentum: float = 0.0

    def step(self, weights: Arrays, gradients: Arrays, memory: Arrays) -> Moved:
        """One step down the slope."""
        velocity = {name: self.momentum * memory.get(name, 0.0) + gradients[name] for name in weights}
        moved = {name: np.asarray(weights[name] - self.rate * velocity[name]) for name in weights}
        return Moved(moved, velocity if self.momentum else {})


@dataclass(frozen=True)
class Adam:
    """A running mean m of the gradients over the root of a running mean s of their squares, both corrected for their
    start at 0."""

    rate: float
    mean_decay: float = 0.9
    square_decay: float = 0.999
    eps: float = 1e-8

    def step(self, weights: Arrays, gradients: Arrays, memory: Arrays) -> Moved:
        """One step; the memory holds t, and m and s of each weight."""
        time = memory.get("t", 0) + 1
        kept: dict[str, Any] = {"t": time}
        moved = {}
        for name, gradient in gradients.items():
            mean = self.mean_decay * memory.get(f"m {name}", 0.0) + (1 - self.mean_decay) * gradient
            square = self.square_decay * memory.get(f"s {name}", 0.0) + (1 - self.square_decay) * np.square(gradient)
            kept |= {f"m {name}": mean, f"s {name}": square}
            root = np.sqrt(square / (1 - self.square_decay**time)) + self.eps
            moved[name] = np.asarray(weights[name] - self.rate * mean / (1 - self.mean_decay**time) / root)
        return Moved(moved, kept)


Optimiser = Descent | Adam
OPTIMISERS = ("SGD", "Momentum", "Adam")


def optimiser(name: str, rate: float) -> Optimiser:
    """The optimiser with this name, one of OPTIMISERS."""
    known: dict[str, Optimiser] = {"SGD": Descent(rate), "Momentum": Descent(rate, 0.9), "Adam": Adam(rate)}
    return known[name]
