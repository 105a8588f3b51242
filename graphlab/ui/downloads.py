"""Saving and opening: the page as a file, the picture, the trace, and the formulas for a paper."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from graphlab.errors import GraphLabError, TraceError
from graphlab.render import dot, svg
from graphlab.ui import values
from graphlab.ui.plain import with_hint
from graphlab.ui.reading import Reading
from graphlab.ui.state import PageState, from_text, to_text


def download_menu(open_file: Callable[[PageState], None]) -> None:
    """A menu with everything that leaves the page or comes back to it."""
    with st.popover("Save", icon=":material/save:"):
        page: PageState = st.session_state.page
        st.download_button("Save this page", to_text(page), "page.graphlab.json", "application/json", width="stretch")
        try:
            graph = Reading.of(page).parse(list(page.values))
            filled = values.read_values(page.values | values.fill_in(page.values, graph), graph.inputs)
            trace = graph.trace(filled)
        except GraphLabError:
            st.caption("Pictures and formulas can be saved once the graph has its values.")
        else:
            files = (
                ("Picture (SVG)", lambda: svg.draw(trace), "graph.svg", "image/svg+xml"),
                ("Graphviz (DOT)", lambda: dot.write_dot(trace), "graph.dot", "text/plain"),
                ("Trace (JSON)", trace.to_json, "trace.json", "application/json"),
                ("Formula (LaTeX)", lambda: graph.latex, "formula.tex", "text/plain"),
            )
            for title, content, name, kind in files:
                st.download_button(title, content, name, kind, width="stretch")
        uploaded = st.file_uploader("Open a saved page", type=["json"])
        if uploaded is not None and st.session_state.get("opened") != uploaded.file_id:
            st.session_state.opened = uploaded.file_id
            try:
                open_file(from_text(uploaded.getvalue().decode("utf-8", errors="replace"), PageState))
            except TraceError as fault:
                st.error(with_hint(fault))
            else:
                st.rerun()
