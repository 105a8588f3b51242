"""Kernels against the records they stand on: the value, every cotangent, in place, and what is promised about GELU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from graphlab.engine.algebra import ARRAYS, fit_array
from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import OPS
from graphlab.engine.kernels.entrywise import END, share_below
from graphlab.engine.kernels.kernel import OUTPUT, Kernel, View
from graphlab.engine.kernels.products import WIDE, rows_that_count
from graphlab.engine.plans import calls
from graphlab.engine.reverse import pull_through_body
from tests.engine.samples import ALL_CALLS, Call

NUMBERS = {np.float64: 1e-12, np.float32: 1e-5}


def kernel_of(call: Call, number: Any = np.float64) -> Kernel | View | None:
    return call.op.kernel(number, *map(np.shape, call.inputs), **call.attrs) if call.op.kernel else None


WITH_KERNEL = [call for call in ALL_CALLS if isinstance(kernel_of(call), Kernel)]
WITH_VIEW = [call for call in ALL_CALLS if isinstance(kernel_of(call), View)]


class Run:
    """A kernel run on a call, in arrays that hold rubbish beforehand."""

    def __init__(self, call: Call, number: Any = np.float64) -> None:
        found = kernel_of(call, number)
        assert isinstance(found, Kernel)
        self.kernel, self.call, self.number = found, call, number
        self.inputs = [np.asarray(x, number) if np.asarray(x).dtype.kind == "f" else np.asarray(x) for x in call.inputs]
        self.y = self.rubbish(call.op.shape(*map(np.shape, call.inputs), **call.attrs))
        self.saved = [self.rubbish(saved.shape) for saved in self.kernel.saved]
        self.kernel.forward(self.y, *self.saved, *self.inputs)
        self.g = np.asarray(np.random.default_rng(3).normal(size=self.y.shape), number)

    def rubbish(self, shape: Any) -> Any:
        return np.full(shape, 1234.5, self.number)

    def pulled(self, i: int, out: Any = None) -> Any:
        """What the kernel sends to input number i."""
        pull = self.kernel.pulls[i]
        assert pull is not None
        if pull.alias:
            return self.g
        if out is None:
            out = np.zeros_like(self.inputs[i]) if pull.adds else self.rubbish(np.shape(self.inputs[i]))
        pull.run(out, self.g if pull.over else self.g.copy(), *self.saved, *self.read(pull.read))
        return out

    def read(self, wanted: tuple[int, ...]) -> list[Any]:
        return [self.y if i == OUTPUT else self.inputs[i] for i in wanted]

    def stated(self, i: int) -> Any:
        """What the record's rule sends there."""
        like = np.broadcast_to(self.number(0), np.shape(self.inputs[i]))
        y = self.call.op.forward(*self.inputs, **self.call.attrs)
        return calls.contribution(self.call.op, i, self.call.attrs, like, self.g, y, *self.inputs)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.__name__)
@pytest.mark.parametrize("call", WITH_KERNEL, ids=str)
def test_a_kernel_computes_the_value_and_the_rule_of_its_record(call: Call, number: Any) -> None:
    found, tolerance = Run(call, number), NUMBERS[number]
    stated = call.op.forward(*found.inputs, **call.attrs)
    np.testing.assert_allclose(found.y, stated, rtol=tolerance, atol=tolerance)
    for i in range(len(call.inputs)):
        if call.op.sends_to(i):
            np.testing.assert_allclose(found.pulled(i), found.stated(i), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("call", WITH_KERNEL, ids=str)
def test_a_kernel_has_a_pull_exactly_where_a_gradient_flows(call: Call) -> None:
    found = kernel_of(call)
    assert isinstance(found, Kernel)
    assert [pull is not None for pull in found.pulls] == [call.op.sends_to(i) for i in range(len(call.inputs))]


@pytest.mark.parametrize("call", WITH_KERNEL, ids=str)
def test_a_kernel_gives_the_same_in_memory_that_it_may_take_over(call: Call) -> None:
    plain = Run(call)
    for i in plain.kernel.over:
        inputs = [x.copy() for x in plain.inputs]
        plain.kernel.forward(inputs[i], *[np.empty_like(s) for s in plain.saved], *inputs)
        np.testing.assert_array_equal(inputs[i], plain.y)
    for place, saved in enumerate(plain.kernel.saved):
        if saved.over is not None:
            inputs = [x.copy() for x in plain.inputs]
            kept = [np.empty_like(s) for s in plain.saved]
            kept[place] = inputs[saved.over]
            y = np.empty_like(plain.y)
            plain.kernel.forward(y, *kept, *inputs)
            np.testing.assert_array_equal(y, plain.y)
            np.testing.assert_array_equal(kept[place], plain.saved[place])
    for i, pull in enumerate(plain.kernel.pulls):
        if pull is not None and pull.over:
            apart = plain.pulled(i).copy()
            taken = Run(call)
            np.testing.assert_array_equal(taken.pulled(i, out=taken.g), apart)


@pytest.mark.parametrize("call", WITH_VIEW, ids=str)
def test_a_view_is_the_value_and_back_is_the_rule(call: Call) -> None:
    found = kernel_of(call)
    assert isinstance(found, View)
    x, y = np.asarray(call.inputs[0]), call.op.forward(*call.inputs, **call.attrs)
    np.testing.assert_array_equal(found.there(x), y)
    g = np.random.default_rng(3).normal(size=np.shape(y))
    stated = calls.contribution(call.op, 0, call.attrs, x, g, y, *call.inputs)
    np.testing.assert_array_equal(found.back(g), stated)


@pytest.mark.parametrize("call", [call for call in WITH_KERNEL if call.op.body], ids=str)
def test_a_kernel_equals_the_body_of_its_composite(call: Call) -> None:
    found = Run(call)
    dag, slots = body_of(call.op, call.attrs)
    np.testing.assert_allclose(found.y, run(dag, slots, found.inputs)[dag.output], rtol=1e-12, atol=1e-13)
    for i, x in enumerate(found.inputs):
        if call.op.sends_to(i):
            derived = fit_array(pull_through_body(call.op, i, found.g, found.inputs, call.attrs, ARRAYS), x)
            np.testing.assert_allclose(found.pulled(i), derived, rtol=1e-11, atol=1e-13)


# ---- what is promised ----------------------------------------------------------------------------------------------
def test_the_share_below_is_right_to_one_in_ten_million_in_float32() -> None:
    x = np.linspace(-END, END, 2_000_001).astype(np.float32)
    assert np.max(np.abs(share_below(x, x * x) - ndtr(x.astype(np.float64)))) <= 1e-7


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh"])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.__name__)
def test_gelu_has_its_limits_far_out(name: str, number: Any) -> None:
    x = np.array([-np.inf, -1e30, -50, 50, 1e30, np.inf, np.nan], number)
    found = Run(Call(OPS[name], [x]), number)
    np.testing.assert_array_equal(found.y, np.array([0, 0, 0, 50, 1e30, np.inf, np.nan], number))
    np.testing.assert_allclose(found.saved[0], np.array([0, 0, 0, 1, 1, 1, np.nan], number), rtol=0, atol=1e-7)


def test_gelu_in_blocks_equals_gelu_entry_by_entry() -> None:
    x = np.random.default_rng(0).normal(size=(3, 20_011))
    found = Run(Call(OPS["gelu"], [x]))
    np.testing.assert_allclose(found.y, OPS["gelu"].forward(x), rtol=1e-12, atol=1e-15)


def test_nothing_that_arrives_sends_exactly_nothing_against_an_infinite_slope() -> None:
    found = Run(Call(OPS["mul"], [np.ones(3), np.array([np.inf, np.nan, 2.0])]))
    found.g = np.array([0.0, 0.0, 3.0])
    np.testing.assert_array_equal(found.pulled(0), [0, 0, 6])


def test_ignored_rows_get_exactly_zero_and_are_not_counted() -> None:
    logits = np.random.default_rng(1).normal(size=(4, 3))
    found = Run(Call(OPS["cross_entropy"], [logits, np.array([2, -100, 0, -100])], {"ignore": -100}))
    counted = Run(Call(OPS["cross_entropy"], [logits[::2], np.array([2, 0])]))
    counted.g = found.g
    np.testing.assert_allclose(found.y, counted.y, rtol=1e-14)
    np.testing.assert_array_equal(found.pulled(0)[1::2], 0)
    np.testing.assert_allclose(found.pulled(0)[::2], counted.pulled(0), rtol=1e-14)


@pytest.mark.parametrize("width", [2, 50])
def test_a_row_looked_up_twice_collects_both_gradients(width: int) -> None:
    ids = np.array([[1, 3], [1, 1]])
    found = Run(Call(OPS["embedding"], [np.ones((5, width)), ids]))
    expected = np.zeros((5, width))
    np.add.at(expected, ids, found.g)
    np.testing.assert_allclose(found.pulled(0), expected, rtol=1e-14)


def test_a_wide_gradient_with_many_rows_of_zeros_gives_what_all_rows_give() -> None:
    random = np.random.default_rng(2)
    found = Run(Call(OPS["linear"], [random.normal(size=(2, 3, 4)), random.normal(size=(WIDE, 4)), np.zeros(WIDE)]))
    found.g[[0, 0, 1, 1], [0, 2, 0, 1]] = 0
    assert rows_that_count(found.g) is not None
    for i in range(3):
        np.testing.assert_allclose(found.pulled(i), found.stated(i), rtol=1e-12, atol=1e-12)
