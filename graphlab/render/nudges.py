"""An input moved a little, in texts: what every node becomes, and the slope's promise beside what really happens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from graphlab.render.frames import final_gradients, product
from graphlab.tracing.numbers import show_number
from graphlab.tracing.trace import Trace, TraceNode
from graphlab.tracing.words import label


def written_nudge(trace: Trace, node_id: str, nudge: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of a nudge that is given as numbers: {"deltas": floats, "values": {node id: floats}}."""
    node, output = trace.node(node_id), trace.node(trace.output)
    total = final_gradients(trace).get(node_id)
    slope = float(total.value) if total is not None and total.value is not None else math.nan
    lines = [
        _line(slope, float(delta), float(after) - float(output.value), output)
        for delta, after in zip(nudge["deltas"], nudge["values"][output.id], strict=True)
    ]
    return {
        "name": label(node),
        "deltas": [show_number(float(delta)) for delta in nudge["deltas"]],
        "values": {key: [show_number(float(x)) for x in numbers] for key, numbers in nudge["values"].items()},
        "lines": lines,
    }


def _line(slope: float, delta: float, change: float, output: TraceNode) -> str:
    promised = f"{product(show_number(slope), show_number(delta))} = {show_number(_rounded(slope * delta))}"
    return f"slope · Δ = {promised}; {label(output)} really changes by {show_number(_rounded(change))}"


def _rounded(x: float) -> float:
    """Without the last digits, which are only the rounding of float64 (−0.40000000000000036)."""
    return float(f"{x:.12g}") if abs(x) > 1e-12 else 0.0
