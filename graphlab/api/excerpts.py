"""A part of a graph as graphs of their own: what enters the part becomes an input, what leaves it an output."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from graphlab.api.graph import Graph
from graphlab.engine.core import Node, beside, variable
from graphlab.engine.naming import accented_name
from graphlab.engine.textbook import substituted
from graphlab.engine.writing import short_name


class Excerpt(NamedTuple):
    """The graph of one value that leaves a part. Names, symbols and shapes are those of the whole graph; `seed` is the
    name of what arrives there in the backward pass, Y_bar."""

    graph: Graph
    seed: str


def excerpts(graph: Graph, inside: Collection[Node]) -> Iterator[Excerpt]:
    """One for every value of the operations `inside` that is used outside, or is the output. What several of them send
    to the same input is added up in the whole graph."""
    inputs = {node: _input_for(graph, node) for node in _entering(inside)}
    used = {x for node in graph.dag.nodes if node not in inside for x in node.inputs} | {graph.dag.output}
    for node in graph.dag.nodes:
        if node in inside and node in used:
            name = graph.names[node]
            output = substituted(node, dict(inputs))
            part = Graph(output, names={output: name}, shapes=graph.shapes)
            yield Excerpt(part, accented_name(short_name(node, name), "bar", set(part.inputs)))


def _entering(inside: Collection[Node]) -> Iterator[Node]:
    """The operations outside whose values are used inside."""
    for node in inside:
        yield from (x for x in node.inputs if x.op is not None and x not in inside)


def _input_for(graph: Graph, node: Node) -> Node:
    """An input that is called like an operation, and has its shape."""
    name = graph.names[node]
    short = short_name(node, name)
    with beside(node.scope):
        return variable(name, short if short != name else None, graph._symbolic_shapes[node])
