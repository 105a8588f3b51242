"""The paths along which an input reaches the output: counted exactly, listed where they are few, and added up.

The gradient of an input is the sum over all its paths of the product of the local derivatives on each. Counting needs
no listing: it is one addition per edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine.core import Node, careful_rules
from graphlab.engine.dag import Dag
from graphlab.errors import LimitError, NoRule

Edge = tuple[Node, int]
MOST_PATHS = 10_000


@dataclass(frozen=True, slots=True)
class NodePath:
    """One path: the nodes from the input to the output, the edges between them (each a user and the number of its
    input), and the local derivative of each.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    factors: tuple[float, ...]
    product: float


def count_paths(dag: Dag, x: Node) -> int:
    """How many paths lead from `x` to the output; an input used twice by one node counts twice."""
    counts: dict[Node, int] = {dag.output: 1}
    for node in reversed(dag.nodes):
        ways = counts.get(node, 0)
        if ways and node is not x:
            for argument, source in enumerate(node.inputs):
                if passes(node, argument):
                    counts[source] = counts.get(source, 0) + ways
    return counts.get(x, 0)


def passes(node: Node, argument: int) -> bool:
    """Whether anything is sent along this edge at all."""
    return node.op is not None and node.op.sends_to(argument)


def list_paths(dag: Dag, values: Mapping[Node, Any], x: Node) -> list[NodePath]:
    """Every path from `x` to the output of a scalar graph. LimitError above 10,000, with the exact count."""
    total = count_paths(dag, x)
    if total > MOST_PATHS:
        raise LimitError(
            f"there are {total:,} paths from {x.name}; at most {MOST_PATHS:,} are listed",
            hint="The gradient needs none of them listed: it adds them up edge by edge.",
        )
    slopes: dict[Edge, float] = {}
    reaching = dag.sending_to([x])
    return [_path(route, values, slopes) for route in _routes(dag.output, x, reaching)]


def _routes(output: Node, x: Node, reaching: set[Node]) -> Iterator[list[Edge]]:
    """Every route from the output back to `x`, as the edges it takes. An explicit stack: depth is no limit."""
    if output is x:
        yield []
    route: list[Edge] = []
    stack: list[tuple[int, Node, int]] = [(0, output, i) for i in reversed(range(len(output.inputs)))]
    while stack:
        depth, user, argument = stack.pop()
        del route[depth:]
        source = user.inputs[argument]
        if source not in reaching or not passes(user, argument):
            continue
        route.append((user, argument))
        if source is x:
            yield list(route)
        else:
            stack.extend((depth + 1, source, i) for i in reversed(range(len(source.inputs))))


def _path(route: list[Edge], values: Mapping[Node, Any], slopes: dict[Edge, float]) -> NodePath:
    for edge in route:
        if edge not in slopes:
            slopes[edge] = local_slope(*edge, values)
    edges = list(reversed(route))
    factors = tuple(slopes[edge] for edge in edges)
    nodes = (edges[0][0].inputs[edges[0][1]], *(user for user, _ in edges)) if edges else ()
    return NodePath(nodes, tuple(edges), factors, float(np.prod(factors)))


def local_slope(user: Node, argument: int, values: Mapping[Node, Any]) -> float:
    """The local derivative of one edge of a scalar graph."""
    rules = careful_rules(user.op) if user.op is not None else None
    rule = rules[argument] if rules is not None else None
    if rule is None:
        name = user.op.call_name if user.op else "the node"
        raise NoRule(f"{name} has no single local derivative: paths are for graphs of scalar, elementwise operations")
    with np.errstate(all="ignore"):
        return float(rule(values[user], *[values[x] for x in user.inputs]))


@dataclass(frozen=True, slots=True)
class Multiplications:
    """How many chain-rule products a pass makes: one per edge that carries something.

    reverse: one pass gives the gradient of every input; forward: one pass per input, by input.
    """

    reverse: int
    forward: dict[str, int]


def count_multiplications(dag: Dag) -> Multiplications:
    """Both counts, for a graph of elementwise operations."""
    sources = list(dag.inputs.values())
    return Multiplications(
        _reverse_edges(dag, dag.sending_to(sources)), {str(x.name): _forward_edges(dag, x) for x in sources}
    )


def _forward_edges(dag: Dag, x: Node) -> int:
    moving = {x}
    edges = 0
    for node in dag.nodes:
        arriving = sum(source in moving and passes(node, i) for i, source in enumerate(node.inputs))
        if arriving:
            moving.add(node)
            edges += arriving
    return edges


def _reverse_edges(dag: Dag, active: set[Node]) -> int:
    reached = {dag.output}
    edges = 0
    for node in reversed(dag.nodes):
        if node not in reached:
            continue
        for i, source in enumerate(node.inputs):
            if source in active and passes(node, i):
                reached.add(source)
                edges += 1
    return edges
