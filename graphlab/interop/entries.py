"""Graphs on other kinds of numbers, entry by entry: many digits, or symbols.

Arrays of such numbers are NumPy arrays of objects, so whatever only moves or adds entries is NumPy's own work. A
backend says what the elementwise ops mean; an op it has no word for is expanded through its body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine.bodies import body_of
from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.errors import NoRule


@dataclass(frozen=True)
class Backend:
    """A kind of numbers: `entry` finds what an elementwise op means for one entry, `whole` holds functions of arrays.

    `lift` makes one of its numbers from a constant node. `name` is the key in the ops' `spelled`.
    """

    name: str
    entry: Callable[[str], Callable[..., Any] | None]
    whole: Mapping[str, Callable[..., Any]]
    lift: Callable[[Any, str | None], Any]

    def evaluate(self, dag: Dag, given: Mapping[Node, Any]) -> dict[Node, Any]:
        """Every node's value. Raises NoRule, naming the op, for one that has no meaning here."""
        values: dict[Node, Any] = dict(given)
        for node in dag.nodes:
            if node.op is not None:
                values[node] = self.apply(node.op, [values[x] for x in node.inputs], node.attrs)
            elif node not in values:
                values[node] = self.lift(node.value, node.attrs.get("literal"))
        return values

    def apply(self, op: Op, inputs: list[Any], attrs: Mapping[str, Any]) -> Any:
        """One op on numbers of this kind."""
        name = op.spelled.get(self.name, op.name)
        if name is None:
            raise NoRule(f"{op.call_name} has no meaning in {self.name}")
        if name in self.whole:
            return self.whole[name](*inputs, **attrs)
        entry = self.entry(name) if op.partials is not None else None
        if entry is not None:
            return np.frompyfunc(entry, len(inputs), 1)(*inputs)
        if op.body is not None:
            body, slots = body_of(op, attrs)
            return self.evaluate(body, dict(zip(slots, inputs, strict=True)))[body.output]
        if op.partials is not None:
            raise NoRule(f"{op.call_name} has no counterpart in {self.name}")
        result = op.forward(*inputs, **attrs)
        return self.lift(result, None) if type(result) is float else result


def each(function: Callable[[Any], Any], value: Any) -> Any:
    """`function` of a number, or of every entry of an array."""
    return np.frompyfunc(function, 1, 1)(value)
