"""Merging equal subexpressions: x*x typed twice becomes one node, as a visible rewrite.

Two operations are the same if their keys are equal: the same op, with the same options, on the same inputs. Constants
stay apart, because nothing is worked out twice for them.
"""

from __future__ import annotations

from collections.abc import Collection

from graphlab.engine.core import Node
from graphlab.engine.rewriting import Context, Rule


def merging_rule(kept: Collection[Node] = ()) -> Rule:
    """A rule for one graph: it remembers the first of each expression and puts it in place of all later ones, except
    of those that are `kept`."""
    first: dict[int, Node] = {}

    def apply(node: Node, context: Context) -> Node | None:
        if node.op is None:
            return None
        found = first.setdefault(context.keys(node), node)
        return None if found is node or node in kept else found

    return Rule("merge equal expressions", "Equal expressions have equal values, so one node is enough.", apply)
