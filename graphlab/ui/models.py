"""The Models page: choose a model, from logistic regression to BERT, and open its boxes down to single operations.

Reading order: `models` is the page from top to bottom. What it shows is one ModelState, in the session and in the
address. Opening a box runs only the viewer's part of the page again, on graphs and traces from the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from graphlab.ui import session
from graphlab.ui.catalogue import MODELS, Model, Switch
from graphlab.ui.drawing import Source
from graphlab.ui.folded import begin_again, show_folded
from graphlab.ui.help import BOXES, STEPPING, help_menu
from graphlab.ui.state import ModelState

FIRST = "attention"
NUMBER_WIDTH = 118
PAGE = "model"


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
    begin_again(PAGE)


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
    show_folded(source_for(state.model, state.settings), state, PAGE)
    session.remember(state)


def source_for(model: str, settings: Mapping[str, int]) -> Source:
    """A model of the catalogue with these settings."""
    return Source(f"{model} {settings}", lambda: MODELS[model].built(settings))
