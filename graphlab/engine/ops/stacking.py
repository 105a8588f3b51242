"""Vectors and matrices put together from expressions: [a, b] stacks its entries, [[a, b], [c, d]] its rows."""

from typing import Any

import numpy as np

from graphlab.engine.notation import Written, array
from graphlab.engine.ops.shaping import embedding
from graphlab.engine.records import shape_fault, variadic
from graphlab.engine.shapes import Shape, show_shape


def stack_arrays(*entries: Any) -> Any:
    """The entries along a new first axis."""
    return np.stack(entries)


def stack_shape(*entries: Shape) -> Shape:
    for shape in entries[1:]:
        if shape != entries[0]:
            differ = next((pair for pair in zip(entries[0], shape, strict=False) if pair[0] != pair[1]), None)
            raise shape_fault(
                "stack", f"the entries of [ ] must have one shape, but there are {show_shape(entries[0])} and "
                f"{show_shape(shape)}", entries[0], shape, differ=differ)
    return (len(entries), *entries[0])


def write_stack(*entries: Written) -> Written:
    return Written(f"[{', '.join(entry.text for entry in entries)}]", array([entry.latex for entry in entries]))


stack = variadic("stack", stack_arrays, shape=stack_shape, notation=write_stack,
    vjp=lambda g, y, *entries, argument: embedding(g, float(argument)),
    why="A stack only collects its entries, so each gets its own part of the gradient back.")
