"""Stabilising: formulas that lose their digits are recognised and computed another way, visibly.

log(sigmoid(z)) is right on paper; in floating point the sigmoid of −1000 is 0 and its logarithm −∞. −softplus(−z) is
the same function and right everywhere. Each such pair is a rewriting rule with its reason. What the learner typed
stays as it is; the graph made here is the one that is run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from graphlab.engine.core import Node, Op, constant
from graphlab.engine.dag import Dag
from graphlab.engine.ops import activation, elementary, losses, normalising
from graphlab.engine.rewriting import Context, Rewritten, Rule, is_op, number, rewrite, rule

RULES: list[Rule] = []
STARTS = frozenset({"log", "log1p", "div", "sub", "bce"})  # the ops of the nodes that rules look at


@dataclass(frozen=True, slots=True)
class Stabilised:
    """The graph to run, what every node of the typed one became, and the rewrites in the order they were made."""

    dag: Dag
    become: Mapping[Node, Node]
    rewrites: tuple[Rewritten, ...] = ()


@lru_cache(maxsize=256)
def may_lose_digits(ops: frozenset[Op]) -> bool:
    """Whether a graph of these ops has any node for the rules to look at."""
    return not STARTS.isdisjoint([op.name for op in ops])


def stabilise(dag: Dag, kept: Collection[Node] = ()) -> Stabilised:
    """`dag` with every rule applied; the same Dag where none fits. Nodes in `kept` stay in it even if unused now."""
    context = Context()
    starts = [node for node in dag.nodes if is_op(node, *STARTS)]
    if all(candidate.apply(node, context) is None for node in starts for candidate in RULES):
        return Stabilised(dag, {node: node for node in dag.nodes})
    become: dict[Node, Node] = {}
    rewrites = [fact for output in dag.outputs for fact in rewrite(output, become, RULES, context)]
    wanted = [*dag.outputs, *(node for node in dag.nodes if node in kept)]
    return Stabilised(Dag(*dict.fromkeys(become[node] for node in wanted)), become, tuple(rewrites))


# ---- what the rules look for ---------------------------------------------------------------------------------------
def opposite(z: Node) -> Node:
    """−z, without a second minus sign."""
    return z.inputs[0] if is_op(z, "neg") else -z


def half(z: Node, sign: int) -> Node:
    """±z/2, with a number in z halved: x for 2x."""
    if is_op(z, "neg"):
        return half(z.inputs[0], -sign)
    factor = number(z.inputs[0]) if is_op(z, "mul") else None
    if factor is None:
        return z / 2 if sign > 0 else -(z / 2)
    x, factor = z.inputs[1], sign * factor / 2
    return x if factor == 1 else -x if factor == -1 else constant(factor) * x


def exponent(node: Node) -> Node | None:
    """z of exp(z)."""
    return node.inputs[0] if is_op(node, "exp") else None


def one_plus_exp(node: Node) -> Node | None:
    """z of 1 + exp(z), in either order."""
    if is_op(node, "add"):
        for one, other in (node.inputs, node.inputs[::-1]):
            if number(one) == 1:
                return exponent(other)
    return None


def two_exponents(node: Node, sign: str) -> tuple[Node, Node] | None:
    """a and b of exp(a) + exp(b), or of their difference."""
    if is_op(node, sign):
        a, b = map(exponent, node.inputs)
        if a is not None and b is not None:
            return a, b
    return None


# ---- logarithms ----------------------------------------------------------------------------------------------------
@rule("log of softmax", "A softmax that rounds to 0 would have the logarithm −∞; log_softmax never rounds.", RULES)
def log_of_softmax(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log") and is_op(node.inputs[0], "softmax"):
        (p,) = node.inputs
        return normalising.log_softmax.node(*p.inputs, **p.attrs)
    return None


@rule("log of sigmoid", "A sigmoid that rounds to 0 would have the logarithm −∞; softplus keeps every digit.", RULES)
def log_of_sigmoid(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log") and is_op(node.inputs[0], "sigmoid"):
        return -activation.softplus.node(opposite(node.inputs[0].inputs[0]))
    return None


@rule("log of 1 − sigmoid", "Where the sigmoid rounds to 1, nothing would be left of 1 − sigmoid.", RULES)
def log_of_one_minus_sigmoid(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log") and is_op(node.inputs[0], "sub"):
        one, s = node.inputs[0].inputs
        if number(one) == 1 and is_op(s, "sigmoid"):
            return -activation.softplus.node(s.inputs[0])
    return None


@rule("softplus", "The exponential of a large number overflows; softplus does not.", RULES)
def log_of_one_plus_exp(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log", "log1p"):
        (a,) = node.inputs
        z = one_plus_exp(a) if is_op(node, "log") else exponent(a)
        if z is not None:
            return activation.softplus.node(z)
    return None


@rule("log of 1/(1 + exp)", "The exponential of a large number overflows; softplus does not.", RULES)
def log_of_typed_sigmoid(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log") and is_op(node.inputs[0], "div"):
        one, below = node.inputs[0].inputs
        z = one_plus_exp(below)
        if number(one) == 1 and z is not None:
            return -activation.softplus.node(z)
    return None


@rule("logsumexp", "The exponential of a large number overflows; logsumexp takes the largest entry off first.", RULES)
def log_of_sum_of_exp(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log") and is_op(node.inputs[0], "sum"):
        (s,) = node.inputs
        x = exponent(s.inputs[0])
        if x is not None:
            return normalising.logsumexp.node(x, **{"axis": None, **s.attrs})
    return None


@rule("log of two exponentials", "Exponentials of large numbers overflow; their ratio does not.", RULES)
def log_of_two_exponentials(node: Node, _context: Context) -> Node | None:
    if not is_op(node, "log"):
        return None
    if (pair := two_exponents(node.inputs[0], "add")) is not None:
        a, b = pair
        return a + activation.softplus.node(b - a)
    if (pair := two_exponents(node.inputs[0], "sub")) is not None:
        a, b = pair
        return a + elementary.log.node(-elementary.expm1.node(b - a))
    return None


@rule("log of 1 − exp", "Where the exponential rounds to 1, nothing would be left of 1 − exp.", RULES)
def log_of_one_minus_exp(node: Node, _context: Context) -> Node | None:
    if is_op(node, "log") and is_op(node.inputs[0], "sub"):
        one, other = node.inputs[0].inputs
        z = exponent(other)
        if number(one) == 1 and z is not None:
            return elementary.log.node(-elementary.expm1.node(z))
    return None


@rule("log of exp", "The logarithm undoes the exponential, which may overflow on the way.", RULES)
def log_of_exp(node: Node, _context: Context) -> Node | None:
    return exponent(node.inputs[0]) if is_op(node, "log") else None


# ---- quotients of exponentials -------------------------------------------------------------------------------------
@rule("softmax from exponentials", "∞/∞ is no number; softmax takes the largest entry off first.", RULES)
def typed_softmax(node: Node, context: Context) -> Node | None:
    if is_op(node, "div") and is_op(node.inputs[1], "sum"):
        above, below = node.inputs
        x, same = exponent(above), exponent(below.inputs[0])
        keeps_shape = below.attrs.get("keepdims") or below.attrs.get("axis") is None
        if x is not None and same is not None and keeps_shape and context.same(x, same):
            return normalising.softmax.node(x, axis=below.attrs.get("axis"))
    return None


@rule("sigmoid from exponentials", "∞/∞ is no number; the sigmoid has its limit there.", RULES)
def typed_sigmoid(node: Node, context: Context) -> Node | None:
    if is_op(node, "div"):
        z, same = exponent(node.inputs[0]), one_plus_exp(node.inputs[1])
        if z is not None and same is not None and context.same(z, same):
            return activation.sigmoid.node(z)
    return None


@rule("tanh from exponentials", "∞/∞ is no number, and near ±1 all digits of the slope cancel; tanh keeps them.", RULES)
def typed_tanh(node: Node, context: Context) -> Node | None:
    if is_op(node, "div"):
        above, below = two_exponents(node.inputs[0], "sub"), two_exponents(node.inputs[1], "add")
        if above and below and context.same(above[0], below[0]) and context.same(above[1], below[1]):
            x, minus_x = above
            if is_op(minus_x, "neg") and context.same(minus_x.inputs[0], x):
                return activation.tanh.node(x)
    return None


@rule("tanh from one exponential", "∞/∞ is no number, and near ±1 all digits of the slope cancel.", RULES)
def typed_tanh_of_half(node: Node, context: Context) -> Node | None:
    if is_op(node, "div") and is_op(node.inputs[0], "sub"):
        (a, b), z = node.inputs[0].inputs, one_plus_exp(node.inputs[1])
        for one, other, sign in ((b, a, 1), (a, b, -1)):
            same = exponent(other)
            if number(one) == 1 and z is not None and same is not None and context.same(z, same):
                return activation.tanh.node(half(z, sign))
    return None


# ---- the rest ------------------------------------------------------------------------------------------------------
@rule("erfc", "Where erf rounds to 1, nothing would be left of 1 − erf.", RULES)
def one_minus_erf(node: Node, _context: Context) -> Node | None:
    if is_op(node, "sub") and number(node.inputs[0]) == 1 and is_op(node.inputs[1], "erf"):
        return elementary.erfc.node(*node.inputs[1].inputs)
    return None


@rule("loss of a sigmoid", "A sigmoid that rounds to 0 or 1 would have the loss ∞; its score has a finite one.", RULES)
def bce_of_sigmoid(node: Node, _context: Context) -> Node | None:
    if is_op(node, "bce") and is_op(node.inputs[0], "sigmoid"):
        return losses.bce_with_logits.node(node.inputs[0].inputs[0], node.inputs[1])
    return None
