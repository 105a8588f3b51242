"""Graphs of single numbers on Python floats: a tape over positions, for graphs of any length and depth.

A float is ten times quicker than a NumPy scalar, and rounds the same. Each op is compiled once, from its record, to a
function that works out a value and one that sends a gradient back; the passes call them node by node, in the order of
`evaluation` and `reverse`, so that every sum is added up in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.engine.plans.expressions import FLOATS, Writer, product
from graphlab.engine.plans.runner import Number
from graphlab.engine.plans.wiring import edges_of, position_of

Values = list[float]
INDENT = "\n    "


class Compiled(NamedTuple):
    """An op on floats. A node stands at position i, the positions of its inputs in `sources` from s on.

    value(i, s, sources, values) fills in values[i]. pull(i, s, sources, values, slots, wanted) takes the gradient of i,
    which is not 0, and adds what it sends back to the slots of those inputs that are wanted.
    """

    value: Callable[[int, int, list[int], Values], None]
    pull: Callable[[int, int, list[int], Values, Values, bytearray], None]
    calls: bool


@cache
def compiled(op: Op) -> Compiled:
    """The op as functions of floats; `calls` if they call NumPy, which may warn of poles."""
    assert op.partials is not None and op.arity is not None
    writer = Writer(FLOATS)
    places = [f"sources[s + {i}]" for i in range(op.arity)]
    values = [f"values[{place}]" for place in places]
    value = ["def value(i, s, sources, values):", f"values[i] = {writer.value(op, values)}"]
    pull = ["def pull(i, s, sources, values, slots, wanted):", "g = slots[i]"]
    for argument, (place, rule) in enumerate(zip(places, op.partials, strict=True)):
        if rule is not None:
            sent = product("g", writer.local(op, argument, ["values[i]", *values]))
            pull += [f"x = {place}", "if wanted[x]:", f"    slots[x] += {sent}"]
    made = writer.namespace.run(INDENT.join(value) + "\n" + INDENT.join(pull))
    return Compiled(made["value"], made["pull"], bool(writer.namespace.names))


@cache
def is_comparison(op: Op) -> bool:
    """Whether the op says true or false."""
    return op.partials is not None and np.asarray(op.forward(*[np.float64(0.5)] * (op.arity or 1))).dtype.kind == "b"


class Traits(NamedTuple):
    """What holds of graphs of certain ops. floats: each op may run on floats; truths: some op says true or false;
    calls: some op calls NumPy."""

    floats: bool
    truths: bool
    calls: bool


@lru_cache(maxsize=256)
def traits(ops: frozenset[Op]) -> Traits:
    """The traits of these ops."""
    floats = all(op.partials is not None and not op.options and not isinstance(op, AbstractOp) for op in ops)
    return Traits(floats, any(map(is_comparison, ops)), any(compiled(op).calls for op in ops)) if floats else NONE


NONE = Traits(False, False, False)


def is_real(dag: Dag) -> bool:
    """Whether floats serve for every node: entry by entry, numbers throughout, true and false only as masks."""
    if not traits(dag.ops).floats:
        return False
    if any(type(node.value) is not float for node in dag.nodes if node.op is None and node.name is None):
        return False
    if not traits(dag.ops).truths:
        return True
    truths = {node for node in dag.nodes if node.op is not None and is_comparison(node.op)}
    return dag.output not in truths and all(
        x not in truths or i in node.op.masks for node in dag.nodes if node.op for i, x in enumerate(node.inputs)
    )


class FloatTape:
    """The Runner of a real graph of single numbers in float64."""

    def __init__(self, dag: Dag, shapes: Shapes | None, number: Number, wrt: Sequence[Node]) -> None:
        edges = edges_of(dag)
        ops = [node.op for node in dag.nodes]
        self._positions = [i for i, op in enumerate(ops) if op is not None]
        self._starts = np.flatnonzero(np.diff(edges.user, prepend=-1)).tolist()
        made = {op: compiled(op) for op in dag.ops}
        self._computes = [made[op].value for op in ops if op is not None]
        self._pulls = [made[op].pull for op in ops if op is not None]
        self._sources = edges.source.tolist()
        self._wanted = bytearray(b"\1") * len(ops)
        place = {node: i for i, node in enumerate(dag.nodes) if node.op is None}
        self._template = [0.0] * len(ops)
        for node, i in place.items():
            self._template[i] = 0.0 if node.name else node.value
            self._wanted[i] = node.name is not None
        self._inputs = [place[node] for node in dag.inputs.values()]
        self._wrt = [place[node] for node in wrt]
        self._output = position_of(dag.output, dag)
        self._warns = traits(dag.ops).calls

    def forward(self, inputs: Sequence[Any]) -> float:
        """The output's value."""
        return self._values(inputs)[self._output]

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[float, list[float]]:
        """The output's value and the gradient for each node of `wrt`."""
        values, sources, wanted = self._values(inputs), self._sources, self._wanted
        slots = [0.0] * len(values)
        slots[self._output] = float(seed)
        with silence(self._warns):
            for i, start, pull in zip(self._positions[::-1], self._starts[::-1], self._pulls[::-1], strict=True):
                if slots[i]:
                    pull(i, start, sources, values, slots, wanted)
        return values[self._output], [slots[i] for i in self._wrt]

    def _values(self, inputs: Sequence[Any]) -> Values:
        values, sources = self._template.copy(), self._sources
        for i, value in zip(self._inputs, inputs, strict=True):
            values[i] = float(value)
        with silence(self._warns):
            for i, start, compute in zip(self._positions, self._starts, self._computes, strict=True):
                compute(i, start, sources, values)
        return values


def silence(warns: bool) -> AbstractContextManager[Any]:
    """No warnings of poles; entering NumPy's own context takes longer than a small graph."""
    return np.errstate(all="ignore") if warns else nullcontext()
