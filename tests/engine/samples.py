"""Inputs for the generic tests: for every registered op a few calls with concrete shapes, drawn from its domain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.engine.core import OPS, Op

Cases = list[tuple[list[tuple[int, ...]], dict[str, Any]]]
ROWS: Cases = [
    ([(4,)], {}),
    ([(2, 3)], {}),
    ([(2, 3)], {"axis": 0}),
    ([(2, 3)], {"axis": None}),
]
PAIRS: Cases = [([(), ()], {}), ([(2, 3), (2, 3)], {}), ([(2, 3), (3,)], {})]
SHAPES: dict[str, Cases] = {
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
    "linear": [
        ([(2, 3), (4, 3), (4,)], {}),
        ([(3,), (4, 3), (4,)], {}),
        ([(5, 2, 3), (4, 3), ()], {}),
    ],
    "padding_mask": [([(4,), (3, 4)], {}), ([(2, 4), (2, 3, 4, 4)], {}), ([(4,), (2, 3, 4)], {})],
    "sinusoids": [([(3, 4)], {}), ([(2, 3, 5)], {})],
    "take": [([(3,)], {}), ([(2, 3, 4)], {"axis": -2}), ([(2, 3)], {"index": -1, "axis": 1})],
    "put_back": [([(), (3,)], {}), ([(2, 4), (2, 3, 4)], {"index": 1, "axis": -2})],
    "split_heads": [([(3, 4)], {"heads": 2}), ([(2, 3, 4)], {"heads": 4}), ([(3, 4)], {})],
    "merge_heads": [([(2, 3, 4)], {}), ([(2, 1, 3, 4)], {})],
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
    "stack": [([(), (), ()], {}), ([(2, 3), (2, 3)], {})],
    "concat": [([(2,), (3,), (1,)], {}), ([(2, 3), (2, 1)], {"axis": -1}), ([(2, 3)], {}), ([(1, 2), (3, 2)], {})],
    "part_of": [([(5,), (2,)], {}), ([(5, 3), (2, 4, 3)], {"axis": -2}), ([(2, 5), (2, 3)], {"axis": 1, "last": True})],
    "pad_to": [([(2,), (5,)], {}), ([(2, 3), (2, 5)], {"axis": 1, "last": True})],
    "reshape": [([(2, 3)], {}), ([(2, 3)], {"shape": (3, -1)}), ([()], {"shape": (1, 1)}), ([(4,)], {"shape": 4})],
    "reshape_like": [([(2, 3), (6,)], {}), ([(2, 3), (3, 2)], {})],
    "embedding": [([(4, 3), (5,)], {}), ([(4,), ()], {}), ([(4, 3), (2, 2)], {}), ([(4, 2, 3), (2,)], {})],
    "scatter_add": [([(4, 3), (5,), (5, 3)], {}), ([(4,), (), ()], {}), ([(4, 3), (2, 2), (2, 2, 3)], {})],
    "one_hot": [([(), (4,)], {}), ([(3,), (3, 4)], {}), ([(3,), (3, 4)], {"ignore": -100})],
    "softmax": ROWS,
    "log_softmax": ROWS,
    "logsumexp": [*ROWS, ([(2, 3)], {"axis": 0, "keepdims": True}), ([(2, 3, 4)], {"axis": (0, 2)})],
    "layer_norm": [
        ([(2, 3), (), ()], {}),
        ([(2, 3), (3,), (3,)], {"eps": 0.01}),
        ([(3, 4), (4,), (4,)], {"axis": 0}),
    ],
    "mse": PAIRS,
    "bce": PAIRS,
    "bce_with_logits": PAIRS,
    "cross_entropy": [
        ([(4,), ()], {}),
        ([(3, 4), (3,)], {}),
        ([(2, 3, 4), (2, 3)], {}),
        ([(3, 4), (3,)], {"ignore": -100}),
        ([(2, 3, 4), (2, 3)], {"ignore": 1}),
    ],
    "causal_mask": [([(3, 3)], {}), ([(2, 3, 4)], {})],
    "lower_triangle": [([(3, 3)], {}), ([(2, 3, 4)], {})],
    "attention": [
        ([(2, 3), (4, 3), (4, 5)], {}),
        ([(2, 2, 3), (2, 4, 3), (2, 4, 2)], {}),
        ([(3, 2), (3, 2), (3, 4)], {"causal": True}),
    ],
    "masked_attention": [
        ([(2, 3), (4, 3), (4, 5), (2, 4)], {}),
        ([(2, 2, 3), (2, 4, 3), (2, 4, 2), (2, 4)], {}),
        ([(2, 3, 2), (2, 3, 2), (2, 3, 4), (2, 1, 3)], {"causal": True}),
    ],
    "prod_others": [([(2, 3)], {}), ([(2, 3)], {"axis": 0}), ([(2, 3, 4)], {"axis": (0, 2)}), ([()], {})],
    "prod_others_slope": [([(2, 3), (2, 3)], {}), ([(2, 3), (2, 3)], {"axis": -1})],
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
    return [
        Call(op, [draw_input(op, i, shapes, random, **attrs) for i in range(len(shapes))], attrs)
        for shapes, attrs in cases
    ]


def draw_input(
    op: Op, i: int, shapes: list[tuple[int, ...]], random: np.random.Generator, ignore: int | None = None, **_: Any
) -> Any:
    """Input number i: real numbers, ids that fit the array they count in (of several, the first is the one to ignore),
    or a mask with a True in every row."""
    if i in op.ids:
        array, axis = (shapes[0], 0) if op.name in ("embedding", "scatter_add") else (shapes[1 - i], -1)
        ids = random.integers(array[axis], size=shapes[i])
        if ignore is not None:
            ids.flat[0] = ignore
        return ids[()]
    if i in op.masks:
        mask = random.random(shapes[i]) > 0.4
        return mask | (np.arange(shapes[i][-1]) == 0) if shapes[i] else np.bool_(mask)
    return draw(op, shapes[i], random)


def draw(op: Op, shape: tuple[int, ...], random: np.random.Generator) -> Any:
    values = random.uniform(*op.domain, size=shape)
    for kink in op.kinks:
        values = np.where(np.abs(values - kink) < 0.05, values + 0.1, values)
    return np.float64(values) if shape == () else values


ALL_CALLS = [call for op in OPS.values() for call in calls(op)]
