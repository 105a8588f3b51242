"""One edge as SVG: a wire with an arrowhead at either end, and room for what it carries back.

Arrowheads are plain triangles, not markers: they need no id and every SVG reader shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise

from graphlab.render.elements import text_element
from graphlab.render.frames import Sent
from graphlab.render.layout import Curve, Point

HEAD_LENGTH, HEAD_WIDTH = 12.0, 5.5
SENT_SIZE = 20.0
SAMPLES_PER_SEGMENT = 16


@dataclass(frozen=True, slots=True)
class Edge:
    """The edge from `source` into input number `argument` of `target`."""

    id: str
    source: str
    target: str
    argument: int


def write_edge(edge: Edge, curve: Curve, marks: str = "") -> str:
    """The wire and its heads; `marks` are further classes (" sending backward")."""
    start, *rest = curve
    triples = " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
    heads = _head(curve[-1], _different(curve[::-1]), "head") + _head(curve[0], _different(curve), "head back")
    return (
        f'<g class="edge{marks}" data-id="{escape(edge.id)}">'
        f'<path class="wire" d="M{start[0]:.1f},{start[1]:.1f}C{triples}"/>{heads}</g>'
    )


def write_label(edge: Edge, curve: Curve, sent: Sent | None) -> str:
    """What was sent: above a flat edge, beside a steep one on the side from which it comes."""
    x, y = _middle(curve)
    dx, dy = curve[-1][0] - curve[0][0], curve[-1][1] - curve[0][1]
    if abs(dx) >= abs(dy):
        place, anchor = (x, y - 10), "middle"
    elif dx > 0:
        place, anchor = (x - 10, y + 7), "end"
    else:
        place, anchor = (x + 10, y + 7), "start"
    label = text_element(sent.brief if sent else "", *place, "sent", anchor=anchor, size=SENT_SIZE)
    return f'<g class="label-of" data-id="{escape(edge.id)}">{label}</g>'


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


def _middle(curve: Curve) -> Point:
    """Half of the way along, by length."""
    times = [t / SAMPLES_PER_SEGMENT for t in range(SAMPLES_PER_SEGMENT + 1)]
    points = [_bezier(curve[k : k + 4], t) for k in range(0, len(curve) - 3, 3) for t in times]
    lengths = [0.0]
    for (x0, y0), (x1, y1) in pairwise(points):
        lengths.append(lengths[-1] + ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
    return next((point for point, length in zip(points, lengths, strict=True) if length >= lengths[-1] / 2), curve[0])


def _bezier(four: Curve, t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (sum(w * point[axis] for w, point in zip(weights, four, strict=True)) for axis in (0, 1))
    return x, y
