"""SymPy expressions as graphs: `from_sympy` goes through an expression and makes a node of every part.

A sum puts its negative terms last, a product becomes a fraction where SymPy has negative powers, so that what comes out
reads as one would write it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from graphlab.engine.core import OPS, Node, constant
from graphlab.errors import NoRule


def ops(name: str) -> Callable[..., Node]:
    """The op of that name, as a function that makes a node."""
    return OPS[name].node


def folded(name: str) -> Callable[..., Node]:
    """An op of two, for any number of inputs."""
    return lambda *nodes: reduce(ops(name), nodes)


def one_over(name: str) -> Callable[[Node], Node]:
    return lambda x: 1 / ops(name)(x)


def inverse_hyperbolic_sine(x: Node) -> Node:
    return ops("log")(x + ops("sqrt")(x**2 + 1))


def inverse_hyperbolic_cosine(x: Node) -> Node:
    return ops("log")(x + ops("sqrt")(x - 1) * ops("sqrt")(x + 1))


def both(*conditions: Node) -> Node:
    return reduce(lambda a, b: ops("where")(a, b, False), conditions)


def either(*conditions: Node) -> Node:
    return reduce(lambda a, b: ops("where")(a, True, b), conditions)


def step(x: Node, at_zero: Node) -> Node:
    return ops("where")(x > 0, 1.0, ops("where")(x < 0, 0.0, at_zero))


SAME_NAME = "exp log sin cos tan asin acos atan sinh cosh tanh erf erfc sign".split()
FUNCTIONS: dict[Any, Callable[..., Node]] = {
    **{getattr(sympy, name): ops(name) for name in SAME_NAME},
    **{sympy.Abs: ops("abs"), sympy.Max: folded("maximum"), sympy.Min: folded("minimum")},
    **{sympy.StrictGreaterThan: ops("greater"), sympy.StrictLessThan: ops("less")},
    **{sympy.GreaterThan: ops("greater_equal"), sympy.LessThan: ops("less_equal")},
    **{sympy.Eq: ops("equal"), sympy.Ne: ops("not_equal")},
    **{sympy.sec: one_over("cos"), sympy.csc: one_over("sin"), sympy.cot: one_over("tan")},
    **{sympy.sech: one_over("cosh"), sympy.csch: one_over("sinh"), sympy.coth: one_over("tanh")},
    **{sympy.asinh: inverse_hyperbolic_sine, sympy.acosh: inverse_hyperbolic_cosine},
    sympy.atanh: lambda x: (ops("log1p")(x) - ops("log1p")(-x)) / 2,
    sympy.acot: lambda x: ops("atan")(1 / x),
    **{sympy.And: both, sympy.Or: either, sympy.Not: lambda a: ops("where")(a, False, True)},
    **{sympy.ITE: ops("where"), sympy.Heaviside: step},
}


def from_sympy(expression: Any, variable: Callable[[str], Node]) -> Node:
    """The node of an expression; `variable` makes an input of a symbol's name. Equal parts become one node.

    Raises NoRule, naming it, for whatever graphlab has no op for.
    """
    whole = sympy.sympify(expression, strict=True)
    made: dict[Any, Node] = {}
    stack = [whole]
    while stack:
        part = stack[-1]
        make, needs = plan(part, variable) if part not in made else (None, [])
        missing = [x for x in needs if x not in made]
        stack += missing
        if not missing:
            stack.pop()
            if make is not None:
                made[part] = make(*[made[x] for x in needs])
    return made[whole]


def plan(part: Any, variable: Callable[[str], Node]) -> tuple[Callable[..., Node], Sequence[Any]]:
    """How one expression is made, and of which smaller ones."""
    if part.is_Symbol:
        return lambda: variable(part.name), []
    if part.is_Rational and part.q != 1:
        return operator.truediv, [sympy.Integer(part.p), sympy.Integer(part.q)]
    if part.is_Atom:
        return number(part), []
    if part.is_Add:
        return sum_of, part.as_ordered_terms()
    if part.is_Mul:
        if part.could_extract_minus_sign() and part.args[0].is_Number:
            return operator.neg, [-part]
        above, below = sympy.fraction(part, exact=True)
        if below != 1:
            return operator.truediv, [above, below]
        return folded("mul"), part.as_ordered_factors()
    if part.is_Pow:
        return power_of(*part.args)
    if part.func is sympy.Piecewise:
        return cases, [x for value, condition in part.args for x in (value, condition)]
    if part.func in FUNCTIONS:
        return FUNCTIONS[part.func], part.args
    raise NoRule(f"graphlab has no op for SymPy's {part.func.__name__}")


def number(part: Any) -> Callable[[], Node]:
    """π and e keep their names; truth values stay ones; everything else is its value."""
    if part in (sympy.pi, sympy.E):
        return lambda: constant(float(part), "pi" if part is sympy.pi else "e")
    if isinstance(part, Boolean):
        return lambda: constant(bool(part))
    if not part.is_real and part not in (sympy.oo, -sympy.oo, sympy.nan):
        raise NoRule(f"SymPy's {part} is not a real number")
    return lambda: constant(float(part))


def sum_of(*terms: Node) -> Node:
    """a + b − c …: terms that are negations come last and are taken off."""
    first, *rest = sorted(terms, key=lambda term: term.op is OPS["neg"])
    result = first
    for term in rest:
        result = result - term.inputs[0] if term.op is OPS["neg"] else result + term
    return result


def power_of(base: Any, exponent: Any) -> tuple[Callable[..., Node], list[Any]]:
    """Roots and reciprocals have ops of their own."""
    if exponent == sympy.Rational(1, 2):
        return ops("sqrt"), [base]
    if exponent.is_number and exponent.is_negative:
        return lambda below: 1 / below, [sympy.Pow(base, -exponent)]
    return ops("pow"), [base, exponent]


def cases(*flat: Node) -> Node:
    """where(condition, value, where(…)); nan where no condition holds."""
    result: Node = constant(math.nan)
    for value, condition in zip(flat[-2::-2], flat[::-2], strict=True):
        result = value if condition.is_constant and condition.value is True else ops("where")(condition, value, result)
    return result
