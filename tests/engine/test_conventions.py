"""What mathematics leaves open, and what floating point would lose: the choices beyond those among the cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine.core import OPS, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.forward_mode import tangent_of
from graphlab.engine.inference import shapes_of_values
from graphlab.engine.reverse import backward_graph, gradients
from graphlab.errors import DomainError, ShapeError
from tests.requirements import needs


def test_the_second_derivatives_of_a_product_are_right_beside_a_zero() -> None:
    x, seed = variable("x"), variable("seed")
    dag, point = Dag(gl.prod(x)), {x: np.array([2.0, 0.0, 3.0])}
    shapes = shapes_of_values(dag, point)
    shapes.declare(seed, ())
    slope = Dag(list(backward_graph(dag, shapes, seed, [x]))[-1].total)
    values = evaluate(slope, {**point, seed: np.float64(1)})
    rows = [gradients(slope, values, np.eye(3)[i], [x])[x] for i in range(3)]
    np.testing.assert_array_equal(rows, [[0, 3, 0], [3, 0, 2], [0, 2, 0]])


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e-320, 1.0])
def test_a_norm_neither_overflows_nor_underflows(size: float) -> None:
    graph, x = gl.parse("L = norm(x)", values={"x": [0, 0]}), [3 * size, -4 * size]
    assert graph.evaluate(x=x) == pytest.approx(5 * size, rel=1e-3 if size < 1e-300 else 1e-15)
    np.testing.assert_allclose(graph.gradients(x=x)["x"], [0.6, -0.8], rtol=1e-2 if size < 1e-300 else 1e-15)
    node = variable("x")
    dag, point = Dag(gl.norm(node)), {node: np.array(x)}
    assert tangent_of(dag, evaluate(dag, point), {node: np.array([1.0, 0.0])}) == pytest.approx(0.6, rel=1e-2)


def test_a_row_that_is_masked_out_is_zero_and_sends_zero_in_both_modes() -> None:
    q, mask = variable("q"), np.array([[True, False], [False, False]])
    dag = Dag(gl.attention(q, np.eye(2), np.array([[1.0, 2], [3, 4]]), mask))
    point = {q: np.array([[1.0, 2], [3, 4]])}
    values = evaluate(dag, point)
    np.testing.assert_array_equal(values[dag.output], [[1, 2], [0, 0]])
    np.testing.assert_array_equal(gradients(dag, values, np.ones((2, 2)), [q])[q], np.zeros((2, 2)))
    np.testing.assert_array_equal(tangent_of(dag, values, {q: np.ones((2, 2))}), np.zeros((2, 2)))


LIMITS = {
    "sigmoid": ((0, 0), (1, 0)),
    "tanh": ((-1, 0), (1, 0)),
    "relu": ((0, 0), (math.inf, 1)),
    "leaky_relu": ((-math.inf, 0.01), (math.inf, 1)),
    "elu": ((-1, 0), (math.inf, 1)),
    "softplus": ((0, 0), (math.inf, 1)),
    "silu": ((0, 0), (math.inf, 1)),
    "gelu": ((0, 0), (math.inf, 1)),
    "gelu_tanh": ((0, 0), (math.inf, 1)),
    "erf": ((-1, 0), (1, 0)),
    "atan": ((-math.pi / 2, 0), (math.pi / 2, 0)),
}


@pytest.mark.parametrize("name", LIMITS)
def test_activations_take_their_limits_at_infinity(name: str) -> None:
    graph = gl.parse(f"L = {name}(x)")
    for x, (value, slope) in zip((-math.inf, math.inf), LIMITS[name], strict=True):
        assert graph.evaluate(x=x) == value
        assert graph.gradients(x=x) == {"x": slope}


@pytest.mark.parametrize("x", [-40.0, -10.0, -1e-9, 1e-300, 30.0])
@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "silu", "softplus", "sigmoid", "erfc", "expm1", "elu"])
def test_no_digits_are_lost_far_out_or_near_zero(name: str, x: float) -> None:
    mpmath = needs("mpmath")
    from graphlab.interop import mpmath as many_digits

    node = variable("x")
    dag, point = Dag(getattr(gl, name)(node)), {node: np.float64(x)}
    values = evaluate(dag, point)
    with mpmath.workdps(1000):
        exact = float(many_digits.evaluate(dag, point, digits=1000))
    assert values[dag.output] == pytest.approx(exact, rel=3e-14, abs=0)
    slope = gradients(dag, values, np.float64(1), [node])[node]
    assert slope == pytest.approx(many_digits.slope(dag, point, node, ()), rel=1e-12, abs=1e-29)


def test_ids_given_as_a_list_are_whole_numbers_without_a_gradient() -> None:
    values = {"E": [[1, 2], [3, 4], [5, 6]], "i": [2, 0, 2]}
    graph = gl.parse("L = sum(embedding(E, i)^2)", values=values)
    assert graph.gradients(values).keys() == {"E"}
    np.testing.assert_array_equal(graph.gradients(values)["E"], [[2, 4], [0, 0], [20, 24]])
    with pytest.raises(DomainError, match="embedding: i must be whole numbers, for they are ids"):
        graph.evaluate({**values, "i": [0.5]})


@pytest.mark.parametrize("wrong", [3, -1])
def test_an_id_out_of_range_is_named_with_its_op(wrong: int) -> None:
    graph = gl.parse("L = cross_entropy(z, y)", values={"z": [[1, 2, 3]], "y": [0]})
    with pytest.raises(DomainError, match=f"cross_entropy: there is no row {wrong}: ids are whole numbers from 0 to 2"):
        graph.evaluate(z=[[1, 2, 3]], y=[wrong])


def test_a_mask_given_as_a_list_is_true_and_false_without_a_gradient() -> None:
    values = {"Q": [[1.0]], "K": [[1], [2.0]], "V": [[3], [4.0]], "M": [[1, 0]]}
    graph = gl.parse("L = sum(attention(Q, K, V, M))", values=values)
    assert graph.evaluate(values) == 3 and list(graph.gradients(values)) == ["Q", "K", "V"]


def test_an_input_that_is_also_a_number_keeps_its_gradient() -> None:
    assert gl.parse("L = where(x, x, 0)").gradients(x=1) == {"x": 1.0}


@pytest.mark.parametrize(
    ("formula", "values", "message"),
    [
        ("attention(Q, K, V)", {"Q": [[1, 2]], "K": [[1]], "V": [[1]]}, "queries and keys must be equally long"),
        ("attention(Q, K, V)", {"Q": [[1]], "K": [[1]], "V": [[1], [2]]}, "every key needs a value"),
        ("cross_entropy(z, y)", {"z": [[1, 2]], "y": [0, 1]}, "needs one id per row"),
        ("layer_norm(x, g)", {"x": [[1, 2]], "g": [1, 2, 3]}, "do not broadcast"),
        ("concat(a, b)", {"a": [[1, 2]], "b": [[1]]}, "may differ along axis 0 only"),
        ("concat(a, b)", {"a": [1, 2], "b": 3}, "may differ along axis 0 only"),
        ("reshape(x, shape=(2, 2))", {"x": [1, 2, 3]}, r"\(3,\) has 3 entries, which do not fill \(2, 2\)"),
        ("causal_mask(x)", {"x": [1, 2, 3]}, "needs a matrix"),
        ("softmax(x)", {"x": 1}, "there is no axis -1"),
    ],
)
def test_shapes_that_do_not_fit_are_said_in_the_words_of_the_op(
    formula: str, values: dict[str, object], message: str
) -> None:
    with pytest.raises(ShapeError, match=message):
        gl.parse(formula, values=values).evaluate(values)


def test_options_may_be_fractions_where_the_op_takes_them() -> None:
    graph = gl.parse("L = sum(layer_norm(x, eps=0.5)*[1, 2])", values={"x": [1, 3]})
    assert graph.evaluate(x=[1, 3]) == pytest.approx(1 / math.sqrt(1.5))
    assert graph.text == "L = sum(layer_norm(x, eps=0.5)*[1, 2])"


@pytest.mark.parametrize(
    ("name", "at", "beside"),
    [
        ("relu", (0.0,), (0.1,)),
        ("maximum", (1.0, 1.0), (1.0, 2.0)),
        ("minimum", (1.0, 1.0), (1.0, 2.0)),
        ("clip", (1.0, 0.0, 1.0), (0.5, 0.0, 1.0)),
        ("max", ([2.0, 2.0],), ([2.0, 1.0],)),
        ("min", ([2.0, 2.0, 3.0],), ([2.0, 3.0, 3.0],)),
        ("norm", ([0.0, 0.0],), ([0.0, 1.0],)),
        ("softmax", ([-math.inf, 0.0],), ([0.0, 0.0],)),
    ],
)
def test_a_convention_is_told_exactly_where_it_decides(name: str, at: tuple[object], beside: tuple[object]) -> None:
    assert OPS[name].caveat
    assert OPS[name].at_kink(*map(np.asarray, at))
    assert not OPS[name].at_kink(*map(np.asarray, beside))
