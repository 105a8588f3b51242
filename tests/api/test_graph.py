"""The public Graph, as the README promises it."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as gl
from graphlab.errors import LimitError, NoRule, ShapeError, UnknownName, ValueProblem

LECTURE = {"a": 3, "b": 1, "c": -2}


def built_with_operators() -> gl.Graph:
    a, b, c = gl.variables("a b c")
    return gl.graph(L=c * (a + 2 * b))


WAYS = {
    "one formula": lambda: gl.parse("L = c(a+2b)"),
    "statements": lambda: gl.parse("d=2b; e=a+d; L=c*e"),
    "operators": built_with_operators,
}


@pytest.mark.parametrize("make", WAYS.values(), ids=WAYS)
def test_the_lectures_example_comes_out_however_it_is_made(make) -> None:
    graph = make()
    assert graph.evaluate(a=3, b=1, c=-2) == -10.0
    assert graph.evaluate(LECTURE) == -10.0
    assert graph.gradients(a=3, b=1, c=-2) == {"a": -2.0, "b": -4.0, "c": 5.0}
    assert [graph.derivative(name).text for name in "abc"] == ["c", "2*c", "a + 2*b"]
    assert graph.derivative("b").latex == r"2 \, c"
    assert graph.derivative("b").derivative("c").text == "2"
    assert graph.lines == ["d = 2*b", "e = a + d", "L = c*e"]
    assert len(graph.trace(LECTURE).steps) == 9


def test_gradients_stand_in_order_of_first_appearance() -> None:
    assert list(gl.parse("L = c(a+2b)").gradients(LECTURE)) == ["c", "a", "b"]
    assert list(built_with_operators().gradients(LECTURE)) == ["a", "b", "c"]


def test_the_lines_of_a_derivative_are_the_backward_pass_and_parse_with_the_forward_lines() -> None:
    graph = gl.parse("h = tanh(W@x + b); L = sum(h^2)", values={"W": np.ones((3, 2)), "x": np.ones(2), "b": np.ones(3)})
    point = {"W": np.arange(6.0).reshape(3, 2) / 10, "x": np.array([1.0, -2.0]), "b": np.array([0.1, 0.2, 0.3])}
    for name in "Wxb":
        derivative = graph.derivative(name)
        program = "\n".join([*graph.lines, *derivative.lines])
        assert derivative.lines[0] == "L_bar = 1" and derivative.lines[-1].startswith(f"{name}_bar = ")
        again = gl.parse(f"{program}\n{name}_bar".replace("L", "loss"), values=point)
        np.testing.assert_allclose(again.evaluate(point), graph.gradients(point)[name], rtol=1e-12)


def test_the_classic_mistakes_of_accumulation_do_not_happen() -> None:
    graph = gl.parse("d=2a; L=d(d+1)", values=["d"])
    assert graph.gradients(a=3) == {"a": 26.0}
    assert graph.gradients(a=3) == {"a": 26.0}, "a second backward pass starts from zero"
    assert gl.parse("x=x0; " + "x=x+x; " * 20).gradients(x0=1) == {"x0": 2.0**20}


def test_one_graph_serves_scalars_and_batches() -> None:
    graph = gl.parse("y = w*x + b")
    assert graph.evaluate(w=2, x=3, b=1) == 7.0
    np.testing.assert_array_equal(graph.evaluate(w=2, x=[1, 2], b=1), [3.0, 5.0])
    with pytest.raises(ShapeError, match="starts from one number"):
        graph.gradients(w=2, x=[1, 2], b=1)
    slopes = graph.gradients(w=2, x=[1, 2], b=1, seed=[1, 10])
    assert slopes["w"] == 21.0 and slopes["b"] == 11.0
    np.testing.assert_array_equal(slopes["x"], [2.0, 20.0])


def test_a_result_is_a_copy() -> None:
    x = np.array([1.0, 2.0])
    graph = gl.parse("y = x")
    graph.evaluate(x=x)[0] = 99
    assert x[0] == 1.0


def test_types_are_kept() -> None:
    graph = gl.parse("L = sum(x*w/3)")
    small = {"x": np.ones(2, np.float32), "w": np.ones(2, np.float32)}
    assert graph.gradients(small)["x"].dtype == np.float32
    mixed = graph.gradients({"x": np.ones(2, np.float32), "w": np.ones(2)})
    assert mixed["x"].dtype == np.float32 and mixed["w"].dtype == np.float64
    assert list(graph.gradients({"x": np.ones(2), "w": np.array([1, 2])})) == ["x"], "integer arrays are ids"
    assert list(graph.gradients({"x": np.ones(2), "w": [1, 2]})) == ["x", "w"], "a list of whole numbers is real"


def test_poles_are_values() -> None:
    assert gl.parse("L = 1/x").evaluate(x=0) == np.inf
    assert gl.parse("L = log(x)").gradients(x=0) == {"x": np.inf}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": 1, "b": 1}, "no value given for c"),
        ({"a": 1, "b": 1, "c": 1, "d": 2}, "no input called 'd'"),
        ({"a": "three", "b": 1, "c": 1}, "a = 'three' is not a number"),
        ({"a": None, "b": 1, "c": 1}, "a = None is not a number"),
        ({"a": [[1, 2], [3]], "b": 1, "c": 1}, "a: the rows of the list have different lengths"),
        ({"a": 10**400, "b": 1, "c": 1}, "a: the whole number given is too large"),
        ({"a": 1j, "b": 1, "c": 1}, "a = 1j is not a number"),
    ],
)
def test_a_missing_superfluous_or_malformed_value_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueProblem, match=message):
        gl.parse("L = c(a+2b)").evaluate(values)


def test_an_option_that_is_also_an_input_must_come_through_the_mapping() -> None:
    graph = gl.parse("L = seed*x")
    with pytest.raises(ValueProblem, match="both an option here and an input"):
        graph.gradients(seed=2, x=3)
    assert graph.gradients({"seed": 2, "x": 3}) == {"seed": 3.0, "x": 2.0}


def test_names_that_python_cannot_spell_go_through_the_mapping() -> None:
    assert gl.parse("L = lambda*x_1").evaluate({"λ": 2, "x₁": 3}) == 6.0


def test_two_inputs_of_one_name_are_refused_with_both() -> None:
    x, other = gl.variable("x"), gl.variable("x")
    with pytest.raises(ValueProblem, match="two different inputs are both called 'x'"):
        gl.graph(L=x * other)


def test_an_unknown_input_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownName) as caught:
        gl.parse("L = a*b").derivative("q")
    assert "a, b" in str(caught.value)


def test_a_shape_error_says_which_op_which_shapes_and_where() -> None:
    graph = gl.parse("L = sum(A @ B)")
    with pytest.raises(ShapeError) as caught:
        graph.evaluate(A=np.ones((2, 3)), B=np.ones((4, 3)))
    assert "the inner sizes must match, but A is (2, 3) and B is (4, 3)" in str(caught.value)
    assert "Try A @ B.T." in str(caught.value)
    assert "^" in str(caught.value)


def test_a_graph_with_a_wrong_shape_still_has_an_outline_with_the_fault_at_its_node() -> None:
    graph = gl.parse("Y = A @ B; L = sum(Y) + k")
    outline = graph.outline(A=np.ones((2, 3)), B=np.ones((4, 3)), k=1)
    faults = {node.name: node.fault for node in outline.nodes if node.fault}
    assert list(faults) == ["Y"] and "inner sizes" in faults["Y"]
    assert {node.name for node in outline.nodes if node.value is not None} >= {"A", "B", "k"}


def test_without_values_operands_of_matmul_are_matrices_whose_sizes_agree() -> None:
    graph = gl.parse("S = Q@K.T; L = sum(S)")
    shapes = {node.name: node.shape for node in graph.outline().nodes}
    assert shapes["Q"] == ("n", "d") and shapes["K"] == ("m", "d") and shapes["S"] == ("n", "m")
    assert any("Q taken as a matrix (n, d)" in notice.message for notice in graph.notices)


def test_declared_shapes_are_used() -> None:
    graph = gl.parse("X: (n, d); w: (d,)\nL = sum(X@w)")
    assert graph.derivative("w").text == "X.T@expand(1, X@w)"


def test_a_graph_from_text_may_use_ten_million_numbers() -> None:
    with pytest.raises(LimitError, match="10,000,000"):
        gl.parse("L = sum(x*x*x)").evaluate(x=np.ones(4_000_000))
    x = gl.variable("x")
    assert gl.graph(L=gl.sum(x * x * x)).evaluate(x=np.ones(4_000_000)) == 4e6


def test_operators_and_functions_build_every_op() -> None:
    x, y = gl.variables("x, y")
    graph = gl.graph(L=gl.max(x, y, 0) + gl.where(x > y, x**2, -y) / 2 + abs(x - 1) + gl.leaky_relu(y))
    assert graph.evaluate(x=2, y=-4) == 2 + 2 + 1 - 0.04
    assert gl.graph(L=gl.mean(gl.max(x, axis=0))).evaluate(x=[[1, 5], [3, 2]]) == 4.0
    assert gl.sigmoid(0.0) == 0.5


def test_a_node_is_neither_true_nor_a_sequence() -> None:
    x = gl.variable("x")
    with pytest.raises(ValueProblem, match="where"):
        bool(x > 0)
    with pytest.raises(ValueProblem, match="looped"):
        list(x)


def test_arrays_leave_operators_to_nodes() -> None:
    x = gl.variable("x")
    assert gl.graph(L=gl.sum(np.array([1.0, 2.0]) * x)).gradients(x=3) == {"x": 3.0}


def test_a_derivative_too_long_to_write_is_refused_and_still_has_lines() -> None:
    y = gl.variable("x")
    for _ in range(40):
        y = gl.sin(y) * gl.cos(y)
    derivative = gl.graph(L=y).derivative("x")
    with pytest.raises(LimitError, match="more than 20,000 characters"):
        _ = derivative.text
    assert len(derivative.lines) == 121 and derivative.evaluate(x=0) == 1.0


def test_an_abstract_function_is_named_when_it_cannot_be_computed() -> None:
    with pytest.raises(NoRule, match="nothing says what u, v, w compute"):
        gl.parse("y = u(v(w(x)))").evaluate(x=1)


def test_a_notebook_shows_a_picture() -> None:
    graph = gl.parse("L = c(a+2b)")
    assert graph._repr_svg_().startswith("<svg")
    assert "−10" in graph.trace(LECTURE)._repr_svg_()


@pytest.mark.slow
def test_a_chain_of_a_million_operations_evaluates_and_differentiates() -> None:
    a, b = gl.variables("a b")
    y = a
    for _ in range(1_000_000):
        y = y + b
    graph = gl.graph(L=y)
    assert graph.evaluate(a=1, b=1e-6) == pytest.approx(2.0)
    assert graph.gradients(a=1, b=1e-6) == {"a": 1.0, "b": 1e6}
