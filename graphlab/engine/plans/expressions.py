"""Ops as Python source: what an op and its local derivatives are in signs where Python has them, else in calls.

Each partial derivative is traced once per op, on nodes; what comes out is written with the signs of `SIGNS`, or the
record's own rule is called. Source contains the names it is given and numbers, nothing else.

A dialect is the kind of values that the source runs on. On floats, Python's signs act as IEEE 754 says, except /; a
call goes through NumPy's scalars, because 1/0 is inf there and no exception. On arrays, signs and calls are NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np

from graphlab.engine.core import Node, Op, Rule, as_node, careful_rules, variable
from graphlab.engine.dag import reachable

SIGNS: Final[Mapping[str, str]] = {
    "add": "({} + {})",
    "sub": "({} - {})",
    "mul": "({} * {})",
    "neg": "(-{})",
    "greater": "({} > {})",
    "less": "({} < {})",
    "greater_equal": "({} >= {})",
    "less_equal": "({} <= {})",
    "equal": "({} == {})",
    "not_equal": "({} != {})",
}


@dataclass(frozen=True)
class Dialect:
    """How source treats its values: the signs it may use, and what is called in place of an op's function or rule."""

    signs: Mapping[str, str]
    called: Callable[[Callable[..., Any]], Callable[..., Any]]


@cache
def on_floats(function: Callable[..., Any]) -> Callable[..., float]:
    """`function`, of NumPy's scalars, from floats to a float."""
    number = np.float64

    def call(*inputs: float) -> float:
        return float(function(*[number(x) for x in inputs]))

    return call


def divide(x: float, y: float) -> float:
    """x/y as IEEE 754 says."""
    return x / y if y else float(np.float64(x) / np.float64(y))


FLOATS = Dialect({**SIGNS, "div": "divide({}, {})", "where": "({1} if {0} else {2})"}, on_floats)
ARRAYS = Dialect({**SIGNS, "div": "({} / {})"}, lambda function: function)


@dataclass
class Namespace:
    """The functions and values that a piece of source mentions, under short names."""

    held: dict[str, Any] = field(default_factory=lambda: {"divide": divide})
    names: dict[int, str] = field(default_factory=dict)

    def name(self, thing: Any) -> str:
        """The name of `thing`, which is held from now on."""
        if id(thing) not in self.names:
            self.names[id(thing)] = f"f{len(self.held)}"
            self.held[self.names[id(thing)]] = thing
        return self.names[id(thing)]

    def run(self, source: str) -> dict[str, Any]:
        """What the source defines."""
        defined: dict[str, Any] = {}
        exec(source, self.held, defined)
        return defined


@dataclass(frozen=True)
class Traced:
    """A partial derivative as nodes: of the output and the inputs."""

    result: Node
    arguments: tuple[Node, ...]


@cache
def traced_partial(op: Op, argument: int) -> Traced | None:
    """An op's partial derivative as nodes; None for a careful one, which computes on arrays only."""
    assert op.partials is not None and op.arity is not None
    rule = op.partials[argument]
    if rule is None or (op.careful is not None and op.careful[argument] is not None):
        return None
    arguments = tuple([variable(f"x_{i}") for i in range(op.arity + 1)])
    return Traced(as_node(rule(*arguments)), arguments)


class Writer:
    """Writes ops in one dialect; what has no sign becomes a function of the namespace."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.namespace = Namespace()

    def value(self, op: Op, inputs: list[str]) -> str:
        """The value of an op on inputs of these names."""
        sign = self.dialect.signs.get(op.name)
        return sign.format(*inputs) if sign else self._call(op.forward, inputs)

    def local(self, op: Op, argument: int, names: list[str]) -> str:
        """The local derivative, from the names of the output and the inputs; a plain number is `number_text` of it."""
        traced = traced_partial(op, argument)
        if traced is not None:
            nodes = reachable([traced.result])
            if all(node.op is None or node.op.name in self.dialect.signs for node in nodes):
                return self._written(nodes, dict(zip(traced.arguments, names, strict=True)))
        rules = careful_rules(op)
        assert rules is not None and rules[argument] is not None, "asked only for inputs that get a gradient"
        return self._call(rules[argument], names)

    def _written(self, nodes: list[Node], texts: dict[Node, str]) -> str:
        for node in nodes:
            if node.op is not None:
                texts[node] = self.value(node.op, [texts[x] for x in node.inputs])
            elif node not in texts:
                texts[node] = number_text(node.value)
        return texts[nodes[-1]]

    def _call(self, function: Rule | None, inputs: list[str]) -> str:
        assert function is not None
        return f"{self.namespace.name(self.dialect.called(function))}({', '.join(inputs)})"


def number_text(value: float) -> str:
    """A number that Python reads back to the last digit."""
    assert math.isfinite(value)
    return f"({value!r})" if value < 0 else repr(value)


def product(upstream: str, local: str) -> str:
    """upstream · local."""
    return upstream if local == ONE else f"-{upstream}" if local == MINUS_ONE else f"{upstream} * {local}"


def contribution(upstream: str, local: str) -> str:
    """What an edge sends back: upstream · local, and exactly 0 where the upstream gradient is 0 (see `chain`)."""
    return upstream if local == ONE else f"({product(upstream, local)} if {upstream} else 0.0)"


ONE, MINUS_ONE = number_text(1.0), number_text(-1.0)
