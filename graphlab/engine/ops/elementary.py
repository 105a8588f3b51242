"""Elementary functions. An elementwise op is one record of three lines: value and writing, partials, why."""

import numpy as np

from graphlab.engine.notation import bars, call, under_root
from graphlab.engine.records import elementwise

exp = elementwise("exp", np.exp, notation=call("exp", r"\exp"),
    partials=(lambda y, x: y,),
    why="The exponential is its own slope: the local derivative is the output.")
log = elementwise("log", np.log, notation=call("log", r"\log"), aliases=("ln",), domain=(0.5, 2.0),
    partials=(lambda y, x: 1 / x,),
    why="The slope of log x is 1/x: steep near 0, flat far out.")
sqrt = elementwise("sqrt", np.sqrt, notation=under_root, domain=(0.5, 2.0),
    partials=(lambda y, x: 1 / (2 * y),),
    why="The slope of a square root is 1 over twice the root.")
sin = elementwise("sin", np.sin, notation=call("sin", r"\sin"),
    partials=(lambda y, x: cos(x),),
    why="The slope of sin x is cos x.")
cos = elementwise("cos", np.cos, notation=call("cos", r"\cos"),
    partials=(lambda y, x: -sin(x),),
    why="The slope of cos x is −sin x.")
abs = elementwise("abs", np.abs, notation=bars("abs", "|"), kinks=(0.0,), analytic=False,
    partials=(lambda y, x: sign(x),),
    why="|x| rises with slope 1 on the right of 0 and falls with slope −1 on the left.",
    caveat="At the kink, x = 0, the slope is taken to be 0.")
sign = elementwise("sign", np.sign, notation=call("sign"), kinks=(0.0,), analytic=False,
    partials=(None,),
    why="A sign does not change when x moves a little, so nothing is sent back.")
