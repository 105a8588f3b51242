"""What stands at an edge: what it sends back on one side of it, the shape of the value on the other.

The label goes to the middle of the edge, or as near to it as no box is in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from graphlab.render.edges import Edge
from graphlab.render.elements import text_element
from graphlab.render.frames import Sent
from graphlab.render.groups import Rectangle
from graphlab.render.layout import Curve, Point
from graphlab.render.mathematics import text_width

SENT_SIZE, SHAPE_SIZE = 20.0, 15.0
SAMPLES_PER_SEGMENT = 16
FRACTIONS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)  # of the way along
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}
Spot = tuple[Point, str]  # of a text: its baseline, and where on it the point is


def write_label(edge: Edge, curve: Curve, sent: Sent | None, widest: str, boxes: Sequence[Rectangle]) -> str:
    """The label of an edge; `widest` is the longest text that it ever sends, so that steps move nothing."""
    shape = edge.shape if edge.tagged else ""
    sizes = (text_width(widest, SENT_SIZE), SENT_SIZE), (text_width(shape, SHAPE_SIZE), SHAPE_SIZE)
    spots = list(_spots(curve))
    spots += [(behind, before) for before, behind in spots]
    near = _boxes_near(curve, sizes[0][0], boxes)
    (place, anchor), (beyond, other) = min(spots, key=lambda two: _hindrance(two, sizes, near))
    label = text_element(sent.brief if sent else "", *place, "sent", anchor=anchor, size=SENT_SIZE)
    tag = text_element(shape, *beyond, "carried", anchor=other) if shape else ""
    return f'<g class="label-of" data-id="{escape(edge.id)}">{label}{tag}</g>'


def _spots(curve: Curve) -> Iterator[tuple[Spot, Spot]]:
    """Above and below a flat edge, beside a steep one: first on the side from which it comes."""
    dx, dy = curve[-1][0] - curve[0][0], curve[-1][1] - curve[0][1]
    for x, y in _along(curve):
        left, right = ((x - 10, y + 7), "end"), ((x + 10, y + 7), "start")
        if abs(dx) >= abs(dy):
            yield ((x, y - 10), "middle"), ((x, y + 18), "middle")
        elif dx > 0:
            yield left, right
        else:
            yield right, left


def _hindrance(spots: tuple[Spot, Spot], sizes: Sequence[tuple[float, float]], boxes: Sequence[Rectangle]) -> int:
    """How badly boxes are in the way of the two texts, the first of which matters more."""
    sent, shape = (sum(_meets(spot, size, box) for box in boxes) for spot, size in zip(spots, sizes, strict=True))
    return 2 * sent + shape


def _meets(spot: Spot, size: tuple[float, float], box: Rectangle) -> bool:
    ((x, y), anchor), (width, height), (left, top, box_width, box_height) = spot, size, box
    start = x - width * ANCHORS[anchor]
    across = start < left + box_width and start + width > left
    return width > 0 and across and y - height < top + box_height and y > top


def _boxes_near(curve: Curve, reach: float, boxes: Sequence[Rectangle]) -> list[Rectangle]:
    """Those that a text as wide as `reach` at the edge can touch."""
    (left, right), (top, bottom) = ((min(p[axis] for p in curve), max(p[axis] for p in curve)) for axis in (0, 1))
    around = reach + 2 * SENT_SIZE
    return [
        box
        for box in boxes
        if box[0] < right + around
        and box[0] + box[2] > left - around
        and box[1] < bottom + around
        and box[1] + box[3] > top - around
    ]


def _along(curve: Curve) -> list[Point]:
    """The points at FRACTIONS of the way, by length."""
    times = [t / SAMPLES_PER_SEGMENT for t in range(SAMPLES_PER_SEGMENT + 1)]
    points = [_bezier(curve[k : k + 4], t) for k in range(0, len(curve) - 3, 3) for t in times]
    lengths = [0.0]
    for (x0, y0), (x1, y1) in pairwise(points):
        lengths.append(lengths[-1] + ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
    wanted = [fraction * lengths[-1] for fraction in FRACTIONS]
    return [next(p for p, length in zip(points, lengths, strict=True) if length >= way) for way in wanted]


def _bezier(four: Curve, t: float) -> Point:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = four
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
