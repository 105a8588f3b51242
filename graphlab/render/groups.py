"""Groups of boxes with a frame around them: as clusters for Graphviz, and drawn around boxes that stand already.

A group lies in another one or beside it, never across its border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Rectangle = tuple[float, float, float, float]  # left, top, width, height
NumberedGroup = tuple[tuple[int, ...], int | None, float]  # boxes, the group around it, the width of its title

PADDING, TITLE_ROOM = 16.0, 30.0


@dataclass(frozen=True, slots=True)
class Group:
    """The boxes of a group, those of groups in it too; the number of the group that it lies in; how wide its title is.
    Outer groups are numbered before inner ones."""

    boxes: tuple[str, ...]
    inside: int | None
    title_width: float


def clusters(groups: Sequence[NumberedGroup]) -> list[str]:
    """The groups as DOT. An empty table of fixed size keeps room for the title."""
    return [line for j, (_, inside, _) in enumerate(groups) if inside is None for line in _cluster(groups, j)]


def _cluster(groups: Sequence[NumberedGroup], j: int) -> list[str]:
    boxes, _, title_width = groups[j]
    inner = [k for k, (_, inside, _) in enumerate(groups) if inside == j]
    own = set(boxes).difference(*[groups[k][0] for k in inner])
    room = f'WIDTH="{title_width:.0f}" HEIGHT="{TITLE_ROOM - 8:.0f}" FIXEDSIZE="TRUE" BORDER="0"'
    lines = [f"subgraph cluster_{j} {{ graph [margin={PADDING:g} label=<<TABLE {room}><TR><TD></TD></TR></TABLE>>]"]
    for k in inner:
        lines += _cluster(groups, k)
    return [*lines, *(f"n{i}" for i in sorted(own)), "}"]


def frames_around(
    sizes: Sequence[tuple[float, float]], centres: Sequence[tuple[float, float]], groups: Sequence[NumberedGroup]
) -> tuple[Rectangle, ...]:
    """The smallest frames around boxes, wider the more groups lie in them. Other boxes may get into them."""
    depth = [0] * len(groups)
    for j in range(len(groups) - 1, -1, -1):
        inside = groups[j][1]
        if inside is not None:
            depth[inside] = max(depth[inside], depth[j] + 1)
    return tuple(_around(sizes, centres, boxes, depth[j] + 1) for j, (boxes, _, _) in enumerate(groups))


def _around(
    sizes: Sequence[tuple[float, float]], centres: Sequence[tuple[float, float]], boxes: Sequence[int], rings: int
) -> Rectangle:
    left, top = (min(centres[i][axis] - sizes[i][axis] / 2 for i in boxes) for axis in (0, 1))
    right, bottom = (max(centres[i][axis] + sizes[i][axis] / 2 for i in boxes) for axis in (0, 1))
    room = PADDING / 2 * rings
    return left - room, top - room - TITLE_ROOM / 2, right - left + 2 * room, bottom - top + 2 * room + TITLE_ROOM / 2
