"""Elementary functions. An elementwise op is one record of three lines: value and writing, partials, why."""

import math
from typing import Any

import numpy as np

from graphlab.engine import special
from graphlab.engine.core import Node, constant
from graphlab.engine.notation import bars, call, under_root
from graphlab.engine.records import elementwise


def root_like(x: Any, value: float, literal: str) -> Any:
    """√value as the kind of value x is: a node, written with `literal`, or just the number."""
    return sqrt(constant(value, literal)) if isinstance(x, Node) else math.sqrt(value)


def root_pi(x: Any) -> Any:
    return root_like(x, math.pi, "pi")


def root_two(x: Any) -> Any:
    return root_like(x, 2.0, "2")


# ---- exponentials, logarithms, roots -------------------------------------------------------------------------------
exp = elementwise("exp", np.exp, notation=call("exp", r"\exp"),
    partials=(lambda y, x: y,),
    why="The exponential is its own slope: the local derivative is the output.")
expm1 = elementwise("expm1", np.expm1, notation=call("expm1"),
    partials=(lambda y, x: exp(x),),
    why="expm1 x is eˣ − 1, exact also for tiny x; the 1 does not change the slope, so it is eˣ.")
log = elementwise("log", np.log, notation=call("log", r"\log"), aliases=("ln",), domain=(0.5, 2.0),
    partials=(lambda y, x: 1 / x,),
    why="The slope of log x is 1/x: steep near 0, flat far out.")
log1p = elementwise("log1p", np.log1p, notation=call("log1p"), domain=(-0.5, 2.0),
    partials=(lambda y, x: 1 / (1 + x),),
    why="log1p x is log(1 + x), exact also for tiny x, so its slope is 1/(1 + x).")
sqrt = elementwise("sqrt", np.sqrt, notation=under_root, domain=(0.5, 2.0),
    partials=(lambda y, x: 1 / (2 * y),),
    why="The slope of a square root is 1 over twice the root.")

# ---- circular and hyperbolic functions -----------------------------------------------------------------------------
sin = elementwise("sin", np.sin, notation=call("sin", r"\sin"),
    partials=(lambda y, x: cos(x),),
    why="The slope of sin x is cos x.")
cos = elementwise("cos", np.cos, notation=call("cos", r"\cos"),
    partials=(lambda y, x: -sin(x),),
    why="The slope of cos x is −sin x.")
tan = elementwise("tan", np.tan, notation=call("tan", r"\tan"), domain=(-1.2, 1.2),
    partials=(lambda y, x: 1 + y**2,),
    why="The slope of tan x is 1 + y², from its output y: it grows without bound towards the poles.")
asin = elementwise("asin", np.arcsin, notation=call("asin", r"\arcsin"), aliases=("arcsin",), domain=(-0.9, 0.9),
    partials=(lambda y, x: 1 / sqrt(1 - x**2),), careful=(lambda y, x: 1 / np.sqrt((1 - x) * (1 + x)),),
    why="The arcsine undoes the sine, so its slope is 1 over cos y, which is √(1 − x²): infinite at −1 and 1.")
acos = elementwise("acos", np.arccos, notation=call("acos", r"\arccos"), aliases=("arccos",), domain=(-0.9, 0.9),
    partials=(lambda y, x: -(1 / sqrt(1 - x**2)),), careful=(lambda y, x: -1 / np.sqrt((1 - x) * (1 + x)),),
    why="The arccosine falls exactly as fast as the arcsine rises: 1 over √(1 − x²), with a minus sign.")
atan = elementwise("atan", np.arctan, notation=call("atan", r"\arctan"), aliases=("arctan",),
    partials=(lambda y, x: 1 / (1 + x**2),),
    why="The arctangent undoes the tangent, whose slope is 1 + x² there; so its own is 1/(1 + x²).")
sinh = elementwise("sinh", np.sinh, notation=call("sinh", r"\sinh"),
    partials=(lambda y, x: cosh(x),),
    why="The slope of sinh x is cosh x.")
cosh = elementwise("cosh", np.cosh, notation=call("cosh", r"\cosh"),
    partials=(lambda y, x: sinh(x),),
    why="The slope of cosh x is sinh x, without a change of sign.")

# ---- the bell curve's integral -------------------------------------------------------------------------------------
erf = elementwise("erf", special.erf, notation=call("erf"),
    partials=(lambda y, x: 2 / root_pi(x) * exp(-(x**2)),),
    why="erf adds up the area under the bell curve 2/√π · e^(−x²), so that curve is its slope.")
erfc = elementwise("erfc", special.erfc, notation=call("erfc"),
    partials=(lambda y, x: -(2 / root_pi(x) * exp(-(x**2))),),
    why="erfc x is 1 − erf x, exact also where erf is nearly 1; its slope is minus the bell curve 2/√π · e^(−x²).")

# ---- size and sign -------------------------------------------------------------------------------------------------
abs = elementwise("abs", np.abs, notation=bars("abs", "|"), kinks=(0.0,), analytic=False,
    partials=(lambda y, x: sign(x),),
    why="|x| rises with slope 1 on the right of 0 and falls with slope −1 on the left.",
    caveat="At the kink, x = 0, the slope is taken to be 0.")
sign = elementwise("sign", np.sign, notation=call("sign"), kinks=(0.0,), analytic=False,
    partials=(None,),
    why="A sign does not change when x moves a little, so nothing is sent back.")
detach = elementwise("detach", lambda x: x, notation=call("detach"), analytic=False, spelled={"sympy": None},
    partials=(None,),
    why="detach passes the number on and cuts the way back: from here on it counts as a constant.")
