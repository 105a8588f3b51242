"""Generic tests: whatever is registered must satisfy these. A new op needs no test of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphlab.engine.algebra import ARRAYS, fit_array, shapes_for
from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import OPS, Node, Op, careful_rules, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.forward_mode import tangent_of
from graphlab.engine.inference import shapes_of_values
from graphlab.engine.reverse import backward_graph, gradients, pull_through_body
from graphlab.engine.values import convert
from graphlab.engine.writing import Writer
from tests.engine.samples import ALL_CALLS, Call


def has_gradient(op: Op, argument: int) -> bool:
    """Whether a gradient flows to input number `argument`."""
    return (op.partials[argument] if op.partials else op.vjp_of(argument)) is not None


DIFFERENTIABLE = [c for c in ALL_CALLS if any(has_gradient(c.op, i) for i in range(len(c.inputs)))]


def graph_of(call: Call) -> tuple[Dag, dict[Node, Any], list[Node]]:
    inputs = [variable(f"x_{i}") for i in range(len(call.inputs))]
    dag = Dag(call.op.node(*inputs, **call.attrs))
    return dag, {n: convert(v, str(n.name)) for n, v in zip(inputs, call.inputs, strict=True)}, inputs


def direction(like: Any, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=np.shape(like))[()]


def difference(a: Any, b: Any) -> Any:
    """a − b; 0 also where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0, a - b)


def differentiable_inputs(call: Call, inputs: list[Node]) -> list[Node]:
    return [x for i, x in enumerate(inputs) if has_gradient(call.op, i)]


@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_the_shape_rule_agrees_with_the_value(call: Call) -> None:
    dag, given, _ = graph_of(call)
    value = evaluate(dag, given)[dag.output]
    assert shapes_of_values(dag, given)[dag.output] == np.shape(value)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=str)
def test_reverse_mode_equals_central_differences(call: Call) -> None:
    dag, given, inputs = graph_of(call)
    values = evaluate(dag, given)
    seed = direction(values[dag.output], 1)
    wrt = differentiable_inputs(call, inputs)
    found = gradients(dag, values, seed, wrt)
    for x in wrt:
        move = direction(given[x], 2)
        h = 1e-6
        sides = [evaluate(dag, {**given, x: given[x] + s * h * move})[dag.output] for s in (1, -1)]
        numeric = np.sum(seed * difference(*sides) / (2 * h))
        assert np.sum(found[x] * move) == pytest.approx(numeric, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=str)
def test_forward_mode_is_the_transpose_of_reverse_mode(call: Call) -> None:
    dag, given, inputs = graph_of(call)
    values = evaluate(dag, given)
    seed = direction(values[dag.output], 3)
    wrt = differentiable_inputs(call, inputs)
    found = gradients(dag, values, seed, wrt)
    moves = {x: direction(given[x], 4 + i) for i, x in enumerate(wrt)}
    pushed = tangent_of(dag, values, moves)
    assert np.sum(seed * pushed) == pytest.approx(sum(np.sum(found[x] * moves[x]) for x in wrt), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=str)
def test_the_gradient_graph_has_the_values_of_the_numeric_gradient(call: Call) -> None:
    dag, given, inputs = graph_of(call)
    values = evaluate(dag, given)
    seed = direction(values[dag.output], 5)
    wrt = differentiable_inputs(call, inputs)
    shapes = shapes_of_values(dag, given)
    start = variable("seed")
    shapes.declare(start, np.shape(seed))
    totals = {fact.node: fact.total for fact in backward_graph(dag, shapes, start, wrt)}
    numeric = gradients(dag, values, seed, wrt)
    for x in wrt:
        symbolic = Dag(totals[x])
        value = evaluate(symbolic, {**given, start: np.asarray(seed)[()]})[totals[x]]
        assert shapes[totals[x]] == np.shape(given[x])
        np.testing.assert_allclose(value, numeric[x], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=str)
def test_the_second_order_equals_differences_of_the_gradient(call: Call) -> None:
    dag, given, inputs = graph_of(call)
    seed = direction(evaluate(dag, given)[dag.output], 6)
    for x in differentiable_inputs(call, inputs):
        shapes = shapes_of_values(dag, given)
        start = variable("seed")
        shapes.declare(start, np.shape(seed))
        first = Dag({f.node: f.total for f in backward_graph(dag, shapes, start, [x])}[x])
        point = {**given, start: np.asarray(seed)[()]}
        weights = direction(given[x], 7)
        moving = [n for n in differentiable_inputs(call, inputs) if n in first.ids]
        second = gradients(first, evaluate(first, point), weights, moving)
        for y, slope in second.items():
            h, move = 1e-5, direction(given[y], 8)
            sides = [evaluate(first, {**point, y: given[y] + s * h * move})[first.output] for s in (1, -1)]
            numeric = np.sum(weights * (sides[0] - sides[1]) / (2 * h))
            assert np.sum(slope * move) == pytest.approx(numeric, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.careful], ids=lambda op: op.name)
def test_a_careful_rule_equals_the_printed_one(op: Op) -> None:
    points = np.linspace(*op.domain, 41)
    inputs = [points, points[::-1] + 0.01][: op.arity]
    output = op.forward(*inputs)
    for plain, careful in zip(op.partials or (), careful_rules(op) or (), strict=True):
        np.testing.assert_allclose(careful(output, *inputs), plain(output, *inputs), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("call", [c for c in ALL_CALLS if c.op.body], ids=str)
def test_a_composite_equals_its_body_and_its_rule_the_one_derived_from_it(call: Call) -> None:
    op, inputs = call.op, [np.asarray(x)[()] for x in call.inputs]
    dag, slots = body_of(op, call.attrs)
    np.testing.assert_allclose(op.forward(*inputs, **call.attrs), run(dag, slots, inputs)[dag.output], rtol=1e-14)
    seed = direction(op.forward(*inputs, **call.attrs), 9)
    for i, x in enumerate(inputs):
        rule = op.vjp_of(i)
        if rule is not None:
            wanted = shapes_for(rule, inputs, ARRAYS)
            stated = rule(seed, op.forward(*inputs, **call.attrs), *inputs, **call.attrs, **wanted)
            derived = pull_through_body(op, i, seed, inputs, call.attrs, ARRAYS)
            np.testing.assert_allclose(fit_array(stated, x), derived, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)
def test_a_record_is_complete(op: Op) -> None:
    assert op.why.endswith((".", "x²."))
    assert op.call_name
    written = Writer({}).define(op.node(*[variable(f"x_{i}") for i in range(op.arity or 3)]))
    assert written is not None and written.text and written.latex
    assert written.latex.count("{") == written.latex.count("}")
    if op.kinks or op.kink_at:
        assert op.caveat or not any(op.partials or ()), "what happens at the kink must be said"


@pytest.mark.parametrize("call", [c for c in ALL_CALLS if all(np.shape(x) for x in c.inputs)], ids=str)
def test_float32_stays_float32_with_its_gradient(call: Call) -> None:
    dag, given, inputs = graph_of(call)
    small = {n: v.astype(np.float32) for n, v in given.items()}
    values = evaluate(dag, small)
    output = values[dag.output]
    assert output.dtype == np.float32 or output.dtype.kind == "b" or call.op.name == "size"
    wrt = differentiable_inputs(call, inputs)
    for slope in gradients(dag, values, np.ones_like(output), wrt).values():
        assert slope.dtype == np.float32
