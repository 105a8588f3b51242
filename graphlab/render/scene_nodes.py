"""The parts of a scene that never change: what its nodes, boxes and edges are, have and hold.

Their fields are listed in `render.scene`.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from graphlab.engine.core import OPS
from graphlab.engine.shapes import show_shape
from graphlab.render.arrays import heat, shown, size_of
from graphlab.render.boxes import BoxPlan, title_of
from graphlab.render.frames import frame, gradient_names, has_gradient_slot
from graphlab.render.mathematics import typeset
from graphlab.render.svg import Picture
from graphlab.tracing.box_explainer import count_contents, gradient_sizes
from graphlab.tracing.numbers import full_digits, show_number
from graphlab.tracing.trace import Step, Trace, TraceNode
from graphlab.tracing.visible import box_of
from graphlab.tracing.words import label, label_latex, show_formula

DETAIL_SIZE = 20.0
LONGEST_IN_DETAILS = 120
MOST_DIGITS = 4_000


def node_data(picture: Picture, node: TraceNode) -> dict[str, Any]:
    """A "node" of the scene."""
    trace, box = picture.trace, picture.boxes[node.id]
    gradient = picture.gradients.get(node.id)
    op = OPS.get(node.op or "")
    return {
        "id": node.id,
        "role": node.role,
        "name": label(node),
        "label": box.spoken,
        "names": gradient_names(trace, node),
        "slot": "tangent" if trace.kind == "tangent" else "gradient",
        "title": title_of(node).standalone(box.spoken),
        "shape": show_shape(node.shape) if node.shape else "",
        "inputs": list(dict.fromkeys(node.inputs)),
        "users": list(dict.fromkeys(edge.target for edge in picture.edges if edge.source == node.id)),
        "why": op.why if op else "",
        "fault": node.fault or "",
        "scope": node.scope,
        "opens": _opens(node),
        "box": _box(trace, node),
        "heat": {
            "value": heat(node.value, signed=False),
            "gradient": heat(gradient.value, signed=True) if gradient else None,
        },
        "value": _quantity(trace, node, "" if node.box else label_latex(node), box, signed=False),
        "gradient": _gradient(picture, node, gradient) if has_gradient_slot(trace, node) else None,
        "locals": [_local(trace, step) for step in trace.steps if step.user == node.id and step.local],
    }


def _opens(node: TraceNode) -> str:
    """What to add to the open boxes to see inside."""
    op = OPS.get(node.op or "")
    return box_of(node.id) if node.box else node.id if op is not None and op.body is not None else ""


def _box(trace: Trace, node: TraceNode) -> dict[str, Any] | None:
    box = node.box
    if box is None:
        return None
    sizes = gradient_sizes(trace, node)
    results = [
        {
            "node": inside.id,
            "name": label(inside),
            "shape": show_shape(inside.shape) if inside.shape else "",
            "size": "" if inside.value is None else size_of(inside.value),
            "gradient": show_number(sizes[inside.id]) if inside.id in sizes else "",
        }
        for inside in map(trace.node, box.results)
    ]
    return {
        "path": node.name,
        "title": node.symbol,
        "repeats": box.repeats,
        "operations": box.operations,
        "parameters": box.parameters,
        "counts": count_contents(box),
        "results": results,
    }


def edge_data(picture: Picture) -> list[dict[str, Any]]:
    """The edges of the scene, with the size of all that an edge carries back in the end, where that is an array."""
    sent = frame(picture.changes, len(picture.changes) - 1).sent
    return [
        {
            "id": edge.id,
            "source": edge.source,
            "target": edge.target,
            "argument": edge.argument,
            "shape": edge.shape,
            "norm": sent[edge.id].brief if edge.id in sent and edge.shape else "",
        }
        for edge in picture.edges
    ]


def _quantity(trace: Trace, node: TraceNode, left: str, box: BoxPlan, *, signed: bool) -> dict[str, Any]:
    """What a node holds; `left` names it in the formula, "" leaves that to the viewer. Only where nothing is folded is
    it written out to the inputs."""
    written_out = node.expression if len(node.expression) <= LONGEST_IN_DETAILS and not trace.folded else ""
    right = written_out or node.latex
    latex = "" if right == left else f"{left} = {right}" if left else right
    return {
        "short": shown(node.value, signed=signed),
        "digits": _digits(node.value),
        "formula": typeset(latex, show_formula(node.text), DETAIL_SIZE).standalone(box.spoken) if latex else "",
    }


def _gradient(picture: Picture, node: TraceNode, total: TraceNode | None) -> dict[str, Any]:
    if total is None:
        return {"short": "", "digits": "", "formula": ""}
    return _quantity(picture.trace, total, "", picture.boxes[node.id], signed=True)


def _local(trace: Trace, step: Step) -> dict[str, str]:
    local, user, node = trace.node(step.local or ""), trace.node(step.user or ""), trace.target(step)
    symbol = rf"\partial {label_latex(user)}/\partial {label_latex(node)}"
    plain = f"∂{label(user)}/∂{label(node)}"
    written = typeset(f"{symbol} = {local.latex}", f"{plain} = {show_formula(local.text)}", DETAIL_SIZE)
    digits = _digits(local.value)
    return {"node": step.node, "formula": written.standalone(plain), "digits": "" if digits == local.text else digits}


def _digits(value: Any) -> str:
    """All digits of a number; the rows of an array."""
    if value is None:
        return ""
    array = np.asarray(value)
    if array.ndim == 0:
        return full_digits(array[()])
    first = array[: 1 + MOST_DIGITS * len(array) // array.size] if array.size > MOST_DIGITS else array
    text = json.dumps(first.tolist()).replace("-", "−")
    return text if len(text) <= MOST_DIGITS else text[:MOST_DIGITS] + " …"
