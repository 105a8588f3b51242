"""Reverse mode: one fold, from the output back, that yields every edge along which a gradient is sent.

The fold is written once, over an algebra: on arrays it computes the gradients, on the nodes themselves it builds them
as a graph, which can be printed and differentiated again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.algebra import ARRAYS, Algebra, graphs, shapes_for
from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline
from graphlab.engine.inference import Shapes


class Contribution(NamedTuple):
    """One edge: `user` sends `amount` to its input number `argument`, the node `node`.

    `upstream` is the gradient that arrived at `user`; `local` the local derivative (None where the rule is a vjp);
    `earlier` what the slot of `node` held before (None: nothing) and `total` what it holds now.
    """

    user: Node
    argument: int
    node: Node
    upstream: Any
    local: Any
    amount: Any
    earlier: Any
    total: Any


def pullback(
    dag: Dag,
    values: Mapping[Node, Any],
    seed: Any,
    algebra: Algebra,
    wrt: Collection[Node],
    deadline: Deadline | None = None,
) -> Iterator[Contribution]:
    """The edges of `dag.output`'s backward pass towards `wrt`, in the order in which they are followed.

    A node's turn comes when everything that uses it is finished: reverse creation order. A later edge adds to what the
    slot holds (+=, never =). `seed` is the output's own gradient.
    """
    active = dag.sending_to(wrt)
    slots: dict[Node, Any] = {dag.output: seed}
    for user in reversed(dag.nodes):
        op = user.op
        if op is None or user not in slots or user not in active:
            continue
        upstream = slots[user]
        inputs = [values[x] for x in user.inputs]
        rules = algebra.rules(op)
        for argument, node in enumerate(user.inputs):
            if node not in active:
                continue
            if rules is not None:
                rule = rules[argument]
                if rule is None:
                    continue
                local = algebra.lift(rule(values[user], *inputs))
                amount = algebra.multiply(upstream, local)
            else:
                local = None
                amount = pull_through(op, argument, upstream, values[user], inputs, user.attrs, algebra)
                if amount is None:
                    continue
            amount = algebra.gather(amount, values[node])
            earlier = slots.get(node)
            total = amount if earlier is None else earlier + amount
            slots[node] = total
            yield Contribution(user, argument, node, upstream, local, amount, earlier, total)
        if deadline is not None:
            deadline.check()


def pull_through(
    op: Op, argument: int, upstream: Any, output: Any, inputs: list[Any], attrs: Mapping[str, Any], algebra: Algebra
) -> Any:
    """One input's cotangent by the op's vjp, or through its body; None where no gradient flows."""
    if op.vjp is not None:
        rule = op.vjp_of(argument)
        if rule is None:
            return None
        return rule(upstream, output, *inputs, **attrs, **shapes_for(rule, inputs, algebra))
    return pull_through_body(op, argument, upstream, inputs, attrs, algebra)


def pull_through_body(
    op: Op, argument: int, upstream: Any, inputs: list[Any], attrs: Mapping[str, Any], algebra: Algebra
) -> Any:
    """One input's cotangent through the ops that a composite is made of."""
    dag, slots = body_of(op, attrs)
    amount = None
    for fact in pullback(dag, run(dag, slots, inputs), upstream, algebra, [slots[argument]]):
        if fact.node is slots[argument]:
            amount = fact.total
    return amount


def gradients(
    dag: Dag, values: Mapping[Node, Any], seed: Any, wrt: Collection[Node], deadline: Deadline | None = None
) -> dict[Node, Any]:
    """The gradient of `dag.output` with respect to each node of `wrt`, given every node's value."""
    kept = {dag.output: seed} if dag.output in wrt else {}
    wanted = set(wrt)
    with np.errstate(all="ignore"):
        for fact in pullback(dag, values, seed, ARRAYS, wanted, deadline):
            if fact.node in wanted:
                kept[fact.node] = fact.total
    return {node: kept[node] if node in kept else np.zeros_like(values[node]) for node in wrt}


def backward_graph(dag: Dag, shapes: Shapes, seed: Node, wrt: Collection[Node]) -> Iterator[Contribution]:
    """The backward pass as nodes, edge by edge. They stand in the scope of the node that sends them."""
    newest = max(dag.nodes[-1].index, seed.index)
    for fact in pullback(dag, {node: node for node in dag.nodes}, seed, graphs(shapes), wrt):
        for node in _made_since(newest, fact.total):
            node.scope = fact.user.scope
        newest = max(newest, fact.total.index)
        yield fact


def _made_since(newest: int, target: Node) -> list[Node]:
    """`target` and all that it needs, as far as it is newer than the node of that index."""
    found = [target] if target.index > newest else []
    seen = set(found)
    for node in found:
        fresh = [x for x in node.inputs if x.index > newest and x not in seen]
        seen.update(fresh)
        found += fresh
    return found
