"""Opening composites: the same graph with some of its composites replaced by the operations that they are made of.

The parts of n5 are n5.0, n5.1 …, the last of them in the place of n5; all other nodes keep their ids, and a part that
is a composite itself (n5.2) can be opened again. Parts stand in the scope of n5, one level deeper: "encoder.softmax".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from graphlab.engine.bodies import body_of
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.errors import NoRule, UnknownName


@dataclass(frozen=True, slots=True)
class Opened:
    """The opened graph. `become` says what each node of the closed one became; `closed` keeps every opened composite
    by its id, as a node on its inputs in the opened graph, beside the part that took its place."""

    dag: Dag
    become: Mapping[Node, Node]
    closed: Mapping[str, tuple[Node, Node]]


def open_composites(dag: Dag, wanted: Collection[str]) -> Opened:
    """`dag` with the composites of these ids opened.

    Raises UnknownName for an id that there is not, NoRule for an operation that is made of no others.
    """
    opening = _Opening(frozenset(wanted))
    become: dict[Node, Node] = {}
    for node in dag.nodes:
        become[node] = opening.place(node, become, dag.ids[node], node.scope)
    missing = sorted(opening.wanted - opening.closed.keys())
    if missing:
        raise UnknownName(f"the graph has no node {missing[0]!r:.60}", hint="Ids are those of a trace: n5, n5.2.")
    return Opened(Dag(*[become[x] for x in dag.outputs], ids=opening.ids), become, opening.closed)


@dataclass
class _Opening:
    """Copies nodes in order, so that the opened graph keeps the order of the closed one."""

    wanted: frozenset[str]
    ids: dict[Node, str] = field(default_factory=dict)
    closed: dict[str, tuple[Node, Node]] = field(default_factory=dict)

    def place(self, node: Node, become: Mapping[Node, Node], name: str, scope: str) -> Node:
        """The copy of `node`, or of the last part of it if it is to be opened."""
        copy = _copy(node, become, scope)
        if name not in self.wanted:
            self.ids[copy] = name
            return copy
        last = self._parts(copy, name, f"{scope}.{copy.op.name}" if scope else copy.op.name) if copy.op else None
        if last is None:
            raise NoRule(f"{name} ({node!r}) is not made of other operations", hint="Composites can be opened.")
        last.name = node.name
        self.closed[name] = copy, last
        return last

    def _parts(self, copy: Node, name: str, scope: str) -> Node | None:
        if copy.op is None or copy.op.body is None:
            return None
        body, slots = body_of(copy.op, copy.attrs)
        become = dict(zip(slots, copy.inputs, strict=True))
        parts = [part for part in body.nodes if part not in become]
        for number, part in enumerate(parts):
            become[part] = self.place(part, become, f"{name}.{number}", scope)
        return become[body.output]


def _copy(node: Node, become: Mapping[Node, Node], scope: str) -> Node:
    copy = Node(node.op, tuple([become[x] for x in node.inputs]), node.attrs, node.name, node.value)
    copy.scope = scope
    return copy
