"""The runner for arrays gives what the plain passes give, run after run; its arrays never get into each other's way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from graphlab.engine.core import OPS, constant, variable
from graphlab.engine.kernels.kernel import Kernel
from graphlab.engine.plans.tensors import TensorRunner
from tests.engine.plans.graphs import Case, assert_same, case, case_of, masked_language_model, op, square_graphs
from tests.engine.samples import ALL_CALLS, Call

NUMBERS = {np.float64: 1e-12, np.float32: 2e-5}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.__name__)
@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_every_op_runs_as_the_plain_passes_do(call: Call, number: Any) -> None:
    example = case_of(call)
    runner = example.runner(TensorRunner, number)
    expected = example.expected(number)
    for _ in range(2):
        assert_same(runner.both(example.values(number), example.seed(number)), expected, NUMBERS[number])
    assert_same((runner.forward(example.values(number)), []), (expected[0], []), NUMBERS[number])


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(square_graphs())
def test_random_graphs_run_as_the_plain_passes_do_again_and_again(example: Case) -> None:
    runner = example.runner(TensorRunner)
    expected = example.expected()
    for _ in range(2):
        assert_same(runner.both(example.values(), example.seed()), expected, 1e-11)
        assert_same((runner.forward(example.values()), []), (expected[0], []), 1e-11)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.__name__)
@pytest.mark.parametrize("batch", [1, 3])
def test_a_transformer_with_tied_words_padding_and_ignored_labels_has_all_its_gradients(
    batch: int, number: Any
) -> None:
    example = masked_language_model(batch)
    runner = example.runner(TensorRunner, number)
    assert_same(runner.both(example.values(number), number(1)), plain(example, number), 10 * NUMBERS[number])


def plain(example: Case, number: Any) -> Any:
    """The plain passes with the seed 1."""
    return Case.expected(Unit(example.dag, example.point, example.wrt), number)


class Unit(Case):
    def seed(self, number: Any = np.float64) -> Any:
        return number(1)


def test_two_runners_alive_at_once_and_changed_values_do_not_mix() -> None:
    first, second = masked_language_model(1), masked_language_model(3)
    runners = [(example, example.runner(TensorRunner)) for example in (first, second, first)]
    for scale in (1.0, 0.5):
        for example, runner in runners:
            moved = Unit(example.dag, {n: scaled(v, scale) for n, v in example.point.items()}, example.wrt)
            assert_same(runner.both(moved.values(), np.float64(1)), moved.expected(), 1e-11)


def scaled(value: Any, scale: float) -> Any:
    return value * scale if value.dtype.kind == "f" else value


def test_a_second_run_with_equal_values_gives_equal_bits() -> None:
    example = masked_language_model()
    runner = example.runner(TensorRunner)
    first = [np.array(x) for x in runner.both(example.values(), np.float64(1))[1]]
    for mine, theirs in zip(runner.both(example.values(), np.float64(1))[1], first, strict=True):
        np.testing.assert_array_equal(mine, theirs)


# ---- memory --------------------------------------------------------------------------------------------------------
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(square_graphs())
def test_no_gradient_shares_memory_with_another_one_or_with_what_was_given(example: Case) -> None:
    values, seed = example.values(), example.seed()
    before = [x.copy() for x in [*values, seed]]
    _, slopes = example.runner(TensorRunner).both(values, seed)
    everything = [*values, np.asarray(seed), *slopes]
    for i, slope in enumerate(slopes, start=len(values) + 1):
        assert not any(np.may_share_memory(slope, other) for other in everything[:i])
    for mine, theirs in zip([*values, seed], before, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_constants_of_the_graph_are_never_written_to() -> None:
    table = np.random.default_rng(0).normal(size=(4, 4))
    a = variable("a")
    example = case(op("softmax")(constant(table)) + a @ op("gelu")(constant(table).T), {"a": table.copy()})
    before = table.copy()
    for _ in range(2):
        assert_same(example.runner(TensorRunner).both(example.values(), example.seed()), example.expected(), 1e-12)
    np.testing.assert_array_equal(table, before)


def test_what_was_given_is_not_held_after_a_run() -> None:
    example = masked_language_model()
    runner = example.runner(TensorRunner)
    runner.both(example.values(), np.float64(1))
    held = [cell for cell in runner._cells if cell is not None]
    assert not any(np.may_share_memory(cell, value) for cell in held for value in example.values())


def depth(layers: int) -> Case:
    x = w = variable("x")
    for _ in range(layers):
        x = op("gelu")(x @ w)
    return case(x, {"x": np.eye(8)}, [])


def test_memory_of_a_deep_forward_pass_is_used_again() -> None:
    assert owned(depth(40).runner(TensorRunner)) == owned(depth(4).runner(TensorRunner))


def owned(runner: TensorRunner) -> int:
    """How many arrays the runner keeps."""
    arrays = [array for action in runner._buffers.forward for array in action.arrays]
    return len({array.__array_interface__["data"][0] for array in arrays})


def test_softmax_takes_the_memory_of_the_scores_and_gelu_keeps_its_slope_over_its_input() -> None:
    x, w = variable("x"), variable("w")
    example = case(op("gelu")(op("softmax")(x @ w / 2.0)), {"x": np.eye(8), "w": np.eye(8)})
    runner = example.runner(TensorRunner)
    assert owned(runner) == 3  # the scores, the slope, the output: the weights are needed on the way back
    assert_same(runner.both(example.values(), example.seed()), example.expected(), 1e-12)


def test_heads_are_views_so_only_products_write() -> None:
    example = masked_language_model()
    steps = example.runner(TensorRunner)._steps
    copied = [step for step in [*steps.forward, *steps.backward] if step.view]
    actions = example.runner(TensorRunner)._buffers
    made = [action for action in [*actions.forward, *actions.backward] if action.makes is not None]
    assert copied and not any(action.run in [step.run for step in copied] for action in made)


# ---- corners -------------------------------------------------------------------------------------------------------
def test_an_output_that_is_an_input_is_given_back_with_the_seed_as_its_gradient() -> None:
    x = variable("x")
    example = case(x, {"x": np.arange(3.0)})
    assert_same(example.runner(TensorRunner).both(example.values(), example.seed()), example.expected(), 0)


def test_a_gradient_that_nothing_reaches_is_zero() -> None:
    x, y = variable("x"), variable("y")
    example = case(op("sum")(x + op("detach")(y)), {"x": np.ones(3), "y": np.ones(3)})
    assert_same(
        example.runner(TensorRunner).both(example.values(), np.float64(2)), (6.0, [np.full(3, 2.0), np.zeros(3)]), 0
    )


def test_a_vector_that_is_row_scale_and_shift_at_once_is_not_overwritten_too_early() -> None:
    x = variable("x")
    moved = x + 1.0
    example = case(op("layer_norm")(moved, moved, moved), {"x": np.array([1.0, -2.0, 4.0])})
    assert_same(example.runner(TensorRunner).both(example.values(), example.seed()), example.expected(), 1e-12)


def test_poles_are_infinite_without_a_warning() -> None:
    x = variable("x")
    example = case(1.0 / x + op("log")(x), {"x": np.array([0.0, 1.0])})
    assert_same(example.runner(TensorRunner).both(example.values(), example.seed()), example.expected(), 1e-12)


def test_a_row_that_may_attend_to_nothing_gets_no_weight() -> None:
    q, mask = variable("q"), variable("mask")
    allowed = np.array([[True, False], [False, False]])
    example = case(
        op("masked_attention")(q, q, q, mask), {"q": np.random.default_rng(0).normal(size=(2, 3)), "mask": allowed}
    )
    output, slopes = example.runner(TensorRunner).both(example.values(), example.seed())
    np.testing.assert_array_equal(output[1], 0)
    assert_same((output, slopes), example.expected(), 1e-12)


def test_every_op_that_a_transformer_is_made_of_has_a_kernel() -> None:
    used = {node.op for node in masked_language_model().dag.nodes if node.op is not None}
    assert {found.name for found in used if found.kernel is None} <= {"sqrt", "size"}
    assert isinstance(OPS["linear"].kernel(np.float64, (2, 3), (4, 3), (4,)), Kernel)  # type: ignore[misc]
    assert math.isfinite(float(masked_language_model().expected()[0]))
