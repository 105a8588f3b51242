"""Traces for the drawing tests: recorded ones, and one written by hand that is as hostile as data can be."""

from __future__ import annotations

from typing import Any

import graphlab as gl
from graphlab.tracing.trace import Step, Trace, TraceNode

HOSTILE = "</text><script>alert(1)</script>\"'&\\N]]>\nURL=javascript:alert(1)"


def lecture() -> Trace:
    """L = c(a+2b) at the lecture's point: nine steps."""
    return trace_of("L = c(a+2b)", a=3, b=1, c=-2)


def matrices() -> Trace:
    """Small arrays, a large one and a scalar."""
    return trace_of("L = sum(A@B + b)", A=[[1, 2, 3], [0.5, -1, 0.25]], B=[[0.1] * 6] * 3, b=[1, 2, 3, 4, 5, 6])


def trace_of(source: str, **values: Any) -> Trace:
    """The reverse trace of a formula."""
    return gl.parse(source).trace(values)


def hostile() -> Trace:
    """Names, formulas, faults and ids from a file somebody else wrote."""
    nodes = (
        TraceNode(HOSTILE, "input", None, HOSTILE, (), (), HOSTILE, HOSTILE, HOSTILE, 1.0),
        TraceNode("n1", "constant", None, "", (), (), HOSTILE, r"\href{javascript:alert(1)}{2}", "", 2.0),
        TraceNode("n2", "operation", "mul", HOSTILE, (HOSTILE, "n1"), (HOSTILE,), HOSTILE, r"\text{<script>}", "", 2.0),
        TraceNode("n3", "operation", "mul", "y", ("n2", "n1"), (), "y", "y", "", None, fault=HOSTILE),
        TraceNode("g0", "backward", None, HOSTILE, (), (), HOSTILE, HOSTILE, HOSTILE, 1.0),
    )
    steps = (
        Step("compute", "n2"),
        Step("seed", "n2", total="g0"),
        Step("edge", HOSTILE, "n2", 0, "g0", "n1", "g0", None, "g0"),
    )
    return Trace("reverse", HOSTILE, "n3", {}, nodes, steps)
