"""The derivative with respect to one input as a graph of its own, as built by the chain rule or simplified."""

from __future__ import annotations

from typing import Any

import streamlit as st

from graphlab.api import Graph
from graphlab.errors import GraphLabError
from graphlab.render.svg import draw
from graphlab.tracing.words import show_name
from graphlab.ui.panels.paths import theme
from graphlab.ui.plain import with_hint

MOST_NODES = 80


def backward_panel(graph: Graph, given: dict[str, Any]) -> None:
    """Choose an input and whether the visible rules have been applied."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.pills("Derivative by", graph.inputs, default=graph.inputs[0], format_func=show_name, key="derive by")
        simplified = st.toggle("simplified", value=True)
    if name is None:
        return
    try:
        derivative = graph.derivative(name, simplify=simplified)
        known = {key: value for key, value in given.items() if key in derivative.inputs}
        picture = derivative.trace(known, kind="forward")
    except GraphLabError as fault:
        st.caption(with_hint(fault))
        return
    if len(picture.forward_nodes) > MOST_NODES:
        st.caption(f"This graph has {len(picture.forward_nodes)} nodes; at most {MOST_NODES} are drawn here.")
        return
    st.image(draw(picture, theme=theme()), width="stretch")
