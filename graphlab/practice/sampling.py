"""Points at which two formulas are compared: sizes for the axes, and numbers for the leaves, the same ones each time.

Leaves are the inputs of a graph, and the gradient of an output that is not a number. They are drawn from where the
graph has a value: all real numbers, positive ones, or those between 0 and 1. Where an op has
a kink, there are further points: at and around every number that is written in either formula, far out, and with all
leaves equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline, evaluate
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.engine.shapes import Shape, count
from graphlab.errors import LimitError

POINTS = 24
CELLS = 10_000
LITERALS = 6
ARRAY_SCALE = 0.4  # products of matrices add up, and a softmax of large scores is all zeros and ones
SIZES = ((2, 3, 4, 5, 6, 7, 8, 9), (5, 2, 3, 7, 4, 9, 6, 8), (3, 5, 7, 2, 8, 4, 9, 6), (4, 6, 2, 3, 9, 5, 8, 7))
EVEN_SIZES = ((4, 6, 8, 2, 10, 12), (6, 4, 10, 8, 2, 12))
Domain = Literal["real", "positive", "unit", "ids", "mask"]
Point = dict[Node, Any]


@dataclass(frozen=True)
class Sampler:
    """Draws points for `dag`, whose outputs are the two formulas; `sizes` are the leaves' shapes, in numbers, of which
    each draw takes the next."""

    dag: Dag
    sizes: Sequence[Mapping[Node, Shape]]
    domains: Mapping[Node, Domain]

    def ordinary(self, attempts: int = 4 * POINTS) -> Iterator[Point]:
        """Points in the domains; every second one guesses them, for the case that a formula is narrower."""
        random = np.random.default_rng(0)
        kinds: tuple[Domain, ...] = ("real", "positive", "unit")
        for k, sizes in zip(range(attempts), itertools.cycle(self.sizes), strict=False):
            domains = dict(self.domains)
            if k >= POINTS and k % 2:
                free = [node for node in domains if domains[node] in kinds]
                domains |= {node: kinds[random.integers(3)] for node in free}
            yield {node: draw(domains[node], shape, random, self._ids(node, sizes)) for node, shape in sizes.items()}

    def wide(self, points: int) -> Iterator[Point]:
        """Points that are very small or rather large."""
        random = np.random.default_rng(1)
        for k, point in zip(range(points), self.ordinary(), strict=False):
            scale = 1e-3 if k % 2 else 4.0
            yield {node: value * scale if self._may_scale(node) and random.random() < 0.7 else value
                   for node, value in point.items()}  # fmt: skip

    def at_kinks(self, literals: Sequence[float]) -> Iterator[Point]:
        """Points at and around every literal for each leaf, points far out, and points at which leaves are equal."""
        random = np.random.default_rng(2)
        start = next(iter(self.ordinary()))
        for node in filter(self._is_number, self.domains):
            for value in around(literals, self.domains[node]):
                yield start | {node: with_entry(start[node], value, random)}
        for scale in (10.0, 100.0, *(3 * abs(c) for c in literals)):
            for point in itertools.islice(self.ordinary(), 3):
                yield {node: value * scale if self._may_scale(node) else value for node, value in point.items()}
        for value in (0.0, 0.5, 1.0):
            yield {node: np.full_like(old, value)[()] if self._is_number(node) else old for node, old in start.items()}

    def _is_number(self, node: Node) -> bool:
        return self.domains[node] in ("real", "positive", "unit")

    def _may_scale(self, node: Node) -> bool:
        return self.domains[node] in ("real", "positive")

    def _ids(self, node: Node, sizes: Mapping[Node, Shape]) -> int:
        """How many ids there are: what every table that they are used on has."""
        if self.domains[node] != "ids":
            return 0
        return min(int(dim) for shape in sizes.values() for dim in shape if isinstance(dim, int) and dim > 1)


def draw(domain: Domain, shape: Shape, random: np.random.Generator, ids: int) -> Any:
    """One leaf's value. Two decimals are enough to be generic, and can be shown to a learner."""
    size = tuple(int(dim) for dim in shape)
    if domain == "ids":
        return random.integers(0, ids, size)
    if domain == "mask":
        some = random.random(size) < 0.7
        return some | (np.eye(size[-2], size[-1]) > 0) if len(size) > 1 else some
    if domain == "unit":
        return np.round(random.uniform(0.02, 0.98, size), 2)
    large = np.where(random.random(size) < 0.5, random.uniform(0.03, 0.9, size), random.uniform(0.9, 3.5, size))
    signs = 1 if domain == "positive" else random.choice([-1, 1], size)
    scale = ARRAY_SCALE if size else 1.0
    return np.round(scale * large * signs, 2)[()]


def around(literals: Sequence[float], domain: Domain) -> list[float]:
    """0 and each literal, its negative, and what lies close to them and beyond; in the domain."""
    near = [q for c in literals for q in (c, c * 1.001 + 1e-3, c * 0.999 - 1e-3, 2 * c + 1)]
    everything = [0.0, 1e-3, *near] + [-q for q in (1e-3, *near)]
    low, high = {"positive": (0.0, np.inf), "unit": (0.0, 1.0)}.get(domain, (-np.inf, np.inf))
    return [q for q in dict.fromkeys(everything) if low <= q <= high]


def with_entry(old: Any, value: float, random: np.random.Generator) -> Any:
    """The leaf's value with one entry replaced."""
    new = np.array(old, dtype=float)
    new[tuple(int(random.integers(n)) for n in new.shape)] = value
    return new[()]


def literals_of(dag: Dag) -> list[float]:
    """The numbers that are written in the formulas, without signs; the first few."""
    found = {abs(node.value) for node in dag.nodes if node.is_constant and isinstance(node.value, float)}
    return sorted(value for value in found if 0 < value < 1e6)[:LITERALS]


def has_kink(dag: Dag) -> bool:
    """Whether two formulas may differ on a part of the points only."""
    smooth = {"size", "detach"}
    return any(op.name not in smooth and not op.analytic and not isinstance(op, AbstractOp) for op in dag.ops)


# ---- domains and sizes -----------------------------------------------------------------------------------------------
def domains_of(graph: Dag, sizes: Mapping[Node, Shape], deadline: Deadline) -> dict[Node, Domain]:
    """Where each leaf is drawn, found by trying the graph: log(x) has no value left of 0, log(1 − p) none right of 1.

    Only the graph that is asked about has a say in this: sqrt(x²) must not pass for x.
    """
    domains: dict[Node, Domain] = {node: role or "unit" for node, role in roles_of(graph, sizes).items()}
    start = next(iter(Sampler(graph, [sizes], domains).ordinary()))
    usual = _holes(graph, start, deadline)
    for node in [node for node, domain in domains.items() if domain == "unit"]:
        domains[node] = "real"
        for value, narrower in ((-start[node], "positive"), (1 + start[node], "unit")):
            if np.any(_holes(graph, start | {node: value}, deadline) & ~usual):
                domains[node] = "unit" if narrower == "unit" else "positive"
    return domains


def roles_of(graph: Dag, leaves: Iterable[Node]) -> dict[Node, Literal["ids", "mask"] | None]:
    """Which leaves are ids or masks, because all that uses them takes them so."""
    slots = {node: graph.input_slots.get(node) for node in leaves}
    return {node: _role(used) if used else None for node, used in slots.items()}


def _role(slots: Iterable[tuple[Op, int]]) -> Literal["ids", "mask"] | None:
    if all(i in op.ids for op, i in slots):
        return "ids"
    return "mask" if all(i in op.masks for op, i in slots) else None


def _holes(graph: Dag, point: Point, deadline: Deadline) -> Any:
    """Where the outputs have no finite value, in one row."""
    values = evaluate(graph, point, deadline)
    return np.concatenate([np.ravel(~np.isfinite(np.asarray(values[node], dtype=float))) for node in graph.outputs])


def sizes_for(dag: Dag, leaves: Mapping[Node, Shape]) -> list[dict[Node, Shape]]:
    """Numbers for all named sizes, all different, several ways; those with which every node of `dag` has a shape.

    Raises LimitError where the arrays would be too large to compare with many digits.
    """
    names = list(dict.fromkeys(dim for shape in leaves.values() for dim in shape if isinstance(dim, str)))
    if not names:
        return [found] if (found := sized(dag, leaves, {})) else []
    for group in (SIZES, EVEN_SIZES):
        if len(names) <= len(group[0]):
            tried = [sized(dag, leaves, dict(zip(names, numbers, strict=False))) for numbers in group]
            if all(tried):
                return [found for found in tried if found]
    return []


def sized(dag: Dag, leaves: Mapping[Node, Shape], numbers: Mapping[Any, int]) -> dict[Node, Shape] | None:
    """The leaves' shapes in numbers; None if some node has none with them."""
    found: dict[Node, Shape] = {
        node: tuple(numbers.get(dim, dim) for dim in shape) for node, shape in leaves.items()
    }  # fmt: skip
    shapes = Shapes(found)
    shapes.complete(dag)
    if shapes.faults:
        return None
    if sum(count(shapes[node]) for node in dag.nodes) > CELLS:
        raise LimitError(
            f"this makes more than {CELLS:,} numbers, too many to compare", hint="Write it with smaller arrays."
        )
    return found
