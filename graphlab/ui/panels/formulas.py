"""The derivatives below the graph: every gradient as a formula and a number, and the backward pass as on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from graphlab.api import Graph
from graphlab.engine.naming import accented_name
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
    lines: list[str] = []
    for name, value in slopes.items():
        slope = rf"\frac{{\partial {output}}}{{\partial {name_latex(name)}}}"
        left = name_latex(accented_name(name, "bar", set())) if np.ndim(value) else slope
        number = f" = {number_latex(value)}" if isinstance(value, float) else ""
        try:
            st.latex(rf"{left} = {graph.derivative(name).latex}{number}")
            lines = lines or graph.backward(*slopes).lines
        except GraphLabError as fault:
            st.caption(plain(f"{name}: {fault.message}"))
    st.caption("The backward pass, line by line; x\\_bar is the gradient of x.")
    st.code("\n".join([*graph.lines, *lines]), language=None)
