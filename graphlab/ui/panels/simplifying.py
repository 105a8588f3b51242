"""The formula as SymPy simplifies it, asked for with a button and stopped after two seconds."""

from __future__ import annotations

import streamlit as st

from graphlab.api import Graph, from_sympy
from graphlab.errors import GraphLabError
from graphlab.ui.plain import with_hint

SECONDS = 2.0


def simplify_panel(graph: Graph) -> None:
    """A button; the answer or why there is none."""
    st.caption(f"SymPy works in a process of its own and is stopped after {SECONDS:g} seconds.")
    if not st.button("Simplify with SymPy", key="simplify"):
        return
    try:
        with st.spinner("SymPy is thinking …"):
            simpler = from_sympy(graph.to_sympy(simplify=True, timeout=SECONDS))
    except GraphLabError as fault:
        st.warning(with_hint(fault))
        return
    st.latex(simpler.latex)
    st.code(simpler.text, language=None)
