"""A check by numbers that two forms of an expression are equal, at random points inside the ops' domains.

The points are the same on every run. Numbers a thousand times as large are tried as well: there a form that rounds or
overflows has no value any more, and a stable one still has.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphlab.engine import evaluation, inference, values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.engine.shapes import Shape, count
from graphlab.errors import GraphLabError
from graphlab.tracing.numbers import show_number

POINTS = 5
TRIALS = 60
BOUND = 1e-9
LARGE = 1000.0
SMALLEST_SIZE = 3
MOST_CELLS = 100_000
WIDEST = (-2.0, 2.0)
Point = dict[Node, Any]
Verdict = Literal["same", "safer", "differs", "unchecked"]
SENTENCES: dict[Verdict, str] = {
    "same": "Equal at {points} random points (largest difference {difference}).",
    "safer": "Equal at {points} random points (largest difference {difference}). At {rescued} of {large} points "
    "with large numbers only the new form has a finite value.",
    "differs": "Not equal at {points} random points (largest difference {difference}).",
    "unchecked": "Not checked: there are no numbers that could be put in.",
}


@dataclass(frozen=True, slots=True)
class Check:
    """Two forms compared at `points` points.

    `difference` is the largest, relative to max(1, |value|); None without points. `rescued` counts, among twice as many
    points with large numbers, those where the old form gives nan or ±∞ and the new one a finite value.
    """

    points: int
    difference: float | None
    rescued: int = 0

    @property
    def verdict(self) -> Verdict:
        if self.difference is None:
            return "unchecked"
        if self.difference > BOUND:
            return "differs"
        return "safer" if self.rescued else "same"

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        shown = show_number(self.difference or 0.0, 2)
        facts = {"points": self.points, "difference": shown, "rescued": self.rescued, "large": 2 * self.points}
        return SENTENCES[self.verdict].format(**facts)


class Checker:
    """Compares expressions over the inputs of one graph; all are evaluated together, once per point."""

    def __init__(self, dag: Dag, shapes: Shapes, expressions: Iterable[Node]) -> None:
        points = sample_points(dag, shapes)
        everything = Dag(dag.output, *expressions)
        self._ordinary = [evaluation.evaluate(everything, point) for point in points]
        self._large = [evaluation.evaluate(everything, scaled(point, by)) for point in points for by in (LARGE, -LARGE)]

    def compare(self, before: Node, after: Node) -> Check:
        """One form against another."""
        if not self._ordinary:
            return Check(0, None)
        gaps = [difference(run[before], run[after]) for run in self._ordinary]
        rescued = [is_rescued(run[before], run[after]) for run in self._large]
        return Check(len(gaps), max(gaps), sum(rescued))


def difference(before: Any, after: Any) -> float:
    """The largest difference of two values, relative to max(1, |before|); entries that have no finite value in the
    old form are not compared with a finite one."""
    a, b = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if a.shape != b.shape:
        return float("inf")
    with np.errstate(all="ignore"):
        gaps = np.abs(a - b) / np.maximum(1.0, np.abs(a))
    equal = (a == b) | (np.isnan(a) & np.isnan(b)) | (~np.isfinite(a) & np.isfinite(b))
    return float(np.where(equal, 0.0, np.where(np.isfinite(gaps), gaps, np.inf)).max(initial=0.0))


def is_rescued(before: Any, after: Any) -> bool:
    """Whether some entry has a finite value in the new form only."""
    return np.shape(before) == np.shape(after) and bool(np.any(~np.isfinite(before) & np.isfinite(after)))


def scaled(point: Mapping[Node, Any], by: float) -> Point:
    """The point with its real numbers times `by`; ids and masks stay."""
    return {node: value * by if values.has_gradient(value) else value for node, value in point.items()}


# ---- where it is tried ---------------------------------------------------------------------------------------------
def sample_points(dag: Dag, shapes: Shapes) -> list[Point]:
    """Points at which the output is a number: five, or none for a graph that cannot be evaluated.

    Each fifteen trials reach twice as far, for a formula such as log(x - 3).
    """
    sizes = sizes_of_inputs(dag, shapes)
    if sizes is None:
        return []
    random = np.random.default_rng(0)
    found: list[Point] = []
    for trial in range(TRIALS):
        drawn = {name: draw(node, dag, sizes[name], 2.0 ** (trial // 15), random) for name, node in dag.inputs.items()}
        try:
            point = values.bind(dag, drawn)
            output = np.asarray(evaluation.evaluate(dag, point)[dag.output], dtype=float)
        except (GraphLabError, ValueError, IndexError):  # fitting shapes do not promise that a fixed index exists
            return []
        if np.isfinite(output).any() and not np.isnan(output).any():
            found.append(point)
            if len(found) == POINTS:
                return found
    return found


def sizes_of_inputs(dag: Dag, shapes: Shapes) -> dict[str, tuple[int, ...]] | None:
    """Every input's shape with numbers for named sizes; None if the graph has no value with them, or a huge one."""
    if any(isinstance(node.op, AbstractOp) for node in dag.nodes) or shapes.faults:
        return None
    fresh = itertools.count(SMALLEST_SIZE)
    numbers: dict[int | str, int] = {}
    sizes: dict[str, tuple[int, ...]] = {}
    for name, node in dag.inputs.items():
        for size in shapes[node]:
            if size not in numbers:
                numbers[size] = size if isinstance(size, int) else next(fresh)
        sizes[name] = tuple([numbers[size] for size in shapes[node]])
    concrete: Mapping[str, Shape] = sizes
    known = inference.infer_shapes(dag, concrete)
    if known.faults or sum(count(known[node]) for node in dag.nodes) > MOST_CELLS:
        return None
    return sizes


def draw(node: Node, dag: Dag, shape: tuple[int, ...], reach: float, random: np.random.Generator) -> Any:
    """Values of an input: ids 0, masks with a True in every row, else numbers that its users' domains allow."""
    slots = [(user.op, i) for user in dag.users[node] if user.op for i, x in enumerate(user.inputs) if x is node]
    if any(i in op.ids for op, i in slots):
        return np.zeros(shape)
    if any(i in op.masks for op, i in slots):
        chosen = np.asarray(random.random(shape) > 0.5)
        return chosen | (np.arange(shape[-1]) == 0) if shape else chosen
    domains = [WIDEST, *(op.domain for op, _ in slots)]
    return np.asarray(random.uniform(max(low for low, _ in domains), min(high for _, high in domains), shape) * reach)
