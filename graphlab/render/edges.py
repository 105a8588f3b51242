"""One edge as SVG: a wire with an arrowhead at either end. What stands beside it is in `labels`.

Arrowheads are plain triangles, not markers: they need no id and every SVG reader shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from graphlab.render.layout import Curve, Point

HEAD_LENGTH, HEAD_WIDTH = 12.0, 5.5


@dataclass(frozen=True, slots=True)
class Edge:
    """The edge from `source` into input number `argument` of `target`. `shape` is that of the value, "" of a number;
    the edge is `tagged` with it unless it starts at an input, whose box shows the same."""

    id: str
    source: str
    target: str
    argument: int
    shape: str = ""
    tagged: bool = False


def write_edge(edge: Edge, curve: Curve, marks: str = "") -> str:
    """The wire and its heads; `marks` are further classes (" sending backward")."""
    start, *rest = curve
    triples = " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
    heads = _head(curve[-1], _different(curve[::-1]), "head") + _head(curve[0], _different(curve), "head back")
    return (
        f'<g class="edge{marks}" data-id="{escape(edge.id)}">'
        f'<path class="wire" d="M{start[0]:.1f},{start[1]:.1f}C{triples}"/>{heads}</g>'
    )


def _head(tip: Point, tail: Point, classes: str) -> str:
    dx, dy = tip[0] - tail[0], tip[1] - tail[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length, dy / length
    bx, by = tip[0] - HEAD_LENGTH * ux, tip[1] - HEAD_LENGTH * uy
    sides = (bx - HEAD_WIDTH * uy, by + HEAD_WIDTH * ux), (bx + HEAD_WIDTH * uy, by - HEAD_WIDTH * ux)
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, *sides))
    return f'<polygon class="{classes}" points="{corners}"/>'


def _different(points: Curve) -> Point:
    """The first point that is not where the curve starts."""
    return next((point for point in points if point != points[0]), points[0])
