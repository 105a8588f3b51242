"""Visible rewriting: named rules with a reason each, and a fold that yields every rewrite as a fact.

A rule takes a node and returns a simpler one with the same value and shape, or None. Rules never change the learner's
graph: they build a new one beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.core import Node, constant, scope
from graphlab.engine.dag import reachable
from graphlab.engine.inference import Shapes


@dataclass
class Context:
    """What a rule may ask: whether two expressions are equal, and shapes, where they are known."""

    shapes: Shapes | None = None
    keys: Keys = field(default_factory=lambda: Keys())

    def same(self, a: Node, b: Node) -> bool:
        """Whether two expressions are structurally equal."""
        return self.keys(a) == self.keys(b)

    def same_shape(self, a: Node, b: Node) -> bool:
        """Whether two nodes surely have one shape."""
        return self.shapes is not None and self.shapes[a] == self.shapes[b]


Apply = Callable[[Node, Context], Node | None]


@dataclass(frozen=True)
class Rule:
    """One rewriting rule: what it is called, why it is right, and how it acts."""

    name: str
    why: str
    apply: Apply


class Rewritten(NamedTuple):
    """`before` became `after` by `rule`."""

    rule: Rule
    before: Node
    after: Node


@dataclass
class Keys:
    """Numbers that are equal exactly for structurally equal expressions. Memoised: linear on any DAG."""

    _numbers: dict[Node, int] = field(default_factory=dict)
    _known: dict[Any, int] = field(default_factory=dict)

    def __call__(self, target: Node) -> int:
        if target not in self._numbers:
            for node in reachable([target], stop=self._numbers):
                if node not in self._numbers:
                    self._numbers[node] = self._known.setdefault(self._structure(node), len(self._known))
        return self._numbers[target]

    def _structure(self, node: Node) -> Any:
        if node.op is not None:
            return node.op, tuple(node.attrs.items()), tuple([self._numbers[x] for x in node.inputs])
        if node.is_input:
            return node
        value = node.value
        if isinstance(value, np.ndarray):
            return value.shape, value.dtype, value.tobytes()
        return type(value), repr(value)  # 0.0 equals −0.0, but 1/x does not


RULES: list[Rule] = []
FOLDED = ("add", "sub", "mul", "chain", "div", "neg", "pow")


def rule(name: str, why: str, rules: list[Rule] = RULES) -> Callable[[Apply], Apply]:
    """Add a rule to a list; rules are tried in the order they stand in."""

    def add(apply: Apply) -> Apply:
        rules.append(Rule(name, why, apply))
        return apply

    return add


def is_op(node: Node, *names: str) -> bool:
    return node.op is not None and node.op.name in names


def again(node: Node, *inputs: Node) -> Node:
    """The same op on other inputs."""
    return node.op.node(*inputs, **node.attrs) if node.op else node


def number(node: Node) -> float | None:
    """The value of a constant scalar, else None."""
    return node.value if node.is_constant and isinstance(node.value, float) else None


@rule("drop ·1", "Multiplying by one changes nothing.")
def drop_one(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain", "div"):
        a, b = node.inputs
        if number(b) == 1:
            return a
        if number(a) == 1 and not is_op(node, "div"):
            return b
    return None


@rule("drop ·1 repeated", "Multiplying every entry by one changes nothing.")
def drop_ones(node: Node, context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        if is_op(a, "expand") and number(a.inputs[0]) == 1 and context.same_shape(a, b):
            return b
    return None


@rule("drop +0", "Adding zero changes nothing.")
def drop_zero(node: Node, _context: Context) -> Node | None:
    if is_op(node, "add", "sub"):
        a, b = node.inputs
        if number(b) == 0:
            return a
        if number(a) == 0 and is_op(node, "add"):
            return b
    return None


@rule("power one", "To the power one is the thing itself.")
def drop_power(node: Node, _context: Context) -> Node | None:
    return node.inputs[0] if is_op(node, "pow") and number(node.inputs[1]) == 1 else None


@rule("nothing sent", "A zero in a chain-rule product sends exactly zero.")
def send_nothing(node: Node, _context: Context) -> Node | None:
    if is_op(node, "chain") and number(node.inputs[0]) == 0 and number(node.inputs[1]) is not None:
        return constant(0.0)
    return None


@rule("fold constants", "Both are numbers, so the result is one too.")
def fold_constants(node: Node, _context: Context) -> Node | None:
    if node.op is None or not is_op(node, *FOLDED) or any(number(x) is None for x in node.inputs):
        return None
    with np.errstate(all="ignore"):
        value = float(node.op.forward(*[np.float64(x.value) for x in node.inputs]))
    return constant(value) if np.isfinite(value) else None


@rule("times −1", "Multiplying by minus one changes the sign.")
def times_minus_one(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        if number(b) == -1:
            return -a
        if number(a) == -1:
            return -b
    return None


@rule("two minus signs", "Two changes of sign cancel.")
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


@rule("number first", "The order of factors does not matter; the number goes in front.")
def number_first(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain") and number(node.inputs[1]) is not None:
        return node.inputs[1] * node.inputs[0]
    if is_op(node, "chain") and number(node.inputs[0]):
        return node.inputs[0] * node.inputs[1]
    return None


@rule("collect numbers", "Numbers among the factors are multiplied together.")
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


@rule("sign in front", "A minus sign among the factors goes in front of the product.")
def sign_in_front(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        k = number(a)
        if is_op(b, "neg"):
            return constant(-k) * b.inputs[0] if k is not None else -again(node, a, b.inputs[0])
        if is_op(a, "neg"):
            return -again(node, a.inputs[0], b)
    return None


@rule("plus a negative", "Adding a negative is subtracting.")
def add_negative(node: Node, _context: Context) -> Node | None:
    if is_op(node, "add") and is_op(node.inputs[1], "neg"):
        return node.inputs[0] - node.inputs[1].inputs[0]
    if is_op(node, "sub") and is_op(node.inputs[1], "neg"):
        return node.inputs[0] + node.inputs[1].inputs[0]
    return None


@rule("collect equal terms", "Two equal terms are twice that term.")
def collect_equal(node: Node, context: Context) -> Node | None:
    if is_op(node, "add"):
        a, b = map(_count_and_term, node.inputs)
        if context.same(a[1], b[1]):
            return constant(a[0] + b[0]) * a[1]
    return None


@rule("times its inverse", "A factor times 1 over something is a quotient.")
def times_inverse(node: Node, _context: Context) -> Node | None:
    if is_op(node, "mul", "chain"):
        a, b = node.inputs
        if is_op(a, "div") and number(a.inputs[0]) == 1:
            return b / a.inputs[1]
        if is_op(node, "mul") and is_op(b, "div") and number(b.inputs[0]) == 1:
            return a / b.inputs[1]
    return None


@rule("take the entry", "Entry number i of a vector that was put together is its i-th part.")
def take_entry(node: Node, context: Context) -> Node | None:
    if not is_op(node, "embedding") or (at := number(node.inputs[1])) is None:
        return None
    source = node.inputs[0]
    if is_op(source, "stack") and at.is_integer() and 0 <= at < len(source.inputs):
        return source.inputs[int(at)]
    if is_op(source, "expand") and not source.attrs and number(source.inputs[0]) is not None:
        return source.inputs[0] if context.shapes is not None and context.shapes[node] == () else None
    return None


def _count_and_term(node: Node) -> tuple[float, Node]:
    """3*x as (3, x); anything else once."""
    if is_op(node, "mul") and (k := number(node.inputs[0])) is not None:
        return k, node.inputs[1]
    return 1.0, node


def rewrite(
    target: Node, become: dict[Node, Node], context: Context | None = None, rules: Sequence[Rule] = RULES
) -> Iterator[Rewritten]:
    """Every rewrite under `target`, inputs before users. Afterwards `become[target]` is the result.

    Entries that stand in `become` beforehand are replaced by what they map to, and not looked into. What a rule
    returns is rewritten in turn, so no rule fits the result anywhere.
    """
    context = context or Context()
    for node in reachable([target], stop=become):
        if node in become:
            continue
        with scope(node.scope) if node.scope else nullcontext():
            new = node
            if node.op is not None and any(become[x] is not x for x in node.inputs):
                new = node.op.node(*[become[x] for x in node.inputs], **node.attrs)
            tried = ((candidate, candidate.apply(new, context)) for candidate in rules)
            fitting, after = next((pair for pair in tried if pair[1] is not None), (None, None))
        if fitting is not None and after is not None:
            yield Rewritten(fitting, new, after)
            yield from rewrite(after, become, context, rules)
            new = become[after]
        become.setdefault(new, new)
        become[node] = new


def simplify(target: Node, shapes: Shapes | None = None) -> Node:
    """`target` with all rules applied; some rules act only where `shapes` are known."""
    become: dict[Node, Node] = {}
    for _ in rewrite(target, become, Context(shapes)):
        pass
    return become[target]
