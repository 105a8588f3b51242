"""graphlab: formulas as computational graphs, with forward and backward passes one can read, step and check.

>>> import graphlab as gl
>>> g = gl.parse("L = c(a+2b)")
>>> g.evaluate(a=3, b=1, c=-2)
-10.0
>>> g.gradients(a=3, b=1, c=-2)
{'c': 5.0, 'a': -2.0, 'b': -4.0}
>>> g.derivative("b").text
'2*c'
"""

from graphlab import errors
from graphlab.api import Derivative, Graph, Trace, graph, parse, variable, variables
from graphlab.functions import (
    abs,
    cos,
    exp,
    leaky_relu,
    log,
    max,
    mean,
    relu,
    sigmoid,
    sign,
    sin,
    sqrt,
    sum,
    tanh,
    transpose,
    where,
)

__version__ = "0.1.0"
__all__ = [
    "Derivative",
    "Graph",
    "Trace",
    "abs",
    "cos",
    "errors",
    "exp",
    "graph",
    "leaky_relu",
    "log",
    "max",
    "mean",
    "parse",
    "relu",
    "sigmoid",
    "sign",
    "sin",
    "sqrt",
    "sum",
    "tanh",
    "transpose",
    "variable",
    "variables",
    "where",
]
