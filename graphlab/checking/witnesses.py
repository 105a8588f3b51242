"""The gradient check: the graph's gradient of every input beside central differences and, where installed, torch.

A row holds facts: the entry at which the two differ most, both numbers, and whether that is within the bound. The bound
follows from how exact the witness is.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine import evaluation, reverse
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.values import has_gradient

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
STEEP = 1e4
ROUNDING = 4 * float(np.finfo(np.float64).eps) / STEP


def slopes_at(dag: Dag, given: Mapping[Node, Any], node: Node, index: tuple[int, ...]) -> tuple[float, float]:
    """The slopes of the output to the left and to the right of one entry, over 6·10⁻⁶ of its size (at least that)."""
    start = np.asarray(given[node], dtype=np.float64)
    h = STEP * max(1.0, abs(float(start[index])))
    outputs = []
    for move in (-h, 0.0, h):
        moved = start.copy()
        moved[index] += move
        outputs.append(np.float64(evaluation.evaluate(dag, {**given, node: moved[()]})[dag.output]))
    with np.errstate(all="ignore"):
        return float((outputs[1] - outputs[0]) / h), float((outputs[2] - outputs[1]) / h)


def central_differences(dag: Dag, given: Mapping[Node, Any]) -> Gradients:
    """(L(x + h) − L(x − h)) / 2h for every entry of every real input."""
    found: Gradients = {}
    for node, value in given.items():
        if has_gradient(value):
            slopes = np.empty(np.shape(value))
            for index in np.ndindex(slopes.shape):
                left, right = slopes_at(dag, given, node, index)
                slopes[index] = (left + right) / 2
            found[node] = slopes[()]
    return found


def torch_gradients(dag: Dag, given: Mapping[Node, Any]) -> Gradients:
    """What torch's autograd says."""
    from graphlab.interop import torch

    return dict(torch.gradients(dag, given)[1])


WITNESSES: dict[str, tuple[Callable[[Dag, Mapping[Node, Any]], Gradients], float, str | None]] = {
    "central differences": (central_differences, 1e-6, None),
    "torch": (torch_gradients, 1e-10, "torch"),
}


def available(witness: str) -> bool:
    """Whether what the witness needs is installed."""
    package = WITNESSES[witness][2]
    return package is None or importlib.util.find_spec(package) is not None


def check_gradients(dag: Dag, given: Mapping[Node, Any]) -> list[Comparison]:
    """Every input against every witness there is. The output must be a scalar."""
    values = evaluation.evaluate(dag, given)
    wrt = [node for node in dag.inputs.values() if has_gradient(given[node])]
    output = values[dag.output]
    mine = reverse.gradients(dag, values, np.ones_like(output)[()], wrt)
    rows = []
    for witness, (gradients, _bound, _package) in WITNESSES.items():
        if available(witness):
            theirs = gradients(dag, given)
            rows += [compare(dag, given, node, witness, mine[node], theirs[node], output) for node in wrt]
    return rows


def compare(
    dag: Dag, given: Mapping[Node, Any], node: Node, witness: str, mine: Any, theirs: Any, output: Any
) -> Comparison:
    """The worst entry of one input, relative to its size; `excuse` may say that mathematics leaves a choice there.

    Differences cannot be more exact than the rounding of the output over the step, so that much is allowed too.
    """
    bound = WITNESSES[witness][1]
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
    note = "" if off[index] <= bound else excuse(dag, given, node, index, float(a[index]), float(b[index]))
    agrees = bool(off[index] <= bound or note)
    return Comparison(
        str(node.name), witness, index, float(a[index]), float(b[index]), float(off[index]), bound, agrees, note
    )


def excuse(dag: Dag, given: Mapping[Node, Any], node: Node, index: tuple[int, ...], mine: float, theirs: float) -> str:
    """Why two gradients may differ at this entry and both be right, or "" if one must be wrong."""
    left, right = slopes_at(dag, given, node, index)
    if np.isnan(left) or np.isnan(right):
        return "at the edge of the domain: there is no slope on both sides"
    if np.isinf(mine) and max(abs(left), abs(right), abs(theirs)) > STEEP:
        return "at a pole: the slope is infinite"
    low, high = sorted((left, right))
    slack = 1e-5 * max(1.0, abs(low), abs(high))
    at_kink = high - low > 100 * slack
    if at_kink and low - slack <= mine <= high + slack:
        return f"convention differs: at a kink, any slope from {low:.4g} to {high:.4g} is right"
    return ""
