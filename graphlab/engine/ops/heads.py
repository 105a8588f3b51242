"""Attention: scores of queries against keys, masks, and means of values weighted by the scores."""

from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.notation import call
from graphlab.engine.ops.comparison import choose, where
from graphlab.engine.ops.elementary import sqrt
from graphlab.engine.ops.linalg import matmul_shape, transpose, transpose_shape
from graphlab.engine.ops.normalising import MASKED, softmax, softmax_of, softmax_pull
from graphlab.engine.ops.reduction import size
from graphlab.engine.records import composite, elementwise, primitive, shape_fault
from graphlab.engine.shapes import Shape, broadcast, show_shape


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


masked = elementwise("masked", lambda s, mask: choose(mask, s, -np.inf), notation=call("masked"), masks=(1,),
    partials=(lambda y, s, mask: where(mask, 1, 0), None), analytic=False,
    why="Scores where the mask is false are set to −∞ and get no weight, so nothing is sent back to them.")
causal_mask = primitive("causal_mask", lambda s: choose(is_past(s), s, -np.inf), shape=matrix_shape("causal_mask"),
    notation=call("causal_mask", r"\operatorname{causal}"),
    vjp=(lambda g, y, s: lower_triangle(g),), jvp=(lambda t, y, s: lower_triangle(t),), analytic=False,
    why="Scores of later positions are set to −∞ and get no weight, so nothing is sent back to them.")
lower_triangle = primitive("lower_triangle", lambda a: choose(is_past(a), a, 0), shape=matrix_shape("lower_triangle"),
    notation=call("lower_triangle", r"\operatorname{tril}"), vjp=(lambda g, y, a: lower_triangle(g),), linear_in=(0,),
    spelled={"torch": "tril"},
    why="What stands above the diagonal is replaced by 0, so nothing is sent back there.")


# ---- attention -----------------------------------------------------------------------------------------------------
def scores(q: Any, k: Any) -> Any:
    """Q Kᵀ/√d, with d the length of a query."""
    return q @ transpose(k) / sqrt(size(q, axis=-1))


def weights(q: Any, k: Any, mask: Any = None) -> Any:
    return softmax(scores(q, k) if mask is None else masked(scores(q, k), mask))


def scores_bar(g: Any, q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """The gradient of Q Kᵀ: that of the weights, Ō Vᵀ, pulled back through softmax and the scale."""
    return softmax_pull(g @ transpose(v), weights(q, k, mask)) / sqrt(size(q, axis=-1))


def attention_of(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    s = q @ np.swapaxes(k, -1, -2) / float(np.sqrt(np.shape(q)[-1]))
    return softmax_of(s if mask is None else choose(mask, s, -np.inf)) @ v


def attention_shape(q: Shape, k: Shape, v: Shape, mask: Shape | None = None) -> Shape:
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


def attention_body(q: Node, k: Node, v: Node) -> Any:
    return weights(q, k) @ v


def masked_attention_body(q: Node, k: Node, v: Node, mask: Node) -> Any:
    return weights(q, k, mask) @ v


ATTENTION = (
    "Every output is a mean of the values, weighted by P = softmax(QKᵀ/√d). The values get Pᵀ Ō; queries and keys get "
    "what comes back through the softmax, times each other."
)
attention = composite("attention", attention_body, forward=attention_of, shape=attention_shape,
    notation=call("attention", r"\operatorname{Attention}"),
    vjp=(lambda g, o, q, k, v: scores_bar(g, q, k, v) @ k,
         lambda g, o, q, k, v: transpose(scores_bar(g, q, k, v)) @ q,
         lambda g, o, q, k, v: transpose(weights(q, k)) @ g),
    why=ATTENTION)
masked_attention = composite("masked_attention", masked_attention_body, forward=attention_of, shape=attention_shape,
    notation=call("attention", r"\operatorname{Attention}"), call_name="attention", masks=(3,), caveat=MASKED,
    kink_at=lambda q, k, v, mask: np.logical_not(np.any(mask, axis=-1)),
    vjp=(lambda g, o, q, k, v, mask: scores_bar(g, q, k, v, mask) @ k,
         lambda g, o, q, k, v, mask: transpose(scores_bar(g, q, k, v, mask)) @ q,
         lambda g, o, q, k, v, mask: transpose(weights(q, k, mask)) @ g,
         None),
    why=ATTENTION + " Where the mask is false there is no weight and no gradient.")
