"""Equal siblings: encoder.layer.0 … 11 become one box ×12 around the twelve.

Siblings differ in their number only. They are equal if they hold the same operations with the same shapes and options,
wired in the same way; what they are called and where their inputs come from does not matter. Runs of neighbours that
are equal fold together, so one layer that was changed stays alone between the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from graphlab.tracing.scopes import SCOPE, Around, Path, Places, is_scope, places
from graphlab.tracing.trace import Trace, TraceNode


def boxes_of(trace: Trace) -> Places:
    """Where everything stands in an unfolded trace, equal siblings in their box ×N."""
    found = places(trace)
    families = list(_families(found))
    signatures = _signatures(trace, found, {box for family in families for box in family})
    repeated: dict[str, Around] = {}
    for family in families:
        for _, equal in groupby(family, key=signatures.__getitem__):
            run = list(equal)
            group = _box(found.boxes, run, whole=len(run) == len(family))
            if len(run) > 1 and group.id not in found.boxes:
                repeated |= dict.fromkeys(run, group)
    return _inserted(found, repeated) if repeated else found


def _families(found: Places) -> Iterator[list[str]]:
    """Boxes within the same box that differ in their number only, in the order of the numbers."""
    families: dict[tuple[Path, str], list[str]] = {}
    for box in found.boxes.values():
        name, _, number = box.title.rpartition(".")
        if is_scope(box.id) and name and number.isdecimal():
            families.setdefault((found.within[box.id], name), []).append(box.id)
    return (sorted(family, key=_number) for family in families.values() if len(family) > 1)


def _number(box_id: str) -> int:
    return int(box_id.rpartition(".")[2])


def _box(boxes: Mapping[str, Around], run: Sequence[str], *, whole: bool) -> Around:
    first = boxes[run[0]]
    numbers = "*" if whole else f"{_number(run[0])}-{_number(run[-1])}"
    path, title = (f"{text.rpartition('.')[0]}.{numbers}" for text in (first.path, first.title))
    return Around(SCOPE + path, path, title.removesuffix(".*"), len(run))


def _inserted(found: Places, repeated: Mapping[str, Around]) -> Places:
    """`found` with a further box around those that are `repeated`."""

    def widened(path: Path) -> Path:
        return tuple(step for x in path for step in ((repeated[x].id, x) if x in repeated else (x,)))

    boxes: dict[str, Around] = {}
    within: dict[str, Path] = {}
    for box in found.boxes.values():
        outer = widened(found.within[box.id])
        if box.id in repeated:
            group = repeated[box.id]
            boxes[group.id], within[group.id] = group, outer
            outer += (group.id,)
        boxes[box.id], within[box.id] = box, outer
    return Places(boxes, {node: widened(path) for node, path in found.around.items()}, within)


def _signatures(trace: Trace, found: Places, wanted: set[str]) -> dict[str, tuple[Any, ...]]:
    """What must be the same in equal boxes. An opened composite counts as the one node it was."""
    members: dict[str, list[TraceNode]] = {box: [] for box in wanted}
    for node in trace.nodes:
        if node.role != "backward" and "." not in node.id:
            for box in wanted.intersection(found.around[node.id]):
                members[box].append(node)
    return {box: _signature(trace, nodes, found.boxes[box].path) for box, nodes in members.items()}


def _signature(trace: Trace, nodes: Sequence[TraceNode], path: str) -> tuple[Any, ...]:
    """Every node by what it does, its place below `path`, and where its inputs come from: the number of a node of the
    box, or of the source outside it, counted backwards; and the shapes of those sources."""
    numbers = {node.id: k for k, node in enumerate(nodes)}
    outside: dict[str, Any] = {}
    rows = []
    for node in nodes:
        sources = [x.partition(".")[0] for x in node.inputs]
        for x in sources:
            if x not in numbers:
                numbers[x] = -1 - len(outside)
                outside[x] = trace.node(x).shape
        wiring = [numbers[x] for x in sources]
        what = node.text if node.role == "constant" else node.op
        rows.append((what, node.shape, sorted(node.attrs.items()), node.scope.removeprefix(path), wiring))
    return tuple(rows), tuple(outside.values())
