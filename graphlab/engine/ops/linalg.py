"""Matrix products, transposes and linear layers. Matrices are the last two axes; axes before them are a batch."""

from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.kernels import moving, products
from graphlab.engine.notation import Prec, Written, infix, postfix
from graphlab.engine.ops.reduction import expand, total
from graphlab.engine.records import composite, primitive, shape_fault
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
    kernel=moving.transpose,
    notation=postfix(".T", r"^\top"), vjp=(lambda g, y, a: transpose(g),), linear_in=(0,),
    why="A transpose only moves entries, so the gradient is moved back.")
matmul = primitive("matmul", np.matmul, shape=matmul_shape, notation=infix("@", Prec.PRODUCT, "{}"),
    kernel=products.matmul,
    vjp=(matmul_left, matmul_right), linear_in=(0, 1),
    why="For Z = AB the gradient of A is Z̄Bᵀ and the gradient of B is AᵀZ̄.")
outer = primitive("outer", lambda u, v: np.expand_dims(u, -1) * np.expand_dims(v, -2), shape=outer_shape,
    notation=write_outer, vjp=(outer_left, outer_right), linear_in=(0, 1),
    why="Entry (i, j) of an outer product is uᵢ·vⱼ, so each vector collects its row or column.")


# ---- linear layers -------------------------------------------------------------------------------------------------
def linear_of(x: Any, w: Any, b: Any = 0.0) -> Any:
    return x @ np.transpose(w) + b


def linear_body(x: Node, w: Node, b: Node) -> Any:
    return x @ transpose(w) + b


def linear_shape(x: Shape, w: Shape, b: Shape = ()) -> Shape:
    if not x or len(w) != 2:
        raise shape_fault("linear", f"needs rows x and a matrix W (out, in), but x is {show_shape(x)} and W is "
            f"{show_shape(w)}", x, w, b)
    if x[-1] != w[1]:
        raise shape_fault("linear", f"every row of x must be as long as a row of W, but x is {show_shape(x)} and W is "
            f"{show_shape(w)}", x, w, b, differ=(x[-1], w[1]), hint="A weight is stored (out, in): one row per output.")
    y = (*x[:-1], w[0])
    if broadcast(y, b, op="linear") != y:
        raise shape_fault("linear", f"the bias {show_shape(b)} must fit into {show_shape(y)}", x, w, b,
            hint="Give it one entry per output, or a single number.")
    return y


def linear_weight(g: Any, y: Any, x: Any, w: Any, b: Any, shapes: tuple[Shape, Shape, Shape]) -> Any:
    """W̄ = Ȳᵀ X: one outer product ȳ ⊗ x per row, added up."""
    return outer(g, x) if len(shapes[0]) == 1 else transpose(g) @ x


def write_linear(x: Written, w: Written, b: Written) -> Written:
    """In LaTeX as the product and sum that it is; b = 0 is understood."""
    product = infix("@", Prec.PRODUCT, "{}")(x, postfix(".T", r"^\top")(w))
    if b.text == "0":
        return Written(f"linear({x.text}, {w.text})", product.latex, Prec.ATOM, latex_prec=Prec.PRODUCT)
    whole = infix("+", Prec.SUM)(product, b)
    return Written(f"linear({x.text}, {w.text}, {b.text})", whole.latex, Prec.ATOM, latex_prec=Prec.SUM)


linear = composite("linear", linear_body, forward=linear_of, shape=linear_shape, notation=write_linear,
    kernel=products.linear,
    defaults=(0.0,),
    vjp=(lambda g, y, x, w, b: g @ w, linear_weight, lambda g, y, x, w, b: g),
    why="Every output is a row of W times x, plus its b. So x gets back Ȳ W, the weights ȳ times x, and b gets ȳ, "
        "each added up over all rows.")
