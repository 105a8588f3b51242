"""Activation functions by the names that configurations of transformers use."""

from __future__ import annotations

from typing import Final

from graphlab.engine.core import Op
from graphlab.engine.ops.activation import gelu, gelu_tanh, relu, sigmoid, silu, tanh
from graphlab.errors import ValueProblem

ACTIVATIONS: Final[dict[str, Op]] = {
    **{op.name: op for op in (gelu, gelu_tanh, relu, sigmoid, silu, tanh)},
    **{alias: op for op in (gelu_tanh, silu) for alias in op.aliases},
}


def activation_called(name: str) -> Op:
    """The op. Raises ValueProblem listing those there are."""
    if name not in ACTIVATIONS:
        raise ValueProblem(
            f"there is no activation called {name!r:.40}", hint=f"There are {', '.join(sorted(ACTIVATIONS))}."
        )
    return ACTIVATIONS[name]
