"""The table of contents of a large trace, and looking for a node in it. Both take the trace as it is before folding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphlab.tracing.repeats import boxes_of
from graphlab.tracing.scopes import Path, Places
from graphlab.tracing.trace import Trace, TraceNode
from graphlab.tracing.visible import box_with
from graphlab.tracing.words import label


@dataclass(frozen=True, slots=True)
class Entry:
    """A box in the outline. `id` as in `folding`; `path` is the whole scope, `title` its last level ("layer.3");
    `operations` are inside, `parameters` entries in the inputs inside (None where a size is a name), `repeats` is N of
    a box ×N, else 1; `fault` says whether something inside is at fault; `open` is what must be open to see the box."""

    id: str
    path: str
    title: str
    operations: int
    parameters: int | None
    repeats: int
    fault: bool
    open: Path
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A node or box that a search found: its id, what it is called, where it is, and what must be open to see it."""

    id: str
    name: str
    scope: str
    open: Path


def outline(trace: Trace) -> tuple[Entry, ...]:
    """The boxes of a trace as a tree, in the order of the trace."""
    places = boxes_of(trace)
    members: dict[str, list[TraceNode]] = {box: [] for box in places.boxes}
    for node in trace.forward_nodes:
        for name in places.around[node.id]:
            members[name].append(node)
    entries: dict[str, list[Entry]] = {}
    for box in reversed(list(places.boxes.values())):
        within, facts = places.within[box.id], box_with(members[box.id])
        entry = Entry(
            box.id,
            box.path,
            box.title,
            facts.operations,
            facts.parameters,
            box.repeats,
            any(node.fault for node in members[box.id]),
            within,
            tuple(reversed(entries.get(box.id, []))),
        )
        entries.setdefault(within[-1] if within else "", []).append(entry)
    return tuple(reversed(entries.get("", [])))


def search(trace: Trace, text: str, most: int = 50) -> list[Found]:
    """Boxes and nodes whose scope, name or op contains every word of `text`, whatever its case: "layer.7 softmax".
    Those come first whose own name does, and of them those that begin with it. At most `most`; none for no words."""
    words = text.casefold().split()
    if not words:
        return []
    ranked = sorted(_ranked(trace, boxes_of(trace), words), key=lambda found: found[0])
    return [found for _, found in ranked[:most]]


def _ranked(trace: Trace, places: Places, words: Sequence[str]) -> Iterator[tuple[int, Found]]:
    for box in places.boxes.values():
        rank = _rank(words, (box.title,), box.path)
        if rank is not None:
            yield rank, Found(box.id, box.title, box.path, places.within[box.id])
    for node in trace.forward_nodes:
        rank = _rank(words, (label(node), node.symbol, node.name, node.op or ""), node.scope)
        if rank is not None and node.role != "constant":
            yield rank, Found(node.id, label(node), node.scope, places.around[node.id])


def _rank(words: Sequence[str], names: tuple[str, ...], scope: str) -> int | None:
    """The sum of the words' ranks; None if one of them is not found."""
    ranks = [_rank_of_word(word, names, scope) for word in words]
    found = [rank for rank in ranks if rank is not None]
    return sum(found) if len(found) == len(ranks) else None


def _rank_of_word(wanted: str, names: tuple[str, ...], scope: str) -> int | None:
    """0 if a name is what is wanted, 1 if one begins with it, 2 if one has it inside, 3 if the scope has; else None."""
    folded = [name.casefold() for name in names if name]
    if wanted in folded:
        return 0
    if any(name.startswith(wanted) for name in folded):
        return 1
    if any(wanted in name for name in folded):
        return 2
    return 3 if wanted in scope.casefold() else None
