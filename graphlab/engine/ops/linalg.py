"""Matrix products and transposes. Matrices are the last two axes; axes before them are a batch."""

from typing import Any

import numpy as np

from graphlab.engine.notation import Prec, Written, infix, postfix
from graphlab.engine.ops.reduction import expand, total
from graphlab.engine.records import primitive, shape_fault
from graphlab.engine.shapes import Shape, broadcast, show_shape


def matmul_shape(a: Shape, b: Shape) -> Shape:
    if not a or not b:
        given = f"{show_shape(a)} and {show_shape(b)}"
        raise shape_fault("matmul", f"@ needs vectors or matrices, but the shapes are {given}",
            a, b, hint="For a scalar factor write * instead of @.")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise shape_fault("matmul", f"the inner sizes must match, but A is {show_shape(a)} and B is {show_shape(b)}",
            a, b, hint=transpose_hint(a, b), differ=(a[-1], inner))
    batch = broadcast(a[:-2], b[:-2], op="matmul")
    return batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ())


def transpose_hint(a: Shape, b: Shape) -> str | None:
    """Which transpose would make the inner sizes match."""
    if len(b) > 1 and a[-1] == b[-1]:
        return "Try A @ B.T."
    if len(a) > 1 and a[-2] == (b[-2] if len(b) > 1 else b[0]):
        return "Try A.T @ B."
    return None


def matmul_left(g: Any, z: Any, a: Any, b: Any, shapes: tuple[Shape, Shape]) -> Any:
    """Ā = Z̄Bᵀ, and its forms when A or B is a vector."""
    rank_a, rank_b = map(len, shapes)
    if rank_a == 1:
        return g * b if rank_b == 1 else b @ g if rank_b == 2 else total(expand(g, b, axis=-2) * b, axis=-1)
    return outer(g, b) if rank_b == 1 else g @ transpose(b)


def matmul_right(g: Any, z: Any, a: Any, b: Any, shapes: tuple[Shape, Shape]) -> Any:
    """B̄ = AᵀZ̄, and its forms when A or B is a vector."""
    rank_a, rank_b = map(len, shapes)
    if rank_a == 1:
        return g * a if rank_b == 1 else outer(a, g)
    if rank_b == 1 and rank_a > 2:
        return expand(g, a, axis=-1) * a
    return transpose(a) @ g


def outer_left(g: Any, z: Any, u: Any, v: Any, shapes: tuple[Shape, Shape]) -> Any:
    return g @ v if max(map(len, shapes)) == 1 else total(g * expand(v, g, axis=-2), axis=-1)


def outer_right(g: Any, z: Any, u: Any, v: Any, shapes: tuple[Shape, Shape]) -> Any:
    return transpose(g) @ u if max(map(len, shapes)) == 1 else total(g * expand(u, g, axis=-1), axis=-2)


def transpose_shape(a: Shape) -> Shape:
    return a if len(a) < 2 else (*a[:-2], a[-1], a[-2])


def outer_shape(u: Shape, v: Shape) -> Shape:
    if not u or not v:
        raise shape_fault("outer", f"needs two vectors, but the shapes are {show_shape(u)} and {show_shape(v)}", u, v)
    return (*broadcast(u[:-1], v[:-1], op="outer"), u[-1], v[-1])


def write_outer(u: Written, v: Written) -> Written:
    latex = rf"{u.at_least(Prec.PREFIX).latex} \otimes {v.at_least(Prec.PREFIX).latex}"
    return Written(f"outer({u.text}, {v.text})", latex, Prec.ATOM, latex_prec=Prec.PRODUCT)


transpose = primitive("transpose", lambda a: np.swapaxes(a, -1, -2) if np.ndim(a) > 1 else a, shape=transpose_shape,
    notation=postfix(".T", r"^\top"), vjp=(lambda g, y, a: transpose(g),), linear_in=(0,),
    why="A transpose only moves entries, so the gradient is moved back.")
matmul = primitive("matmul", np.matmul, shape=matmul_shape, notation=infix("@", Prec.PRODUCT, "{}"),
    vjp=(matmul_left, matmul_right), linear_in=(0, 1),
    why="For Z = AB the gradient of A is Z̄Bᵀ and the gradient of B is AᵀZ̄.")
outer = primitive("outer", lambda u, v: np.expand_dims(u, -1) * np.expand_dims(v, -2), shape=outer_shape,
    notation=write_outer, vjp=(outer_left, outer_right), linear_in=(0, 1),
    why="Entry (i, j) of an outer product is uᵢ·vⱼ, so each vector collects its row or column.")
