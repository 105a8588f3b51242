"""Activation functions."""

from typing import Any

import numpy as np

from graphlab.engine.notation import call
from graphlab.engine.ops.comparison import choose, where
from graphlab.engine.records import elementwise


def logistic(x: Any) -> Any:
    """1/(1 + e⁻ˣ) without an overflow on either side."""
    small = np.exp(-np.abs(x))
    return choose(x >= 0, 1, small) / (1 + small)


def sech_squared(y: Any, x: Any) -> Any:
    """The slope of tanh without the cancellation of 1 − y²; 0 where cosh overflows."""
    return 1 / np.cosh(x) ** 2


sigmoid = elementwise("sigmoid", logistic, notation=call("sigmoid", r"\sigma"), aliases=("σ", "sigma", "logistic"),
    partials=(lambda y, x: y * (1 - y),), careful=(lambda y, x: y * logistic(-x),),
    why="The slope of the sigmoid is s(1 − s), from its output s: largest, ¼, in the middle and nearly 0 at both ends.")
tanh = elementwise("tanh", np.tanh, notation=call("tanh", r"\tanh"),
    partials=(lambda y, x: 1 - y**2,), careful=(sech_squared,),
    why="The slope of tanh is 1 − y², from its output y: 1 in the middle and nearly 0 at both ends.")
relu = elementwise("relu", lambda x: np.maximum(x, 0), notation=call("relu", r"\operatorname{ReLU}"), aliases=("ReLU",),
    partials=(lambda y, x: where(x > 0, 1, 0),), kinks=(0.0,), analytic=False,
    why="ReLU passes the gradient where its input is positive and blocks it elsewhere.",
    caveat="At the kink, x = 0, the slope is taken to be 0.")
leaky_relu = elementwise("leaky_relu", lambda x, alpha: choose(x > 0, x, alpha * x), defaults=(0.01,),
    notation=call("leaky_relu", r"\operatorname{LeakyReLU}"), kinks=(0.0,), analytic=False,
    partials=(lambda y, x, alpha: where(x > 0, 1, alpha), lambda y, x, alpha: where(x > 0, 0, x)),
    why="Leaky ReLU has slope 1 on the right of 0 and the small slope alpha on the left, so a little always passes.",
    caveat="At the kink, x = 0, the left slope, alpha, is taken.")
