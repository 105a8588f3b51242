"""The first sixty seconds, and nudging: what happens to the output when an input moves a little.

Everything is computed beforehand: a scalar graph is evaluated once per input on 41 shifted values at a time, so that
the browser only looks numbers up.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from graphlab.api import Graph, Trace
from graphlab.tracing import catalogue
from graphlab.tracing.numbers import show_number
from graphlab.tracing.trace import TraceNode
from graphlab.tracing.words import Letters, show_gradient, show_name

DELTAS = np.round(np.linspace(-2, 2, 41), 1)
NUDGE = 0.1
MOST_INPUTS = 12
MOST_NODES = 60


def nudges(graph: Graph, trace: Trace) -> dict[str, dict[str, Any]]:
    """For every input, all values of the graph at 41 shifts of it; empty for graphs of arrays and for large ones."""
    inputs = [node for node in trace.nodes if node.role == "input"]
    if not graph.is_elementwise or len(inputs) > MOST_INPUTS or len(trace.forward_nodes) > MOST_NODES:
        return {}
    if any(node.shape or node.value is None for node in trace.forward_nodes):
        return {}
    if not np.isfinite([node.value for node in inputs]).all():
        return {}
    moved = {}
    for node in inputs:
        values = graph.node_values({**trace.values, node.name: node.value + DELTAS})
        moved[node.id] = {
            "deltas": DELTAS.tolist(),
            "values": {name: np.broadcast_to(value, DELTAS.shape).tolist() for name, value in values.items()},
        }
    return moved


def tour(trace: Trace) -> dict[str, Any] | None:
    """The question after the forward pass and the notes on the way; None where there is nothing to ask."""
    inputs = [node for node in trace.nodes if node.role == "input"]
    slopes = {node.id: trace.known_gradients.get(node.id, 0.0) for node in inputs}
    if not inputs or any(np.shape(s) or not np.isfinite(s) for s in slopes.values()):
        return None
    asked = max(inputs, key=lambda node: len({abs(slopes[node.id]) * NUDGE, 0.0}) * node_depth(trace, node))
    choices = answers(asked, slopes)
    if len(choices) < 3:
        return None
    output = trace.node(trace.output)
    forward = sum(step.kind == "compute" for step in trace.steps)
    last = max(k for k, step in enumerate(trace.steps, start=1) if step.node == asked.id)
    right = slopes[asked.id] * NUDGE
    shown = [signed(choice) for choice in choices]
    name, out = show_name(asked.name), show_name(output.name)
    moved = show_number(output.value + right)
    return {
        "question": {
            "after": forward,
            "text": catalogue.TOUR["question"].format(node=name, output=out),
            "choices": shown,
            "answer": choices.index(right),
            "replies": [
                catalogue.TOUR["right" if choice == right else "wrong"].format(
                    guess=text, answer=signed(right), node=name, output=out, moved=moved
                )
                for choice, text in zip(choices, shown, strict=True)
            ],
        },
        "nudge": asked.id,
        "notes": {
            str(last): {
                letters: catalogue.TOUR["note"].format(
                    gradient=show_gradient(asked.name, output.name, letters),
                    slope=show_number(slopes[asked.id]),
                    change=signed(right),
                )
                for letters in get_args(Letters)
            }
        },
        "end": catalogue.END,
    }


def node_depth(trace: Trace, node: TraceNode) -> int:
    """How late the backward pass reaches a node: the later, the more there is to see."""
    return max((k for k, step in enumerate(trace.steps) if step.node == node.id), default=0)


def answers(asked: TraceNode, slopes: dict[str, float]) -> list[float]:
    """Three changes to choose from, the right one first: the others belong to other inputs, or have a wrong sign."""
    right = slopes[asked.id] * NUDGE
    others = [slope * NUDGE for node_id, slope in slopes.items() if node_id != asked.id]
    found: list[float] = []
    for change in (right, *others, -right, right / 2, 2 * right):
        if change and all(show_number(change) != show_number(other) for other in found):
            found.append(change)
    return sorted(found[:3], key=abs, reverse=True) if right in found[:1] else []


def signed(change: float) -> str:
    """+0.5 or −0.4."""
    return ("+" if change > 0 else "") + show_number(change)
