"""Whole derivatives as arrays: Jacobians, Hessians and their products with a direction.

A Jacobian is assembled from the cheaper side: one backward pass per entry of the output, or one forward pass per entry
of the input. A Hessian is forward mode over the gradient graph, one direction at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.engine.core import Node, constant
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.forward_mode import pushforward, tangent_of
from graphlab.engine.inference import Shapes
from graphlab.engine.reverse import backward_graph, gradients

Array = np.ndarray[Any, Any]


def unit_arrays(like: Any) -> Iterator[Any]:
    """Arrays of the shape and type of `like` with a single 1, one for every entry in order."""
    for index in np.ndindex(np.shape(like)):
        unit = np.zeros_like(like)
        if unit.shape:
            unit[index] = 1
            yield unit
        else:
            yield np.ones_like(like)[()]


def jacobian(dag: Dag, values: Mapping[Node, Any], x: Node) -> Array:
    """∂output/∂x of shape output.shape + x.shape. `values` holds every node's value."""
    y, like = values[dag.output], values[x]
    shape = (*np.shape(y), *np.shape(like))
    if np.size(y) <= np.size(like):
        rows = [gradients(dag, values, seed, [x])[x] for seed in unit_arrays(y)]
        return np.reshape(np.asarray(rows, dtype=np.result_type(like)), shape)
    columns = [np.ravel(tangent_of(dag, values, {x: unit})) for unit in unit_arrays(like)]
    return np.reshape(np.transpose(np.asarray(columns)), shape)


class Curvature:
    """The gradient graph of a scalar output, evaluated once, ready to be pushed along directions."""

    def __init__(self, dag: Dag, values: Mapping[Node, Any], shapes: Shapes, wrt: Sequence[Node]) -> None:
        seed = constant(1.0)
        totals = {fact.node: fact.total for fact in backward_graph(dag, shapes, seed, wrt)}
        self.wrt = list(wrt)
        self._totals = {x: totals[x] for x in wrt if x in totals}
        self._inputs = {x: values[x] for x in dag.inputs.values()}
        self._dag = Dag(*self._totals.values()) if self._totals else None
        self._values = evaluate(self._dag, self._inputs) if self._dag else {}

    def along(self, direction: Mapping[Node, Any]) -> dict[Node, Any]:
        """How fast every gradient moves when the inputs move in `direction`: the Hessian times it."""
        moving: dict[Node, Any] = {}
        if self._dag is not None:
            start = {x: d for x, d in direction.items() if x in self._dag.ids}
            moving = dict(start)
            with np.errstate(all="ignore"):
                moving |= {fact.node: fact.total for fact in pushforward(self._dag, self._values, start)}
        return {x: self._slope(x, moving) for x in self.wrt}

    def _slope(self, x: Node, moving: Mapping[Node, Any]) -> Any:
        like = self._inputs[x]
        tangent = moving.get(self._totals[x]) if x in self._totals else None
        return np.zeros_like(like) if tangent is None else tangent

    def hessian(self) -> dict[Node, dict[Node, Array]]:
        """For every pair of inputs ∂²output/∂a∂b, of shape a.shape + b.shape."""
        columns = {b: [self.along({b: unit}) for unit in unit_arrays(self._inputs[b])] for b in self.wrt}
        return {a: {b: self._block(a, b, columns[b]) for b in self.wrt} for a in self.wrt}

    def _block(self, a: Node, b: Node, columns: list[dict[Node, Any]]) -> Array:
        stacked = np.asarray([column[a] for column in columns], dtype=self._inputs[a].dtype)
        moved = np.moveaxis(stacked, 0, -1) if columns else stacked
        return np.reshape(moved, (*np.shape(self._inputs[a]), *np.shape(self._inputs[b])))
