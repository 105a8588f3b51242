"""A large graph in the viewer: folded, its boxes opened as far as the reader has come.

A page that shows one calls `show_folded` inside a fragment, so that opening a box runs only that part of the page
again. `page` is the page's name; under it the session keeps what the browser must take over and what was drawn last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from graphlab.errors import GraphLabError
from graphlab.ui.drawing import (
    Source,
    contents,
    draw_ahead,
    first_opened,
    model_scene,
    search_model,
    wanted_formulas,
)
from graphlab.ui.plain import with_hint
from graphlab.ui.state import ShownGraph
from graphlab.ui.viewer.component import graph_viewer


def show_folded(source: Source, state: ShownGraph, page: str) -> None:
    """The graph with the boxes of `state` open; what the reader does there is written into `state`."""
    try:
        if state.opened is None:
            state.opened = first_opened(source)
        shown = model_scene(source, tuple(state.opened), wanted_formulas(state.prefs))
    except GraphLabError as fault:
        shown = _refuse(source, state, page, fault)
    graph_viewer(
        shown,
        state,
        key=f"{page} viewer",
        revision=st.session_state.setdefault(f"{page} revision", 0),
        contents=contents(source),
        search=lambda text: search_model(source, text),
    )
    st.session_state[f"{page} drawn"] = state.opened
    draw_ahead(source, state.opened or [], wanted_formulas(state.prefs))


def begin_again(page: str) -> None:
    """Another graph: nothing is drawn yet, and the browser begins where the state says."""
    take_over(page)
    st.session_state.pop(f"{page} drawn", None)


def take_over(page: str) -> None:
    """Have the browser take over what Python has changed in the state."""
    st.session_state[f"{page} revision"] = st.session_state.get(f"{page} revision", 0) + 1


def _refuse(source: Source, state: ShownGraph, page: str, fault: GraphLabError) -> Mapping[str, Any]:
    """What was asked for cannot be drawn: say why, and show again what could be."""
    st.warning(with_hint(fault))
    take_over(page)
    state.opened = st.session_state.get(f"{page} drawn") or first_opened(source)
    return model_scene(source, tuple(state.opened), wanted_formulas(state.prefs))
