"""What a derivative pass starts from: the output's gradient backward, the inputs' tangents forward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.engine import values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.shapes import Shape, show_shape
from graphlab.errors import NoRule, ShapeError
from graphlab.language import canonical_name


def seed_for(output: Any, seed: Any) -> Any:
    """The output's own gradient: `seed` in its type, or 1 for a scalar; ShapeError if it does not fit."""
    if seed is None:
        if np.shape(output) != ():
            raise needs_seed(np.shape(output))
        return np.ones_like(output)[()]
    start = values.convert(seed, "seed")
    if np.shape(start) != np.shape(output):
        raise ShapeError(
            f"the seed has shape {show_shape(np.shape(start))}, but the output {show_shape(np.shape(output))}",
            op="seed",
            hint="A gradient has the shape of its variable.",
        )
    return start.astype(output.dtype) if output.dtype.kind == "f" else start


def needs_seed(shape: Shape) -> ShapeError:
    return ShapeError(
        f"the output has shape {show_shape(shape)}, but a gradient starts from one number",
        op="output",
        shapes=[shape],
        hint="Sum it (L = sum(…)), or pass seed=: the gradient of the output, of the same shape.",
    )


def directions(dag: Dag, tangents: Mapping[str, Any], bound: Mapping[Node, Any]) -> dict[Node, Any]:
    """The tangents by node, in their inputs' types. ShapeError if one is not shaped like its input."""
    found: dict[Node, Any] = {}
    for name, value in tangents.items():
        node = real_input(dag, name, bound)
        tangent = values.convert(value, name)
        if np.shape(tangent) != np.shape(bound[node]):
            raise ShapeError(
                f"the tangent of {name} has shape {show_shape(np.shape(tangent))}, "
                f"but {name} has {show_shape(np.shape(bound[node]))}",
                op="tangent",
                hint="A tangent is a direction of its input, so it has the same shape.",
            )
        found[node] = tangent.astype(bound[node].dtype)
    return found


def real_input(dag: Dag, name: str, bound: Mapping[Node, Any]) -> Node:
    """The input of that name; NoRule if it holds ids or a mask."""
    node = dag.input(canonical_name(name))
    if not values.has_gradient(bound[node]):
        raise NoRule(f"{name} holds ids or a mask, which have no gradient")
    return node
