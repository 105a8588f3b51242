"""The runner on torch tensors equals the one on NumPy arrays, without torch's autograd."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from graphlab.engine.core import OPS, variable
from graphlab.errors import NoRule
from tests.engine.plans.graphs import Case, assert_same, case, case_of, masked_language_model, op, square_graphs
from tests.engine.samples import ALL_CALLS, Call
from tests.requirements import needs

torch = needs("torch")
torch.set_num_threads(1)
from graphlab.engine.plans.torch_arrays import TorchRunner  # noqa: E402 - torch may be missing

NUMBERS = {np.float64: 1e-12, np.float32: 2e-5}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.__name__)
@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_every_op_runs_on_torch_as_on_numpy(call: Call, number: Any) -> None:
    example = case_of(call)
    runner = example.runner(TorchRunner, number)
    expected = example.expected(number)
    assert_same(runner.both(example.values(number), example.seed(number)), expected, NUMBERS[number])
    assert_same((runner.forward(example.values(number)), []), (expected[0], []), NUMBERS[number])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(square_graphs())
def test_random_graphs_run_on_torch_as_on_numpy(example: Case) -> None:
    found = example.runner(TorchRunner).both(example.values(), example.seed())
    assert_same(found, example.expected(), 1e-11)


def test_a_transformer_with_tied_words_padding_and_ignored_labels_has_all_its_gradients() -> None:
    example = masked_language_model(3)
    _, slopes = example.runner(TorchRunner).both(example.values(), np.float64(example.seed()))
    assert_same((0.0, slopes), (0.0, example.expected()[1]), 1e-12)


def test_autograd_stays_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("autograd was asked")

    monkeypatch.setattr(torch.autograd, "grad", refuse)
    monkeypatch.setattr(torch.Tensor, "backward", refuse)
    monkeypatch.setattr(torch.Tensor, "requires_grad_", refuse)
    example = masked_language_model()
    example.runner(TorchRunner).both(example.values(), np.float64(1))


def test_an_op_that_torch_cannot_spell_is_named() -> None:
    unspelled = replace(OPS["sin"], spelled={"torch": None})
    example = case(unspelled.node(variable("x")), {"x": np.ones(2)})
    with pytest.raises(NoRule, match="sin has no counterpart in torch"):
        example.runner(TorchRunner)


def test_a_composite_that_torch_cannot_spell_runs_by_its_parts() -> None:
    unspelled = replace(OPS["mse"], spelled={"torch": None})
    a, b = variable("a"), variable("b")
    example = case(unspelled.node(a, b), {"a": np.arange(3.0), "b": np.ones(3)})
    assert_same(example.runner(TorchRunner).both(example.values(), example.seed()), example.expected(), 1e-12)


def test_nothing_that_arrives_sends_exactly_nothing_against_an_infinite_slope() -> None:
    x = variable("x")
    example = case(op("sqrt")(x), {"x": np.array([0.0, 4.0])})
    _, (slope,) = example.runner(TorchRunner).both(example.values(), np.array([0.0, 2.0]))
    np.testing.assert_array_equal(slope, [0.0, 0.5])


def test_a_row_that_may_attend_to_nothing_gets_no_weight() -> None:
    q, mask = variable("q"), variable("mask")
    given_values = {
        "q": np.random.default_rng(0).normal(size=(2, 3)),
        "mask": np.array([[True, False], [False, False]]),
    }
    example = case(op("masked_attention")(q, q, q, mask), given_values)
    assert_same(example.runner(TorchRunner).both(example.values(), example.seed()), example.expected(), 1e-12)


def test_arrays_that_may_not_be_written_and_lie_backwards_can_be_given() -> None:
    x = variable("x")
    values = np.arange(3.0)[::-1]
    values.flags.writeable = False
    example = case(x * x, {"x": values})
    assert_same(example.runner(TorchRunner).both([values], example.seed()), example.expected(), 1e-12)
