"""Simplifying rules for numbers, signs and factors: what holds of scalars, and of arrays entry by entry."""

from __future__ import annotations

import numpy as np

from graphlab.engine.core import Node, constant
from graphlab.engine.rewriting import Context, Rule, again, is_op, number, rule

NUMBERS: list[Rule] = []
FOLDED = ("add", "sub", "mul", "chain", "div", "neg", "pow")


@rule("drop ·1", "Multiplying by one changes nothing.", NUMBERS)
def drop_one(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain", "div"):
        a, b = node.inputs
        if number(b) == 1:
            return a
        if number(a) == 1 and not is_op(node, "div"):
            return b
    return None


@rule("drop +0", "Adding zero changes nothing.", NUMBERS)
def drop_zero(node: Node, _context: Context) -> Node | None:
    if is_op(node, "add", "sub"):
        a, b = node.inputs
        if number(b) == 0:
            return a
        if number(a) == 0 and is_op(node, "add"):
            return b
    return None


@rule("power one", "To the power one is the thing itself.", NUMBERS)
def drop_power(node: Node, _context: Context) -> Node | None:
    return node.inputs[0] if is_op(node, "pow") and number(node.inputs[1]) == 1 else None


@rule("nothing sent", "A zero in a chain-rule product sends exactly zero.", NUMBERS)
def send_nothing(node: Node, _context: Context) -> Node | None:
    if is_op(node, "chain") and number(node.inputs[0]) == 0 and number(node.inputs[1]) is not None:
        return constant(0.0)
    return None


@rule("fold constants", "Both are numbers, so the result is one too.", NUMBERS)
def fold_constants(node: Node, _context: Context) -> Node | None:
    if node.op is None or not is_op(node, *FOLDED) or any(number(x) is None for x in node.inputs):
        return None
    with np.errstate(all="ignore"):
        value = float(node.op.forward(*[np.float64(x.value) for x in node.inputs]))
    return constant(value) if np.isfinite(value) else None


@rule("times −1", "Multiplying by minus one changes the sign.", NUMBERS)
def times_minus_one(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        if number(b) == -1:
            return -a
        if number(a) == -1:
            return -b
    return None


@rule("two minus signs", "Two changes of sign cancel.", NUMBERS)
def cancel_signs(node: Node, _context: Context) -> Node | None:
    if is_op(node, "neg"):
        (a,) = node.inputs
        if is_op(a, "neg"):
            return a.inputs[0]
        k = number(a)
        if k is not None:
            return constant(-k)
        if is_op(a, "mul") and (k := number(a.inputs[0])) is not None:
            return constant(-k) * a.inputs[1]
    return None


@rule("number first", "The order of factors does not matter; the number goes in front.", NUMBERS)
def number_first(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain") and number(node.inputs[1]) is not None:
        return node.inputs[1] * node.inputs[0]
    if is_op(node, "chain") and number(node.inputs[0]):
        return node.inputs[0] * node.inputs[1]
    return None


@rule("collect numbers", "Numbers among the factors are multiplied together.", NUMBERS)
def collect_numbers(node: Node, _context: Context) -> Node | None:
    if not is_op(node, "mul", "chain"):
        return None
    a, b = node.inputs
    inner = number(b.inputs[0]) if is_op(b, "mul") else None
    if inner is not None:
        outer = number(a)
        if outer is not None:
            return constant(outer * inner) * b.inputs[1]
        return b.inputs[0] * again(node, a, b.inputs[1])
    if is_op(a, "mul") and number(a.inputs[0]):
        return a.inputs[0] * again(node, a.inputs[1], b)
    return None


@rule("sign in front", "A minus sign among the factors goes in front of the product.", NUMBERS)
def sign_in_front(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        k = number(a)
        if is_op(b, "neg"):
            return constant(-k) * b.inputs[0] if k is not None else -again(node, a, b.inputs[0])
        if is_op(a, "neg"):
            return -again(node, a.inputs[0], b)
    return None


@rule("plus a negative", "Adding a negative is subtracting.", NUMBERS)
def add_negative(node: Node, _context: Context) -> Node | None:
    if is_op(node, "add") and is_op(node.inputs[1], "neg"):
        return node.inputs[0] - node.inputs[1].inputs[0]
    if is_op(node, "sub") and is_op(node.inputs[1], "neg"):
        return node.inputs[0] + node.inputs[1].inputs[0]
    return None


@rule("collect equal terms", "Two equal terms are twice that term.", NUMBERS)
def collect_equal(node: Node, context: Context) -> Node | None:
    if is_op(node, "add"):
        a, b = map(_count_and_term, node.inputs)
        if context.same(a[1], b[1]):
            return constant(a[0] + b[0]) * a[1]
    return None


@rule("times its inverse", "A factor times 1 over something is a quotient.", NUMBERS)
def times_inverse(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        if is_op(a, "div") and number(a.inputs[0]) == 1:
            return b / a.inputs[1]
        if is_op(node, "mul") and is_op(b, "div") and number(b.inputs[0]) == 1:
            return a / b.inputs[1]
    return None


def _count_and_term(node: Node) -> tuple[float, Node]:
    """3*x as (3, x); anything else once."""
    if is_op(node, "mul") and (k := number(node.inputs[0])) is not None:
        return k, node.inputs[1]
    return 1.0, node
