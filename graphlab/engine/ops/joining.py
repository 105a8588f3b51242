"""Putting arrays end to end, and the two ops that undo it: `part_of` cuts a stretch out, `pad_to` fills up with zeros.

Both take a second input only for its size, so named sizes need no special case.
"""

from typing import Any

import numpy as np

from graphlab.engine.notation import call
from graphlab.engine.records import primitive, shape_fault, variadic
from graphlab.engine.shapes import Dim, Shape, axes_of, show_shape

STRETCH = {"axis": 0, "last": False}


def concat_shape(*parts: Shape, axis: int = 0) -> Shape:
    first = parts[0]
    (at,) = axes_of(axis, first, "concat")
    for other in parts[1:]:
        if len(other) != len(first) or (*other[:at], *other[at + 1 :]) != (*first[:at], *first[at + 1 :]):
            raise shape_fault("concat", f"{show_shape(first)} and {show_shape(other)} may differ along axis {at} only",
                *parts, hint="The other sizes must be equal.")
    return (*first[:at], total_size([shape[at] for shape in parts]), *first[at + 1 :])


def total_size(sizes: list[Dim]) -> Dim:
    """2 and 3 are 5; n and 2 are n+2."""
    number = sum(size for size in sizes if isinstance(size, int))
    names = [size for size in sizes if isinstance(size, str)]
    return "+".join([*names, *([str(number)] if number else [])]) if names else number


def part_shape(x: Shape, like: Shape, axis: int = 0, last: bool = False) -> Shape:
    (at,), (same,) = axes_of(axis, x, "part_of"), axes_of(axis, like, "part_of")
    have, need = x[at], like[same]
    if isinstance(have, int) and isinstance(need, int) and have < need:
        raise shape_fault("part_of", f"{show_shape(x)} has only {have} entries along axis {axis}, but {need} are "
            "needed", x, like)
    return (*x[:at], need, *x[at + 1 :])


def stretch(rank: int, axis: int, size: int, last: bool) -> tuple[slice, ...]:
    """The first (or last) `size` entries along one axis."""
    chosen = [slice(None)] * rank
    chosen[axis] = slice(-size, None) if last and size else slice(0, size)
    return tuple(chosen)


def take_part(x: Any, like: Any, axis: int = 0, last: bool = False) -> Any:
    return x[stretch(x.ndim, axis, np.shape(like)[axis], last)]


def padded(x: Any, like: Any, axis: int = 0, last: bool = False) -> Any:
    result = np.zeros_like(x, shape=np.shape(like))
    result[stretch(result.ndim, axis, x.shape[axis], last)] = x
    return result


def concat_vjp(g: Any, y: Any, *parts: Any, argument: int, axis: int = 0) -> Any:
    """The stretch of g that stands where this part went: the last entries, and of those the first."""
    if argument:
        g = part_of(g, concat(*parts[argument:], axis=axis), axis=axis, last=True)
    return g if argument == len(parts) - 1 else part_of(g, parts[argument], axis=axis)


concat = variadic("concat", lambda *parts, axis=0: np.concatenate(parts, axis=axis), shape=concat_shape,
    notation=call("concat"), options={"axis": 0}, vjp=concat_vjp,
    why="Putting arrays end to end changes no entry, so each part gets back its own stretch of the gradient.")
part_of = primitive("part_of", take_part, shape=part_shape, notation=call("part_of"), options=STRETCH,
    vjp=(lambda g, y, x, like, axis=0, last=False: pad_to(g, x, axis=axis, last=last), None), linear_in=(0,),
    why="Only this stretch was used, so all other entries get 0.")
pad_to = primitive("pad_to", padded, shape=lambda x, like, axis=0, last=False: like, notation=call("pad_to"),
    options=STRETCH,
    vjp=(lambda g, y, x, like, axis=0, last=False: part_of(g, x, axis=axis, last=last), None), linear_in=(0,),
    why="The zeros around it do not depend on x, so x gets back its own stretch of the gradient.")
