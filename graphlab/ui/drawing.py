"""From a graph to what the viewer shows: graph, trace, folded trace, scene. Each stage is kept in Streamlit's cache.

The cache is keyed by a Source and the open boxes, all plain text. What it holds is shared between sessions and never
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import streamlit as st

from graphlab.api import Trace
from graphlab.render.scene import scene
from graphlab.tracing.folding import fold, suggested_open
from graphlab.tracing.outline import Entry, outline, search
from graphlab.tracing.repeats import boxes_of
from graphlab.tracing.scopes import is_scope
from graphlab.tracing.trace import Step
from graphlab.tracing.words import Letters
from graphlab.ui.catalogue import Built

FIRST_BOXES = 14  # as many as are legible on a screen
AHEAD = 2  # pictures

_spare = ThreadPoolExecutor(1, "draw ahead")
_coming: list[Future[Any]] = []


@dataclass(frozen=True)
class Source:
    """What is drawn: `key` tells it from all else, `build` makes it. Of a `heavy` one few runs are kept."""

    key: str
    build: Callable[[], Built]
    heavy: bool = False


BY_KEY: dict[str | type[Any], Callable[[Any], Any]] = {Source: attrgetter("key", "heavy")}


@st.cache_resource(max_entries=16, show_spinner="Building the model …", hash_funcs=BY_KEY)
def built(source: Source) -> Built:
    """The graph with its numbers."""
    return source.build()


def whole_trace(source: Source, composites: tuple[str, ...] = ()) -> Trace:
    """The run, unfolded, with these composites opened; without numbers an outline."""
    run: Callable[..., Trace] = _heavy_trace if source.heavy else _light_trace
    return run(source, composites)


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=BY_KEY)
def _light_trace(source: Source, composites: tuple[str, ...]) -> Trace:
    return _recorded(source, composites)


@st.cache_resource(max_entries=2, show_spinner="Running the model …", hash_funcs=BY_KEY)
def _heavy_trace(source: Source, composites: tuple[str, ...]) -> Trace:
    return _recorded(source, composites)


def _recorded(source: Source, composites: tuple[str, ...]) -> Trace:
    graph, values = built(source)
    return plan(graph.outline(open=composites)) if values is None else graph.trace(values, open=composites)


def plan(outline: Trace) -> Trace:
    """An outline with a step for every operation: the order of the work, without numbers."""
    return replace(outline, steps=tuple(Step("compute", n.id) for n in outline.nodes if n.role == "operation"))


def composites_in(opened: Sequence[str]) -> tuple[str, ...]:
    """Those of the open boxes that are composites, and no scopes."""
    return tuple(box for box in opened if not is_scope(box))


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_KEY)
def model_scene(source: Source, opened: tuple[str, ...], formulas: Letters | None) -> Mapping[str, Any]:
    """The picture with these boxes open. Raises LimitError where it would be too large, UnknownName or NoRule for a
    node that does not open."""
    return scene(fold(whole_trace(source, composites_in(opened)), opened), formulas=formulas)


def draw_ahead(source: Source, opened: Sequence[str], formulas: Letters | None) -> None:
    """While the reader looks at the box just opened, draw what comes if they go on into a box inside it."""
    if source.heavy or not opened:
        return
    for earlier in _coming:
        earlier.cancel()
    within = boxes_of(whole_trace(source, composites_in(opened))).within
    next_boxes = [box for box, around in within.items() if around[-1:] == (opened[-1],)][:AHEAD]
    _coming[:] = [_spare.submit(model_scene, source, (*opened, box), formulas) for box in next_boxes]


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_KEY)
def contents(source: Source) -> Sequence[Mapping[str, Any]]:
    """The table of contents, as the viewer shows it."""
    return [_entry(entry) for entry in outline(whole_trace(source))]


def first_opened(source: Source) -> list[str]:
    """The boxes that are open at first."""
    return suggested_open(whole_trace(source), FIRST_BOXES)


def wanted_formulas(prefs: Mapping[str, Any]) -> Letters | None:
    """The notation in which the reader wants the steps' formulas; None while sentences are enough."""
    notation: Letters = prefs.get("notation", "fraction")
    return notation if prefs.get("level") in ("full", "formula") else None


def search_model(source: Source, text: str) -> Sequence[Mapping[str, Any]]:
    """Nodes and boxes called so, best first."""
    found = search(whole_trace(source), text) if text else []
    return [{"id": one.id, "name": one.name, "scope": one.scope, "open": list(one.open)} for one in found]


def _entry(entry: Entry) -> dict[str, Any]:
    parameters = f" · {short_count(entry.parameters)} params" if entry.parameters else ""
    return {
        "id": entry.id,
        "title": entry.title,
        "repeats": entry.repeats,
        "counts": f"{entry.operations} ops{parameters}",
        "fault": entry.fault,
        "open": list(entry.open),
        "entries": [_entry(inner) for inner in entry.entries],
    }


def short_count(number: int) -> str:
    """7,087,872 → 7.1 M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.3g}\N{NO-BREAK SPACE}{letter}"
    return str(number)
