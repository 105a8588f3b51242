"""The switches of the Explore page: text or LaTeX, backward or forward mode."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from graphlab.api import Graph
from graphlab.tracing.words import show_name
from graphlab.ui import session
from graphlab.ui.state import PageState

NOTATIONS = {"plain": "Text", "latex": "LaTeX"}


def notation_switch(state: PageState, graph: Graph | None) -> None:
    """Plain text or LaTeX; what is typed is translated."""
    st.segmented_control(
        "Notation",
        NOTATIONS,
        format_func=NOTATIONS.__getitem__,
        key="notation",
        label_visibility="collapsed",
        on_change=switch_notation,
        args=(graph,),
        width="content",
        required=True,
    )


def switch_notation(graph: Graph | None) -> None:
    page: PageState = st.session_state.page
    chosen = st.session_state["notation"]
    if chosen == page.notation:
        return
    formula = page.formula
    if graph is not None:
        formula = graph.latex if chosen == "latex" else graph.text.replace("; ", "\n")
    session.change(replace(page, notation=chosen, formula=formula))


def choose_moving(graph: Graph, state: PageState) -> list[str]:
    """The inputs that move in forward mode; at least one."""
    known = [name for name in state.moving if name in graph.inputs] or graph.inputs[:1]
    chosen = st.pills(
        "Moving inputs", graph.inputs, default=known, selection_mode="multi", format_func=show_name, key="moving"
    )
    return list(chosen) or graph.inputs[:1]
