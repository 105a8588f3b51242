"""Which runner suits which graph, for one run and for many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.plans.floats import FloatTape, is_real
from graphlab.engine.plans.groups import Groups
from graphlab.engine.plans.runner import Number, Runner
from graphlab.engine.plans.source import Source
from graphlab.engine.plans.tape import Tape
from graphlab.engine.plans.tensors import TensorRunner
from graphlab.engine.plans.wiring import wiring
from graphlab.errors import NoRule

PlanName = Literal["auto", "groups", "source", "tape", "tensors"]
MANY = 1000  # nodes from which grouping pays even for one run
RARE = 10  # source, where at most one node in so many does not work entry by entry
LONGEST_SOURCE = 2000  # nodes; Python takes 40 µs and 6 KiB to compile each


def runner_for_scalars(dag: Dag, number: type | None) -> Runner | None:
    """What runs a graph once when all its inputs are NumPy scalars of the type `number`; None if it takes arrays."""
    if number not in (np.float64, np.float32) or not is_real(dag):
        return None
    wrt = tuple(dag.inputs.values())
    wires = wiring(dag, only_wide=True) if len(dag.nodes) > MANY else None
    if wires is not None:
        return Groups(dag, None, number, wrt, wires)
    return FloatTape(dag, None, np.float64, wrt) if number is np.float64 else None


def make_runner(plan: PlanName, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> Runner:
    """The runner that a plan stands for. Raises NoRule if it does not suit the graph."""
    scalar = all(shapes[x] == () for x in dag.inputs.values()) and is_real(dag)
    if plan == "auto":
        plan = choose(dag, scalar)
    if plan == "tensors":
        return TensorRunner(dag, shapes, number, wrt)
    if plan == "tape":
        return (FloatTape if scalar and number is np.float64 else Tape)(dag, shapes, number, wrt)
    if plan == "source":
        return Source(dag, shapes, number, wrt)
    if scalar:
        return Groups(dag, shapes, number, wrt)
    raise NoRule(
        "the plan 'groups' is for graphs of single real numbers",
        hint='Write plan="auto", and the one that suits is taken.',
    )


def choose(dag: Dag, scalar: bool) -> PlanName:
    """The plan that runs a graph soonest; kernels pay where not nearly all operations work entry by entry."""
    whole = sum(node.op is not None and node.op.partials is None for node in dag.nodes)
    if whole * RARE <= len(dag.nodes) <= LONGEST_SOURCE:
        return "source"
    if not scalar:
        return "tensors"
    return "groups" if wiring(dag, only_wide=True) is not None else "tape"
