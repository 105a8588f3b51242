"""The page about all of BERT: the folded graph with its parameters, any box's numbers and backward pass, and the check
against PyTorch.

Reading order: `whole` is the page from top to bottom. What it shows is one BertState, in the session and in the
address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from graphlab.errors import ValueProblem
from graphlab.tracing.repeats import boxes_of
from graphlab.tracing.trace import TraceNode
from graphlab.ui import session
from graphlab.ui.bert import subjects
from graphlab.ui.bert.checking import check_panel, job_for
from graphlab.ui.bert.parameters import parameter_table
from graphlab.ui.bert.subjects import KINDS, Subject
from graphlab.ui.bert.weights import chosen_model, model_field, weights_for
from graphlab.ui.drawing import Source, built, first_opened, whole_trace
from graphlab.ui.folded import begin_again, show_folded, take_over
from graphlab.ui.help import BOXES, STEPPING, help_menu
from graphlab.ui.panels.part import part_panel
from graphlab.ui.plain import plain
from graphlab.ui.state import BertState

PAGE = "bert"
MOST_CHARACTERS = 400


def whole(links: Callable[[], None]) -> None:
    """The page; `links` draws what all pages have in their top line."""
    state = current_state()
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
        help_menu(BOXES, STEPPING)
    choose(state)
    try:
        subject = subject_of(state)
    except ValueProblem as fault:
        st.error(plain(f"{fault.message}. Shorten the text."), icon=":material/edit:")
        return
    begin_where_model_changed(state, subject.source)
    show_miss(state, subject.source)
    st.caption(plain(subject.note))
    viewer(state, subject.source)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        check_panel(
            subject.source.key, subject.prepare, subject.needed, lambda name: reveal(state, subject.source, name)
        )
    with right:
        parameter_table(built(subject.source).graph)


def current_state() -> BertState:
    """What this session shows; at first what the address says."""
    if "bert page" not in st.session_state:
        st.session_state["bert page"] = session.opened_state(BertState) or BertState(model="real")
    state: BertState = st.session_state["bert page"]
    if state.model not in KINDS:
        st.warning("There is no such model here; this is the one with real weights instead.")
        state.model = "real"
    state.text = state.text[:MOST_CHARACTERS]
    return state


# ---- what is chosen --------------------------------------------------------------------------------------------------
def choose(state: BertState) -> None:
    """The model; for real weights which ones, and a text."""
    st.session_state["kind"], st.session_state["whole text"] = state.model, state.text
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="asked"):
        st.selectbox("BERT", list(KINDS), format_func=KINDS.__getitem__, key="kind", on_change=take_kind, width=290)
        if state.model == "real":
            st.text_input("Text", key="whole text", max_chars=MOST_CHARACTERS, on_change=take_text, width=420)
            model_field()


def take_kind() -> None:
    before: BertState = st.session_state["bert page"]
    st.session_state["bert page"] = BertState(model=st.session_state["kind"], text=before.text, prefs=before.prefs)


def take_text() -> None:
    before: BertState = st.session_state["bert page"]
    st.session_state["bert page"] = replace(before, text=st.session_state["whole text"])


def subject_of(state: BertState) -> Subject:
    if state.model == "real":
        return subjects.real(weights_for(chosen_model(), [state.text]), state.text)
    return subjects.tiny() if state.model == "tiny" else subjects.base()


def begin_where_model_changed(state: BertState, source: Source) -> None:
    """The browser takes over where another graph begins. A link's own boxes are kept."""
    before = st.session_state.get("bert source")
    if before is not None and before != source.key:
        begin_again(PAGE)
    st.session_state["bert source"] = source.key


# ---- what is shown ---------------------------------------------------------------------------------------------------
@st.fragment
def viewer(state: BertState, source: Source) -> None:
    """The graph, and below it the backward pass of the chosen box; choosing runs only this part of the page again."""
    show_folded(source, state, PAGE)
    part_panel(source, state)
    session.remember(state)


def show_miss(state: BertState, source: Source) -> None:
    """When a check has just ended with a miss: show the place."""
    job = job_for(source.key)
    if job is not None and not job.running and not job.told:
        job.told = True
        if job.found is not None and job.found.first_miss is not None:
            reveal(state, source, job.found.first_miss.name)


def reveal(state: BertState, source: Source, name: str) -> None:
    """Choose the node that a compared tensor belongs to, and open the way to it."""
    trace = whole_trace(source)
    node = next((node for node in trace.forward_nodes if is_called(node, name)), None)
    if node is not None:
        around = boxes_of(trace).around[node.id]
        state.opened = list(dict.fromkeys([*(state.opened or first_opened(source)), *around]))
        state.selected = node.id
        take_over(PAGE)


def is_called(node: TraceNode, name: str) -> bool:
    """Whether a compared tensor is this node: an operation by its scope and name, a parameter by PyTorch's path."""
    own = node.name if node.role == "input" else f"{node.scope}_{node.symbol or node.name}"
    return own.replace(".", "_") == name.replace(".", "_")
