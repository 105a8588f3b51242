"""What an experiment finds, drawn: quantities as numbers, views as charts, or everything as tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from graphlab.lessons.findings import Bars, Cell, Drawing, Findings, Formula, Heat, Lines, Plane, Quantity, Table, View
from graphlab.render import svg
from graphlab.tracing.numbers import show_number
from graphlab.ui.plain import plain

WIDTH, HEIGHT = 560, 300
CLASSES = ("class 0", "class 1")
BLUE, ORANGE = "#3f7fd9", "#d9772e"
CLASS_COLOURS = alt.Scale(domain=list(CLASSES), range=[BLUE, ORANGE])
PALETTE = [BLUE, ORANGE, "#6aa84f", "#a64d9b", "#8a8f98"]
LETTERS, LARGE_LETTERS = 14, 22
LEGEND_COLUMNS = 2  # as many as a phone is wide


def show_findings(findings: Findings, *, as_tables: bool = False, large: bool = False) -> None:
    """Everything found. `large`: letters for a projector."""
    show_quantities(findings.quantities)
    for view in findings.views:
        st.markdown(f"**{view.title}**")
        if as_tables:
            show_table(view.as_table())
        else:
            draw(view, LARGE_LETTERS if large else LETTERS)


def show_quantities(quantities: Mapping[str, Quantity]) -> None:
    """Numbers under their labels, side by side."""
    with st.container(horizontal=True):
        for quantity in quantities.values():
            if not quantity.in_view:
                st.metric(quantity.label, quantity.shown, width="content")


def show_table(table: Table) -> None:
    """A table; marked cells stand out in bold with a sign, coloured ones by what is behind them."""
    texts = [[cell_text(table, (i, j), text) for j, text in enumerate(row)] for i, row in enumerate(table.texts)]
    st.table(pd.DataFrame(texts, columns=unlike(table.columns)), hide_index=True, border="horizontal", width="content")


def cell_text(table: Table, cell: Cell, text: str) -> str:
    """A cell as Markdown."""
    text = plain(text)
    if cell in table.coloured:
        text = f":{table.coloured[cell]}-background[{text}]"
    return f"**{text}** ◀" if cell in table.marked else text


def unlike(titles: Any) -> list[str]:
    """Titles of columns, told apart by spaces where two are equal."""
    found: list[str] = []
    for title in titles:
        while title in found:
            title += " "
        found.append(title)
    return found


@singledispatch
def draw(view: View, letters: int) -> None:
    """One view as a picture; `letters` is their size in pixels."""
    raise TypeError(view)


@draw.register
def _(view: Table, letters: int) -> None:
    show_table(view)


@draw.register
def _(view: Formula, letters: int) -> None:
    st.latex(view.latex)


@draw.register
def _(view: Drawing, letters: int) -> None:
    st.image(svg.draw(view.walk.trace, theme=None), width="stretch")


@draw.register
def _(view: Lines, letters: int) -> None:
    table = pd.DataFrame({"x": view.x, **view.lines}).melt("x", var_name="line", value_name="y")
    scale = alt.Scale(type="symlog" if view.logarithmic else "linear")
    axis = alt.Axis(format="d", tickMinStep=1) if np.all(np.mod(view.x, 1) == 0) else alt.Axis()
    place = {
        "x": alt.X("x:Q", title=view.x_title, axis=axis),
        "y": alt.Y("y:Q", title=view.y_title, scale=scale),
    }
    colour = alt.Color("line:N", title=None, sort=list(view.lines), scale=alt.Scale(range=PALETTE))
    dash = alt.StrokeDash("line:N", title=None, sort=list(view.lines))
    chart = (
        alt.Chart(table)
        .mark_line(strokeWidth=2.5, point=len(view.x) == 1)
        .encode(**place, color=colour, strokeDash=dash)
    )
    if view.marks:
        marks = pd.DataFrame([(name, x, y) for name, (x, y) in view.marks.items()], columns=["name", "x", "y"])
        points = alt.Chart(marks).mark_point(filled=True, size=110, color="gray").encode(x="x:Q", y="y:Q")
        words = alt.Chart(marks).mark_text(dy=-14, fontSize=letters, color="gray").encode(x="x:Q", y="y:Q", text="name")
        chart = chart + points + words
    show_chart(chart, view.title, letters)


@draw.register
def _(view: Bars, letters: int) -> None:
    table = pd.DataFrame({"label": list(view.labels), **view.heights}).melt(
        "label", var_name="series", value_name="height"
    )
    chart = alt.Chart(table).mark_bar().encode(
        x=alt.X("label:N", title=None, sort=list(view.labels), axis=alt.Axis(labelAngle=0, labelFlush=False)),
        xOffset=alt.XOffset("series:N", sort=list(view.heights)),
        y=alt.Y("height:Q", title=None),
        color=alt.Color("series:N", title=None, sort=list(view.heights), scale=alt.Scale(range=PALETTE)),
    )  # fmt: skip
    show_chart(chart, view.title, letters)


@draw.register
def _(view: Heat, letters: int) -> None:
    numbers = np.asarray(view.numbers, dtype=float)
    rows, columns = unlike(view.rows), unlike(view.columns)
    cells = [
        (r, c, numbers[i, j], show_number(numbers[i, j], 3)) for i, r in enumerate(rows) for j, c in enumerate(columns)
    ]
    table = pd.DataFrame(cells, columns=["row", "column", "number", "text"])
    place = {
        "x": alt.X("column:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=0, labelFlush=False)),
        "y": alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(labelFlush=False)),
    }
    largest = float(np.nanmax(np.abs(numbers))) or 1.0
    colours = [BLUE, "#f4f5f7", ORANGE] if view.signed else ["#f4f5f7", BLUE]
    scale = alt.Scale(domain=[-largest, 0, largest] if view.signed else [0, largest], range=colours, interpolate="rgb")
    squares = alt.Chart(table).mark_rect().encode(**place, color=alt.Color("number:Q", scale=scale, legend=None))
    dark = alt.expr.abs(alt.datum.number) > 0.8 * largest
    words = alt.Chart(table).mark_text(fontSize=letters).encode(
        **place, text="text:N", color=alt.condition(dark, alt.value("white"), alt.value("#1d2433"))
    )  # fmt: skip
    side = min(30 + 4 * letters, WIDTH / len(columns))
    names = 0.6 * letters * max(map(len, rows))
    chart = (squares + words).properties(height=0.6 * side * len(rows))
    show_chart(chart, view.title, letters, width=round(side * len(columns) + names))


@draw.register
def _(view: Plane, letters: int) -> None:
    points = np.asarray(view.points, dtype=float)
    table = pd.DataFrame({"x1": points[:, 0], "x2": points[:, 1], "class": [CLASSES[int(y)] for y in view.classes]})
    scales = [alt.Scale()] * 2 if view.grid is None else [alt.Scale(domain=edges(axis)) for axis in view.grid[:2]]
    place = {"x": alt.X("x1:Q", title="x₁", scale=scales[0]), "y": alt.Y("x2:Q", title="x₂", scale=scales[1])}
    legend = alt.Legend(title=None)
    klass = alt.Color("class:N", scale=CLASS_COLOURS, legend=legend)
    layers = [] if view.grid is None else [probability(*view.grid)]
    layers.append(alt.Chart(table).mark_point(filled=True, size=80, opacity=1, stroke="white").encode(
        **place, color=klass, shape=alt.Shape("class:N", legend=legend)
    ))  # fmt: skip
    if len(view.arrows):
        ends = pd.DataFrame(np.asarray(view.arrows, dtype=float), columns=["x1", "x2", "dx1", "dx2"])
        ends = ends.assign(to1=ends["x1"] + ends["dx1"], to2=ends["x2"] + ends["dx2"])
        layers.append(alt.Chart(ends).mark_rule(strokeWidth=2.5, color="gray").encode(**place, x2="to1", y2="to2"))
    show_chart(alt.layer(*layers).properties(height=1.3 * HEIGHT), view.title, letters, width=round(1.5 * HEIGHT))


def edges(axis: Any) -> list[float]:
    """Where the cells around these points begin and end."""
    half = (axis[1] - axis[0]) / 2
    return [float(axis[0] - half), float(axis[-1] + half)]


def probability(xs: Any, ys: Any, p: Any) -> Any:
    """The probability of class 1 as a ground of two colours that meet where it is ½."""
    xs, ys, p = (np.asarray(part, dtype=float) for part in (xs, ys, p))
    dx, dy = (axis[1] - axis[0] for axis in (xs, ys))
    cells = [
        (a - dx / 2, a + dx / 2, b - dy / 2, b + dy / 2, p[j, i]) for i, a in enumerate(xs) for j, b in enumerate(ys)
    ]
    table = pd.DataFrame(cells, columns=["x1", "to1", "x2", "to2", "p"])
    scale = alt.Scale(domain=[0, 0.5, 1], range=[BLUE, "#ffffff", ORANGE], interpolate="rgb")
    return alt.Chart(table).mark_rect(opacity=0.45).encode(
        x="x1:Q", x2="to1", y="x2:Q", y2="to2", fill=alt.Fill("p:Q", scale=scale, legend=None)
    )  # fmt: skip


def show_chart(chart: Any, title: str, letters: int, *, width: int | None = None) -> None:
    """A chart with letters of this size, as wide as the page or as `width`, and never wider than a phone; `title` is
    what is read aloud."""
    chart = chart if width else chart.properties(height=HEIGHT)
    fonts = {"labelFontSize": letters, "titleFontSize": letters}
    chart = chart.configure_axis(**fonts).configure_legend(
        **fonts, labelLimit=400, orient="bottom", columns=LEGEND_COLUMNS
    )
    with st.container(width=width or "stretch"):
        st.altair_chart(chart, width="stretch", alt=title)
