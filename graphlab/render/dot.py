"""A trace for other programs: DOT text, and positions as plain data.

DOT may come back through programs that obey `URL` and HTML labels, so a learner's text stands in quoted labels only,
escaped, and node names are ours by position (n0, n1 …).
"""

from __future__ import annotations

from typing import Any

from graphlab.render.frames import brief, gradient_names, has_gradient_slot, rule_of
from graphlab.render.layout import Direction
from graphlab.render.svg import picture_of
from graphlab.tracing.trace import Trace, TraceNode

POSITIONS_SCHEMA = 1


def write_dot(trace: Trace, *, direction: Direction = "LR") -> str:
    """The forward graph as DOT: rules, known values and gradients as labels; constants small, faults dashed."""
    number = {node.id: f"n{i}" for i, node in enumerate(trace.forward_nodes)}
    lines = [f"digraph graphlab {{ graph [rankdir={direction}] node [shape=box style=rounded fontname=Helvetica]"]
    lines += [f"  {number[node.id]} [label={_label(trace, node)}{_marks(node)}]" for node in trace.forward_nodes]
    for node in trace.forward_nodes:
        lines += [f"  {number[source]} -> {number[node.id]}" for source in node.inputs]
    return "\n".join([*lines, "}", ""])


def _label(trace: Trace, node: TraceNode) -> str:
    lines = [rule_of(node)]
    if node.role != "constant" and node.id in trace.known_values:
        lines.append(brief(node.value))
    if has_gradient_slot(trace, node) and node.id in trace.known_gradients:
        lines.append(f"{gradient_names(trace, node)['fraction']} = {brief(trace.known_gradients[node.id])}")
    return '"' + "\\n".join(_escaped(line) for line in lines if line) + '"'


def _escaped(text: str) -> str:
    """Quotes and backslashes are doubled, so that no label can end early or name an escape such as \\N."""
    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return visible.replace("\\", "\\\\").replace('"', '\\"')


def _marks(node: TraceNode) -> str:
    if node.fault:
        return ' style="rounded,dashed" color=red'
    return " shape=plaintext" if node.role == "constant" else ""


def positions(trace: Trace, *, direction: Direction = "LR") -> dict[str, Any]:
    """Boxes (x, y of the centre, width, height) and edges (Bézier points) in pixels, y downwards, ready for JSON."""
    picture = picture_of(trace)
    layout = picture.layout(direction)
    nodes = []
    for node in trace.forward_nodes:
        (x, y), box = layout.positions[node.id], picture.boxes[node.id]
        nodes.append(
            {
                "id": node.id,
                "role": node.role,
                "name": node.name,
                "text": node.text,
                "x": x,
                "y": y,
                "width": round(box.width, 1),
                "height": round(box.height, 1),
            }
        )
    edges = [
        {"source": e.source, "target": e.target, "argument": e.argument, "points": [list(point) for point in curve]}
        for e, curve in zip(picture.edges, layout.curves, strict=True)
    ]
    return {
        "schema": POSITIONS_SCHEMA,
        "source": trace.source,
        "direction": direction,
        "engine": layout.engine,
        "width": layout.width,
        "height": layout.height,
        "nodes": nodes,
        "edges": edges,
    }
