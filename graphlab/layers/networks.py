"""Networks without attention: logistic regression, and layers one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from graphlab.engine.core import Node, named
from graphlab.engine.ops.activation import sigmoid
from graphlab.engine.shapes import Dim
from graphlab.errors import ValueProblem
from graphlab.layers.activations import activation_called
from graphlab.layers.parameters import dense, parameter


class Logistic(NamedTuple):
    """The scores z and the probabilities p = σ(z) of class 1, one for each row."""

    z: Node
    p: Node


def logistic_regression(x: Node, size: Dim = "d", *, bias: bool = False) -> Logistic:
    """p(c₁|x) = σ(w·x) for the rows of x (n, size). The lecture has no bias."""
    z = x @ parameter("weight", "w", size)
    z = named("z", z + parameter("bias", "b") if bias else z)
    return Logistic(z, named("p", sigmoid(z)))


def mlp(x: Node, sizes: Sequence[Dim], activation: str = "tanh") -> Node:
    """Affine maps with an activation after each but the last: x (…, sizes[0]) → (…, sizes[-1]).

    The parameters are called as in torch.nn.Sequential(Linear, activation, Linear, …).
    """
    if len(sizes) < 2:
        raise ValueProblem("an MLP needs at least two sizes, that of its input and that of its output")
    bend = activation_called(activation)
    for i, (inputs, outputs) in enumerate(pairwise(sizes), start=1):
        x = named(f"a_{i}", dense(x, str(2 * (i - 1)), str(i), outputs, inputs))
        if i < len(sizes) - 1:
            x = named(f"h_{i}", bend(x))
    return x
