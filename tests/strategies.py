"""Hypothesis strategies: random graphs with sharing, over every scalar op there is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from graphlab.engine.core import OPS, Node, Op, constant, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate

COMPARISONS = [OPS[name] for name in ("greater", "less", "greater_equal", "less_equal")]
ELEMENTWISE = [
    op for op in OPS.values() if op.partials is not None and op not in [*COMPARISONS, OPS["equal"], OPS["not_equal"]]
]
LARGEST = 1e6
EDGES: dict[str, Callable[[float], bool]] = {
    "asin": lambda x: abs(x) < 0.95,
    "acos": lambda x: abs(x) < 0.95,
    "log1p": lambda x: x > -0.95,
    "tan": lambda x: abs(math.cos(x)) > 0.05,
}


@dataclass(frozen=True)
class Sample:
    """A graph of scalars and a point at which it is smooth and of moderate size."""

    dag: Dag
    point: dict[Node, np.float64]


@dataclass
class Growing:
    """A graph while it is being drawn: its numbers, and the values of all nodes."""

    numbers: list[Node]
    values: dict[Node, Any]

    def step(self, draw: st.DrawFn) -> None:
        """Add one operation on earlier nodes; an op with a mask gets a comparison for it."""
        op: Op = draw(st.sampled_from(ELEMENTWISE))
        inputs = [draw(st.sampled_from(self.numbers)) for _ in range(op.arity)]
        for i in op.masks:
            pair = [draw(st.sampled_from(self.numbers)) for _ in range(2)]
            condition = self.add(draw(st.sampled_from(COMPARISONS)), pair)
            if condition is None:
                return
            inputs[i] = condition
        made = self.add(op, inputs)
        if made is not None:
            self.numbers.append(made)

    def add(self, op: Op, inputs: list[Node]) -> Node | None:
        """The node, if its inputs lie well inside the op's domain and its value is moderate."""
        with np.errstate(all="ignore"):
            value = op.forward(*[self.values[x] for x in inputs])
        if not np.isfinite(value) or abs(value) > LARGEST:
            return None
        if not is_smooth(op, [float(self.values[x]) for x in inputs]):
            return None
        node: Node = op.node(*inputs)
        self.values[node] = value
        return node


def is_smooth(op: Op, inputs: list[float]) -> bool:
    """Away from kinks, ties, poles and the edges of domains."""
    if op.name == "div":
        return abs(inputs[1]) > 0.05
    if op.domain[0] > 0 and inputs[0] < 0.05:
        return False
    if op.name in EDGES:
        return EDGES[op.name](inputs[0])
    if op.name == "clip":
        return all(abs(a - b) > 1e-3 for a, b in itertools.combinations(inputs, 2))
    if op.name in ("maximum", "minimum", "greater", "less", "greater_equal", "less_equal"):
        return abs(inputs[0] - inputs[1]) > 1e-3
    return all(abs(x - kink) > 1e-3 for x in inputs for kink in op.kinks)


@st.composite
def scalar_graphs(draw: st.DrawFn, steps: int = 25) -> Sample:
    """A random DAG: every operation may use any earlier node, so sharing is common."""
    inputs = [variable(name) for name in ("x", "y", "z")]
    point = {node: np.float64(draw(st.floats(-2, 2).filter(lambda v: abs(v) > 0.01))) for node in inputs}
    number = constant(draw(st.sampled_from([-2.0, -0.5, 0.5, 2.0, 3.0])))
    growing = Growing([*inputs, number], {**point, number: np.float64(number.value)})
    for _ in range(draw(st.integers(1, steps))):
        growing.step(draw)
    output = growing.numbers[-1]
    for other in growing.numbers[-4:-1]:
        output = output + other
    dag = Dag(output)
    return Sample(dag, {node: point[node] for node in dag.inputs.values()})


def value_of(sample: Sample) -> float:
    return float(evaluate(sample.dag, sample.point)[sample.dag.output])
