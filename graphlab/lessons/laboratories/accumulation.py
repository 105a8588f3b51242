"""Four ways to add up gradients along the edges of a scalar graph, three of them wrong: rung 4's laboratory.

Each takes the local derivatives of a recorded run and returns the gradient of every node, by id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from graphlab.tracing.trace import Trace

Gradients = Mapping[str, float]


class LocalEdge(NamedTuple):
    """`user` sends its gradient times `local` to `node`."""

    user: str
    node: str
    local: float


def local_edges(trace: Trace) -> list[LocalEdge]:
    """The edges of a backward pass in their order, with the local derivatives that it found."""
    edges = [step for step in trace.steps if step.kind == "edge"]
    return [LocalEdge(str(e.user), e.node, float(trace.node(str(e.local)).value)) for e in edges]


def accumulate(trace: Trace, before: Gradients | None = None) -> dict[str, float]:
    """`+=` in the order of the pass; `before` are gradients left over from an earlier one. The output gets 1."""
    found: dict[str, float] = defaultdict(float, before or {})
    found[trace.output] = 1.0
    for user, node, local in local_edges(trace):
        found[node] += found[user] * local
    return dict(found)


def overwrite(trace: Trace) -> dict[str, float]:
    """`=` instead of `+=`: a node keeps only what came last."""
    found = {trace.output: 1.0}
    for user, node, local in local_edges(trace):
        found[node] = found[user] * local
    return found


def recurse(trace: Trace) -> dict[str, float]:
    """Send on at once: whoever receives something passes on all it has, before the rest has arrived."""
    found: dict[str, float] = defaultdict(float)
    edges = local_edges(trace)

    def receive(node: str, amount: float) -> None:
        found[node] += amount
        for edge in edges:
            if edge.user == node:
                receive(edge.node, found[node] * edge.local)

    receive(trace.output, 1.0)
    return dict(found)


def twice(trace: Trace, *, only_inputs: bool) -> dict[str, float]:
    """The pass twice without clearing: the gradients of the inputs stay, or those of all nodes."""
    first = accumulate(trace)
    inputs = {node.id for node in trace.nodes if node.role == "input"}
    return accumulate(trace, {n: g for n, g in first.items() if n in inputs} if only_inputs else first)
