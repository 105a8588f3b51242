"""Structural equality up to the order of sums and products: a + (b + c) is (c + a) + b."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphlab.engine.core import OPS, Node
from graphlab.engine.rewriting import Keys

COMMUTING = (OPS["add"], OPS["mul"])
MOST_PARTS = 64


@dataclass
class SortedKeys(Keys):
    """Keys in which the parts of a sum, or of a product, have no order."""

    _parts: dict[Node, tuple[int, ...]] = field(default_factory=dict)

    def _structure(self, node: Node) -> Any:
        if node.op not in COMMUTING:
            return super()._structure(node)
        parts = tuple(sorted(part for x in node.inputs for part in self._parts_of(x, node)))
        self._parts[node] = parts
        return node.op, parts

    def _parts_of(self, node: Node, user: Node) -> tuple[int, ...]:
        """What a summand is a sum of itself; a very long sum stays whole."""
        parts = self._parts.get(node, ()) if node.op is user.op else ()
        return parts if 0 < len(parts) <= MOST_PARTS else (self._numbers[node],)


def are_same(a: Node, *forms: Node) -> bool:
    """Whether a formula is one of these, up to order."""
    keys = SortedKeys()
    return keys(a) in [keys(form) for form in forms]
