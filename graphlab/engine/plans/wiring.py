"""A graph of single numbers as arrays: who uses what, sums of many terms, levels, and groups of like nodes.

1. Chains of additions whose partial sums nobody else uses become one sum of many terms, in the same order.
2. A node's level is one more than the highest of its inputs'.
3. Nodes are numbered anew: inputs, constants, then group after group, a group being all nodes of one level and op (and
   of as many terms). So a group is a stretch of the vector of all values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.ops.arithmetic import add

Integers = np.ndarray[Any, np.dtype[np.int64]]
_index = attrgetter("index")
SPARSE = 16
PROBED = 1024
NARROW = 8


class Edges(NamedTuple):
    """The positions of both ends of every edge, by user and then by number of the input."""

    user: Integers
    source: Integers


class Group(NamedTuple):
    """All nodes of one level and op. `inputs` holds the numbers of their inputs: one row for each argument or term."""

    op: Op
    start: int
    stop: int
    inputs: Integers


class Wiring(NamedTuple):
    """A graph in groups.

    leaves: inputs, in their order, then constants; their numbers count from 0. output: its number. uses: how many edges
    start at each number.
    """

    leaves: list[Node]
    output: int
    uses: Integers
    groups: list[Group]


def edges_of(dag: Dag) -> Edges:
    """The edges of a graph."""
    inputs = [node.inputs for node in dag.nodes]
    count = len(inputs)
    index = np.fromiter([node.index for node in dag.nodes], np.int64, count)
    source = np.fromiter([x.index for of_one in inputs for x in of_one], np.int64)
    if index[-1] - index[0] < SPARSE * count:
        position = np.zeros(index[-1] - index[0] + 1, np.int64)
        position[index - index[0]] = np.arange(count)
        source = position[source - index[0]]
    else:
        source = np.searchsorted(index, source)
    return Edges(np.repeat(np.arange(count), list(map(len, inputs))), source)


def position_of(node: Node, dag: Dag) -> int:
    """Where a node of the graph stands among its nodes."""
    return bisect_left(dag.nodes, node.index, key=_index)


def merge_sums(edges: Edges, adds: Any, output: int) -> tuple[Integers, Edges]:
    """For every node the sum that it is a part of (else itself), and the edges that are left.

    A partial sum is an addition that is used once, by another addition, which has no other partial sum before it. The
    terms of a sum come in the order of the additions.
    """
    user, source = edges
    once = np.bincount(source, minlength=len(adds)) == 1
    once[output] = False
    inside = adds[user] & (adds & once)[source]
    inside[1:] &= ~(inside[:-1] & (user[1:] == user[:-1]))
    whole = np.arange(len(adds))
    whole[source[inside]] = user[inside]
    while not np.array_equal(further := whole[whole], whole):
        whole = further
    user, source = whole[user[~inside]], source[~inside]
    order = np.argsort(user, kind="stable")
    return whole, Edges(user[order], source[order])


def levels_of(edges: Edges, is_leaf: Any) -> Integers:
    """Every node's level."""
    levels = np.where(is_leaf, 0, 1).tolist()
    inner = ~is_leaf[edges.source]
    for user, source in zip(edges.user[inner].tolist(), edges.source[inner].tolist(), strict=True):
        if levels[source] >= levels[user]:
            levels[user] = levels[source] + 1
    return np.array(levels)


def begins_narrow(nodes: Sequence[Node]) -> bool:
    """Whether the first nodes depend on each other in a long chain, leaving sums aside."""
    levels: dict[Node, int] = {}
    for node in nodes[:PROBED]:
        levels[node] = max([levels[x] for x in node.inputs], default=0) + (node.op is not None and node.op is not add)
    return max(levels.values()) * NARROW > len(levels)


def wiring(dag: Dag, only_wide: bool = False) -> Wiring | None:
    """The graph in groups; None if only a wide graph is asked for and this one is narrow."""
    if only_wide and begins_narrow(dag.nodes):
        return None
    ops = [node.op for node in dag.nodes]
    codes = {op: code for code, op in enumerate(dict.fromkeys([None, add, *ops]))}
    code = np.fromiter(map(codes.__getitem__, ops), np.int64, len(ops))
    output = position_of(dag.output, dag)
    whole, edges = merge_sums(edges_of(dag), code == codes[add], output)
    levels = levels_of(edges, code == codes[None])
    if only_wide and levels.max() * NARROW > len(ops):
        return None
    terms = np.bincount(edges.user, minlength=len(ops))
    key = (levels * len(codes) + code) * (terms.max(initial=0) + 1) + terms
    rest = np.flatnonzero((whole == np.arange(len(ops))) & (levels > 0))
    rest = rest[np.argsort(key[rest], kind="stable")]
    leaves = np.flatnonzero(levels == 0)
    named = np.array([dag.nodes[i].name is not None for i in leaves.tolist()], np.bool_)
    leaves = np.concatenate([leaves[named], leaves[~named]])
    numbers = np.zeros(len(ops), np.int64)
    numbers[leaves] = np.arange(len(leaves))
    numbers[rest] = np.arange(len(leaves), len(leaves) + len(rest))
    numbers = numbers[whole]
    uses = np.bincount(numbers[edges.source], minlength=len(leaves) + len(rest))
    groups = list(groups_of(edges, numbers, ops, np.split(rest, np.flatnonzero(np.diff(key[rest])) + 1), terms))
    return Wiring([dag.nodes[i] for i in leaves.tolist()], int(numbers[output]), uses, groups)


def groups_of(
    edges: Edges, numbers: Integers, ops: list[Op | None], members: list[Integers], terms: Integers
) -> Iterator[Group]:
    """The groups, given the positions of the members of each."""
    first = np.cumsum(terms) - terms
    for nodes in members:
        op = ops[nodes[0]] if nodes.size else None
        if op is not None:
            rows = first[nodes] + np.arange(terms[nodes[0]])[:, None]
            start = int(numbers[nodes[0]])
            yield Group(op, start, start + len(nodes), numbers[edges.source[rows]])
