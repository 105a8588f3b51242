"""The gradient check: the graph's gradient of every input beside those of independent witnesses.

Central differences and the complex step need nothing but NumPy; torch, SymPy and mpmath speak where they are installed.
A witness is asked only about graphs it understands. A row holds facts: the entry at which the two differ most, both
numbers, and whether that is within the bound. The bound follows from how exact the witness is.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine import evaluation, reverse
from graphlab.engine.bodies import body_of
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.values import has_gradient
from graphlab.errors import LimitError, NoRule

Given = Mapping[Node, Any]
Gradients = dict[Node, Any]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One input against one witness, at the entry where they differ most (`index`; () for a scalar)."""

    name: str
    witness: str
    index: tuple[int, ...]
    graph: float
    other: float
    difference: float
    bound: float
    agrees: bool
    note: str = ""


STEP = 6e-6
TINY = 1e-200
STEEP = 1e4
SYMBOLIC_NODES = 100
MANY_DIGITS_WORK = 20_000
ROUNDING = 4 * float(np.finfo(np.float64).eps) / STEP


# ---- the witnesses -------------------------------------------------------------------------------------------------
def slopes_at(dag: Dag, given: Given, node: Node, index: tuple[int, ...]) -> tuple[float, float]:
    """The slopes of the output to the left and to the right of one entry, over 6·10⁻⁶ of its size (at least that)."""
    start = np.asarray(given[node], dtype=np.float64)
    h = STEP * max(1.0, abs(float(start[index])))
    outputs = []
    with np.errstate(all="ignore"):
        for move in (-h, 0.0, h):
            moved = start.copy()
            moved[index] += move
            outputs.append(np.float64(evaluation.evaluate(dag, {**given, node: moved[()]})[dag.output]))
        return float((outputs[1] - outputs[0]) / h), float((outputs[2] - outputs[1]) / h)


def entry_by_entry(given: Given, slope: Callable[[Node, tuple[int, ...]], float]) -> Gradients:
    """A slope for every entry of every real input."""
    found: Gradients = {}
    for node, value in given.items():
        if has_gradient(value):
            slopes = np.empty(np.shape(value))
            for index in np.ndindex(slopes.shape):
                slopes[index] = slope(node, index)
            found[node] = slopes[()]
    return found


def central_differences(dag: Dag, given: Given) -> Gradients:
    """(L(x + h) − L(x − h)) / 2h for every entry of every real input."""
    return entry_by_entry(given, lambda node, index: sum(slopes_at(dag, given, node, index)) / 2)


def complex_values(dag: Dag, given: Given) -> dict[Node, Any]:
    """Every node on complex numbers. Composites run their bodies: a careful kernel may know the real ones only."""
    values = dict(given)
    for node in dag.nodes:
        if node.op is None:
            values.setdefault(node, node.value)
            continue
        inputs = [values[x] for x in node.inputs]
        if node.op.body is not None:
            body, slots = body_of(node.op, node.attrs)
            values[node] = complex_values(body, dict(zip(slots, inputs, strict=True)))[body.output]
        else:
            values[node] = node.op.forward(*inputs, **node.attrs)
    return values


def complex_step(dag: Dag, given: Given) -> Gradients | None:
    """Im L(x + ih) / h with a tiny h: exact, because nothing is subtracted. Only where every op is analytic."""
    if not all(node.op is None or node.op.analytic for node in dag.nodes):
        return None

    def slope(node: Node, index: tuple[int, ...]) -> float:
        moved = np.array(given[node], dtype=np.complex128)
        moved[index] += TINY * 1j
        with np.errstate(all="ignore"):
            return float(np.imag(complex_values(dag, {**given, node: moved[()]})[dag.output]) / TINY)

    return entry_by_entry(given, slope)


def torch_gradients(dag: Dag, given: Given) -> Gradients:
    """What torch's autograd says."""
    from graphlab.interop import torch

    return dict(torch.gradients(dag, given)[1])


def sympy_gradients(dag: Dag, given: Given) -> Gradients | None:
    """What SymPy's differentiation says, for small graphs of scalars that have a meaning there."""
    from graphlab.interop import sympy

    if len(dag.nodes) > SYMBOLIC_NODES or any(np.shape(value) for value in given.values()):
        return None
    try:
        return sympy.slopes(dag, given)
    except (NoRule, LimitError):
        return None


def mpmath_gradients(dag: Dag, given: Given) -> Gradients | None:
    """Differences over steps so tiny, with so many digits, that they are exact; for graphs that are not too large."""
    from graphlab.interop import mpmath

    cells = sum(np.size(value) for value in given.values())
    if cells * len(dag.nodes) * cells > MANY_DIGITS_WORK:
        return None
    return entry_by_entry(given, lambda node, index: mpmath.slope(dag, given, node, index))


@dataclass(frozen=True, slots=True)
class Witness:
    """Who is asked, how exact the answer is (relative to the size of the slope), and the package it needs."""

    gradients: Callable[[Dag, Given], Gradients | None]
    bound: float
    package: str | None = None

    @property
    def available(self) -> bool:
        """Whether what the witness needs is installed."""
        return self.package is None or importlib.util.find_spec(self.package) is not None


WITNESSES = {
    "central differences": Witness(central_differences, 1e-6),
    "complex step": Witness(complex_step, 1e-10),
    "torch": Witness(torch_gradients, 1e-10, "torch"),
    "SymPy": Witness(sympy_gradients, 1e-10, "sympy"),
    "mpmath": Witness(mpmath_gradients, 1e-10, "mpmath"),
}


# ---- comparing -----------------------------------------------------------------------------------------------------
def check_gradients(dag: Dag, given: Given, running: Dag | None = None) -> list[Comparison]:
    """Every input against every witness that can speak, in double precision. The output must be a scalar.

    `running` is the graph whose gradients are checked, if that is not `dag` itself: the stabilised one.
    """
    given = {node: value.astype(np.float64) if has_gradient(value) else value for node, value in given.items()}
    run = running or dag
    values = evaluation.evaluate(run, given)
    wrt = [node for node in dag.inputs.values() if has_gradient(given[node])]
    output = values[run.output]
    mine = reverse.gradients(run, values, np.ones_like(output)[()], wrt)
    rows = []
    for name, witness in WITNESSES.items():
        theirs = witness.gradients(dag, given) if witness.available else None
        if theirs is not None:
            rows += [compare(dag, given, node, name, mine[node], theirs[node], output) for node in wrt]
    return rows


def compare(dag: Dag, given: Given, node: Node, witness: str, mine: Any, theirs: Any, output: Any) -> Comparison:
    """The worst entry of one input, relative to its size; `excuse` may say that mathematics leaves a choice there.

    Differences cannot be more exact than the rounding of the output over the step, so that much is allowed too.
    """
    bound = WITNESSES[witness].bound
    a, b = np.asarray(mine, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    scale = np.maximum(1.0, np.abs(b))
    if witness == "central differences":
        scale = scale + ROUNDING * abs(float(output)) / bound
    with np.errstate(all="ignore"):
        off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b) / scale)
    off = np.where(np.isnan(off), np.inf, off)
    if not off.size:
        return Comparison(str(node.name), witness, (), 0.0, 0.0, 0.0, bound, True, "no entries")
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(off)), off.shape))
    note = ""
    if off[index] > bound:
        note = excuse(dag, given, node, index, witness, float(a[index]), float(b[index]))
    agrees = bool(off[index] <= bound or note)
    return Comparison(
        str(node.name), witness, index, float(a[index]), float(b[index]), float(off[index]), bound, agrees, note
    )


def excuse(dag: Dag, given: Given, node: Node, index: tuple[int, ...], witness: str, mine: float, theirs: float) -> str:
    """Why two gradients may differ at this entry and both be right, or "" if one must be wrong."""
    if witness != "torch" and any(n.op is not None and n.op.name == "detach" for n in dag.nodes):
        return f"convention differs: detach cuts the way back on purpose, which {witness} cannot know"
    exact = exact_slope(dag, given, node, index)
    if np.isfinite(exact) and abs(exact - mine) <= 1e-9 * max(1.0, abs(exact)):
        return f"convention differs: digits are lost here ({witness}); with many more the slope is {exact:.4g}"
    left, right = slopes_at(dag, given, node, index)
    if np.isnan(left) or np.isnan(right):
        return "convention differs: at the edge of the domain there is no slope on both sides"
    if np.isinf(mine) and max(abs(left), abs(right), abs(theirs)) > STEEP:
        return "convention differs: at a pole the slope is infinite"
    low, high = sorted((left, right))
    slack = 1e-5 * max(1.0, abs(low), abs(high))
    at_kink = high - low > 100 * slack
    if at_kink and low - slack <= mine <= high + slack:
        return f"convention differs: at a kink, any slope from {low:.4g} to {high:.4g} is right"
    return ""


def exact_slope(dag: Dag, given: Given, node: Node, index: tuple[int, ...]) -> float:
    """The slope in one entry, from many digits; nan without mpmath."""
    if not WITNESSES["mpmath"].available:
        return float("nan")
    from graphlab.interop import mpmath

    return mpmath.slope(dag, given, node, index)
