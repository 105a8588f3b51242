"""What is seen of a trace while some boxes are closed: what stands for every node, and the visible nodes themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import takewhile

from graphlab.tracing.catalogue import FOLDED
from graphlab.tracing.scopes import SCOPE, Places, is_scope
from graphlab.tracing.trace import Box, OpenBox, Trace, TraceNode
from graphlab.tracing.words import label

PART = re.compile("s[0-9]+:")


# ---- what stands for a node ------------------------------------------------------------------------------------------
def see(trace: Trace, places: Places, open: Collection[str]) -> dict[str, str]:
    """Forward node id → what it is seen as: itself, or the outermost closed box around it.

    A box that would need its own output (a scope that was left and entered again) is seen as several.
    """
    seen: dict[str, str] = {}
    part_of: dict[str, str] = {}
    before: dict[str, set[str]] = {}
    for node in trace.forward_nodes:
        closed = next((box for box in places.around[node.id] if box not in open), None)
        if closed is not None and node.role in ("input", "constant"):
            continue  # it goes into the part of its first user
        sources = {seen[x] for x in node.inputs if x in seen}
        part = node.id if closed is None else part_of.get(closed, closed)
        if _reach(part, sources - before.get(part, set()) - {part}, before):
            part = part_of[str(closed)] = _next_part(part)
        seen[node.id] = part
        seen |= {x: part for x in node.inputs if x not in seen}
        before.setdefault(part, set()).update(sources - {part})
    return {node.id: seen.get(node.id, node.id) for node in trace.forward_nodes}


def _next_part(part: str) -> str:
    """s:a is followed by s2:a, and that by s3:a."""
    return f"s{part_number(part) + 1}:{part.partition(':')[2]}"


def part_number(part: str) -> int:
    """1 for s:a, 2 for s2:a."""
    return int(part.partition(":")[0][1:] or 1)


def box_of(seen: str) -> str:
    """The id of the box that something visible is, or is a part of."""
    return PART.sub(SCOPE, seen, count=1) if PART.match(seen) else seen


def _reach(target: str, starts: Collection[str], before: Mapping[str, set[str]]) -> bool:
    """Whether `target` is needed for one of `starts`."""
    stack, found = list(starts), set(starts)
    while stack:
        for x in before.get(stack.pop(), ()):
            if x == target:
                return True
            if x not in found:
                found.add(x)
                stack.append(x)
    return False


# ---- the visible nodes -----------------------------------------------------------------------------------------------
class Visible:
    """The visible nodes of a trace. `members` are the nodes that each stands for, `sources` those whose values arrive
    at it, and `leaving` those in it whose values leave it."""

    def __init__(self, trace: Trace, places: Places, seen: Mapping[str, str]) -> None:
        self.trace = trace
        self.places = places
        self.seen = seen
        self.members: dict[str, list[TraceNode]] = {}
        for node in trace.forward_nodes:
            self.members.setdefault(seen[node.id], []).append(node)
        self.sources = {name: self._sources(name) for name in self.members}
        self.leaving = self._leaving()
        self.nodes = [self._node(name) for name in self._order()]

    def _sources(self, name: str) -> tuple[str, ...]:
        """Input by input; for a box each once."""
        members = self.members[name]
        if members[0].id == name:
            return members[0].inputs
        if not is_scope(box_of(name)):
            return self.trace.node(name).inputs
        return tuple(dict.fromkeys(x for node in members for x in node.inputs if self.seen[x] != name))

    def _leaving(self) -> dict[str, list[str]]:
        used = {x for sources in self.sources.values() for x in sources} | {self.trace.output}
        leaving: dict[str, list[str]] = {name: [] for name in self.members}
        for name, members in self.members.items():
            leaving[name] = [node.id for node in members if node.id in used]
        return leaving

    def _order(self) -> Iterator[str]:
        """Inputs before users, else as in the trace."""
        names = list(self.members)
        number = {name: k for k, name in enumerate(names)}
        waiting = {name: len(self._needs(name)) for name in names}
        users: dict[str, list[str]] = {}
        for name in names:
            for needed in self._needs(name):
                users.setdefault(needed, []).append(name)
        ready = [number[name] for name in names if not waiting[name]]
        while ready:
            name = names[heappop(ready)]
            yield name
            for user in users.get(name, ()):
                waiting[user] -= 1
                if not waiting[user]:
                    heappush(ready, number[user])

    def _needs(self, name: str) -> set[str]:
        return {self.seen[x] for x in self.sources[name]}

    def _node(self, name: str) -> TraceNode:
        sources = self.sources[name]
        inputs = tuple(self.seen[x] for x in sources)
        kept = sources if inputs != sources else ()
        if self.members[name][0].id == name:
            return replace(self.members[name][0], inputs=inputs, sources=kept)
        if not is_scope(box_of(name)):
            return replace(self.trace.node(name), role="operation", inputs=inputs, sources=kept)
        return self._box(name, inputs, kept)

    def _box(self, name: str, inputs: tuple[str, ...], sources: tuple[str, ...]) -> TraceNode:
        around, members = self.places.boxes[box_of(name)], self.members[name]
        results = self.leaving[name]
        result = self.trace.node(results[0]) if len(results) == 1 else None
        part = "" if name == around.id else f" ({part_number(name)})"
        return TraceNode(
            id=name,
            role="scope",
            op=None,
            name=around.path.removesuffix(".*") + part,
            inputs=inputs,
            shape=result.shape if result else (),
            text="",
            latex="",
            value=result.value if result else None,
            scope=self._scope_around(around.id),
            symbol=around.title + part,
            fault=next((FOLDED["fault"].format(node=label(x), fault=x.fault) for x in members if x.fault), None),
            sources=sources,
            box=box_with(members, around.repeats, results),
        )

    def _scope_around(self, box: str) -> str:
        outer = [self.places.boxes[x] for x in self.places.within[box]]
        return next((x.path for x in reversed(outer) if x.repeats == 1), "")


def box_with(members: Sequence[TraceNode], repeats: int = 1, results: Sequence[str] = ()) -> Box:
    """The facts about a box. An opened composite counts as one operation."""
    operations = {node.id.partition(".")[0] for node in members if node.role == "operation"}
    arrays = [node for node in members if node.role == "input"]
    sizes = [math.prod(map(int, node.shape)) if all_known(node.shape) else None for node in arrays]
    known = [size for size in sizes if size is not None]
    return Box(len(operations), len(arrays), sum(known) if len(known) == len(sizes) else None, repeats, tuple(results))


def all_known(shape: Sequence[int | str]) -> bool:
    return all(isinstance(size, int) for size in shape)


def open_boxes(places: Places, seen: Mapping[str, str]) -> tuple[OpenBox, ...]:
    """The open boxes that something is seen in, with what is seen in them."""
    inside: dict[str, dict[str, None]] = {}
    for node, name in seen.items():
        closed = box_of(name)
        for box in takewhile(closed.__ne__, places.around[node]):
            inside.setdefault(box, {})[name] = None
    return tuple(
        OpenBox(box.id, box.path, box.title, box.repeats, (places.within[box.id] or ("",))[-1], tuple(inside[box.id]))
        for box in places.boxes.values()
        if box.id in inside
    )
