"""Inputs for the generic tests: for every registered op a few calls with concrete shapes, drawn from its domain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.engine.core import OPS, Op

SHAPES: dict[str, list[tuple[list[tuple[int, ...]], dict[str, Any]]]] = {
    "matmul": [
        ([(2, 3), (3, 4)], {}),
        ([(3,), (3, 4)], {}),
        ([(2, 3), (3,)], {}),
        ([(3,), (3,)], {}),
        ([(5, 2, 3), (3, 4)], {}),
        ([(5, 2, 3), (5, 3, 4)], {}),
        ([(5, 2, 3), (3,)], {}),
        ([(3,), (5, 3, 4)], {}),
    ],
    "transpose": [([(2, 3)], {}), ([(4, 2, 3)], {}), ([(3,)], {})],
    "outer": [([(2,), (3,)], {}), ([(4, 2), (4, 3)], {})],
    "expand": [
        ([(), (2, 3)], {}),
        ([(1, 3), (2, 3)], {}),
        ([(2,), (2, 3)], {"axis": -1}),
        ([(3,), (2, 3)], {"axis": 0}),
    ],
    "sum_to": [([(2, 3), (3,)], {}), ([(2, 3), (2, 1)], {}), ([(2, 3), ()], {})],
    "size": [([(2, 3)], {}), ([(2, 3)], {"axis": 1})],
}
REDUCTIONS = [
    ([(2, 3)], {}),
    ([(2, 3)], {"axis": 0}),
    ([(2, 3)], {"axis": -1, "keepdims": True}),
    ([(2, 3, 4)], {"axis": (0, 2)}),
    ([()], {}),
]
BROADCASTS = {
    1: [[()], [(2, 3)]],
    2: [[(), ()], [(2, 3), (3,)], [(2, 1), (1, 3)], [(2, 3), ()]],
    3: [[(), (), ()], [(2, 3), (3,), ()]],
}


@dataclass(frozen=True)
class Call:
    """One call of an op: its inputs as arrays and its options."""

    op: Op
    inputs: list[Any]
    attrs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.op.name}-{'-'.join(str(np.shape(x)).replace(' ', '') for x in self.inputs)}{self.attrs or ''}"


def calls(op: Op, seed: int = 0) -> list[Call]:
    """Calls that cover the op's shapes; entries keep a distance from its kinks."""
    random = np.random.default_rng(seed)
    if op.name in SHAPES:
        cases = SHAPES[op.name]
    elif op.partials is None:
        cases = REDUCTIONS
    else:
        cases = [(shapes, {}) for shapes in BROADCASTS[op.arity]]
    made = [Call(op, [draw(op, shape, random) for shape in shapes], attrs) for shapes, attrs in cases]
    return [Call(op, [call.inputs[0] > 0, *call.inputs[1:]]) for call in made] if op.name == "where" else made


def draw(op: Op, shape: tuple[int, ...], random: np.random.Generator) -> Any:
    values = random.uniform(*op.domain, size=shape)
    for kink in op.kinks:
        values = np.where(np.abs(values - kink) < 0.05, values + 0.1, values)
    return np.float64(values) if shape == () else values


ALL_CALLS = [call for op in OPS.values() for call in calls(op)]
