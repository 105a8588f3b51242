"""Variance, norm and product of the entries of an array, along an axis or in all."""

from typing import Any

import numpy as np

from graphlab.engine.axis_notation import reduction
from graphlab.engine.core import Node
from graphlab.engine.notation import Written, call
from graphlab.engine.ops.arithmetic import chain, mul
from graphlab.engine.ops.comparison import choose, equal, where
from graphlab.engine.ops.elementary import sqrt
from graphlab.engine.ops.reduction import REDUCTION, mean, reduction_shape, size, spread, total
from graphlab.engine.records import composite, primitive
from graphlab.engine.shapes import Axis, Shape, axes_of


# ---- variance ------------------------------------------------------------------------------------------------------
def var_body(x: Node, *, axis: Axis = None, keepdims: bool = False) -> Any:
    away = x - mean(x, axis=axis, keepdims=True)
    return mean(away * away, axis=axis, keepdims=keepdims)


def var_vjp(g: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    away = x - mean(x, axis=axis, keepdims=True)
    return chain(spread(2 * g / size(x, axis=axis), x, axis, keepdims), away)


# ---- norm ----------------------------------------------------------------------------------------------------------
def norm_of(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The root of the sum of squares, scaled by the largest entry so that no square leaves the range of numbers."""
    top = np.max(np.abs(x), axis=axis, keepdims=True)
    scale = choose(np.isfinite(top) & (top > 0), top, 1)
    root = np.sqrt(np.sum((x / scale) ** 2, axis=axis, keepdims=True)) * scale
    return root if keepdims else np.reshape(root, np.sum(x, axis=axis).shape)[()]


def unit(x: Any, y: Any, axis: Axis, keepdims: bool) -> Any:
    """x divided by its norm y; 0 at the origin."""
    return x / spread(where(equal(y, 0), 1, y), x, axis, keepdims)


def norm_vjp(g: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return chain(spread(g, x, axis, keepdims), unit(x, y, axis, keepdims))


def norm_jvp(t: Any, y: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return total(unit(x, y, axis, keepdims) * t, axis=axis, keepdims=keepdims)


def write_norm(x: Written, **attrs: Any) -> Written:
    """norm(x), and two double bars in LaTeX where there are no options to show."""
    plain = reduction("norm")(x, **attrs)
    return plain if any(attrs.values()) or attrs.get("axis") == 0 else Written(plain.text, rf"\left\|{x.latex}\right\|")


# ---- product -------------------------------------------------------------------------------------------------------
def before_and_after(x: Any) -> tuple[Any, Any]:
    """For each entry the product of those before it and of those after it, along the last axis."""
    ones = np.ones_like(x[..., :1])
    before = np.cumprod(np.concatenate([ones, x[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([ones, x[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return before, after


def along_last(x: Any, axis: Axis) -> tuple[Any, Any]:
    """x with the entries that are multiplied along its last axis, and the function that moves them back."""
    x = np.asarray(x)
    gone = axes_of(axis, x.shape, "prod")
    order = [i for i in range(x.ndim) if i not in gone] + list(gone)
    moved = np.transpose(x, order)
    flat = moved.reshape(*moved.shape[: x.ndim - len(gone)], -1)
    return flat, lambda z: np.transpose(z.reshape(moved.shape), np.argsort(order).astype(int))[()]


def product_of_others(x: Any, axis: Axis = None) -> Any:
    """For each entry the product of all others, without a division, so a zero does no harm."""
    flat, back = along_last(x, axis)
    before, after = before_and_after(flat)
    return back(before * after)


def slope_of_others(t: Any, x: Any, axis: Axis = None) -> Any:
    """How fast the products of others grow when x moves along t: the product rule, carried along both ways."""
    flat, back = along_last(x, axis)
    move = along_last(np.broadcast_to(t, np.shape(x)), axis)[0]
    before, after = before_and_after(flat)
    grows_before, grows_after = np.zeros_like(before), np.zeros_like(after)
    for i in range(1, flat.shape[-1]):
        grows_before[..., i] = grows_before[..., i - 1] * flat[..., i - 1] + before[..., i - 1] * move[..., i - 1]
        j = -i
        grows_after[..., j - 1] = grows_after[..., j] * flat[..., j] + after[..., j] * move[..., j]
    return back(grows_before * after + before * grows_after)


def slope_of_others_body(t: Node, x: Node, *, axis: Axis = None) -> Any:
    shares = t / x
    return others(x, axis=axis) * (total(shares, axis=axis, keepdims=True) - shares)


def slope_of_others_shape(t: Shape, x: Shape, axis: Axis = None) -> Shape:
    axes_of(axis, x, "prod")
    return x


def others_shape(x: Shape, axis: Axis = None) -> Shape:
    axes_of(axis, x, "prod")
    return x


var = composite("var", var_body, forward=np.var, shape=reduction_shape("var"), options=REDUCTION, vjp=(var_vjp,),
    notation=reduction("var", r"\operatorname{Var}"),
    why="The variance is the mean of (x − mean)², so each entry gets 2/n times its distance from the mean.")
norm = composite("norm", lambda x, *, axis=None, keepdims=False: sqrt(total(x * x, axis=axis, keepdims=keepdims)),
    forward=norm_of, shape=reduction_shape("norm"), notation=write_norm, options=REDUCTION,
    vjp=(norm_vjp,), jvp=(norm_jvp,), analytic=False,
    kink_at=lambda x, axis=None, keepdims=False: np.max(np.abs(x), axis=axis) == 0,
    why="A vector grows fastest along itself: the slope of its length is the vector divided by its length.",
    caveat="At the origin, where the length has a tip, the slope is taken to be 0.",
    care="Everything is divided by the largest entry first, so that no square overflows or vanishes.")
prod = primitive("prod", np.prod, shape=reduction_shape("prod"), notation=reduction("prod"), options=REDUCTION,
    combine=mul,
    vjp=(lambda g, y, x, axis=None, keepdims=False: chain(spread(g, x, axis, keepdims), others(x, axis=axis)),),
    jvp=(lambda t, y, x, axis=None, keepdims=False: total(others(x, axis=axis) * t, axis=axis, keepdims=keepdims),),
    why="If one factor grows by 1, the product grows by the product of all others.")
others = primitive("prod_others", product_of_others, shape=others_shape, notation=call("prod_others"),
    options={"axis": None}, vjp=(lambda g, y, x, axis=None: slope(g, x, axis=axis),),
    jvp=(lambda t, y, x, axis=None: slope(t, x, axis=axis),),
    why="Entry i is the product of all entries but the i-th, so entry j moves it by the product of all but both.")
slope = composite("prod_others_slope", slope_of_others_body, forward=slope_of_others, shape=slope_of_others_shape,
    notation=call("prod_others_slope"), options={"axis": None},
    why="The product rule for products that leave one entry out: each entry in turn moves, the others stand by.")
