"""Forward mode, Jacobians, Hessians and paths: each equals what it must equal on random graphs, and torch."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings

import graphlab as gl
from graphlab.engine.algebra import ARRAYS
from graphlab.engine.evaluation import evaluate
from graphlab.engine.forward_mode import pushforward
from graphlab.engine.paths import count_multiplications
from graphlab.engine.reverse import pullback
from graphlab.errors import LimitError, NoRule, ShapeError
from tests.requirements import needs
from tests.strategies import Sample, scalar_graphs

LECTURE = {"a": 3, "b": 1, "c": -2}


def lecture() -> gl.Graph:
    return gl.parse("L = c(a+2b)")


def point_of(sample: Sample) -> dict[str, float]:
    return {str(node.name): float(value) for node, value in sample.point.items()}


def test_a_tangent_is_pushed_to_the_output() -> None:
    assert lecture().jvp({"a": 1}, LECTURE) == -2.0
    assert lecture().jvp({"a": 1, "b": 0.5, "c": 2}, LECTURE) == -2 - 2 + 10
    np.testing.assert_array_equal(gl.parse("y = w*x").jvp({"x": [1, 0]}, w=3, x=[1, 2]), [3.0, 0.0])


def test_a_tangent_of_another_shape_is_refused() -> None:
    with pytest.raises(ShapeError, match="the tangent of x has shape"):
        gl.parse("y = w*x").jvp({"x": 1}, w=3, x=[1, 2])


@settings(max_examples=100)
@given(scalar_graphs())
def test_forward_mode_equals_reverse_mode(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    for name, slope in graph.gradients(point).items():
        assert graph.jvp({name: 1}, point) == pytest.approx(slope, rel=1e-9, abs=1e-9)
        assert graph.jacobian(name, point) == pytest.approx(slope, rel=1e-9, abs=1e-9)


@settings(max_examples=200)
@given(scalar_graphs(steps=10))
def test_the_sum_over_all_paths_is_the_gradient(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    for name, slope in graph.gradients(point).items():
        if graph.count_paths(name) <= 2_000:
            paths = graph.paths(name, point)
            assert len(paths) == graph.count_paths(name)
            scale = max(1.0, sum(abs(path.product) for path in paths))
            assert sum(path.product for path in paths) == pytest.approx(slope, rel=1e-9, abs=1e-9 * scale)


def test_paths_name_their_nodes_and_factors() -> None:
    (path,) = lecture().paths("b", LECTURE)
    assert path.nodes == ("b", "d", "e", "L") and path.factors == (2.0, 1.0, -2.0) and path.product == -4.0
    assert [p.product for p in gl.parse("d = 2a; L = d*(d+1)").paths("a", a=3)] == [14.0, 12.0]


def test_a_million_paths_are_counted_and_not_listed() -> None:
    graph = gl.parse("x=x0; " + "x=x+x; " * 20)
    assert graph.count_paths("x0") == 1_048_576
    with pytest.raises(LimitError, match="1,048,576 paths"):
        graph.paths("x0", x0=1)


def test_paths_need_scalar_operations() -> None:
    with pytest.raises(NoRule, match="scalar"):
        gl.parse("L = sum(x)").paths("x", x=[1, 2])


@settings(max_examples=60)
@given(scalar_graphs())
def test_counted_multiplications_equal_those_really_made(sample: Sample) -> None:
    counted = count_multiplications(sample.dag)
    values = evaluate(sample.dag, sample.point)
    made: list[None] = []

    def multiply(arriving, local):
        made.append(None)
        return ARRAYS.multiply(arriving, local)

    algebra = dataclasses.replace(ARRAYS, multiply=multiply)
    inputs = list(sample.dag.inputs.values())
    for _ in pullback(sample.dag, values, np.float64(1), algebra, inputs):
        pass
    assert len(made) == counted.reverse
    for x in inputs:
        made.clear()
        for _ in pushforward(sample.dag, values, {x: np.float64(1)}, algebra):
            pass
        assert len(made) == counted.forward[str(x.name)]


def test_a_jacobian_has_the_shape_of_the_output_then_of_the_input() -> None:
    graph = gl.parse("y = tanh(W@x)")
    values = {"W": np.arange(6.0).reshape(2, 3) / 10, "x": np.array([1.0, -2.0, 0.5])}
    slope = 1 - np.tanh(values["W"] @ values["x"]) ** 2
    np.testing.assert_allclose(graph.jacobian("x", values), slope[:, None] * values["W"])
    assert graph.jacobian("W", values).shape == (2, 2, 3)
    np.testing.assert_allclose(graph.jacobian("W", values)[0, 0], slope[0] * values["x"])
    assert graph.jacobian("W", values)[0, 1].tolist() == [0.0, 0.0, 0.0]


def test_a_hessian_and_its_products_equal_torch() -> None:
    torch = needs("torch")
    graph = gl.parse("L = sum(tanh(W@x)^2) + x@x + k*sum(W)")
    values = {"W": np.arange(6.0).reshape(2, 3) / 10, "x": np.array([1.0, -2.0, 0.5]), "k": 0.7}

    def loss(w, x, k):
        return (torch.tanh(w @ x) ** 2).sum() + x @ x + k * w.sum()

    tensors = tuple(torch.tensor(np.asarray(values[name])) for name in "Wxk")
    theirs = torch.autograd.functional.hessian(loss, tensors)
    mine = graph.hessian(values)
    for i, a in enumerate("Wxk"):
        for j, b in enumerate("Wxk"):
            np.testing.assert_allclose(mine[a][b], theirs[i][j].numpy(), atol=1e-12)
    direction = {"x": np.array([0.3, 0.1, -1.0])}
    np.testing.assert_allclose(graph.hvp(direction, values)["x"], mine["x"]["x"] @ direction["x"])
    np.testing.assert_allclose(graph.hvp(direction, values)["W"], mine["W"]["x"] @ direction["x"])


def test_a_hessian_needs_a_scalar_output() -> None:
    with pytest.raises(ShapeError, match="starts from one number"):
        gl.parse("y = x*x").hessian(x=[1, 2])
