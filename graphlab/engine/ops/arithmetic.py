"""Arithmetic: sums, products, quotients, powers, and the product of the chain rule."""

import operator
from typing import Any

import numpy as np

from graphlab.engine.kernels import entrywise
from graphlab.engine.notation import Prec, fraction, infix, negated, power, product
from graphlab.engine.ops.elementary import log
from graphlab.engine.records import elementwise

add = elementwise("add", operator.add, kernel=entrywise.add, notation=infix("+", Prec.SUM),
    partials=(lambda z, x, y: 1, lambda z, x, y: 1),
    why="A sum grows by 1 when either part grows by 1, so it passes the gradient on unchanged.")
sub = elementwise("sub", operator.sub, kernel=entrywise.sub, notation=infix("-", Prec.SUM),
    partials=(lambda z, x, y: 1, lambda z, x, y: -1),
    why="A difference passes the gradient on unchanged to the first part and with its sign flipped to the second.")
mul = elementwise("mul", operator.mul, kernel=entrywise.mul, notation=product,
    partials=(lambda z, x, y: y, lambda z, x, y: x),
    why="If one factor grows by 1, the product grows by the other factor.")
div = elementwise("div", np.divide, kernel=entrywise.div, notation=fraction, spelled={"torch": "true_divide"},
    partials=(lambda z, x, y: 1 / y, lambda z, x, y: -(x / y**2)),
    careful=(None, lambda z, x, y: -z / y), domain=(0.5, 2.0),
    why="If x grows by 1, x/y grows by 1/y; if y grows, x/y falls at the rate x/y².")
neg = elementwise("neg", operator.neg, kernel=entrywise.neg, notation=negated,
    partials=(lambda y, x: -1,),
    why="Changing the sign flips the sign of the gradient.")


def chain_product(upstream: Any, local: Any) -> Any:
    """upstream · local, and exactly 0 wherever the upstream gradient is 0, even against an infinite slope."""
    if isinstance(upstream, np.ndarray) or isinstance(local, np.ndarray):
        sent = upstream * local
        silent = upstream == 0
        return np.where(silent, 0, sent) if np.any(silent) else sent
    return upstream * local if upstream != 0 else abs(upstream)


chain = elementwise("chain", chain_product, notation=product, call_name="chain", spelled={"torch": "mul"},
    partials=(lambda z, g, d: d, lambda z, g, d: g),
    why="The chain rule multiplies what arrives by the local derivative; where nothing arrives, nothing is sent.",
    caveat="0 · ∞ counts as 0 here: what nobody asked for cannot matter.")
pow = elementwise("pow", np.power, notation=power, domain=(0.5, 2.0),
    partials=(lambda z, x, n: chain(n, x ** (n - 1)), lambda z, x, n: chain(z, log(x))),
    why="The exponent comes down as a factor and is lowered by one.",
    caveat="x⁰ has slope 0 everywhere, and 0^y has slope 0 in y for y > 0.")
