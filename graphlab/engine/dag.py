"""A finished DAG: the nodes that its outputs need, in topological order, with stable ids and users.

Nodes are made in topological order and carry an increasing index, so ordering them is one sort and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from functools import cached_property
from operator import attrgetter

from graphlab.engine.core import Node, Op
from graphlab.errors import UnknownName, ValueProblem

_index = attrgetter("index")


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


class Dag:
    """The graph of one or more outputs. `output` is the first of them; `ids` are n0, n1 … unless they are given."""

    def __init__(self, *outputs: Node, ids: Mapping[Node, str] | None = None) -> None:
        self.outputs = outputs
        self.output = outputs[0]
        self.nodes = tuple(reachable(outputs))
        names: dict[str, Node] = {}
        for node in [node for node in self.nodes if node.op is None]:
            if node.name is not None and names.setdefault(node.name, node) is not node:
                raise ValueProblem(
                    f"two different inputs are both called {node.name!r}: {names[str(node.name)]!r} number "
                    f"{names[str(node.name)].index} and number {node.index}",
                    hint="Make the variable once and use it twice, or give one of them another name.",
                )
        self.inputs: dict[str, Node] = names
        self._given_ids = ids

    @cached_property
    def ops(self) -> frozenset[Op]:
        """The ops it is made of. What depends on them alone is worked out once for all graphs of the same ops."""
        return frozenset([node.op for node in self.nodes if node.op is not None])

    @cached_property
    def is_scoped(self) -> bool:
        """Whether any of it was built in a scope."""
        return any(node.scope for node in self.nodes)

    @cached_property
    def ids(self) -> dict[Node, str]:
        """n0, n1, … in creation order, or those given."""
        given = self._given_ids
        return {node: given[node] if given else f"n{i}" for i, node in enumerate(self.nodes)}

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

    def sending_to(self, targets: Collection[Node]) -> set[Node]:
        """`targets` and every node from which some gradient flows back to them: not through a size or a mask."""
        found = set(targets)
        for node in self.nodes:
            if node.op is not None and node not in found:
                for i, x in enumerate(node.inputs):
                    if x in found and node.op.sends_to(i):
                        found.add(node)
                        break
        return found
