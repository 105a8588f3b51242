"""Reductions over axes, and the two ops that undo broadcasting: `expand` repeats a value, `sum_to` adds it up again.

`expand` and `sum_to` take a second input only for its shape, so named sizes need no special case.
"""

from typing import Any

import numpy as np

from graphlab.engine.axis_notation import reduction, size_of
from graphlab.engine.core import Node
from graphlab.engine.kernels import moving
from graphlab.engine.notation import Prec, Written, call, in_brackets
from graphlab.engine.ops.arithmetic import add, chain
from graphlab.engine.ops.comparison import equal, maximum, minimum, where
from graphlab.engine.records import composite, primitive, shape_fault
from graphlab.engine.shapes import Axis, Shape, axes_of, broadcast, reduced, show_shape

REDUCTION = {"axis": None, "keepdims": False}


def reduction_shape(op: str, default: Axis = None) -> Any:
    """The shape rule of a reduction, over `default` unless an axis is given. It names the op in its errors."""

    def shape(a: Shape, axis: Axis = default, keepdims: bool = False) -> Shape:
        return reduced(a, axis, keepdims, op)

    return shape


# ---- repeating and adding up ---------------------------------------------------------------------------------------
def expand_array(x: Any, like: Any, axis: Axis = None) -> Any:
    """x put back along `axis` and repeated to the shape of `like`."""
    return np.broadcast_to(x if axis is None else np.expand_dims(x, axis), np.shape(like))


def expand_shape(x: Shape, like: Shape, axis: Axis = None) -> Shape:
    gone = axes_of(axis, like, "expand") if axis is not None else ()
    if axis is not None:
        rest = iter(x)
        x = tuple(1 if i in gone else next(rest, 1) for i in range(len(like)))
    if broadcast(x, like, op="expand") != like:
        raise shape_fault("expand", f"{show_shape(x)} cannot be repeated to {show_shape(like)}", x, like)
    return like


def sum_to_array(x: Any, like: Any) -> Any:
    """x added up over the axes along which `like` was repeated to make it."""
    target = np.shape(like)
    x = np.asarray(x)
    x = x.sum(axis=tuple(range(x.ndim - len(target))))
    single = tuple(i for i, n in enumerate(target) if n == 1 and x.shape[i] != 1)
    return np.asarray(x.sum(axis=single, keepdims=True) if single else x)[()]


def sum_to_shape(x: Shape, like: Shape) -> Shape:
    if broadcast(x, like, op="sum_to") != x:
        raise shape_fault("sum_to", f"{show_shape(x)} was not repeated from {show_shape(like)}", x, like)
    return like


def write_expand(x: Written, like: Written, axis: Axis = None) -> Written:
    text = call("expand")(x, like, axis=axis).text
    ones, factor = r"\mathbf{1}", x.at_least(Prec.PREFIX).latex
    if (x.rank, like.rank) == (1, 2) and axis is not None:  # a column beside a row of ones, or the other way round
        latex = rf"{factor}\,{ones}^\top" if axis else rf"{ones}\,{x.at_least(Prec.POSTFIX).latex}^\top"
    else:
        latex = rf"{factor}\,{ones}" if x.text != "1" else ones
    return Written(text, latex, Prec.ATOM, latex_prec=Prec.PRODUCT)


def write_sum_to(x: Written, like: Written) -> Written:
    return Written(f"sum_to({x.text}, {like.text})", r"\operatorname{sum}" + in_brackets(x.latex))


expand = primitive("expand", expand_array, shape=expand_shape, notation=write_expand, options={"axis": None},
    vjp=(lambda g, y, x, like, axis=None: sum_to(g if axis is None else total(g, axis=axis), x), None), linear_in=(0,),
    why="A value that is repeated collects the gradients of all its copies.")
sum_to = primitive("sum_to", sum_to_array, shape=sum_to_shape, notation=write_sum_to,
    vjp=(lambda g, y, x, like: expand(g, x), None), linear_in=(0,),
    why="One value was used in many places, so what comes back from all of them is added.")


# ---- reductions ----------------------------------------------------------------------------------------------------
def count_entries(x: Any, axis: Axis = None) -> float:
    """How many entries x has, along `axis` or in all."""
    shape = np.shape(x)
    return float(np.prod([shape[i] for i in axes_of(axis, shape, "size")]))


def spread(g: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """What a reduction returned, repeated over the entries it was made of."""
    return expand(g, a, axis=axis) if axis is not None and not keepdims else expand(g, a)


def share_of_extreme(y: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """1 at the entry that was picked and 0 elsewhere; entries that tie share the 1 evenly."""
    hits = where(equal(a, spread(y, a, axis, keepdims)), 1, 0)
    return hits / total(hits, axis=axis, keepdims=True)


def has_tie(a: Any, axis: Axis = None, keepdims: bool = False, pick: Any = np.max) -> Any:
    """Whether more than one entry is the one that is picked."""
    return np.sum(a == pick(a, axis=axis, keepdims=True), axis=axis) > 1


def extreme_vjp(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return chain(spread(g, a, axis, keepdims), share_of_extreme(y, a, axis, keepdims))


def extreme_jvp(t: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return total(share_of_extreme(y, a, axis, keepdims) * t, axis=axis, keepdims=keepdims)


def mean_body(x: Node, *, axis: Axis = None, keepdims: bool = False) -> Any:
    return total(x, axis=axis, keepdims=keepdims) / size(x, axis=axis)


def size_shape(x: Shape, axis: Axis = None) -> Shape:
    axes_of(axis, x, "size")
    return ()


size = primitive("size", count_entries, shape=size_shape,
    notation=size_of, options={"axis": None}, vjp=(None,), analytic=False,
    why="A size does not depend on the numbers.")
total = primitive("sum", np.sum, shape=reduction_shape("sum"), notation=reduction("sum"), options=REDUCTION,
    combine=add,
    kernel=moving.total,
    vjp=(lambda g, y, a, axis=None, keepdims=False: spread(g, a, axis, keepdims),), linear_in=(0,),
    why="Every entry counts once in a sum, so each gets the same upstream gradient.")
largest = primitive("max", np.max, shape=reduction_shape("max"), notation=reduction("max", r"\max"), options=REDUCTION,
    vjp=(extreme_vjp,), jvp=(extreme_jvp,), analytic=False, spelled={"torch": "amax"}, kink_at=has_tie,
    combine=maximum,
    why="Only the largest entry decides a maximum, so it gets all of the gradient.",
    caveat="Entries that tie for the largest share the gradient evenly.")
smallest = primitive("min", np.min, shape=reduction_shape("min"), notation=reduction("min", r"\min"), options=REDUCTION,
    vjp=(extreme_vjp,), jvp=(extreme_jvp,), analytic=False, spelled={"torch": "amin"},
    combine=minimum,
    kink_at=lambda a, axis=None, keepdims=False: has_tie(a, axis, pick=np.min),
    why="Only the smallest entry decides a minimum, so it gets all of the gradient.",
    caveat="Entries that tie for the smallest share the gradient evenly.")
mean = composite("mean", mean_body, forward=np.mean, shape=reduction_shape("mean"), notation=reduction("mean"),
    kernel=moving.mean,
    options=REDUCTION,
    vjp=(lambda g, y, a, axis=None, keepdims=False: spread(g / size(a, axis=axis), a, axis, keepdims),),
    why="Every one of the n entries counts 1/n in a mean, so each gets the upstream gradient divided by n.")
