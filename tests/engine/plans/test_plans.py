"""Every runner gives what the plain passes give: on random graphs, shared nodes, poles, and zeros that arrive."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import graphlab as gl
from graphlab.engine.core import OPS, Node, constant, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.inference import shapes_of_values
from graphlab.engine.plans.choice import runner_for_scalars
from graphlab.engine.plans.expressions import traced_partial
from graphlab.engine.plans.floats import FloatTape, compiled, is_real
from graphlab.engine.plans.groups import Groups
from graphlab.engine.plans.source import Script, Source, functions
from graphlab.engine.plans.tape import Tape
from graphlab.engine.plans.wiring import wiring
from graphlab.engine.reverse import gradients
from tests.strategies import Sample, scalar_graphs

FOR_SCALARS = [FloatTape, Groups, Source, Tape]
EXAMPLES = 150
Point = dict[Node, Any]


def run(runner: Any, dag: Dag, point: Point, seed: Any = 1.0) -> tuple[Any, list[Any]]:
    values = list(point.values())
    number = np.result_type(*[value.dtype for value in values] or [np.float64]).type
    made = runner(dag, shapes_of_values(dag, point), number, list(dag.inputs.values()))
    output, slopes = made.both(values, np.asarray(seed, number)[()])
    np.testing.assert_array_equal(made.forward(values), output)
    return output, slopes


def plain(dag: Dag, point: Point, seed: Any = 1.0) -> tuple[Any, list[Any]]:
    values = evaluate(dag, point)
    seed = np.asarray(seed, values[dag.output].dtype)[()]
    return values[dag.output], list(gradients(dag, values, seed, list(dag.inputs.values())).values())


def assert_same(found: tuple[Any, list[Any]], expected: tuple[Any, list[Any]], rtol: float = 1e-12) -> None:
    for mine, theirs in zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True):
        size = np.max(np.abs(theirs), where=np.isfinite(theirs), initial=1.0)
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * size)
        assert np.shape(mine) == np.shape(theirs)


@given(sample=scalar_graphs())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_random_graph_has_the_same_value_and_gradients_in_every_runner(sample: Sample) -> None:
    assert is_real(sample.dag)
    expected = plain(sample.dag, sample.point)
    for runner in FOR_SCALARS:
        assert_same(run(runner, sample.dag, sample.point), expected)


@given(sample=scalar_graphs().filter(lambda sample: bool(sample.point)))
@settings(max_examples=EXAMPLES // 2, deadline=None)
def test_a_random_graph_on_a_batch_has_the_same_value_and_gradients_as_source(sample: Sample) -> None:
    first, *rest = sample.point.items()
    batch = {first[0]: np.array([first[1], first[1] * 1.001, first[1]]), **dict(rest)}
    seed = np.ones(np.shape(evaluate(sample.dag, batch)[sample.dag.output]))
    assert_same(run(Source, sample.dag, batch, seed), plain(sample.dag, batch, seed), rtol=1e-10)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.partials is not None], ids=lambda op: op.name)
def test_every_op_on_floats_gives_what_its_record_gives_on_numpy_scalars(op: Any) -> None:
    random = np.random.default_rng(3)
    for _ in range(3):
        point = {variable(f"x_{i}"): np.float64(random.uniform(*op.domain)) for i in range(op.arity)}
        dag = Dag(op.node(*point))
        if is_real(dag):
            assert run(FloatTape, dag, point) == plain(dag, point)
            assert run(Source, dag, point) == plain(dag, point)


def test_arithmetic_needs_no_call_on_floats() -> None:
    assert [name for name in ("add", "sub", "mul", "neg", "where", "sin") if compiled(OPS[name]).calls] == ["sin"]
    assert traced_partial(OPS["tanh"], 0) is None, "the careful rule computes on arrays only"


def chained(x: Node, terms: list[Node]) -> Node:
    for term in terms:
        x = x + term
    return x


def test_a_chain_of_additions_is_one_sum_in_the_same_order() -> None:
    values = [1e16, 1.0, -1e16, 3.0, 1e-9, -2.0, 7.7]
    nodes = [variable(f"x_{i}") for i in range(len(values))]
    dag = Dag(chained(nodes[0], nodes[1:]))
    wires = wiring(dag)
    assert wires is not None
    assert [group.inputs.shape for group in wires.groups] == [(7, 1)]
    point = {node: np.float64(value) for node, value in zip(nodes, values, strict=True)}
    assert run(Groups, dag, point) == plain(dag, point)


def test_a_sum_that_somebody_else_uses_too_stays_a_node_of_its_own() -> None:
    x, y, z = gl.variables("x y z")
    partial = x + y
    dag = Dag((partial + z) * partial, partial)
    point = {x: np.float64(2), y: np.float64(3), z: np.float64(5)}
    assert run(Groups, dag, point) == plain(dag, point) == (50.0, [15.0, 15.0, 5.0])


def test_an_output_inside_a_chain_of_another_output_keeps_its_value() -> None:
    x, y = gl.variables("x y")
    first = x + y
    dag = Dag(first, first + x)
    point = {x: np.float64(2), y: np.float64(3)}
    for runner in FOR_SCALARS:
        assert run(runner, dag, point) == (5.0, [1.0, 1.0])


@pytest.mark.parametrize("runner", FOR_SCALARS)
def test_where_nothing_arrives_nothing_is_sent_even_against_an_infinite_slope(runner: Any) -> None:
    x, y = gl.variables("x y")
    point = {x: np.float64(0), y: np.float64(3)}
    for output in (gl.relu(-gl.sqrt(x)) + y, gl.sqrt(x) * (y - 3), 0 * gl.log(x + 1e-300) * gl.sqrt(x)):
        dag = Dag(output, y)
        assert_same(run(runner, dag, point), plain(dag, point))
        assert not any(map(math.isnan, run(runner, dag, point)[1]))


@pytest.mark.parametrize("runner", FOR_SCALARS)
def test_poles_are_values(runner: Any) -> None:
    x, y = gl.variables("x y")
    point = {x: np.float64(0), y: np.float64(-1)}
    for output in (y / x, x / x, gl.log(x), gl.log(y), y**0.5, gl.exp(-1e4 * y), x**y):
        dag = Dag(output, x, y)
        assert_same(run(runner, dag, point), plain(dag, point))


@pytest.mark.parametrize("runner", FOR_SCALARS)
def test_an_input_is_an_output_and_a_constant_may_be_one(runner: Any) -> None:
    x, y = gl.variables("x y")
    point = {x: np.float64(2), y: np.float64(3)}
    assert run(runner, Dag(x, x * y), point, 5.0) == (2.0, [5.0, 0.0])
    assert run(runner, Dag(constant(4.0), x * y), point) == (4.0, [0.0, 0.0])


@pytest.mark.parametrize("runner", [Groups, Source, Tape])
def test_float32_stays_float32(runner: Any) -> None:
    x, y = gl.variables("x y")
    shared = gl.tanh(x * y) + gl.erf(x) / 3
    dag = Dag(shared * shared + gl.where(x > y, x, y) * gl.gelu(y))
    point = {x: np.float32(0.3), y: np.float32(-1.2)}
    output, slopes = run(runner, dag, point)
    assert {np.asarray(value).dtype for value in (output, *slopes)} == {np.dtype(np.float32)}
    assert_same((output, slopes), plain(dag, point), rtol=1e-6)


def test_one_node_used_often_collects_all_contributions() -> None:
    x, *weights = gl.variables("x " + " ".join(f"w_{i}" for i in range(700)))
    shared = x * x
    terms = [shared * w for w in weights]
    while len(terms) > 1:
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=False)] + terms[len(terms) & ~1 :]
    dag = Dag(terms[0])
    point = {node: np.float64(1 + i / 7) for i, node in enumerate(dag.inputs.values())}
    assert isinstance(runner_for_scalars(dag, np.float64), Groups)
    assert_same(run(Groups, dag, point), plain(dag, point))


def test_a_long_chain_runs_on_the_tape_without_recursion() -> None:
    x, a, b = gl.variables("x a b")
    node = x
    for _ in range(20_000):
        node = node * a + b
    dag, point = Dag(node), {x: np.float64(1), a: np.float64(0.999), b: np.float64(1e-3)}
    assert isinstance(runner_for_scalars(dag, np.float64), FloatTape)
    assert run(FloatTape, dag, point) == plain(dag, point)


@pytest.mark.parametrize("runner", FOR_SCALARS)
def test_true_and_false_that_serve_as_numbers_are_left_to_the_plain_passes(runner: Any) -> None:
    x, y = gl.variables("x y")
    assert is_real(Dag(gl.where(x > y, x, y)))
    assert not is_real(Dag((x > y) * x))
    assert not is_real(Dag(x > y))
    assert runner_for_scalars(Dag(x > y), np.float64) is None


def test_generated_source_holds_ids_and_numbers_and_no_name() -> None:
    secret = variable("__import__")
    dag = Dag(gl.sin(secret) * secret + 2.5)
    point = {secret: np.float64(1)}
    script = Script(dag, shapes_of_values(dag, point), np.float64, [secret])
    assert not any(word in "\n".join(functions(script)) for word in ("import", "sin", "__"))
