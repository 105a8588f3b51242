"""Both formulas to 60 digits, or to 200 where 60 do not decide, by mpmath.

Numbers are those that were typed: 0.1 is a tenth here, not the double next to it. A value outside 2^±2048 is taken as
unknown (nan), so that no tower of powers can grow; the deadline is looked at after each operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import mpmath
import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline
from graphlab.interop.entries import Backend, each
from graphlab.interop.mpmath import entry

LETTERS = {"pi": lambda: +mpmath.pi, "e": lambda: +mpmath.e}
LARGEST = 2048
DIGITS = 60
MORE_DIGITS = 200


def typed(value: Any, literal: str | None = None) -> Any:
    """A constant as it was typed, or as its shortest decimal."""
    if literal in LETTERS:
        return LETTERS[literal]()
    if np.asarray(value).dtype.kind != "f":
        return value
    return mpmath.mpf(literal) if literal else each(lambda x: mpmath.mpf(repr(float(x))), value)


@cache
def guarded(name: str) -> Any:
    """The meaning of an op for one entry; nan where mpmath has none."""
    function = entry(name)
    if function is None:
        return None

    def apply(*inputs: Any) -> Any:
        try:
            return bounded(function(*inputs))
        except (ArithmeticError, ValueError):
            return mpmath.nan

    return apply


def bounded(value: Any) -> Any:
    """The value, or nan outside 2^±2048."""
    if isinstance(value, mpmath.mpf) and value and mpmath.isfinite(value) and abs(mpmath.mag(value)) > LARGEST:
        return mpmath.nan
    return value


BACKEND = Backend("mpmath", guarded, {}, typed)


def evaluate(dag: Dag, point: Mapping[Node, Any], digits: int, deadline: Deadline) -> list[Any]:
    """The outputs of `dag`. Raises NoRule for an op without a meaning here, LimitError at the deadline."""
    with mpmath.workdps(digits):
        values: dict[Node, Any] = {node: typed(value) for node, value in point.items()}
        for node in dag.nodes:
            if node.op is not None:
                value = BACKEND.apply(node.op, [values[x] for x in node.inputs], node.attrs)
                values[node] = value if node.op.partials else each(bounded, value)
                deadline.check()
            elif node not in values:
                values[node] = typed(node.value, node.attrs.get("literal"))
        return [values[node] for node in dag.outputs]


def differ(a: Any, b: Any) -> bool | None:
    """Whether any entries differ by more than 10⁻⁵⁰ of their size; None where none can be compared."""
    verdicts = [_differ(x, y) for x, y in np.broadcast(np.asarray(a, dtype=object), np.asarray(b, dtype=object))]
    known = [verdict for verdict in verdicts if verdict is not None]
    return any(known) if known else None


def _differ(x: Any, y: Any) -> bool | None:
    x, y = mpmath.mpf(x), mpmath.mpf(y)
    if not (mpmath.isfinite(x) and mpmath.isfinite(y)):
        return None
    return bool(abs(x - y) > mpmath.mpf(10) ** -50 * max(abs(x), abs(y), mpmath.mpf(10) ** -5))


def compare(dag: Dag, point: Mapping[Node, Any], deadline: Deadline) -> bool | None:
    """Whether the first two outputs differ at a point; None where they cannot be compared.

    A difference seen with 60 digits must still be there with 200: then it is no rounding.
    """
    for digits in (DIGITS, MORE_DIGITS):
        a, b = evaluate(dag, point, digits, deadline)[:2]
        with mpmath.workdps(digits):
            found = differ(a, b)
        if not found:
            return found
    return True
