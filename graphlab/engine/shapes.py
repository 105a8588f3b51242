"""Shapes: a tuple of dimensions, each a number or a name. A scalar has shape ().

A name ("n", "d") stands for one unknown size: it broadcasts with itself and with 1, with nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphlab.errors import ShapeError

Dim = int | str
Shape = tuple[Dim, ...]
Axis = int | tuple[int, ...] | None


def show_shape(shape: Shape) -> str:
    """(2, 3) as a reader writes it: "(2, 3)", "(n,)", "()"."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def broadcast(*shapes: Shape, op: str = "broadcast", **_attrs: object) -> Shape:
    """The shape of an elementwise result, by NumPy's rule.

    Raises ShapeError naming the two sizes that differ.
    """
    if len(shapes) == 1:
        return shapes[0]
    rank = max(map(len, shapes), default=0)
    result: list[Dim] = [1] * rank
    for shape in shapes:
        for axis, dim in enumerate(shape, start=rank - len(shape)):
            if dim == 1 or dim == result[axis]:
                continue
            if result[axis] != 1:
                raise ShapeError(
                    f"{op}: the shapes {' and '.join(map(show_shape, shapes))} do not broadcast: "
                    f"{result[axis]} and {dim} differ",
                    op=op,
                    shapes=shapes,
                    differ=(result[axis], dim),
                    hint="Sizes must be equal, or one of them 1, counted from the last axis.",
                )
            result[axis] = dim
    return tuple(result)


def axes_of(axis: Axis, shape: Shape, op: str) -> tuple[int, ...]:
    """The axes a reduction runs over, counted from 0. None means all of them."""
    rank = len(shape)
    if axis is None:
        return tuple(range(rank))
    chosen = (axis,) if isinstance(axis, int) else tuple(axis)
    for a in chosen:
        if not -rank <= a < rank:
            raise ShapeError(
                f"{op}: there is no axis {a} in shape {show_shape(shape)}",
                op=op,
                shapes=[shape],
                hint=f"Axes count from 0 to {rank - 1}, or from -1 backwards." if rank else "A scalar has no axes.",
            )
    return tuple(sorted({a % rank for a in chosen}))


def reduced(shape: Shape, axis: Axis, keepdims: bool, op: str) -> Shape:
    """The shape left by a reduction over `axis`."""
    gone = axes_of(axis, shape, op)
    if keepdims:
        return tuple(1 if i in gone else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in gone)


def count(shape: Sequence[Dim]) -> int:
    """How many entries a shape has; a named size counts as 1."""
    total = 1
    for dim in shape:
        total *= dim if isinstance(dim, int) else 1
    return total
