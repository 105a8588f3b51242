"""Forward mode: one fold that carries tangents along with the values, on arrays or, building the graph, on nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import Node, Op, careful_rules
from graphlab.engine.dag import Dag
from graphlab.engine.ops.arithmetic import chain


class Pushed(NamedTuple):
    """`node` has its tangent: how fast it moves when the inputs move as said."""

    node: Node
    tangent: Any


def pushforward(dag: Dag, values: Mapping[Node, Any], tangents: Mapping[Node, Any]) -> Iterator[Pushed]:
    """The tangent of every node that moves, in topological order. `values` holds every node's value (or the nodes)."""
    moving: dict[Node, Any] = dict(tangents)
    for node in dag.nodes:
        if node.op is None or not any(x in moving for x in node.inputs):
            continue
        inputs = [values[x] for x in node.inputs]
        tangent = _tangent(node.op, inputs, values[node], [moving.get(x) for x in node.inputs], node.attrs)
        if tangent is not None:
            moving[node] = tangent
            yield Pushed(node, tangent)


def _tangent(op: Op, inputs: list[Any], output: Any, tangents: list[Any], attrs: Mapping[str, Any]) -> Any:
    """Σ over the moving inputs of what each passes on; None if none passes anything."""
    if op.partials is None and op.vjp is not None and not op.linear_in and op.jvp is None and op.body is None:
        return None
    if op.body is not None and op.partials is None:
        dag, slots = body_of(op, attrs)
        moving = {slot: t for slot, t in zip(slots, tangents, strict=True) if t is not None}
        last = {fact.node: fact.tangent for fact in pushforward(dag, run(dag, slots, inputs), moving)}
        return last.get(dag.output)
    total = None
    for i, tangent in enumerate(tangents):
        if tangent is None:
            continue
        share = _share(op, i, tangent, output, inputs, attrs)
        if share is not None:
            total = share if total is None else total + share
    return total


def _share(op: Op, i: int, tangent: Any, output: Any, inputs: list[Any], attrs: Mapping[str, Any]) -> Any:
    """What input number `i` contributes to the output's tangent."""
    if op.partials is not None:
        symbolic = isinstance(output, Node)
        rules = op.partials if symbolic else careful_rules(op)
        rule = rules[i] if rules else None
        return None if rule is None else chain(tangent, rule(output, *inputs))
    if i in op.linear_in:
        return op(*inputs[:i], tangent, *inputs[i + 1 :], **attrs)
    rule = op.jvp[i] if op.jvp else None
    return None if rule is None else rule(tangent, output, *inputs, **attrs)


def tangent_of(dag: Dag, values: Mapping[Node, Any], tangents: Mapping[Node, Any]) -> Any:
    """The output's tangent on arrays; zeros if nothing reaches it."""
    found = tangents.get(dag.output)
    with np.errstate(all="ignore"):
        for fact in pushforward(dag, values, tangents):
            if fact.node is dag.output:
                found = fact.tangent
    return np.zeros_like(values[dag.output]) if found is None else np.broadcast_to(found, np.shape(values[dag.output]))
