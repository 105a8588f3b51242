"""The derivatives below the graph: every gradient as a formula and a number, and the backward pass as on paper."""

from __future__ import annotations

import streamlit as st

from graphlab.api import Graph, Trace
from graphlab.engine.notation import name_latex
from graphlab.errors import GraphLabError, LimitError
from graphlab.tracing.explaining import number_latex


def derivative_table(graph: Graph, trace: Trace) -> None:
    """Folded away at first: formulas of all gradients, and the lines of the backward pass."""
    slopes = {node.name: trace.known_gradients.get(node.id) for node in trace.nodes if node.role == "input"}
    with st.expander("Formulas of the gradients"):
        output = name_latex(trace.node(trace.output).name)
        for name, value in slopes.items():
            try:
                formula = graph.derivative(name).latex
            except LimitError as fault:
                st.caption(f"{name}: {fault.message}")
                continue
            except GraphLabError as fault:
                st.caption(fault.message)
                return
            left = rf"\frac{{\partial {output}}}{{\partial {name_latex(name)}}}"
            number = f" = {number_latex(value)}" if isinstance(value, float) else ""
            st.latex(rf"{left} = {formula}{number}")
        lines = [line for name in slopes for line in graph.derivative(name).lines]
        st.caption("The backward pass, line by line; x_bar is the gradient of x.")
        st.code("\n".join([*graph.lines, *dict.fromkeys(lines)]), language=None)
