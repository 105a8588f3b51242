"""The runner for graphs of arrays: kernels on memory that is kept from run to run.

`steps` says what is computed, `buffers` where; running is one loop over the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.kernels.kernel import as_body
from graphlab.engine.opening import open_composites
from graphlab.engine.plans.buffers import Action, Buffers
from graphlab.engine.plans.runner import Number
from graphlab.engine.plans.steps import Steps


class TensorRunner:
    """See `runner.Runner`. What it returns is overwritten by its next run."""

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None:
        self._steps = Steps(*opened(dag, shapes, number, wrt))
        self._buffers = Buffers(self._steps)
        self._cells = self._buffers.cells
        self._passing = [cell for cell, value in enumerate(self._cells) if value is None]

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The output's value."""
        return self._run(self._buffers.forward, inputs, None)[0]

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """The output's value, and its gradient with respect to each node of `wrt`."""
        return self._run([*self._buffers.forward, *self._buffers.backward], inputs, seed)

    def _run(self, actions: Sequence[Action], inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """Runs them; afterwards no array that was given or made for this run is held."""
        cells, steps = self._cells, self._steps
        for cell, value in zip([*steps.inputs, steps.seed], [*inputs, seed], strict=True):
            cells[cell] = value
        try:
            with np.errstate(all="ignore"):
                for run, arrays, reads, makes, drops in actions:
                    made = run(*arrays, *[cells[i] for i in reads])
                    if makes is not None:
                        cells[makes] = made
                    for i in drops:
                        cells[i] = None
            return cells[steps.output][()], [cells[i][()] for i in steps.gradients]
        finally:
            for cell in self._passing:
                cells[cell] = None


def is_opened(op: Op) -> bool:
    """Whether a composite is computed by its parts."""
    return op.kernel is as_body


def opened(
    dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node], which: Callable[[Op], bool] = is_opened
) -> tuple[Dag, Shapes, Number, Sequence[Node]]:
    """The same graph with those composites opened, and the composites in them."""
    while closed := [dag.ids[node] for node in dag.nodes if node.op is not None and which(node.op)]:
        found = open_composites(dag, closed)
        shapes = Shapes({found.become[node]: shapes[node] for node in dag.inputs.values()})
        dag, wrt = found.dag, [found.become[node] for node in wrt]
    return dag, shapes, number, wrt
