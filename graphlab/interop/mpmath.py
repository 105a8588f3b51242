"""graphlab graphs with many digits, by mpmath, and their slopes from differences so small that they are exact.

Nothing here uses a derivative rule or the rounding of floating point: it is the judge when the two disagree.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.interop.entries import Backend, each

PRECISIONS = (60, 200, 1000, 2000)


def divide(x: Any, y: Any) -> Any:
    """x/y, infinite or nan for y = 0 as everywhere in graphlab."""
    return x / y if y != 0 else mpmath.sign(x) * mpmath.inf if x != 0 else mpmath.nan


def power(x: Any, n: Any) -> Any:
    """x^n for real results; else infinite or nan."""
    if x == 0 and n < 0:
        return mpmath.inf
    return real(mpmath.power(x, n))


def real(value: Any) -> Any:
    """A complex result is not a number here."""
    return mpmath.nan if isinstance(value, mpmath.mpc) else value


def chain(upstream: Any, local: Any) -> Any:
    return upstream * local if upstream != 0 else mpmath.mpf(0)


def where(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def elu(x: Any, alpha: Any) -> Any:
    return x if x > 0 else alpha * mpmath.expm1(x)


def log1p(x: Any) -> Any:
    return mpmath.log1p(x) if x > -1 else real(mpmath.log(1 + x))


ENTRIES: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (chain, where, elu, log1p)},
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg")},
    **{"greater": operator.gt, "less": operator.lt, "greater_equal": operator.ge, "less_equal": operator.le},
    **{"equal": operator.eq, "not_equal": operator.ne, "div": divide, "pow": power, "abs": mpmath.fabs},
    "maximum": max,
    "minimum": min,
    "detach": operator.pos,
    "masked": lambda s, mask: s if mask else -mpmath.inf,
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "leaky_relu": lambda x, alpha: x if x > 0 else alpha * x,
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "clip": lambda x, low, high: min(max(x, low), high),
}


def entry(name: str) -> Callable[..., Any] | None:
    """What an elementwise op means for one number."""
    found = ENTRIES.get(name)
    if found is not None or not hasattr(mpmath, name):
        return found
    function = getattr(mpmath, name)
    return lambda x: real(function(x))


def lift(value: Any, _literal: str | None = None) -> Any:
    """A constant or a given value; ids and masks stay as they are."""
    return each(mpmath.mpf, value) if np.asarray(value).dtype.kind == "f" else value


BACKEND = Backend("mpmath", entry, {}, lift)


def evaluate(dag: Dag, given: Mapping[Node, Any], digits: int = PRECISIONS[0]) -> Any:
    """The output of `dag` to so many digits: an mpf, or an array of them."""
    with mpmath.workdps(digits):
        return BACKEND.evaluate(dag, {node: lift(value) for node, value in given.items()})[dag.output]


def slope(dag: Dag, given: Mapping[Node, Any], node: Node, index: tuple[int, ...]) -> float:
    """The slope of a scalar output in one entry of an input, or nan where it has none.

    A central difference with so many digits that another one with many more agrees; so no cancellation is too large.
    """
    before = math.nan
    for digits in PRECISIONS:
        found = difference(dag, given, node, index, digits)
        if math.isclose(found, before, rel_tol=1e-12, abs_tol=1e-30):
            return found
        before = found
    return math.nan


def difference(dag: Dag, given: Mapping[Node, Any], node: Node, index: tuple[int, ...], digits: int) -> float:
    """(L(x + h) − L(x − h)) / 2h with h of a third of the digits: the square of the step and what is lost over it are
    both far below a double's last digit."""
    with mpmath.workdps(digits):
        point = {n: lift(value) for n, value in given.items()}
        start = np.array(point[node], dtype=object)
        step = mpmath.mpf(10) ** (-digits // 3) * max(1, abs(start[index]))
        sides = []
        for move in (-step, step):
            moved = start.copy()
            moved[index] += move
            sides.append(BACKEND.evaluate(dag, {**point, node: moved[()]})[dag.output])
        if not all(map(mpmath.isfinite, sides)):
            return math.nan
        return float((sides[1] - sides[0]) / (2 * step))
