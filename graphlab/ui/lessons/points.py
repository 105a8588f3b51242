"""Points of one's own: clicked on the plane, or read from a CSV file."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from graphlab.errors import GraphLabError
from graphlab.lessons.controls import Points
from graphlab.lessons.points import read_points
from graphlab.ui.lessons.views import CLASS_COLOURS, CLASSES
from graphlab.ui.plain import with_hint

CELLS = 24
SIDE = 300


def point_field(control: Points, rows: list[list[float]], key: str) -> list[list[float]]:
    """The points as they are now: `rows`, and what the reader adds or takes away. They live under `key`."""
    st.session_state.setdefault(key, rows)
    with st.popover(control.title, icon=":material/scatter_plot:"):
        klass = st.segmented_control(
            "A click adds a point of", CLASSES, key=f"{key} class", default=CLASSES[0], required=True
        )
        add_clicked(control, key, CLASSES.index(str(klass)))
        with st.container(horizontal=True):
            st.button("Take back the last", key=f"{key} undo", on_click=put, args=(key, st.session_state[key][:-1]))
            st.button("Begin again", key=f"{key} first", on_click=put, args=(key, control.first))
        add_file(control, key)
    return list(st.session_state[key]) or control.first


def put(key: str, rows: list[list[float]]) -> None:
    st.session_state[key] = rows


def add_clicked(control: Points, key: str, klass: int) -> None:
    """A plane of cells to click; a new revision after every click, so that the same cell can be clicked again."""
    revision = st.session_state.get(f"{key} clicks", 0)
    event = st.altair_chart(
        cells(control, st.session_state[key]),
        on_select="rerun",
        key=f"{key} plane {revision}",
        width="content",
        alt="A plane to click points into",
    )
    clicked = dict(event).get("selection", {}).get("cell") or []
    if clicked and len(st.session_state[key]) < control.most:
        put(key, [*st.session_state[key], [float(clicked[0]["x1"]), float(clicked[0]["x2"]), float(klass)]])
        st.session_state[f"{key} clicks"] = revision + 1
        st.rerun()


def cells(control: Points, rows: list[list[float]]) -> Any:
    """Invisible cells under the points."""
    ticks = np.linspace(-control.reach, control.reach, CELLS + 1).round(3)
    grid = pd.DataFrame([(a, b) for a in ticks for b in ticks], columns=["x1", "x2"])
    domain = alt.Scale(domain=[-control.reach, control.reach])
    place = {"x": alt.X("x1:Q", scale=domain, title="x₁"), "y": alt.Y("x2:Q", scale=domain, title="x₂")}
    cell = alt.selection_point(name="cell", fields=["x1", "x2"], on="click")
    under = alt.Chart(grid).mark_square(size=(SIDE / CELLS) ** 2, opacity=0.001).encode(**place).add_params(cell)
    table = pd.DataFrame(rows, columns=["x1", "x2", "y"]).assign(klass=lambda t: [CLASSES[int(y)] for y in t["y"]])
    over = (
        alt.Chart(table)
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            **place, color=alt.Color("klass:N", scale=CLASS_COLOURS, title=None), shape=alt.Shape("klass:N", title=None)
        )
    )
    return (over + under).properties(width=SIDE, height=SIDE)


def add_file(control: Points, key: str) -> None:
    """A CSV file replaces the points; one that cannot be used is refused with its line."""
    uploaded = st.file_uploader("Or a CSV file: x1, x2, class", type=["csv", "txt"], key=f"{key} file")
    if uploaded is None or st.session_state.get(f"{key} read") == uploaded.file_id:
        return
    try:
        rows = read_points(uploaded.getvalue().decode("utf-8", errors="replace"), control.most)
    except GraphLabError as fault:
        st.error(with_hint(fault))
        return
    st.session_state[f"{key} read"] = uploaded.file_id
    put(key, rows)
    st.rerun()
