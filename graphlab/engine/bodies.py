"""The bodies of composites as graphs of their own, and running any graph on values that may be nodes or arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.engine.core import Node, Op, variable
from graphlab.engine.dag import Dag
from graphlab.errors import NoRule


def body_of(op: Op, attrs: Any) -> tuple[Dag, list[Node]]:
    """A composite's body as a graph, and its inputs in order. Raises NoRule for an op without one."""
    if op.body is None:
        raise NoRule(f"{op.call_name} has no body")
    assert op.arity is not None, "a composite has as many inputs as its body"
    inputs = [variable(f"x_{i}") for i in range(op.arity)]
    return Dag(op.body(*inputs, **attrs)), inputs


def run(dag: Dag, inputs: Sequence[Node], given: Sequence[Any]) -> dict[Node, Any]:
    """Every node of `dag` on values that may be nodes (then it is built anew on them) or arrays (then computed)."""
    values: dict[Node, Any] = dict(zip(inputs, given, strict=True))
    symbolic = any(isinstance(x, Node) for x in given)
    for node in dag.nodes:
        if node.op is not None:
            value = node.op(*[values[x] for x in node.inputs], **node.attrs)
            values[node] = np.float64(value) if type(value) is float else value
        elif node not in values:
            values[node] = node if symbolic else np.asarray(node.value)[()]
    return values
