"""First and second derivatives as tables and heat maps: the Jacobian of the output, the Hessian of a scalar one."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from graphlab.api import Graph
from graphlab.errors import GraphLabError
from graphlab.tracing.numbers import show_number
from graphlab.tracing.words import SUBSCRIPTS, show_name
from graphlab.ui.plain import with_hint

MOST_ENTRIES = 60


def curvature_panel(graph: Graph, given: dict[str, Any]) -> None:
    """The Jacobian and, for a scalar output, the Hessian, over all entries of all inputs."""
    labels = [label for name in graph.inputs for label in entries(name, np.shape(given[name]))]
    output = np.asarray(graph.evaluate(given))
    if len(labels) > MOST_ENTRIES or output.size > MOST_ENTRIES:
        st.caption(f"{len(labels)} input entries and {output.size} output entries: at most {MOST_ENTRIES} are shown.")
        return
    try:
        rows = [np.reshape(graph.jacobian(name, given), (output.size, -1)) for name in graph.inputs]
    except GraphLabError as fault:
        st.caption(with_hint(fault))
        return
    left = entries(graph.names.get(graph.dag.output, "L"), output.shape)
    table("Jacobian: how fast each output entry moves with each input entry", np.hstack(rows), left, labels)
    if output.shape == ():
        blocks = graph.hessian(given)
        sizes = {name: int(np.size(given[name])) for name in graph.inputs}
        whole = np.block([[np.reshape(blocks[a][b], (sizes[a], sizes[b])) for b in graph.inputs] for a in graph.inputs])
        table("Hessian: how fast each gradient moves with each input entry", whole, labels, labels)


def entries(name: str, shape: tuple[int, ...]) -> list[str]:
    """The entries of an array by name, counted from 1 as in a lecture: W₁₁, W₁₂, …"""
    if not shape:
        return [show_name(name)]
    return [
        show_name(name) + ",".join(str(i + 1) for i in index).translate(SUBSCRIPTS).replace(",", "")
        for index in np.ndindex(shape)
    ]


def table(title: str, matrix: np.ndarray[Any, Any], rows: list[str], columns: list[str]) -> None:
    """A matrix as a heat map with its numbers, diverging around 0."""
    st.markdown(f"**{title}**")
    cells = [
        {"row": row, "column": column, "value": float(matrix[i, j]), "shown": show_number(matrix[i, j])}
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]
    largest = float(np.abs(matrix[np.isfinite(matrix)]).max(initial=0.0)) or 1.0
    base = alt.Chart(pd.DataFrame(cells)).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("row:N", sort=rows, title=None),
    )
    colour = alt.Color("value:Q", legend=None, scale=alt.Scale(scheme="blueorange", domain=[-largest, largest]))
    heat = base.mark_rect().encode(color=colour, tooltip=["row", "column", "value"])
    numbers = base.mark_text(fontSize=13).encode(
        text="shown:N",
        color=alt.condition(f"abs(datum.value) > {0.6 * largest}", alt.value("white"), alt.value("#1d2433")),
    )
    chart = (heat + numbers).properties(height=max(90, 34 * len(rows) + 40), width=max(160, 62 * len(columns)))
    st.altair_chart(chart, width="content" if len(columns) < 15 else "stretch")
