"""Every path from an input to the output, its product, and that all of them add up to the gradient."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from graphlab.api import Graph, Trace
from graphlab.errors import GraphLabError
from graphlab.render.svg import draw
from graphlab.tracing.numbers import approximately, show_number
from graphlab.tracing.words import show_name
from graphlab.ui.plain import with_hint

MOST_SHOWN = 200


def paths_panel(graph: Graph, trace: Trace, given: dict[str, Any]) -> None:
    """Choose an input; read its paths; choose one to see it in the graph."""
    name = st.pills("Paths from", graph.inputs, default=graph.inputs[0], format_func=show_name, key="paths from")
    if name is None:
        return
    count = graph.count_paths(name)
    st.markdown(f"**{count:,}** {'path leads' if count == 1 else 'paths lead'} from {show_name(name)} to the output.")
    try:
        found = graph.paths(name, given)
    except GraphLabError as fault:
        st.caption(with_hint(fault))
        return
    rows = [
        {
            "path": " → ".join(map(show_name, path.nodes)),
            "local derivatives": " · ".join(map(show_number, path.factors)),
            "product": show_number(path.product),
        }
        for path in found[:MOST_SHOWN]
    ]
    chosen = st.dataframe(
        pd.DataFrame(rows), hide_index=True, on_select="rerun", selection_mode="single-row", key=f"paths {name}"
    )
    more = f" Only the first {MOST_SHOWN} are shown." if count > MOST_SHOWN else ""
    total = sum(path.product for path in found)
    st.markdown(f"Their products add up to **{approximately(total)}**, the gradient of {show_name(name)}.{more}")
    selected = chosen["selection"]["rows"] or [0]
    if found:
        st.image(draw(trace, marked=found[selected[0]].edges, theme=theme()), width="stretch")


def theme() -> Any:
    """The page's own theme, for pictures."""
    return "dark" if st.context.theme.type == "dark" else "light"
