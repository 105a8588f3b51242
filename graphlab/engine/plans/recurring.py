"""Small graphs of numbers that come again, run again or built again: after a few times their source is kept.

A graph is recognised by its structure: ops, wiring, names and constants. Nothing of the graph itself is held.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.plans.floats import is_real
from graphlab.engine.plans.source import Quick, Source
from graphlab.engine.stabilising import stabilise

SMALL = 256  # nodes
TIMES = 3


@dataclass(slots=True)
class Recurring:
    """The graphs of one structure. `runs` counts how often one of them was asked for."""

    runs: int = 0
    quick: Quick | None = field(default=None, repr=False)

    def ask(self, dag: Dag) -> Quick | None:
        """The function from floats by name to value and gradients, once it pays to have it; see `Source.quick`."""
        self.runs += 1
        if self.runs == TIMES and is_real(dag) and not stabilise(dag).rewrites:
            wrt = list(dag.inputs.values())
            self.quick = Source(dag, Shapes(dict.fromkeys(wrt, ())), np.float64, wrt).quick
        return self.quick


@lru_cache(maxsize=512)
def _recurring(structure: Any) -> Recurring:
    return Recurring()


def recurring(dag: Dag) -> Recurring:
    """The graphs that are built like this one; a new one for graphs that are not recognised."""
    nodes = dag.nodes
    if len(nodes) > SMALL:
        return Recurring(TIMES)
    leaves = [node for node in nodes if node.op is None]
    if any(type(node.value) is not float for node in leaves if node.name is None):
        return Recurring(TIMES)
    first = nodes[0].index
    return _recurring(
        (
            dag.output.index - first,
            *[node.op for node in nodes],
            *[x.index - first for node in nodes for x in node.inputs],
            *[node.name or (repr(node.value),) for node in leaves],
            *([] if nodes[-1].index - first == len(nodes) - 1 else [node.index for node in nodes]),
        )
    )
