"""The derivatives below the graph: every gradient as a formula and a number, and the backward pass as on paper."""

from __future__ import annotations

from typing import Any

import streamlit as st

from graphlab.api import Graph
from graphlab.engine.notation import name_latex
from graphlab.errors import GraphLabError
from graphlab.tracing.explaining import number_latex
from graphlab.ui.plain import plain


def formulas_panel(graph: Graph, given: dict[str, Any]) -> None:
    """Every gradient as formula and number, then the lines of the backward pass."""
    write_formulas(graph, graph.gradients(given))


def symbolic_formulas(graph: Graph) -> None:
    """The same without numbers, for a graph that has no values."""
    write_formulas(graph, dict.fromkeys(graph.inputs))


def write_formulas(graph: Graph, slopes: dict[str, Any]) -> None:
    """One line of mathematics per input, and the program of the backward pass."""
    output = name_latex(graph.names.get(graph.dag.output, "L"))
    lines: dict[str, None] = {}
    for name, value in slopes.items():
        left = rf"\frac{{\partial {output}}}{{\partial {name_latex(name)}}}"
        number = f" = {number_latex(value)}" if isinstance(value, float) else ""
        try:
            derivative = graph.derivative(name)
            st.latex(rf"{left} = {derivative.latex}{number}")
            lines |= dict.fromkeys(derivative.lines)
        except GraphLabError as fault:
            st.caption(plain(f"{name}: {fault.message}"))
    st.caption("The backward pass, line by line; x\\_bar is the gradient of x.")
    st.code("\n".join([*graph.lines, *lines]), language=None)
