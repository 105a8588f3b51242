"""Simplifying rules for arrays: transposes, scalar factors of matrix products, sums over what was repeated, masks.

They make the backward pass of matrices what a textbook prints: Q̄ᵀX, where the chain rule finds (XᵀQ̄)ᵀ.
"""

from __future__ import annotations

from collections.abc import Callable

from graphlab.engine.core import Node, constant
from graphlab.engine.ops.comparison import where
from graphlab.engine.ops.linalg import transpose
from graphlab.engine.ops.reduction import expand, total
from graphlab.engine.rewriting import Context, Rule, again, is_op, number, rule
from graphlab.engine.shapes import axes_of, broadcast

ARRAYS: list[Rule] = []
BROADCAST = ("add", "sub", "mul", "chain", "div", "where", "equal", "greater", "less", "greater_equal", "less_equal")


# ---- repeated values -----------------------------------------------------------------------------------------------
@rule("drop ·1 repeated", "Multiplying every entry by one changes nothing.", ARRAYS)
def drop_ones(node: Node, context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        if is_op(a, "expand") and number(a.inputs[0]) == 1 and context.same_shape(a, b):
            return b
    return None


@rule("repeated anyway", "An operation that works entry by entry repeats a smaller input by itself.", ARRAYS)
def drop_expand(node: Node, context: Context) -> Node | None:
    if not is_op(node, *BROADCAST) or context.shape(node) is None:
        return None
    for i, x in enumerate(node.inputs):
        if is_op(x, "expand") and repeats_in_front(x, context):
            inputs = (*node.inputs[:i], x.inputs[0], *node.inputs[i + 1 :])
            if broadcast(*[context.shape(y) or () for y in inputs]) == context.shape(node):
                return again(node, *inputs)
    return None


@rule("repeated once", "A number that is repeated, and repeated again, can be repeated at once.", ARRAYS)
def expand_once(node: Node, context: Context) -> Node | None:
    if is_op(node, "expand") and is_op(node.inputs[0], "expand") and context.is_scalar(node.inputs[0].inputs[0]):
        return expand.node(node.inputs[0].inputs[0], node.inputs[1])
    return None


def repeats_in_front(node: Node, context: Context) -> bool:
    """Whether an expand does what broadcasting does: new axes stand before those there are."""
    axis, shape = node.attrs.get("axis"), context.shape(node) or ()
    gone = axes_of(axis, shape, "expand") if axis is not None else ()
    return gone == tuple(range(len(gone)))


@rule("add up what was repeated", "A value that was repeated along some axes gets the sum over them.", ARRAYS)
def sum_over_axes(node: Node, context: Context) -> Node | None:
    have, want = (context.shape(x) for x in node.inputs) if is_op(node, "sum_to") else (None, None)
    if have is None or want is None:
        return None
    if have == want:
        return node.inputs[0]
    in_front = len(have) - len(want)
    if have[in_front:] == want:
        axes = tuple(range(in_front))
        return total.node(node.inputs[0], axis=None if not want else axes[0] if len(axes) == 1 else axes)
    single = tuple(i - len(want) for i, size in enumerate(want) if size != have[i]) if not in_front else ()
    return total.node(node.inputs[0], axis=single[0], keepdims=True) if len(single) == 1 else None


@rule("take the entry", "Entry number i of a vector that was put together is its i-th part.", ARRAYS)
def take_entry(node: Node, context: Context) -> Node | None:
    if not is_op(node, "embedding") or (at := number(node.inputs[1])) is None:
        return None
    source = node.inputs[0]
    if is_op(source, "stack") and at.is_integer() and 0 <= at < len(source.inputs):
        return source.inputs[int(at)]
    if is_op(source, "expand") and not source.attrs and number(source.inputs[0]) is not None:
        return source.inputs[0] if context.shapes is not None and context.shapes[node] == () else None
    return None


@rule("one number", "A single number has one entry.", ARRAYS)
def size_of_scalar(node: Node, context: Context) -> Node | None:
    return constant(1.0) if is_op(node, "size") and context.stays_scalar(node.inputs[0]) else None


# ---- transposes ----------------------------------------------------------------------------------------------------
@rule("transposed twice", "Transposing twice changes nothing, and a vector has nothing to transpose.", ARRAYS)
def transpose_twice(node: Node, context: Context) -> Node | None:
    if is_op(node, "transpose"):
        (a,) = node.inputs
        shape = context.shape(a)
        if is_op(a, "transpose"):
            return a.inputs[0]
        return a if shape is not None and len(shape) < 2 else None
    return None


@rule("transpose of a product", "(AB)ᵀ = BᵀAᵀ: rows and columns change places, and so do the factors.", ARRAYS)
def transpose_product(node: Node, context: Context) -> Node | None:
    if is_op(node, "transpose") and is_op(node.inputs[0], "matmul") and context.used_once(node.inputs[0]):
        a, b = node.inputs[0].inputs
        shapes = context.shape(a), context.shape(b)
        matrices = all(shape is not None and len(shape) > 1 for shape in shapes)
        if matrices and (is_op(a, "transpose") or is_op(b, "transpose")):
            return transpose.node(b) @ transpose.node(a)
    return None


# ---- scalar factors ------------------------------------------------------------------------------------------------
def without_scalar(node: Node, context: Context) -> tuple[Node, Callable[[Node], Node]] | None:
    """A of −A, cA, Ac or A/c with a scalar c, and what puts the rest on again."""
    if not context.used_once(node):
        return None
    if is_op(node, "neg"):
        return node.inputs[0], lambda inner: -inner
    if is_op(node, "mul", "div"):
        a, b = node.inputs
        if context.is_scalar(b) and not context.is_scalar(a):
            return a, lambda inner: again(node, inner, b)
        if is_op(node, "mul") and context.is_scalar(a) and not context.is_scalar(b):
            return b, lambda inner: a * inner
    return None


@rule("scalar in front", "A scalar factor can be multiplied at the end as well, where it is easier to see.", ARRAYS)
def scalar_in_front(node: Node, context: Context) -> Node | None:
    if is_op(node, "transpose", "matmul", "sum", "mean"):
        for i, x in enumerate(node.inputs):
            found = without_scalar(x, context)
            if found is not None:
                inner, put_on = found
                return put_on(again(node, *node.inputs[:i], inner, *node.inputs[i + 1 :]))
    return None


@rule("divide instead", "What is never zero can be divided by at once.", ARRAYS)
def divide_by_size(node: Node, context: Context) -> Node | None:
    if is_op(node, "chain") and is_op(node.inputs[1], "div"):
        one, size = node.inputs[1].inputs
        if number(one) == 1 and is_from_sizes(size, context):
            return node.inputs[0] / size
    return None


def is_from_sizes(node: Node, context: Context) -> bool:
    """Whether this is a size, or a root of one."""
    meaning = context.meaning(node)
    return is_op(meaning, "size") or (is_op(meaning, "sqrt") and is_from_sizes(meaning.inputs[0], context))


# ---- masks ---------------------------------------------------------------------------------------------------------
@rule("where it is true", "Times 1 where a condition holds, else times 0: it is kept there, and else 0.", ARRAYS)
def keep_where(node: Node, _context: Context) -> Node | None:
    if is_op(node, "chain") and is_op(node.inputs[1], "where"):
        condition, one, zero = node.inputs[1].inputs
        if (number(one), number(zero)) == (1, 0):
            return where.node(condition, node.inputs[0], 0)
    return None


@rule("masked already", "The weights of masked scores are 0 already, and so are these products with them.", ARRAYS)
def drop_mask(node: Node, context: Context) -> Node | None:
    if is_op(node, "lower_triangle"):
        (product,) = node.inputs
        fits = masks_of_weights(product, context)[0]
    elif is_op(node, "where") and number(node.inputs[2]) == 0:
        mask, product, _ = node.inputs
        fits = any(context.same(mask, other) for other in masks_of_weights(product, context)[1])
    else:
        return None
    return product if fits and context.same_shape(product, node) else None


def masks_of_weights(product: Node, context: Context) -> tuple[bool, list[Node]]:
    """Of the P in P ⊙ …: whether its scores were masked causally, and their other masks."""
    causal = False
    masks: list[Node] = []
    product = context.meaning(product)
    weights = context.meaning(product.inputs[0]) if is_op(product, "mul") else product
    scores = context.meaning(weights.inputs[0]) if is_op(weights, "softmax") else weights
    while is_op(scores, "masked", "causal_mask"):
        causal = causal or is_op(scores, "causal_mask")
        masks += scores.inputs[1:]
        scores = context.meaning(scores.inputs[0])
    return causal, masks
