"""Visible rewriting: named rules with a reason each, and a fold that yields every rewrite as a fact.

A rule takes a node and returns a simpler one with the same value and shape, or None. Rules never change the learner's
graph: they build a new one beside it. The rules themselves stand in lists: `simplifying` (of numbers and of arrays),
`merging`, `stabilising`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.core import Node, beside
from graphlab.engine.dag import reachable
from graphlab.engine.inference import Shapes
from graphlab.engine.shapes import Shape


@dataclass
class Context:
    """What a rule may ask about nodes.

    shapes: where they are known. meanings: what a symbol stands for that was put in place of an expression. uses: how
    often each node is used, where that is known; it is kept up to date while nodes are rewritten.
    """

    shapes: Shapes | None = None
    meanings: Mapping[Node, Node] = field(default_factory=dict)
    uses: dict[Node, int] = field(default_factory=dict)
    keys: Keys = field(default_factory=lambda: Keys())

    def same(self, a: Node, b: Node) -> bool:
        """Whether two expressions are structurally equal."""
        return self.keys(a) == self.keys(b)

    def same_shape(self, a: Node, b: Node) -> bool:
        """Whether two nodes surely have one shape."""
        return self.shapes is not None and self.shapes[a] == self.shapes[b]

    def shape(self, node: Node) -> Shape | None:
        """The node's shape, if it is known."""
        return self.shapes.get(node) if self.shapes is not None else None

    def is_scalar(self, node: Node) -> bool:
        """Whether a node surely is a single number."""
        return number(node) is not None or self.shape(node) == ()

    def stays_scalar(self, node: Node) -> bool:
        """Whether a node is a single number whatever values there will be."""
        if self.shapes is None or self.shape(node) != ():
            return False
        return self.shapes.guessed.isdisjoint(reachable([node]))

    def meaning(self, node: Node) -> Node:
        """The expression that a symbol stands for; any other node itself."""
        return self.meanings.get(node, node)

    def used_once(self, node: Node) -> bool:
        """Whether nothing else is known to need the node, so that it may be taken apart."""
        return self.uses.get(node, 1) <= 1

    def carry_uses(self, before: Node, after: Node) -> None:
        """What used `before` uses `after` now."""
        if before is not after and before in self.uses:
            self.uses[after] = self.uses.get(after, 0) + self.uses[before]


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


def rule(name: str, why: str, rules: list[Rule]) -> Callable[[Apply], Apply]:
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


def count_uses(targets: Sequence[Node]) -> Counter[Node]:
    """How often each node stands under `targets` as an input of another, or as a target itself."""
    return Counter([*targets, *(x for node in reachable(targets) for x in node.inputs)])


def rewrite(target: Node, become: dict[Node, Node], rules: Sequence[Rule], context: Context) -> Iterator[Rewritten]:
    """Every rewrite under `target`, inputs before users. Afterwards `become[target]` is the result.

    Entries that stand in `become` beforehand are replaced by what they map to, and not looked into. What a rule
    returns is rewritten in turn, so no rule fits the result anywhere.
    """
    for node in reachable([target], stop=become):
        if node in become:
            continue
        with beside(node.scope):
            new = node
            if node.op is not None and any(become[x] is not x for x in node.inputs):
                new = rebuilt(node, become)
                context.carry_uses(node, new)
            tried = ((candidate, candidate.apply(new, context)) for candidate in rules)
            fitting, after = next((pair for pair in tried if pair[1] is not None), (None, None))
        if fitting is not None and after is not None:
            yield Rewritten(fitting, new, after)
            yield from rewrite(after, become, rules, context)
            context.carry_uses(new, become[after])
            new = become[after]
        become.setdefault(new, new)
        become[node] = new


def rebuilt(node: Node, become: Mapping[Node, Node]) -> Node:
    """The same operation, by the same name, on what its inputs became."""
    new = again(node, *[become[x] for x in node.inputs])
    new.name = node.name
    return new


def rewritten(target: Node, become: dict[Node, Node], rules: Sequence[Rule], context: Context) -> Node:
    """What `target` becomes; see `rewrite`."""
    for _ in rewrite(target, become, rules, context):
        pass
    return become[target]
