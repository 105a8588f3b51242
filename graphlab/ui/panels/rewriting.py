"""The visible rules at work: a formula or one of its derivatives, rewritten step by step with reasons and checks."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from graphlab.api import Graph
from graphlab.errors import GraphLabError
from graphlab.tracing.rewriting_checks import Verdict
from graphlab.tracing.rewriting_steps import RewriteKind, RewriteTrace
from graphlab.tracing.words import show_formula, show_name
from graphlab.ui.plain import with_hint

KINDS: dict[RewriteKind, str] = {"simplify": "Simplify", "merge": "Merge equal parts", "stabilise": "Stabilise"}
FORMULA = "The formula"
CHECKED: dict[Verdict, str] = {
    "same": "equal",
    "safer": "equal, and safer",
    "differs": "not equal",
    "unchecked": "not checked",
}
MOST_SHOWN = 200


def rewriting_panel(graph: Graph) -> None:
    """Choose what is rewritten and how; read the steps and the result."""
    derivatives = {f"The derivative by {show_name(name)}": name for name in graph.inputs}
    kind = st.pills("Rules", list(KINDS), default="simplify", format_func=KINDS.__getitem__, key="rewriting kind")
    choices = [FORMULA, *derivatives]
    chosen = st.pills("Rewrite", choices, default=choices[:2][-1], key="rewriting what")
    if kind is None or chosen is None:
        return
    try:
        target = graph if chosen == FORMULA else graph.derivative(derivatives[chosen], simplify=False)
        trace = target.rewrites(kind)
    except GraphLabError as fault:
        st.caption(with_hint(fault))
        return
    if not trace.steps:
        st.caption("Nothing to rewrite.")
        return
    st.latex(trace.source_latex)
    show_steps(trace)
    st.latex(trace.result_latex)
    st.caption(f"{chosen}, before and after: {trace.check.sentence}")


def show_steps(trace: RewriteTrace) -> None:
    """The steps as a table."""
    rows = [
        {
            "step": number,
            "at": show_name(step.name),
            "rule": step.rule,
            "before → after": f"{show_formula(step.before)} → {show_formula(step.after)}",
            "check": CHECKED[step.check.verdict],
            "why": step.why,
        }
        for number, step in enumerate(trace.steps[:MOST_SHOWN], start=1)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    if len(trace.steps) > MOST_SHOWN:
        st.caption(f"These are the first {MOST_SHOWN} of {len(trace.steps)} steps.")
