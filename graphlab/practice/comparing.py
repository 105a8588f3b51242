"""Comparing two formulas: float64 at many points finds candidates, many digits decide.

Float64 alone would take rounding for a difference, and x + 10⁻⁴⁵ for x. So what float64 sees is confirmed with 60
digits at that point, and what it does not see is looked for with 60 digits at further points. Without mpmath float64
has to do, and the finding says so.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import thread_time
from typing import Any, Literal

import numpy as np

from graphlab.engine.core import OPS, Node
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline, evaluate
from graphlab.errors import LimitError, NoRule, ValueProblem
from graphlab.practice.sampling import POINTS, Point, Sampler, has_kink, literals_of

ENOUGH = 6
EXACT_POINTS = 12
EXACT_ARRAYS = 4
CLOSE = 1e-9
CLEAR = 1e-6
COMPARISONS = [OPS[name] for name in ("greater", "less", "greater_equal", "less_equal", "equal", "not_equal")]
Kind = Literal["equal", "equal at few digits", "different", "equal but at kinks", "rounded", "incomparable"]


class Budget(Deadline):
    """Seconds of work by this thread, so a busy machine leaves no answer undecided. It remembers when it is over."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._stop = thread_time() + seconds
        self.is_over = False

    def check(self) -> None:
        if thread_time() > self._stop:
            self.is_over = True
            raise LimitError(f"stopped: this took more than {self.seconds:g} seconds of work")


@dataclass
class Finding:
    """What came out. `point` is where the two differ, `yours` and `wanted` their values there; `agreeing` of
    `compared` points agree; `kink` is the operation with a convention there; `narrower`: one is undefined somewhere."""

    kind: Kind
    point: Point = field(default_factory=dict)
    yours: Any = None
    wanted: Any = None
    agreeing: int = 0
    compared: int = 0
    kink: Node | None = None
    narrower: bool = False


class Comparison:
    """Two formulas, `answer` and `expected`, over the leaves of a graph."""

    def __init__(self, answer: Node, expected: Node, graph: Dag, sampler: Sampler, deadline: Deadline) -> None:
        self.dag = Dag(answer, expected)
        self.whole = Dag(answer, expected, *graph.outputs)
        self.graph = graph
        self.sampler = sampler
        self.deadline = deadline
        self.finding = Finding("incomparable")
        self.has_digits = importlib.util.find_spec("mpmath") is not None

    def run(self, literals: Iterable[Node] = ()) -> Finding:
        """Compare them. Raises LimitError at the deadline."""
        found = self.finding
        kinked = has_kink(self.whole)
        if self._differs_somewhere() or self._differs_in_digits():
            found.kind = "rounded" if self._is_rounded(list(literals)) else "different"
        elif found.compared < ENOUGH:
            found.kind = "incomparable"
        else:
            found.kind = "equal" if self.has_digits else "equal at few digits"
            if kinked:
                self._look_at_kinks()
        return found

    # ---- float64 ---------------------------------------------------------------------------------------------------
    def _differs_somewhere(self) -> bool:
        """Whether they differ at ordinary points, and surely so."""
        doubtful: list[Point] = []
        for point in self.sampler.ordinary():
            differ = self._compare_floats(point)
            if differ:
                doubtful.append(point)
            if self.finding.compared >= POINTS:
                break
        return any(self._confirmed(point) for point in doubtful)

    def _compare_floats(self, point: Point) -> bool | None:
        """Whether they differ at a point, in float64; None where either has no value."""
        yours, wanted = self._floats(point)
        ours, theirs = np.isfinite(wanted), np.isfinite(yours)
        if not np.all(ours == theirs):
            self.finding.narrower = True
        both = np.broadcast_to(ours & theirs, np.shape(wanted))
        if not np.any(both):
            return None
        self.finding.compared += 1
        differ = bool(np.any(are_apart(yours, wanted) & both))
        self.finding.agreeing += not differ
        return differ

    def _floats(self, point: Point) -> tuple[Any, Any]:
        values = computed(self.dag, point, self.deadline)
        yours, wanted = (np.asarray(values[node], dtype=float) for node in self.dag.outputs)
        return yours, wanted

    # ---- many digits -----------------------------------------------------------------------------------------------
    def _confirmed(self, point: Point) -> bool:
        """Whether a difference is real; it is then the one that is reported. Without many digits it must be large."""
        yours, wanted = self._floats(point)
        real = self._exactly(point)
        if real is None and not self.has_digits:
            real = bool(np.any(are_apart(yours, wanted, CLEAR)))
        if real:
            self.finding.point, self.finding.yours, self.finding.wanted = point, yours, wanted
        return bool(real)

    def _exactly(self, point: Point) -> bool | None:
        """Whether they differ at a point by many digits; None where nobody can say."""
        if not self.has_digits:
            return None
        from graphlab.practice import digits

        try:
            return digits.compare(self.dag, point, self.deadline)
        except NoRule:
            self.has_digits = False
            return None

    def _differs_in_digits(self) -> bool:
        arrays = any(self.sampler.sizes[0].values())
        count = EXACT_ARRAYS if arrays else EXACT_POINTS
        points = itertools.islice(self.sampler.ordinary(), count)
        wide = self.sampler.wide(count // 2)
        return any(self._exactly(point) and self._confirmed(point) for point in itertools.chain(points, wide))

    # ---- kinks -----------------------------------------------------------------------------------------------------
    def _look_at_kinks(self) -> None:
        """Compare where ops may have kinks; a difference right at a kink of the graph is a matter of convention."""
        found = self.finding
        for point in self.sampler.at_kinks(literals_of(self.whole)):
            yours, wanted = self._floats(point)
            away = np.isfinite(wanted) & (are_apart(yours, wanted) | np.isnan(yours))
            if not (np.any(away) or self._exactly(point)):
                continue
            kink = self.kink_at(point)
            undefined = bool(np.any(away) and np.all(np.isnan(yours[away])))
            if kink is None and not undefined and self._exactly(point) is not False:
                found.kind, found.point, found.yours, found.wanted = "different", point, yours, wanted
                return
            if kink is not None:
                found.kind, found.kink, found.point = "equal but at kinks", kink, point
            else:
                found.narrower = True

    def kink_at(self, point: Mapping[Node, Any]) -> Node | None:
        """The first operation of the graph, or of the expected formula, that has a kink right at this point."""
        dag = Dag(*self.graph.outputs, self.dag.outputs[1])
        values = computed(dag, point, self.deadline)
        for node in dag.nodes:
            if node.op is not None and _is_at_kink(node, [values[x] for x in node.inputs]):
                return node
        return None

    # ---- rounded constants -----------------------------------------------------------------------------------------
    def _is_rounded(self, literals: list[Node]) -> bool:
        """Whether moving each long decimal of the answer by half a unit of its last digit explains the difference."""
        long = [node for node in literals if _is_long(node)]
        if not long:
            return False
        points = itertools.islice(self.sampler.ordinary(), ENOUGH)
        return all(self._is_explained(point, long) for point in points)

    def _is_explained(self, point: Point, literals: list[Node]) -> bool:
        yours, wanted = self._floats(point)
        moved = [self._floats({**point, node: np.float64(node.value + _half_unit(node))})[0] for node in literals]
        with np.errstate(all="ignore"):
            room = sum(np.abs(other - yours) for other in moved)
            return not np.any(np.abs(yours - wanted) > 1.01 * room + 1e-12 * np.abs(wanted))


def are_apart(yours: Any, wanted: Any, share: float = CLOSE) -> Any:
    """Where two results differ by more than this share of what is wanted; not where one of them is nan."""
    with np.errstate(all="ignore"):
        return (np.abs(yours - wanted) > share * np.maximum(np.abs(wanted), 1e-12)) & (yours != wanted)


def computed(dag: Dag, point: Mapping[Node, Any], deadline: Deadline) -> dict[Node, Any]:
    """Every node's value. Raises ValueProblem where NumPy finds shapes at fault that the shape rules let pass."""
    try:
        return evaluate(dag, point, deadline)
    except (ValueError, TypeError, IndexError) as fault:
        raise ValueProblem(f"this cannot be computed: {fault}") from fault


def _is_at_kink(node: Node, inputs: list[Any]) -> bool:
    assert node.op is not None, "an operation"
    if node.op in COMPARISONS:
        return bool(np.any(inputs[0] == inputs[1]))
    return node.op.at_kink(*inputs, **node.attrs)


def _is_long(node: Node) -> bool:
    digits = str(node.attrs["literal"]).lower().partition("e")[0].replace(".", "").lstrip("0")
    return len(digits) >= 3


def _half_unit(node: Node) -> float:
    """Half a unit of the last digit that was typed."""
    mantissa, _, exponent = str(node.attrs["literal"]).lower().partition("e")
    return float(0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))
