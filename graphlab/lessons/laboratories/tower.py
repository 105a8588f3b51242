"""Rung 8's laboratory: a tower of transformer blocks with switches, and two meters at every floor.

The weights of all towers are the same random numbers, times a deviation; biases are 0, the scales of layer norm 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np

import graphlab as gl
from graphlab.api.plans import Plan
from graphlab.engine.core import Node
from graphlab.layers import Config, Sight, normalised, parameter_shapes
from graphlab.layers.blocks import attention_part, feed_forward

Norm = Literal["after", "before", "off"]
BLOCKS: Final = 12
TOKENS: Final = 16
SIZES: Final = Config(hidden_size=64, num_attention_heads=4, intermediate_size=256)
SEED: Final = 2
SIMILARITY = gl.parse("Z = X/norm(X, axis=-1, keepdims=true); n = size(X, axis=0); (sum(Z@Z.T) - n)/(n*(n - 1))")
LENGTH = gl.parse("norm(G)", values=("G",))


class Tower(NamedTuple):
    """What is switched on, and the deviation of the weights."""

    residual: bool
    norm: Norm
    deviation: float


class Meters(NamedTuple):
    """At every floor, from the input to the top: the length of the gradient, as a multiple of the top's; and how alike
    the tokens are, the mean cosine of two of them.
    """

    gradients: list[float]
    similarities: list[float]


def block(residual: bool, norm: Norm, config: Config = SIZES) -> Node:
    """One block as a node, on the rows X: attention, then the feed-forward network."""
    mixed = part(gl.variable("X"), lambda x: attention_part(x, config, Sight()), "mix", residual, norm, config)
    return part(mixed, lambda x: feed_forward(x, config), "think", residual, norm, config)


def part(x: Node, make: Callable[[Node], Node], name: str, residual: bool, norm: Norm, config: Config) -> Node:
    """A part of a block, with what is switched on around it."""
    with gl.scope(name):
        made = make(normalised(x, "LayerNorm", name, config.hidden_size) if norm == "before" else x)
        made = made + x if residual else made
        return normalised(made, "LayerNorm", name, config.hidden_size) if norm == "after" else made


@cache
def plan_of(residual: bool, norm: Norm) -> Plan:
    return gl.graph(Y=block(residual, norm)).compile()


@cache
def draws() -> tuple[Any, Any, list[dict[str, Any]]]:
    """The input, the gradient at the top, and each block's matrices before they are scaled."""
    random = np.random.default_rng(SEED)
    shape = (TOKENS, int(SIZES.hidden_size))
    bottom, top = random.normal(size=shape), random.normal(size=shape)
    found = parameter_shapes(block(True, "off"))
    shapes = {name: tuple(map(int, shape)) for name, shape in found.items() if len(shape) > 1}
    return bottom, top, [{name: random.normal(size=s) for name, s in shapes.items()} for _ in range(BLOCKS)]


def weights_of(tower: Tower) -> list[dict[str, Any]]:
    """The parameters of every block."""
    vectors = {
        name: np.full(tuple(map(int, shape)), float("LayerNorm" in name and name.endswith("weight")))
        for name, shape in parameter_shapes(block(tower.residual, tower.norm)).items()
        if len(shape) == 1
    }
    return [{**vectors, **{name: tower.deviation * m for name, m in drawn.items()}} for drawn in draws()[2]]


@cache
def measure(tower: Tower) -> Meters:
    """Up with the tokens, down with the gradient."""
    bottom, top, _ = draws()
    plan, weights = plan_of(tower.residual, tower.norm), weights_of(tower)
    floors, gradients = [bottom], [top]
    for given in weights:
        floors.append(plan.evaluate({**given, "X": floors[-1]}))
    for given, floor in zip(weights[::-1], floors[-2::-1], strict=True):
        gradients.append(plan.gradients({**given, "X": floor}, seed=gradients[-1])["X"])
    lengths = [LENGTH.evaluate(G=gradient) for gradient in reversed(gradients)]
    return Meters([length / lengths[-1] for length in lengths], [SIMILARITY.evaluate(X=floor) for floor in floors])
