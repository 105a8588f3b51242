"""A finished DAG: the nodes that its outputs need, in topological order, with stable ids and users.

Nodes are made in topological order and carry an increasing index, so ordering them is one sort and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from functools import cached_property

from graphlab.engine.core import Node, Op
from graphlab.errors import UnknownName, ValueProblem


def reachable(targets: Iterable[Node], stop: Container[Node] = ()) -> list[Node]:
    """`targets` and all they need, in topological order; the inputs of nodes in `stop` are not followed."""
    stack = list(targets)
    seen = set(stack)
    while stack:
        node = stack.pop()
        if node in stop:
            continue
        for x in node.inputs:
            if x not in seen:
                seen.add(x)
                stack.append(x)
    return sorted(seen, key=_index)


def _index(node: Node) -> int:
    return node.index


class Dag:
    """The graph of one or more outputs. `output` is the first of them."""

    def __init__(self, *outputs: Node) -> None:
        self.outputs = outputs
        self.output = outputs[0]
        self.nodes = tuple(reachable(outputs))
        names: dict[str, Node] = {}
        for node in self.nodes:
            if node.is_input and names.setdefault(str(node.name), node) is not node:
                raise ValueProblem(
                    f"two different inputs are both called {node.name!r}: {names[str(node.name)]!r} number "
                    f"{names[str(node.name)].index} and number {node.index}",
                    hint="Make the variable once and use it twice, or give one of them another name.",
                )
        self.inputs: dict[str, Node] = names

    @cached_property
    def ids(self) -> dict[Node, str]:
        """n0, n1, … in creation order."""
        return {node: f"n{i}" for i, node in enumerate(self.nodes)}

    @cached_property
    def users(self) -> dict[Node, tuple[Node, ...]]:
        """The nodes that take a node as an input, each once, in creation order."""
        found: dict[Node, dict[Node, None]] = {node: {} for node in self.nodes}
        for node in self.nodes:
            for x in node.inputs:
                found[x][node] = None
        return {node: tuple(users) for node, users in found.items()}

    @cached_property
    def input_slots(self) -> dict[Node, set[tuple[Op, int]]]:
        """Where each input goes: the ops that take it, with the position."""
        found: dict[Node, set[tuple[Op, int]]] = {node: set() for node in self.inputs.values()}
        for node in self.nodes:
            if node.op is not None:
                for i, x in enumerate(node.inputs):
                    if x in found:
                        found[x].add((node.op, i))
        return found

    def input(self, name: str) -> Node:
        """The input called `name`; UnknownName lists those there are."""
        try:
            return self.inputs[name]
        except KeyError:
            known = ", ".join(self.inputs) or "none"
            raise UnknownName(f"the graph has no input called {name!r}", hint=f"Its inputs: {known}.") from None

    def depending_on(self, sources: Collection[Node]) -> set[Node]:
        """`sources` and every node that their values can reach."""
        found = set(sources)
        for node in self.nodes:
            if node not in found:
                for x in node.inputs:
                    if x in found:
                        found.add(node)
                        break
        return found
