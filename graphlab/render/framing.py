"""Open boxes as frames around what is seen in them, with the scope's name above."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from graphlab.render.boxes import box_title
from graphlab.render.elements import text_element
from graphlab.render.groups import Group, Rectangle
from graphlab.render.mathematics import text_width
from graphlab.tracing.trace import OpenBox

TITLE_SIZE = 17.0


def groups_of(opened: Sequence[OpenBox]) -> list[Group]:
    """What the layout must know of the open boxes."""
    number = {box.id: j for j, box in enumerate(opened)}
    return [Group(box.nodes, number.get(box.inside), text_width(_title(box), TITLE_SIZE)) for box in opened]


def write_frame(box: OpenBox, place: Rectangle) -> str:
    """The frame and its title; `data-id` is what to take out of the open boxes to close it."""
    left, top, width, height = place
    title = text_element(_title(box), left + 22, top + 21, "surround-title")
    return (
        f'<g class="opened" data-id="{escape(box.id)}"><title>{escape(box.path)}</title>'
        f'<rect class="surround" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="14"/>'
        f"{title}</g>"
    )


def _title(box: OpenBox) -> str:
    return box_title(box.title, box.repeats)
