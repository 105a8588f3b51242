"""Self-attention in three stages: on the rows themselves, on queries, keys and values, and with several heads.

Every stage is explicit nodes: scores S, weights P and what they mix, each under its name. Masks: true = may attend.
"""

from __future__ import annotations

from typing import NamedTuple

from graphlab.engine.core import Node, named, present_scope
from graphlab.engine.ops.elementary import sqrt
from graphlab.engine.ops.heads import causal_mask, masked, merge_heads, padding_mask, part_of_size, split_heads
from graphlab.engine.ops.normalising import softmax
from graphlab.engine.ops.reduction import size
from graphlab.engine.shapes import Dim
from graphlab.errors import ValueProblem
from graphlab.layers.parameters import dense


class Attention(NamedTuple):
    """Queries, keys, values, the scores as the softmax gets them, the weights, and the result."""

    q: Node
    k: Node
    v: Node
    s: Node
    p: Node
    y: Node


class Sight(NamedTuple):
    """Who may attend to whom: everybody to everybody, unless something is said.

    causal: position i to j ≤ i. padding (…, m): false for tokens that nobody looks at. mask: true where one may attend,
    in any shape that broadcasts to the scores.
    """

    causal: bool = False
    padding: Node | None = None
    mask: Node | None = None


EVERYTHING = Sight()


def basic_self_attention(x: Node, sight: Sight = EVERYTHING, *, scaled: bool = False) -> Attention:
    """yᵢ = Σⱼ softmaxⱼ(xᵢ·xⱼ) xⱼ for the rows of x (…, n, d)."""
    return attend(x, x, x, sight, scaled=scaled, result="Y")


def self_attention(
    x: Node, sight: Sight = EVERYTHING, *, size: Dim = "d", key_size: Dim = "k", scaled: bool = True
) -> Attention:
    """The same with queries W_Q x, keys W_K x and values W_V x, for x (…, n, size). Scores are divided by √key_size."""
    q, k, v = (
        named(letter, dense(x, path, letter, key_size, size, bias=False))
        for letter, path in (("Q", "query"), ("K", "key"), ("V", "value"))
    )
    return attend(q, k, v, sight, scaled=scaled, result="Y")


def multi_head_attention(
    x: Node, heads: int, sight: Sight = EVERYTHING, *, size: Dim = "d", bias: bool = True
) -> Attention:
    """(h₁ ⊕ … ⊕ h_h) W_Oᵀ + b_O, every head an attention on its own stretch of Q, K and V, for x (…, n, size)."""
    found = side_by_side(x, heads, sight, size=size, bias=bias)
    return found._replace(y=named("Y", dense(found.y, "output.dense", "O", size, size, bias=bias)))


def side_by_side(x: Node, heads: int, sight: Sight, *, size: Dim, bias: bool = True) -> Attention:
    """The heads' results side by side, (…, n, size), before W_O mixes them."""
    if heads < 1 or part_of_size(size, heads) is None:
        where = f"in {present_scope()}: " if present_scope() else ""
        raise ValueProblem(
            f"{where}rows of {size} entries cannot be split among {heads} heads evenly",
            hint="The size must be a multiple of the number of heads.",
        )
    whole = [
        (letter, named(letter, dense(x, path, letter, size, size, bias=bias)))
        for letter, path in (("Q", "query"), ("K", "key"), ("V", "value"))
    ]
    q, k, v = (named(f"{letter}_h", split_heads(node, heads=heads)) for letter, node in whole)
    found = attend(q, k, v, sight, result="O_h")
    return found._replace(y=named("O", merge_heads(found.y)))


def attend(q: Node, k: Node, v: Node, sight: Sight = EVERYTHING, *, scaled: bool = True, result: str) -> Attention:
    """softmax(Q Kᵀ/√d_k) V for q (…, n, d_k), k (…, m, d_k), v (…, m, c); the node of the result is called `result`."""
    s = q @ k.T
    if scaled:
        s = named("S_raw", s) / sqrt(size(q, axis=-1))
    s = restricted(named("S", s), sight)
    p = named("P", softmax(s))
    return Attention(q, k, v, s, p, named(result, p @ v))


def restricted(s: Node, sight: Sight) -> Node:
    """The scores with −∞ wherever one may not attend."""
    if sight.causal:
        s = named("S_causal", causal_mask(s))
    if sight.padding is not None:
        s = named("S_padded", masked(s, named("M", padding_mask(sight.padding, s))))
    if sight.mask is not None:
        s = named("S_masked", masked(s, sight.mask))
    return s
