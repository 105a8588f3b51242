"""Scalar graphs as SymPy expressions, and SymPy's derivatives of them. The way back is in `interop.expressions`.

Expressions are built with SymPy's own constructors; no text is parsed, so nothing can be executed. SymPy rewrites what
it is given (x·x becomes x²): the way there and back keeps the value, not the graph.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy
from sympy.logic.boolalg import Boolean

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.shapes import axes_of
from graphlab.errors import LimitError, NoRule
from graphlab.interop.entries import Backend, each

TREE = 20_000  # SymPy has no sharing in what it prints or simplifies, so the written-out size counts
DIGITS = 400


# ---- to SymPy ------------------------------------------------------------------------------------------------------
def power(x: Any, n: Any) -> Any:
    """x^n. Raises LimitError for a power of numbers that is too long to work out."""
    if x.is_number and n.is_number and x != 0:
        digits = sympy.Abs(n * sympy.log(sympy.Abs(x), 10)).evalf(5)
        if digits.is_comparable and digits > DIGITS:
            raise LimitError(f"a power here has more than {DIGITS} digits, and SymPy would write them all")
    return x**n


def is_truth(value: Any) -> bool:
    """Whether it is true or false; SymPy counts every symbol among the truth values."""
    return isinstance(value, (bool, Boolean)) and not isinstance(value, sympy.Symbol)


def where(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, sympy.Basic) and not is_truth(condition):
        condition = sympy.Ne(condition, 0)
    if condition in (True, False, sympy.true, sympy.false):
        return a if condition else b
    if is_truth(a) or is_truth(b):
        return sympy.ITE(condition, a, b)
    return sympy.Piecewise((a, condition), (b, True))


def reducing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction over axes by a function of two."""
    pairwise = np.frompyfunc(function, 2, 1)

    def reduction(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        left = np.asarray(x, dtype=object)
        gone = axes_of(axis, left.shape, "max")
        for a in gone:
            left = pairwise.reduce(left, axis=a, keepdims=True)
        return left if keepdims else left.squeeze(gone)[()]

    return reduction


def softmax(x: Any, axis: Any = -1) -> Any:
    parts = each(sympy.exp, x)
    return parts / np.sum(parts, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    return x - each(sympy.log, np.sum(each(sympy.exp, x), axis=axis, keepdims=True))


def logsumexp(x: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    return each(sympy.log, np.sum(each(sympy.exp, x), axis=axis, keepdims=keepdims))


ENTRIES: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg")},
    **{"chain": operator.mul, "div": operator.truediv, "pow": power, "abs": sympy.Abs, "where": where},
    **{"greater": sympy.Gt, "less": sympy.Lt, "greater_equal": sympy.Ge, "less_equal": sympy.Le},
    **{"equal": sympy.Eq, "not_equal": sympy.Ne, "maximum": sympy.Max, "minimum": sympy.Min},
    "masked": lambda s, mask: where(mask, s, -sympy.oo),
    "expm1": lambda x: sympy.exp(x) - 1,
    "log1p": lambda x: sympy.log(1 + x),
    "relu": lambda x: sympy.Max(x, 0),
    "leaky_relu": lambda x, alpha: sympy.Piecewise((x, x > 0), (alpha * x, True)),
    "elu": lambda x, alpha: sympy.Piecewise((x, x > 0), (alpha * (sympy.exp(x) - 1), True)),
    "clip": lambda x, low, high: sympy.Min(sympy.Max(x, low), high),
}
WHOLE: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (softmax, log_softmax, logsumexp)},
    "max": reducing(sympy.Max),
    "min": reducing(sympy.Min),
}


def entry(name: str) -> Callable[..., Any] | None:
    """What an elementwise op means for one expression."""
    return ENTRIES.get(name) or getattr(sympy, name, None)


def lift(value: Any, literal: str | None = None) -> Any:
    """A constant: whole numbers exactly, π and e by name, all others as SymPy's floats."""
    if literal in ("pi", "e"):
        return sympy.pi if literal == "pi" else sympy.E
    return each(lift_number, value) if np.asarray(value).dtype.kind == "f" else value


def lift_number(value: float) -> Any:
    return sympy.Integer(int(value)) if float(value).is_integer() and abs(value) < 1e15 else sympy.Float(float(value))


BACKEND = Backend("sympy", entry, WHOLE, lift)


def to_sympy(dag: Dag, *, real: bool = False) -> Any:
    """The output of a scalar graph as an expression in symbols called like the inputs (assumed real on request).

    Raises NoRule for an op without a meaning there, LimitError where sharing makes the written-out expression too long.
    """
    sizes: dict[Node, int] = {}
    for node in dag.nodes:
        sizes[node] = 1 + sum(sizes[x] for x in node.inputs)
    if sizes[dag.output] > TREE:
        raise LimitError(
            f"written out for SymPy this is {sizes[dag.output]:,} symbols long, and {TREE:,} is the most",
            hint="SymPy does not share common parts; convert a smaller graph.",
        )
    symbols = {node: sympy.Symbol(name, real=real or None) for name, node in dag.inputs.items()}
    result = BACKEND.evaluate(dag, symbols)[dag.output]
    if isinstance(result, np.ndarray):
        raise NoRule("only a graph with one number as its output goes to SymPy", hint="Sum it, or pick an entry.")
    return sympy.sympify(result)


def slopes(dag: Dag, given: Mapping[Node, Any]) -> dict[Node, float]:
    """The derivative of a scalar graph in every input, by SymPy's rules, as numbers; nan where SymPy has none."""
    expression = to_sympy(dag, real=True)
    point = {sympy.Symbol(str(node.name), real=True): sympy.Float(float(value), 30) for node, value in given.items()}
    found: dict[Node, float] = {}
    for node, symbol in zip(given, point, strict=True):
        slope = sympy.diff(expression, symbol).subs(point).evalf(30)
        found[node] = float(slope) if slope.is_number and slope.is_extended_real else math.nan
    return found
