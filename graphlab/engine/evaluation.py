"""Forward evaluation: a fold that fills in value after value; `evaluate` drains it, a trace keeps the order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.places import at_node
from graphlab.engine.values import working_type
from graphlab.errors import GraphLabError, LimitError


class Deadline:
    """A moment after which `check` raises LimitError. Without seconds it never does."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self._end = None if seconds is None else monotonic() + seconds

    def check(self) -> None:
        if self._end is not None and monotonic() > self._end:
            raise LimitError(
                f"stopped: this took longer than {self.seconds:g} seconds",
                hint="Try smaller arrays or a shorter formula.",
            )


def forward(dag: Dag, values: dict[Node, Any], deadline: Deadline | None = None) -> Iterator[Node]:
    """Each node of `dag`, in topological order, as soon as its value stands in `values`.

    `values` comes with a NumPy scalar or array for every input (`engine.values.bind` makes them). Poles give inf or
    nan, not errors; the caller silences NumPy's warnings about them with np.errstate. Ids out of range are a
    DomainError that knows its node.
    """
    number = working_type(values)
    for node in dag.nodes:
        if node.op is not None:
            try:
                value = node.op.forward(*[values[x] for x in node.inputs], **node.attrs)
            except GraphLabError as fault:
                raise at_node(fault, node) from None
            values[node] = number(value) if type(value) is float else value
            if deadline is not None:
                deadline.check()
        elif node not in values:
            values[node] = typed_constant(node.value, number)
        yield node


def first_fault(dag: Dag, values: dict[Node, Any], deadline: Deadline | None = None) -> GraphLabError | None:
    """Fill in values up to the first node at fault, and return that fault; None if all is well."""
    with np.errstate(all="ignore"):
        try:
            for _ in forward(dag, values, deadline):
                pass
        except GraphLabError as fault:
            if fault.node is None:
                raise
            return fault
    return None


def evaluate(dag: Dag, given: Mapping[Node, Any], deadline: Deadline | None = None) -> dict[Node, Any]:
    """Every node's value; see `forward`."""
    values = dict(given)
    with np.errstate(all="ignore"):
        for _ in forward(dag, values, deadline):
            pass
    return values


def typed_constant(value: Any, number: type[np.floating[Any]]) -> Any:
    """A constant in the graph's working type; boolean ones stay masks."""
    if isinstance(value, float):
        return number(value)
    return value.astype(number) if isinstance(value, np.ndarray) and value.dtype == np.float64 else value
