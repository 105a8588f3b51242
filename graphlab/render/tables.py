"""The pass as on paper: one row per step with value, upstream, local derivative, contribution and gradient so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphlab.render.frames import in_brackets, local_derivative, product, rule_of
from graphlab.tracing.numbers import show_value
from graphlab.tracing.trace import Step, Trace, TraceNode


def table_rows(trace: Trace) -> list[dict[str, Any]]:
    """The inputs as step 0, then a row per step. Cells are plain texts; "" where a column does not apply."""
    inputs = [_row(0, n, value=_shown(n.value)) for n in trace.forward_nodes if n.role == "input"]
    return [*inputs, *(_step_row(trace, k, step) for k, step in enumerate(trace.steps, start=1))]


def _row(step: int, node: TraceNode, **cells: str | None) -> dict[str, Any]:
    empty = dict.fromkeys(("value", "upstream", "local", "contribution", "gradient"), "")
    return {"step": step, "node": node.id, "user": None, "source": None, "rule": rule_of(node)} | empty | cells


def _step_row(trace: Trace, k: int, step: Step) -> dict[str, Any]:
    node = trace.node(step.node)
    if step.kind == "compute":
        return _row(k, node, value=_shown(node.value))
    total = _shown(_value(trace, step.total))
    if step.kind in ("seed", "tangent"):
        return _row(k, node, gradient=total)
    return _row(
        k,
        node,
        user=step.user if step.kind == "edge" else None,
        source=trace.node(str(step.user)).inputs[step.argument or 0] if step.kind == "push" else None,
        upstream=_shown(_value(trace, step.upstream)),
        local=local_derivative(trace, step),
        contribution=_contribution(trace, step),
        gradient=_sum(trace, step, total),
    )


def _sum(trace: Trace, step: Step, total: str) -> str:
    if step.earlier is None:
        return total
    return f"{_shown(_value(trace, step.earlier))} + {in_brackets(_shown(_value(trace, step.amount)))} = {total}"


def _contribution(trace: Trace, step: Step) -> str:
    amount = _shown(_value(trace, step.amount))
    upstream, local = _value(trace, step.upstream), _value(trace, step.local)
    if local is None or np.ndim(local) or np.ndim(upstream):
        return amount
    return f"{product(_shown(upstream), _shown(local))} = {amount}"


def _value(trace: Trace, node_id: str | None) -> Any:
    return trace.node(node_id).value if node_id is not None else None


def _shown(value: Any) -> str:
    return "" if value is None else show_value(value)
