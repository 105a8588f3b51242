"""All contenders of a workload compute the same numbers, here at small sizes and as far as the tests' libraries go.

The harness checks it again, at full size and for every library, before it times anything.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest

from benchmarks.judging import disagreement
from benchmarks.workloads import bert_values, matrix_products, mlp
from tests.requirements import needs

SMALL = [
    ("lecture", (), "graphlab", "graphlab plan"),
    ("mlp", (4,), "graphlab", "graphlab plan"),
    ("mlp", (4,), "graphlab", "graphlab batch plan"),
    ("chain", (100,), "graphlab", "torch"),
    ("fan_out", (7,), "graphlab", "torch"),
    ("bert_block", ("tiny", 2), "graphlab plan", "torch"),
    ("bert", ("tiny", 2), "graphlab plan", "torch"),
    ("attention_symbols", (2, 1), "graphlab", "sympy"),
]


def numbers(workload: str, name: str, arguments: tuple[Any, ...]) -> dict[str, float]:
    """What the contender tells after a second run."""
    library = needs(name.split()[0])
    if name == "torch":
        library.set_num_threads(1)
    contender = importlib.import_module(f"benchmarks.workloads.{workload}").CONTENDERS[name](*arguments)
    contender.run()
    contender.prepare()
    found: dict[str, float] = contender.numbers(contender.run())
    return found


@pytest.mark.parametrize(("workload", "arguments", "ours", "other"), SMALL)
def test_contenders_compute_the_same_numbers(workload: str, arguments: tuple[Any, ...], ours: str, other: str) -> None:
    """Loss and gradient sums, in a second run."""
    found = numbers(workload, ours, arguments)
    assert disagreement(found, numbers(workload, other, arguments)) is None
    assert len(found) > 1 and any(found.values())


def test_the_sizes_are_those_of_bert_base() -> None:
    """109,514,298 parameters with the head for masked words, as published."""
    shapes = bert_values.shapes(bert_values.CONFIGS["base"])
    assert sum(math.prod(shape) for shape in shapes.values()) == 109_514_298


def test_the_floor_counts_every_multiplication_and_addition() -> None:
    """By hand, for the tiny configuration and one sentence."""
    tokens, d, wide, words, heads, layers = bert_values.TOKENS, 16, 32, 300, 4, 2
    layer = 4 * tokens * d * d + 2 * tokens * d * wide + 2 * heads * tokens * tokens * (d // heads)
    expected = 3 * 2 * (layers * layer + tokens * d * d + tokens * d * words)
    assert matrix_products.floating_point_operations(bert_values.CONFIGS["tiny"], 1) == expected


def test_the_scalar_mlp_has_one_weight_per_connection() -> None:
    """2·16 + 16·16 + 16 connections and 33 biases."""
    assert len(mlp.weights()) == 337
