"""From a model to what the viewer shows: graph, trace, folded trace, scene. Each stage is kept in Streamlit's cache.

The cache is keyed by model, settings and open boxes, all plain text and numbers. What it holds is shared between
sessions and never changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from graphlab.api import Trace
from graphlab.render.scene import scene
from graphlab.tracing.folding import fold, suggested_open
from graphlab.tracing.outline import Entry, outline, search
from graphlab.tracing.scopes import is_scope
from graphlab.tracing.trace import Step
from graphlab.tracing.words import Letters
from graphlab.ui.catalogue import MODELS, Built

FIRST_BOXES = 14  # as many as are legible on a screen
Settings = tuple[tuple[str, int], ...]


@st.cache_resource(max_entries=16, show_spinner="Building the model …")
def built(model: str, settings: Settings) -> Built:
    """The model's graph with its numbers."""
    return MODELS[model].built(dict(settings))


@st.cache_resource(max_entries=48, show_spinner=False)
def whole_trace(model: str, settings: Settings, composites: tuple[str, ...] = ()) -> Trace:
    """The run, unfolded, with these composites opened; without numbers an outline."""
    graph, values = built(model, settings)
    return plan(graph.outline(open=composites)) if values is None else graph.trace(values, open=composites)


def plan(outline: Trace) -> Trace:
    """An outline with a step for every operation: the order of the work, without numbers."""
    return replace(outline, steps=tuple(Step("compute", n.id) for n in outline.nodes if n.role == "operation"))


@st.cache_resource(max_entries=64, show_spinner=False)
def model_scene(model: str, settings: Settings, opened: tuple[str, ...], formulas: Letters | None) -> Mapping[str, Any]:
    """The picture with these boxes open. Raises LimitError where it would be too large, UnknownName or NoRule for a
    node that does not open."""
    composites = tuple(box for box in opened if not is_scope(box))
    return scene(fold(whole_trace(model, settings, composites), opened), formulas=formulas)


@st.cache_resource(max_entries=16, show_spinner=False)
def contents(model: str, settings: Settings) -> Sequence[Mapping[str, Any]]:
    """The table of contents, as the viewer shows it."""
    return [_entry(entry) for entry in outline(whole_trace(model, settings))]


def first_opened(model: str, settings: Settings) -> list[str]:
    """The boxes that are open at first."""
    return suggested_open(whole_trace(model, settings), FIRST_BOXES)


def wanted_formulas(prefs: Mapping[str, Any]) -> Letters | None:
    """The notation in which the reader wants the steps' formulas; None while sentences are enough."""
    notation: Letters = prefs.get("notation", "fraction")
    return notation if prefs.get("level") in ("full", "formula") else None


def search_model(model: str, settings: Settings, text: str) -> Sequence[Mapping[str, Any]]:
    """Nodes and boxes called so, best first."""
    found = search(whole_trace(model, settings), text) if text else []
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
