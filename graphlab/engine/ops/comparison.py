"""Comparisons, choices between values, the larger and the smaller of two, and bounds."""

import operator
from typing import Any

import numpy as np

from graphlab.engine.notation import Prec, by_cases, call, infix
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
equal = elementwise("equal", operator.eq, notation=infix("==", Prec.COMPARISON), spelled={"torch": "eq"},
    partials=(None, None), why=FLAT, analytic=False)
not_equal = elementwise("not_equal", operator.ne, notation=infix("!=", Prec.COMPARISON, r"\ne"),
    partials=(None, None), why=FLAT, analytic=False)
where = elementwise("where", choose, notation=by_cases, analytic=False, masks=(0,),
    partials=(None, lambda y, c, a, b: where(c, 1, 0), lambda y, c, a, b: where(c, 0, 1)),
    why="Only the branch that was taken is connected to the result; the other one gets nothing.")
maximum = elementwise("maximum", np.maximum, notation=call("max", r"\max"), call_name="max", analytic=False,
    partials=(lambda z, a, b: where(a > b, 1, where(a < b, 0, 0.5)),
              lambda z, a, b: where(b > a, 1, where(b < a, 0, 0.5))), kink_at=operator.eq,
    why="Only the larger of the two decides the result, so it gets all of the gradient.",
    caveat="In a tie both get half.")
minimum = elementwise("minimum", np.minimum, notation=call("min", r"\min"), call_name="min", analytic=False,
    partials=(lambda z, a, b: where(a < b, 1, where(a > b, 0, 0.5)),
              lambda z, a, b: where(b < a, 1, where(b > a, 0, 0.5))), kink_at=operator.eq,
    why="Only the smaller of the two decides the result, so it gets all of the gradient.",
    caveat="In a tie both get half.")
clip = elementwise("clip", lambda x, low, high: np.minimum(np.maximum(x, low), high), notation=call("clip"),
    partials=(lambda y, x, low, high: where(x >= low, where(x <= high, 1, 0), 0),
              lambda y, x, low, high: where(x < low, where(low < high, 1, 0), 0),
              lambda y, x, low, high: where(maximum(x, low) > high, 1, 0)), analytic=False,
    kink_at=lambda x, low, high: (x == low) | (x == high),
    why="Between the bounds x passes unchanged, slope 1; outside, the bound alone decides and x gets nothing.",
    caveat="At the bounds themselves x still has slope 1.")
