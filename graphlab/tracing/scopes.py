"""The boxes around every node of a trace: scopes, equal siblings ×N, and composites that were opened.

A scope "encoder.layer.3.attention" has the levels encoder, layer.3 and attention: a number belongs to the name before
it. An input or constant stands in the innermost box that holds itself and all its users, so a weight of one layer is
inside it, and one that two layers share is outside both. Ids and masks are data and stand outside everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from graphlab.engine.core import OPS
from graphlab.tracing.trace import Trace, TraceNode
from graphlab.tracing.words import label, show_formula

SCOPE = "s:"
NUMBER = re.compile("[0-9]+")
LONGEST_TITLE = 40
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """A box that may stand around nodes: its id, its whole scope `path`, its `title` (the last level), N of a box ×N.
    The ids are listed in `tracing.folding`."""

    id: str
    path: str
    title: str
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Places:
    """`boxes` of a trace by id, outer ones first; `around` says which stand around a node, and `within` which stand
    around a box, outermost first."""

    boxes: Mapping[str, Around]
    around: Mapping[str, Path]
    within: Mapping[str, Path]


def is_scope(box: str) -> bool:
    """Whether an id is that of a scope, or ×N of them, and not of a node."""
    return box.startswith(SCOPE)


@lru_cache(maxsize=4096)
def levels(scope: str) -> tuple[Around, ...]:
    """The boxes around what stands in `scope`, outermost first: a, a.layer.0, a.layer.0.b."""
    titles: list[str] = []
    for part in scope.split(".") if scope else ():
        if titles and NUMBER.fullmatch(part):
            titles[-1] += f".{part}"
        else:
            titles.append(part)
    paths = accumulate(titles, "{}.{}".format)
    return tuple(Around(SCOPE + path, path, title) for path, title in zip(paths, titles, strict=True))


def places(trace: Trace) -> Places:
    """Where everything stands in an unfolded trace, before equal siblings are found (see `repeats`)."""
    boxes: dict[str, Around] = {}
    around: dict[str, Path] = {}
    within: dict[str, Path] = {}
    composites = {node.id: _composite(node) for node in trace.nodes if node.role == "opened"}
    for node in trace.nodes:
        if node.role == "backward":
            continue
        path: Path = ()
        for box in _levels_of(node, composites):
            if box.id not in boxes:
                boxes[box.id], within[box.id] = box, path
            path += (box.id,)
        around[node.id] = path
    return Places(boxes, _with_leaves(trace, around), within)


def _levels_of(node: TraceNode, composites: Mapping[str, Around]) -> tuple[Around, ...]:
    """The scopes of a node, and for a part n5.2.0 the composites n5 and n5.2."""
    *outer, _ = node.id.split(".")
    names = accumulate(outer, "{}.{}".format)
    scope = ".".join(node.scope.split(".")[: -len(outer)]) if outer else node.scope
    return levels(scope) + tuple(composites[name] for name in names if name in composites)


def _composite(node: TraceNode) -> Around:
    title = f"{label(node)} = {show_formula(node.text)}"
    path = f"{node.scope}.{node.op}" if node.scope else str(node.op)
    return Around(node.id, path, title if len(title) <= LONGEST_TITLE else f"{label(node)} = {node.op}(…)")


def _with_leaves(trace: Trace, around: dict[str, Path]) -> dict[str, Path]:
    """Inputs and constants move outwards until all their users are inside; ids and masks leave every box."""
    leaves = {node.id for node in trace.nodes if node.role in ("input", "constant")}
    for node in trace.nodes:
        if node.role == "backward":
            continue
        op = OPS.get(node.op or "")
        data = (*op.ids, *op.masks) if op else ()
        for position, x in enumerate(node.inputs):
            if x in leaves and position in data:
                around[x] = ()
            elif x in leaves and node.role != "opened":
                around[x] = _common(around[x], around[node.id])
    return around


def _common(a: Path, b: Path) -> Path:
    same = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:same]
