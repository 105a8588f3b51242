"""Attention: heads, scores of queries against keys, masks, and means of values weighted by the scores."""

from typing import Any

import numpy as np

from graphlab.engine.core import Node, named
from graphlab.engine.kernels import entrywise, moving
from graphlab.engine.kernels.kernel import as_body
from graphlab.engine.notation import call
from graphlab.engine.ops.comparison import choose, where
from graphlab.engine.ops.elementary import sqrt
from graphlab.engine.ops.linalg import matmul_shape, transpose, transpose_shape
from graphlab.engine.ops.normalising import MASKED, softmax, softmax_of, softmax_pull
from graphlab.engine.ops.reduction import size
from graphlab.engine.records import composite, elementwise, primitive, shape_fault
from graphlab.engine.shapes import Dim, Shape, broadcast, show_shape


# ---- scores that do not count -------------------------------------------------------------------------------------
def is_past(a: Any) -> Any:
    """True on and below the diagonal of the last two axes."""
    return np.tri(*np.shape(a)[-2:], dtype=bool)


def matrix_shape(op: str) -> Any:
    """The shape rule of an op that keeps the shape of a matrix."""

    def shape(a: Shape) -> Shape:
        if len(a) < 2:
            raise shape_fault(op, f"needs a matrix, but got {show_shape(a)}", a)
        return a

    return shape


def padding_shape(mask: Shape, like: Shape) -> Shape:
    fits = 0 < len(mask) <= len(like) and mask[-1] == like[-1]
    if not fits or broadcast(aligned(mask, like), like, op="padding_mask") != like:
        raise shape_fault("padding_mask", f"needs one entry per key, but the mask is {show_shape(mask)} and the scores "
            f"are {show_shape(like)}", mask, like, differ=(mask[-1], like[-1]) if mask and like else None)
    return like


def aligned(mask: Shape, like: Shape) -> tuple[Any, ...]:
    """A mask of keys with room for queries and heads: (B, m) beside (B, h, n, m) is (B, 1, 1, m)."""
    return (*mask[:-1], *[1] * (len(like) - len(mask)), mask[-1])


def repeat_mask(mask: Any, like: Any) -> Any:
    wanted = np.shape(like)
    return np.broadcast_to(np.reshape(mask, aligned(np.shape(mask), wanted)), wanted)


masked = elementwise("masked", lambda s, mask: choose(mask, s, -np.inf), notation=call("masked"), masks=(1,),
    kernel=entrywise.masked,
    partials=(lambda y, s, mask: where(mask, 1, 0), None), analytic=False,
    why="Scores where the mask is false are set to −∞ and get no weight, so nothing is sent back to them.")
padding_mask = primitive("padding_mask", repeat_mask, shape=padding_shape, notation=call("padding_mask"), masks=(0,),
    vjp=(None, None),
    why="Which tokens are padding does not depend on the scores, so nothing is sent back.")
causal_mask = primitive("causal_mask", lambda s: choose(is_past(s), s, -np.inf), shape=matrix_shape("causal_mask"),
    kernel=entrywise.causal_mask,
    notation=call("causal_mask", r"\operatorname{causal}"),
    vjp=(lambda g, y, s: lower_triangle(g),), jvp=(lambda t, y, s: lower_triangle(t),), analytic=False,
    why="Scores of later positions are set to −∞ and get no weight, so nothing is sent back to them.")
lower_triangle = primitive("lower_triangle", lambda a: choose(is_past(a), a, 0), shape=matrix_shape("lower_triangle"),
    notation=call("lower_triangle", r"\operatorname{tril}"), vjp=(lambda g, y, a: lower_triangle(g),), linear_in=(0,),
    spelled={"torch": "tril"},
    why="What stands above the diagonal is replaced by 0, so nothing is sent back there.")


# ---- heads ---------------------------------------------------------------------------------------------------------
def part_of_size(size: Dim, parts: int) -> Dim | None:
    """One of equal parts: a third of 12 is 4, that of d is d/3. None where it is no whole number."""
    if isinstance(size, int):
        return None if size % parts else size // parts
    return size.removeprefix(f"{parts}·") if size.startswith(f"{parts}·") else f"{size}/{parts}" if parts > 1 else size


def times_size(parts: int, size: Dim) -> Dim:
    """So many parts of that size: 3 of d/3 are d."""
    if isinstance(size, int):
        return parts * size
    return size.removesuffix(f"/{parts}") if size.endswith(f"/{parts}") else f"{parts}·{size}" if parts > 1 else size


def split_shape(x: Shape, heads: int = 1) -> Shape:
    if not isinstance(heads, int) or heads < 1:
        raise shape_fault("split_heads", f"the number of heads is a whole number from 1, not {heads}", x)
    matrix_shape("split_heads")(x)
    length = part_of_size(x[-1], heads)
    if length is None:
        raise shape_fault("split_heads", f"rows of {x[-1]} entries cannot be split among {heads} heads evenly", x,
            hint=f"The length of a row must be a multiple of {heads}.")
    return (*x[:-2], heads, x[-2], length)


def merge_shape(x: Shape) -> Shape:
    if len(x) < 3 or not isinstance(x[-3], int):
        raise shape_fault("merge_heads", f"needs (heads, rows, columns) with a known number of heads, but got "
            f"{show_shape(x)}", x)
    return (*x[:-3], x[-2], times_size(x[-3], x[-1]))


def split(x: Any, heads: int = 1) -> Any:
    *before, rows, columns = np.shape(x)
    return np.swapaxes(np.reshape(x, (*before, rows, heads, columns // heads)), -2, -3)


def merge(x: Any) -> Any:
    *before, heads, rows, columns = np.shape(x)
    return np.reshape(np.swapaxes(x, -2, -3), (*before, rows, heads * columns))


split_heads = primitive("split_heads", split, shape=split_shape, notation=call("split_heads"), options={"heads": 1},
    kernel=moving.split_heads,
    vjp=(lambda g, y, x, heads=1: merge_heads(g),), linear_in=(0,),
    why="Every head gets its own stretch of each row; no entry changes, so the gradients of the heads are put side by "
        "side again.")
merge_heads = primitive("merge_heads", merge, shape=merge_shape, notation=call("merge_heads"),
    kernel=moving.merge_heads,
    vjp=(lambda g, y, x, shapes: split_heads(g, heads=shapes[0][-3]),), linear_in=(0,),
    why="The rows of all heads are put side by side; no entry changes, so every head gets back its own stretch of the "
        "gradient.")


# ---- attention -----------------------------------------------------------------------------------------------------
def scores(q: Any, k: Any) -> Any:
    """Q Kᵀ/√d, with d the length of a query."""
    return q @ transpose(k) / sqrt(size(q, axis=-1))


def weights(q: Any, k: Any, mask: Any = None, causal: bool = False) -> Any:
    s = named("S", scores(q, k))
    s = causal_mask(s) if causal else s
    return named("P", softmax(s if mask is None else masked(s, mask)))


def scores_bar(g: Any, q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False) -> Any:
    """The gradient of Q Kᵀ: that of the weights, Ō Vᵀ, pulled back through softmax and the scale."""
    p_bar = named("P_bar", g @ transpose(v))
    return named("S_bar", softmax_pull(p_bar, weights(q, k, mask, causal))) / sqrt(size(q, axis=-1))


def attention_of(q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False) -> Any:
    s = q @ np.swapaxes(k, -1, -2) / float(np.sqrt(np.shape(q)[-1]))
    s = choose(is_past(s), s, -np.inf) if causal else s
    return softmax_of(s if mask is None else choose(mask, s, -np.inf)) @ v


def attention_shape(q: Shape, k: Shape, v: Shape, mask: Shape | None = None, causal: bool = False) -> Shape:
    if min(map(len, (q, k, v))) < 2:
        given = ", ".join(map(show_shape, (q, k, v)))
        raise shape_fault("attention", f"Q, K and V must be matrices, but they are {given}", q, k, v)
    if q[-1] != k[-1]:
        raise shape_fault("attention", f"queries and keys must be equally long, but Q is {show_shape(q)} and K is "
            f"{show_shape(k)}", q, k, v, differ=(q[-1], k[-1]))
    if k[-2] != v[-2]:
        raise shape_fault("attention", f"every key needs a value, but K is {show_shape(k)} and V is {show_shape(v)}",
            q, k, v, differ=(k[-2], v[-2]))
    table = matmul_shape(q, transpose_shape(k))
    if mask is not None and broadcast(table, mask, op="attention") != table:
        raise shape_fault("attention", f"the mask {show_shape(mask)} does not fit the scores {show_shape(table)}",
            q, k, v, mask)
    return matmul_shape(table, v)


def attention_body(q: Node, k: Node, v: Node, *, causal: bool = False) -> Any:
    return weights(q, k, None, causal) @ v


def masked_attention_body(q: Node, k: Node, v: Node, mask: Node, *, causal: bool = False) -> Any:
    return weights(q, k, mask, causal) @ v


def has_empty_row(q: Any, k: Any, v: Any, mask: Any, causal: bool = False) -> Any:
    """Whether some position may attend to nothing."""
    table = np.broadcast_to(mask, np.broadcast_shapes(np.shape(mask), (np.shape(q)[-2], np.shape(k)[-2])))
    return np.logical_not(np.any(np.logical_and(table, is_past(table)) if causal else table, axis=-1))


ATTENTION = (
    "Every output is a mean of the values, weighted by P = softmax(QKᵀ/√d). The values get Pᵀ Ō; queries and keys get "
    "what comes back through the softmax, times each other."
)
attention = composite("attention", attention_body, forward=attention_of, shape=attention_shape,
    kernel=as_body,
    notation=call("attention", r"\operatorname{Attention}"), options={"causal": False},
    vjp=(lambda g, o, q, k, v, causal=False: scores_bar(g, q, k, v, None, causal) @ k,
         lambda g, o, q, k, v, causal=False: transpose(scores_bar(g, q, k, v, None, causal)) @ q,
         lambda g, o, q, k, v, causal=False: transpose(weights(q, k, None, causal)) @ g),
    why=ATTENTION)
masked_attention = composite("masked_attention", masked_attention_body, forward=attention_of, shape=attention_shape,
    kernel=as_body,
    notation=call("attention", r"\operatorname{Attention}"), call_name="attention", masks=(3,), caveat=MASKED,
    options={"causal": False}, kink_at=has_empty_row,
    vjp=(lambda g, o, q, k, v, mask, causal=False: scores_bar(g, q, k, v, mask, causal) @ k,
         lambda g, o, q, k, v, mask, causal=False: transpose(scores_bar(g, q, k, v, mask, causal)) @ q,
         lambda g, o, q, k, v, mask, causal=False: transpose(weights(q, k, mask, causal)) @ g,
         None),
    why=ATTENTION + " Where the mask is false there is no weight and no gradient.")
