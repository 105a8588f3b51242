"""Everything else, node by node: the plain passes of `evaluation` and `reverse`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.inference import Shapes
from graphlab.engine.plans.runner import Number
from graphlab.engine.reverse import gradients


class Tape:
    """The Runner of any graph."""

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None:
        self.dag = dag
        self.wrt = wrt

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The output's value."""
        return self._values(inputs)[self.dag.output]

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """The output's value and the gradient for each node of `wrt`."""
        values = self._values(inputs)
        found = gradients(self.dag, values, seed, self.wrt)
        return values[self.dag.output], [found[node] for node in self.wrt]

    def _values(self, inputs: Sequence[Any]) -> dict[Node, Any]:
        return evaluate(self.dag, dict(zip(self.dag.inputs.values(), inputs, strict=True)))
