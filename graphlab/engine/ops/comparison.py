"""Comparisons, choices between values, and the larger of two."""

import operator
from typing import Any

import numpy as np

from graphlab.engine.notation import Prec, call, infix
from graphlab.engine.records import elementwise

FLAT = "A comparison is only true or false: nothing is sent back through it."


def choose(condition: Any, a: Any, b: Any) -> Any:
    """np.where that gives a scalar for scalars."""
    return np.where(condition, a, b)[()]


greater = elementwise("greater", operator.gt, notation=infix(">", Prec.COMPARISON),
    partials=(None, None), why=FLAT, analytic=False)
less = elementwise("less", operator.lt, notation=infix("<", Prec.COMPARISON),
    partials=(None, None), why=FLAT, analytic=False)
greater_equal = elementwise("greater_equal", operator.ge, notation=infix(">=", Prec.COMPARISON, r"\ge"),
    partials=(None, None), why=FLAT, analytic=False)
less_equal = elementwise("less_equal", operator.le, notation=infix("<=", Prec.COMPARISON, r"\le"),
    partials=(None, None), why=FLAT, analytic=False)
equal = elementwise("equal", operator.eq, notation=infix("==", Prec.COMPARISON, "="), spelled={"torch": "eq"},
    partials=(None, None), why=FLAT, analytic=False)
not_equal = elementwise("not_equal", operator.ne, notation=infix("!=", Prec.COMPARISON, r"\ne"),
    partials=(None, None), why=FLAT, analytic=False)
where = elementwise("where", choose, notation=call("where"), analytic=False,
    partials=(None, lambda y, c, a, b: where(c, 1, 0), lambda y, c, a, b: where(c, 0, 1)),
    why="Only the branch that was taken is connected to the result; the other one gets nothing.")
maximum = elementwise("maximum", np.maximum, notation=call("max", r"\max"), call_name="max", analytic=False,
    partials=(lambda z, a, b: where(a > b, 1, where(a < b, 0, 0.5)),
              lambda z, a, b: where(b > a, 1, where(b < a, 0, 0.5))),
    why="Only the larger of the two decides the result, so it gets all of the gradient.",
    caveat="In a tie both get half.")
