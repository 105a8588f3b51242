"""Hypothesis strategies: random graphs with sharing, over every scalar op there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from graphlab.engine.core import OPS, Node, Op, constant, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate

ELEMENTWISE = [op for op in OPS.values() if op.partials is not None and op.name not in ("equal", "not_equal")]
COMPARISONS = {"greater", "less", "greater_equal", "less_equal", "equal", "not_equal"}
LARGEST = 1e6


@dataclass(frozen=True)
class Sample:
    """A graph of scalars and a point at which it is smooth and of moderate size."""

    dag: Dag
    point: dict[Node, np.float64]


@dataclass
class Growing:
    """A graph while it is being drawn: its numbers, its conditions, and the values of both."""

    numbers: list[Node]
    conditions: list[Node]
    values: dict[Node, Any]

    def step(self, draw: st.DrawFn) -> None:
        """Add one operation on earlier nodes, if its inputs lie well inside its domain and its value is moderate."""
        op: Op = draw(st.sampled_from(ELEMENTWISE))
        if op.name == "where" and not self.conditions:
            return
        inputs = [draw(st.sampled_from(self.numbers)) for _ in range(op.arity)]
        if op.name == "where":
            inputs[0] = draw(st.sampled_from(self.conditions))
        with np.errstate(all="ignore"):
            value = op.forward(*[self.values[x] for x in inputs])
        if not np.isfinite(value) or abs(value) > LARGEST:
            return
        if not is_smooth(op, [float(self.values[x]) for x in inputs]):
            return
        node = op.node(*inputs)
        self.values[node] = value
        (self.conditions if op.name in COMPARISONS else self.numbers).append(node)


def is_smooth(op: Op, inputs: list[float]) -> bool:
    """Away from kinks, ties, poles and the edges of domains."""
    if op.name == "div":
        return abs(inputs[1]) > 0.05
    if op.domain[0] > 0 and inputs[0] < 0.05:
        return False
    if op.name in ("maximum", "greater", "less", "greater_equal", "less_equal"):
        return abs(inputs[0] - inputs[1]) > 1e-3
    return all(abs(x - kink) > 1e-3 for x in inputs for kink in op.kinks)


@st.composite
def scalar_graphs(draw: st.DrawFn, steps: int = 25) -> Sample:
    """A random DAG: every operation may use any earlier node, so sharing is common."""
    inputs = [variable(name) for name in ("x", "y", "z")]
    point = {node: np.float64(draw(st.floats(-2, 2).filter(lambda v: abs(v) > 0.01))) for node in inputs}
    number = constant(draw(st.sampled_from([-2.0, -0.5, 0.5, 2.0, 3.0])))
    growing = Growing([*inputs, number], [], {**point, number: np.float64(number.value)})
    for _ in range(draw(st.integers(1, steps))):
        growing.step(draw)
    output = growing.numbers[-1]
    for other in growing.numbers[-4:-1]:
        output = output + other
    dag = Dag(output)
    return Sample(dag, {node: point[node] for node in dag.inputs.values()})


def value_of(sample: Sample) -> float:
    return float(evaluate(sample.dag, sample.point)[sample.dag.output])
