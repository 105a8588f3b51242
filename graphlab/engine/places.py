"""Where in a graph something went wrong: an error says at which node, if that was built in a scope or under a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.errors import GraphLabError, ValueProblem


def at_node(fault: GraphLabError, node: Node) -> GraphLabError:
    """`fault`, raised by the op of `node`, with its place: "in encoder.layer.0.attention.self: matmul for S: …"."""
    if fault.node is None:
        op, _, what = fault.message.partition(": ")
        named = f"{op} for {node.name}: {what}" if node.name and node.op is not None else fault.message
        fault.message = f"in {node.scope}: {named}" if node.scope else named
        fault.args = (fault.message,)
        fault.node = node
    return fault


def user_of(dag: Dag, node: Node, roles: str) -> Node:
    """The first node that takes an input as "ids" or as one of the "masks"."""
    return next(
        user
        for user in dag.users[node]
        if user.op is not None and any(x is node and i in getattr(user.op, roles) for i, x in enumerate(user.inputs))
    )


def refuse_mixed_types(dag: Dag, values: Mapping[Node, Any]) -> None:
    """Raise ValueProblem where float32 and float64 arrays meet inside a scope: half of a model in double precision is
    a slip. Outside of scopes they mix as in NumPy."""
    kinds = {node: value.dtype for node, value in values.items() if value.dtype.kind == "f" and value.ndim}
    if len(set(kinds.values())) < 2:
        return
    for node in dag.nodes:
        met = {x: kinds[x] for x in node.inputs if x in kinds}
        if len(set(met.values())) > 1 and node.scope and node.op is not None:
            said = " but ".join(f"{x.name or 'what comes in'} is {kind}" for x, kind in met.items())
            fault = ValueProblem(
                f"{node.op.call_name}: {said}", hint="Convert one of them: values.astype(numpy.float32)."
            )
            raise at_node(fault, node)
        if met:
            kinds[node] = np.result_type(*met.values())
