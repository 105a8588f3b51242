"""Activation functions."""

import math
from typing import Any

import numpy as np

from graphlab.engine import special
from graphlab.engine.core import Node, constant
from graphlab.engine.kernels import entrywise
from graphlab.engine.notation import Written, call
from graphlab.engine.ops.comparison import choose, where
from graphlab.engine.ops.elementary import erf, exp, log, root_pi, root_two, sqrt
from graphlab.engine.records import elementwise


def logistic(x: Any) -> Any:
    """1/(1 + e⁻ˣ) without an overflow on either side."""
    small = np.exp(-np.abs(x))
    return choose(x >= 0, 1, small) / (1 + small)


def sech_squared(y: Any, x: Any) -> Any:
    """The slope of tanh without the cancellation of 1 − y²; 0 where cosh overflows."""
    return 1 / np.cosh(x) ** 2


def softplus_of(x: Any) -> Any:
    """log(1 + eˣ) without an overflow: for large x it is x and a little more."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def times_weight(x: Any, weight: Any) -> Any:
    """x·weight, and 0 where the weight has vanished, even at x = −∞."""
    return choose(weight == 0, 0, x * weight)


def bell(x: Any) -> Any:
    """The density of the normal distribution at x."""
    return exp(-(x**2) / 2) / (root_two(x) * root_pi(x))


def normal_share(x: Any) -> Any:
    """Φ(x), the share of a normal distribution that lies below x, without cancellation far on the left."""
    return special.erfc(-x / 2**0.5) / 2


def gelu_slope(y: Any, x: Any) -> Any:
    """Φ(x) + x·φ(x), with its limits at ±∞."""
    return normal_share(x) + times_weight(x, bell(x))


def gelu_root(x: Any) -> Any:
    """√(8/π)"""
    return sqrt(8 / constant(math.pi, "pi")) if isinstance(x, Node) else math.sqrt(8 / math.pi)


def gelu_curve(x: Any) -> Any:
    """√(8/π)·(x + 0.044715x³). Its sigmoid, (1 + tanh of its half)/2, is nearly Φ(x)."""
    return gelu_root(x) * (x + 0.044715 * x**3)


def gelu_tanh_partial(y: Any, x: Any) -> Any:
    share = sigmoid(gelu_curve(x))
    return share + y * (1 - share) * (gelu_root(x) * (1 + 0.134145 * x**2))


def gelu_tanh_slope(y: Any, x: Any) -> Any:
    """The same, with its limits at ±∞."""
    rest = logistic(-gelu_curve(x))
    return logistic(gelu_curve(x)) + times_weight(y * gelu_root(x) * (1 + 0.134145 * x**2), rest * (y != 0))


def write_elu(x: Written, alpha: Written) -> Written:
    """Without alpha = 1, which is understood."""
    return call("elu", r"\operatorname{ELU}")(*((x,) if alpha.text == "1" else (x, alpha)))


sigmoid = elementwise("sigmoid", logistic, notation=call("sigmoid", r"\sigma"), aliases=("σ", "sigma", "logistic"),
    body=lambda x: 1 / (1 + exp(-x)), care="On the left it is computed as eˣ/(1 + eˣ), so that nothing overflows.",
    partials=(lambda y, x: y * (1 - y),), careful=(lambda y, x: y * logistic(-x),),
    why="The slope of the sigmoid is s(1 − s), from its output s: largest, ¼, in the middle and nearly 0 at both ends.")
tanh = elementwise("tanh", np.tanh, notation=call("tanh", r"\tanh"),
    partials=(lambda y, x: 1 - y**2,), careful=(sech_squared,),
    why="The slope of tanh is 1 − y², from its output y: 1 in the middle and nearly 0 at both ends.")
relu = elementwise("relu", lambda x: np.maximum(x, 0), kernel=entrywise.relu,
    notation=call("relu", r"\operatorname{ReLU}"), aliases=("ReLU",),
    partials=(lambda y, x: where(x > 0, 1, 0),), kinks=(0.0,), analytic=False,
    why="ReLU passes the gradient where its input is positive and blocks it elsewhere.",
    caveat="At the kink, x = 0, the slope is taken to be 0.")
leaky_relu = elementwise("leaky_relu", lambda x, alpha=0.01: choose(x > 0, x, alpha * x), defaults=(0.01,),
    notation=call("leaky_relu", r"\operatorname{LeakyReLU}"), kinks=(0.0,), analytic=False,
    partials=(lambda y, x, alpha: where(x > 0, 1, alpha), lambda y, x, alpha: where(x > 0, 0, x)),
    why="Leaky ReLU has slope 1 on the right of 0 and the small slope alpha on the left, so a little always passes.",
    caveat="At the kink, x = 0, the left slope, alpha, is taken.")
elu = elementwise("elu", lambda x, alpha=1.0: choose(x > 0, x, alpha * np.expm1(np.minimum(x, 0))), defaults=(1.0,),
    notation=write_elu, aliases=("ELU",), kinks=(0.0,), analytic=False,
    partials=(lambda y, x, alpha: where(x > 0, 1, alpha * exp(x)), lambda y, x, alpha: where(x > 0, 0, exp(x) - 1)),
    careful=(lambda y, x, alpha: choose(x > 0, 1, alpha * np.exp(np.minimum(x, 0))),
             lambda y, x, alpha: np.expm1(np.minimum(x, 0))),
    why="ELU has slope 1 on the right of 0; on the left it bends down to −alpha, and its slope alpha·eˣ fades away.",
    caveat="At x = 0 the left slope, alpha, is taken; with alpha = 1 both sides agree.")
softplus = elementwise("softplus", softplus_of, notation=call("softplus"), body=lambda x: log(1 + exp(x)),
    care="On the right it is computed as x + log(1 + e⁻ˣ), so that no exponential overflows.",
    partials=(lambda y, x: sigmoid(x),),
    why="Softplus is log(1 + eˣ), a ReLU with a rounded corner; its slope is the sigmoid.")
silu = elementwise("silu", lambda x: times_weight(x, logistic(x)), notation=call("silu", r"\operatorname{SiLU}"),
    aliases=("swish", "SiLU"), body=lambda x: x * sigmoid(x),
    partials=(lambda y, x: sigmoid(x) + y * (1 - sigmoid(x)),),
    careful=(lambda y, x: logistic(x) + times_weight(y, logistic(-x)),),
    why="SiLU is x times sigmoid x, so by the product rule its slope is s + y(1 − s), with s the sigmoid.")
gelu = elementwise("gelu", lambda x: times_weight(x, normal_share(x)), kernel=entrywise.gelu,
    notation=call("gelu", r"\operatorname{GELU}"),
    aliases=("GELU",), body=lambda x: x * (1 + erf(x / root_two(x))) / 2,
    partials=(lambda y, x: (1 + erf(x / root_two(x))) / 2 + x * bell(x),), careful=(gelu_slope,),
    why="GELU is x·Φ(x), where Φ(x) is the share of a normal distribution below x; its slope is Φ(x) plus x times "
        "the bell curve.")
gelu_tanh = elementwise("gelu_tanh", lambda x: times_weight(x, logistic(gelu_curve(x))), kernel=entrywise.gelu_tanh,
    notation=call("gelu_tanh", r"\operatorname{GELU}_{\tanh}"), aliases=("gelu_new", "gelu_pytorch_tanh"),
    body=lambda x: x * (1 + tanh(gelu_curve(x) / 2)) / 2, partials=(gelu_tanh_partial,), careful=(gelu_tanh_slope,),
    care="The weight of x is computed as a sigmoid, so that 1 + tanh does not cancel on the left.",
    why="This GELU takes tanh for the share of a normal distribution below x, as GPT-2 does; it differs from the exact "
        "one by at most 0.0005. (1 + tanh u)/2 is the sigmoid of 2u, so the product rule gives s + y(1 − s)·2u′.")
