"""What every plan is inside: a runner, made once for a graph whose inputs have these shapes and this type.

The public plan (`graphlab.api.plans`) converts and checks the values, picks and keeps the runners, lets one thread run
at a time and copies what comes out. So a runner trusts what it is given, and may hand out arrays that its next run
overwrites.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes

Number = type[np.floating[Any]]


class Runner(Protocol):
    """Runs the first output of a graph, forward or both ways.

    `shapes` has every node's shape, all sizes numbers and none at fault; `number` is the type of every real input and
    of the graph's own numbers. Inputs are NumPy scalars and arrays, one per input in the order of `dag.inputs`; they
    are never written to. Results are floats, NumPy scalars or arrays, with the values that `engine.evaluation` and
    `engine.reverse` give. Poles give inf or nan without a warning.
    """

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None: ...

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The output's value."""

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """The output's value, and its gradient with respect to each node of `wrt`; zeros where none arrives.

        `seed` is the output's own gradient, in its shape and type.
        """
