"""The Explore page: type a formula, give values, and step through its graph.

Reading order: `explore` is the page from top to bottom. What it shows is one PageState, which lives in the session and
in the address; the session holds text and numbers only. A formula or value that cannot be read leaves the last good
graph on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import streamlit as st

from graphlab.api import Graph, Trace
from graphlab.errors import GraphLabError, NoRule, ShapeError, UnknownName
from graphlab.render.scene import scene
from graphlab.tracing import trace as tracing
from graphlab.tracing.folding import fold
from graphlab.tracing.words import Letters, show_name
from graphlab.ui import session, tour, values
from graphlab.ui.downloads import download_menu
from graphlab.ui.drawing import wanted_formulas
from graphlab.ui.formula_box.component import formula_box
from graphlab.ui.gallery import EXAMPLES, GALLERY
from graphlab.ui.help import EXPLORING, STEPPING, TYPING, help_menu
from graphlab.ui.notices import show_notices
from graphlab.ui.panels.backward import backward_panel
from graphlab.ui.panels.curvature import curvature_panel
from graphlab.ui.panels.formulas import formulas_panel, symbolic_formulas
from graphlab.ui.panels.paths import paths_panel
from graphlab.ui.panels.rewriting import rewriting_panel
from graphlab.ui.panels.simplifying import simplify_panel
from graphlab.ui.plain import sentence, with_hint
from graphlab.ui.reading import Reading
from graphlab.ui.state import PageState
from graphlab.ui.switches import choose_moving, notation_switch
from graphlab.ui.viewer.component import graph_viewer

FIELD_WIDTH, WIDE_FIELD = 104, 300


def explore(links: Callable[[], None]) -> None:
    """The page; `links` draws what all pages have in their top line."""
    state = session.current_state(GALLERY[0].as_page())
    graph, error = read_formula(state)
    top(state, graph, links)
    formula_place, values_place = st.columns([5, 4], vertical_alignment="top")
    with formula_place:
        typed = formula_box(
            state.formula,
            key="formula",
            revision=st.session_state.revision,
            error=error,
            names=graph.inputs if graph else [],
            on_change=session.take_formula,
        )
        if graph is not None and error is None and state.notation == "latex":
            st.latex(graph.latex)
    if graph is not None:
        st.session_state.good = Reading.of(state)
    elif "good" in st.session_state:
        graph = st.session_state.good.parse(list(state.values))
        if typed.strip():
            st.caption("The graph below is still that of the last formula that could be read.")
    if graph is None:
        return
    with values_place:
        state.values = value_fields(graph, state)
        if st.session_state["forward mode"]:
            state.moving = choose_moving(graph, state)
        else:
            state.moving = []
    if error is None:
        show_notices(with_known_shapes(graph, state).notices, as_typed=not state.stabilise)
    show_graph(graph, state)


# ---- the parts of the page -------------------------------------------------------------------------------------------
def top(state: PageState, graph: Graph | None, links: Callable[[], None]) -> None:
    """Name, menus and switches, in one line."""
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
        with st.popover("Examples", icon=":material/menu_book:"):
            for topic, examples in groupby(GALLERY, key=lambda example: example.topic):
                st.caption(topic)
                for example in examples:
                    st.button(example.title, key=f"example {example.key}", on_click=open_example, args=(example.key,),
                              help=example.note, width="stretch")  # fmt: skip
        st.button(
            "",
            key="undo button",
            icon=":material/undo:",
            help="Undo",
            on_click=session.undo,
            disabled=not session.can_undo(),
        )
        download_menu(open_file=session.change)
        help_menu(TYPING, STEPPING, EXPLORING)
        notation_switch(state, graph)
        st.toggle("Forward mode", key="forward mode")


def open_example(key: str) -> None:
    session.change(EXAMPLES[key].as_page())


def read_formula(state: PageState) -> tuple[Graph | None, dict[str, Any] | None]:
    """The graph of the typed formula, or what is wrong with it."""
    try:
        graph = Reading.of(state).parse(list(state.values))
    except GraphLabError as fault:
        return None, {"message": sentence(fault), "caret": fault.caret or "", "hint": fault.hint or ""}
    return graph, None


def with_known_shapes(graph: Graph, state: PageState) -> Graph:
    """The graph with the shapes of its values, where they can be read."""
    try:
        return graph.with_shapes(values.read_values(state.values, graph.inputs))
    except GraphLabError:
        return graph


def value_fields(graph: Graph, state: PageState) -> dict[str, str]:
    """One field per input; what was typed for names that are gone is kept for when they come back."""
    memory = st.session_state.setdefault("typed_values", {})
    memory.update(state.values)
    filled = values.fill_in(memory, graph)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for name in graph.inputs:
            key = f"value {name}"
            st.session_state.setdefault(key, filled[name])
            width = WIDE_FIELD if "[" in str(st.session_state[key]) else FIELD_WIDTH
            filled[name] = st.text_input(show_name(name), key=key, width=width)
    return filled


def show_graph(graph: Graph, state: PageState) -> None:
    """The viewer, and under it the formulas; a wrong value or shape is said, and what is right still drawn."""
    try:
        given = values.read_values(state.values, graph.inputs)
    except GraphLabError as fault:
        st.error(with_hint(fault), icon=":material/edit:")
        viewer(graph.outline, state)
        return
    graph = graph.with_shapes(given)
    record = recorder(graph, given, state.moving)
    try:
        trace = record()
    except ShapeError as fault:
        st.error(with_hint(fault), icon=":material/grid_off:")
        if fault.op == "output":
            viewer(partial(graph.trace, given, kind="forward"), state)
        else:
            viewer(partial(graph.outline, given), state)
        return
    except NoRule as fault:
        st.info(with_hint(fault), icon=":material/functions:")
        viewer(graph.outline, state)
        symbolic_formulas(graph)
        return
    except GraphLabError as fault:
        st.error(with_hint(fault), icon=":material/error:")
        session.remember(state)
        return
    viewer(record, state)
    show_panel(graph, trace, given)


def recorder(graph: Graph, given: Mapping[str, Any], moving: list[str]) -> Callable[..., Trace]:
    """What records the run, backward or, where inputs move, forward; told which composites are open."""
    if moving:
        return partial(graph.trace, given, kind="tangent", tangents=unit_tangents(given, moving))
    return partial(graph.trace, given)


def unit_tangents(given: Mapping[str, Any], moving: list[str]) -> dict[str, Any]:
    """A tangent of ones for every input that moves."""
    return {name: np.ones_like(np.asarray(given[name], dtype=float)) for name in moving}


def show_panel(graph: Graph, trace: Trace, given: dict[str, Any]) -> None:
    """One of the panels below the graph, if the reader opens one."""
    panels: dict[str, Callable[[], None]] = {
        "Formulas": lambda: formulas_panel(graph, given),
        "Paths": lambda: paths_panel(graph, trace, given),
        "Second order": lambda: curvature_panel(graph, given),
        "Backward graph": lambda: backward_panel(graph, given),
        "Rewriting": lambda: rewriting_panel(graph),
        "SymPy": lambda: simplify_panel(graph),
    }
    chosen = st.segmented_control("More about this graph", list(panels), key="panel")
    if chosen:
        panels[chosen]()


@st.fragment
def viewer(record: Callable[..., Trace], state: PageState) -> None:
    """The graph, stepped in the browser; what the reader does there goes into the state and the address."""
    graph_viewer(
        cached_scene(opened_trace(record, state).to_json(), st.session_state.good, wanted_formulas(state.prefs)),
        state,
        key="viewer",
        revision=st.session_state.graph_revision,
        tour=state.formula == GALLERY[0].formula,
    )
    session.remember(state)


def opened_trace(record: Callable[..., Trace], state: PageState) -> tracing.Trace:
    """The run with the composites that the reader has opened; none, if the formula does not have them any more."""
    try:
        return fold(record(open=state.opened or []), state.opened or [])
    except (UnknownName, NoRule):
        state.opened = []
        return record()


@st.cache_data(max_entries=64, show_spinner="Drawing the graph …")
def cached_scene(trace_json: str, reading: Reading, formulas: Letters | None) -> Mapping[str, Any]:
    """The scene of a trace. Cached by the trace's own text, so the same graph with the same numbers is drawn once."""
    trace = Trace.from_json(trace_json)
    graph = reading.parse(list(trace.values))
    return scene(trace, tour=tour.tour(trace), nudges=tour.nudges(graph, trace), formulas=formulas)
