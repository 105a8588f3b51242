"""Scoped graphs for the tests of opening and folding."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphlab as gl
from graphlab.engine import core


def weight(path: str, symbol: str, *shape: int) -> Any:
    """A parameter in the present scope."""
    return core.variable(core.scoped(path), symbol, shape)


def tower(layers: int = 4, changed: int | None = None, size: int = 3) -> gl.Graph:
    """A table, equal residual layers of which one may be changed, and a head that uses the table again."""
    ids = gl.variable("ids")
    with gl.scope("table"):
        table = weight("weight", "E", 5, size)
        x = gl.embedding(table, ids)
    with gl.scope("encoder"):
        for number in range(layers):
            with gl.scope(f"layer.{number}"):
                x = layer(x, size, squash=gl.tanh if number == changed else gl.sigmoid)
    with gl.scope("head"):
        shares = gl.softmax(x @ table.T)
        return gl.graph(L=gl.sum(shares * shares))


def layer(x: Any, size: int, squash: Any) -> Any:
    with gl.scope("inner"):
        h = gl.named("H", squash(x @ weight("weight", "W", size, size)))
    return gl.named("X", gl.layer_norm(x + h))


def values_of(graph: gl.Graph, seed: int = 0) -> dict[str, Any]:
    """Values for all inputs; ids count to 4."""
    random = np.random.default_rng(seed)
    shapes = {node.name: node.attrs.get("declared") for node in graph.dag.inputs.values()}
    return {
        str(name): random.integers(5, size=4) if shape is None else random.normal(size=shape)
        for name, shape in shapes.items()
    }


def left_and_entered_again() -> gl.Graph:
    """Scope a is left for b and entered again, so that as one box it would need its own output."""
    x = gl.variable("x")
    with gl.scope("a"):
        y = gl.named("y", x * 2)
    with gl.scope("b"):
        z = gl.named("z", gl.sin(y))
    with gl.scope("a"):
        return gl.graph(L=z * y)
