"""The Models page: choose a model, from logistic regression to BERT, and open its boxes down to single operations.

Reading order: `models` is the page from top to bottom. What it shows is one ModelState, in the session and in the
address. Opening a box runs only the viewer's part of the page again, on graphs and traces from the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from graphlab.errors import GraphLabError
from graphlab.ui import session
from graphlab.ui.catalogue import MODELS, Model, Switch
from graphlab.ui.drawing import Settings, contents, first_opened, model_scene, search_model, wanted_formulas
from graphlab.ui.help import BOXES, STEPPING, help_menu
from graphlab.ui.plain import with_hint
from graphlab.ui.state import ModelState
from graphlab.ui.viewer.component import graph_viewer

FIRST = "attention"
NUMBER_WIDTH = 118
VIEWER = "model viewer"


def models(links: Callable[[], None]) -> None:
    """The page; `links` draws what all pages have in their top line."""
    state = current_model()
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
        help_menu(BOXES, STEPPING)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        choose_model(state)
        choose_settings(MODELS[state.model], state)
    st.caption(MODELS[state.model].note)
    viewer(state)


def current_model() -> ModelState:
    """What this session shows; at first what the address says."""
    if "model page" not in st.session_state:
        st.session_state["model revision"] = 0
        st.session_state["model page"] = session.opened_state(ModelState) or ModelState(model=FIRST)
    state: ModelState = st.session_state["model page"]
    if state.model not in MODELS:
        st.warning("There is no such model here; this is self-attention instead.")
        state.model = FIRST
    known = MODELS[state.model].settings
    state.settings = {name: setting.within(state.settings.get(name)) for name, setting in known.items()}
    return state


def show(state: ModelState) -> None:
    """Another model or other settings: begin at the beginning."""
    st.session_state["model page"] = state
    st.session_state["model revision"] += 1
    st.session_state.pop("model drawn", None)


# ---- what is chosen --------------------------------------------------------------------------------------------------
def choose_model(state: ModelState) -> None:
    keys = list(MODELS)
    st.session_state["model"] = state.model
    st.selectbox("Model", keys, format_func=lambda key: MODELS[key].title, key="model", on_change=take_model, width=300)


def take_model() -> None:
    before: ModelState = st.session_state["model page"]
    show(ModelState(model=st.session_state["model"], prefs=before.prefs))


def choose_settings(model: Model, state: ModelState) -> None:
    """A field or switch for each setting of the model."""
    for name, setting in model.settings.items():
        key = f"setting {name}"
        st.session_state[key] = bool(state.settings[name]) if isinstance(setting, Switch) else state.settings[name]
        if isinstance(setting, Switch):
            st.toggle(setting.title, key=key, on_change=take_setting, args=(name,))
        else:
            st.number_input(setting.title, setting.least, setting.most, step=1, key=key, width=NUMBER_WIDTH,
                            on_change=take_setting, args=(name,))  # fmt: skip


def take_setting(name: str) -> None:
    before: ModelState = st.session_state["model page"]
    settings = {**before.settings, name: int(st.session_state[f"setting {name}"])}
    show(ModelState(model=before.model, settings=settings, prefs=before.prefs))


# ---- what is shown ---------------------------------------------------------------------------------------------------
@st.fragment
def viewer(state: ModelState) -> None:
    """The graph, its boxes opened as far as the reader has come; the address follows."""
    key = (state.model, tuple(state.settings.items()))
    try:
        if state.opened is None:
            state.opened = first_opened(*key)
        shown = model_scene(*key, tuple(state.opened), wanted_formulas(state.prefs))
    except GraphLabError as fault:
        shown = refuse(state, key, fault)
    graph_viewer(
        shown,
        state,
        key=VIEWER,
        revision=st.session_state["model revision"],
        contents=contents(*key),
        search=lambda text: search_model(*key, text),
    )
    st.session_state["model drawn"] = state.opened
    session.remember(state)


def refuse(state: ModelState, key: tuple[str, Settings], fault: GraphLabError) -> Mapping[str, Any]:
    """What was asked for cannot be drawn: say why, and show again what could be."""
    st.warning(with_hint(fault))
    st.session_state["model revision"] += 1
    state.opened = st.session_state.get("model drawn") or first_opened(*key)
    return model_scene(*key, tuple(state.opened), wanted_formulas(state.prefs))
