"""Forward mode: one fold that carries tangents along with the values and yields every edge along which one is passed.

Like reverse mode it is written once over an algebra, on arrays or, building the tangents as a graph, on nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.algebra import ARRAYS, Algebra, graphs
from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.reduction import expand


class Passed(NamedTuple):
    """One edge: `node` gets `amount` from its input number `argument`, the node `source`.

    `incoming` is the tangent of `source`; `local` the local derivative (None where the rule is not a product with one);
    `earlier` what `node`'s tangent was before (None: nothing) and `total` what it is now.
    """

    node: Node
    argument: int
    source: Node
    incoming: Any
    local: Any
    amount: Any
    earlier: Any
    total: Any


def pushforward(
    dag: Dag,
    values: Mapping[Node, Any],
    tangents: Mapping[Node, Any],
    algebra: Algebra = ARRAYS,
    deadline: Deadline | None = None,
) -> Iterator[Passed]:
    """The edges along which tangents are passed on, inputs before users.

    `values` holds every node's value (or the nodes themselves), `tangents` those of the inputs that move.
    """
    moving: dict[Node, Any] = dict(tangents)
    for node in dag.nodes:
        if node.op is None or node in tangents:
            continue
        inputs = [values[x] for x in node.inputs]
        earlier = None
        for argument, source in enumerate(node.inputs):
            if source not in moving:
                continue
            local, amount = _share(node.op, argument, moving[source], values[node], inputs, node.attrs, algebra)
            if amount is None:
                continue
            amount = algebra.spread(amount, values[node])
            total = amount if earlier is None else earlier + amount
            yield Passed(node, argument, source, moving[source], local, amount, earlier, total)
            earlier = total
        if earlier is not None:
            moving[node] = earlier
        if deadline is not None:
            deadline.check()


def _share(
    op: Op, i: int, tangent: Any, output: Any, inputs: list[Any], attrs: Mapping[str, Any], algebra: Algebra
) -> tuple[Any, Any]:
    """The local derivative (or None), and what input number `i` passes on (or None for nothing)."""
    rules = algebra.rules(op)
    if rules is not None:
        rule = rules[i]
        if rule is None:
            return None, None
        local = algebra.lift(rule(output, *inputs))
        return local, algebra.multiply(tangent, local)
    if op.arity is None:
        return None, op(*[tangent if k == i else zeros_like(x) for k, x in enumerate(inputs)], **attrs)
    if i in op.linear_in:
        return None, op(*inputs[:i], tangent, *inputs[i + 1 :], **attrs)
    if op.jvp is not None:
        rule = op.jvp[i]
        return None, None if rule is None else rule(tangent, output, *inputs, **attrs)
    if op.body is not None:
        return None, _through_body(op, i, tangent, inputs, attrs, algebra)
    return None, None


def _through_body(op: Op, i: int, tangent: Any, inputs: list[Any], attrs: Mapping[str, Any], algebra: Algebra) -> Any:
    """What a composite passes on, through the ops that it is made of."""
    dag, slots = body_of(op, attrs)
    total = None
    for fact in pushforward(dag, run(dag, slots, inputs), {slots[i]: tangent}, algebra):
        if fact.node is dag.output:
            total = fact.total
    return total


def zeros_like(value: Any) -> Any:
    """Zeros of an array's or a node's shape."""
    return expand(0.0, value) if isinstance(value, Node) else np.zeros_like(value)[()]


def tangent_of(dag: Dag, values: Mapping[Node, Any], tangents: Mapping[Node, Any]) -> Any:
    """The output's tangent on arrays; zeros if nothing reaches it."""
    found = tangents.get(dag.output, np.zeros_like(values[dag.output]))
    with np.errstate(all="ignore"):
        for fact in pushforward(dag, values, tangents):
            if fact.node is dag.output:
                found = fact.total
    return found


def tangent_graph(dag: Dag, shapes: Shapes, tangents: Mapping[Node, Node]) -> Iterator[Passed]:
    """The tangents as nodes, edge by edge."""
    return pushforward(dag, {node: node for node in dag.nodes}, tangents, graphs(shapes))
