"""`Graph.scalar_view`: names, values there and gradients back, what is refused; and the view is a Graph like any."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab.errors import LimitError, ShapeError, ValueProblem
from graphlab.render.svg import draw

RANDOM = np.random.default_rng(5)
Q_IS_WX: dict[str, Any] = {"W": [[1, 2, 0], [0, 1, 3]], "x": [1, 2, 3]}


def drawn(**shapes: tuple[int, ...]) -> dict[str, Any]:
    return {name: RANDOM.normal(size=shape) for name, shape in shapes.items()}


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("O = attention(Q, K, V)", drawn(Q=(2, 2), K=(2, 2), V=(2, 2))),
        ("O = attention(X @ A, X @ B, X @ C, causal=true)", drawn(X=(2, 2), A=(2, 2), B=(2, 2), C=(2, 2))),
        ("O = attention(Q, K, V, M)", {**drawn(Q=(2, 2), K=(3, 2), V=(3, 2)), "M": [[1, 0, 1], [0, 1, 1]]}),
        ("y = layer_norm(x, g, b)", drawn(x=(4,), g=(4,), b=(4,))),
        ("Y = layer_norm(X, g, b, eps=0.1)", drawn(X=(2, 4), g=(4,), b=(4,))),
        ("Y = X @ W.T + b", drawn(X=(2, 3), W=(4, 3), b=(4,))),
        ("Y = tanh(X @ W.T + b) @ U.T", drawn(X=(2, 3), W=(4, 3), b=(4,), U=(1, 4))),
        ("L = cross_entropy(embedding(E, i) @ E.T, i)", {**drawn(E=(4, 2)), "i": np.array([2, 0, 2])}),
    ],
)
def test_the_scalar_view_has_the_value_and_the_gradients_of_the_tensor_graph(
    formula: str, values: dict[str, Any]
) -> None:
    graph = gl.parse(formula, values=values)
    output = graph.evaluate(values)
    seed = None if np.shape(output) == () else RANDOM.normal(size=np.shape(output))
    view = graph.scalar_view(values)
    expected = graph.gradients(values, seed=seed)
    found = view.gradients(seed=seed)
    assert list(found) == list(expected)
    for name, slope in expected.items():
        np.testing.assert_allclose(found[name], slope, rtol=1e-12, atol=1e-12)
    assert view.graph.is_elementwise
    assert view.graph.evaluate(view.values()) == pytest.approx(np.ravel(output)[-1], rel=1e-12)


def test_q_is_wx_opens_into_two_sums_of_products() -> None:
    view = gl.parse("q = W @ x").scalar_view(Q_IS_WX)
    products = ["W_1_1*x_1 + W_1_2*x_2 + W_1_3*x_3", "W_2_1*x_1 + W_2_2*x_2 + W_2_3*x_3"]
    assert view.graph.text == f"q_1 = {products[0]}; q_2 = {products[1]}"
    assert r"q_{1} &= W_{1,1} \, x_{1} + W_{1,2} \, x_{2}" in view.graph.latex
    assert view.values() == {"W_1_1": 1, "W_1_2": 2, "W_1_3": 0, "W_2_1": 0, "W_2_2": 1, "W_2_3": 3} | {
        "x_1": 1,
        "x_2": 2,
        "x_3": 3,
    }
    assert view.graph.count_paths("W_1_2") == 0, "the graph's own output is q_2, and W_1_2 reaches q_1 only"


def test_a_seed_makes_one_number_of_the_entries_and_the_trace_starts_there() -> None:
    view = gl.parse("q = W @ x").scalar_view(Q_IS_WX, seed=[1, -2])
    trace = view.graph.trace(view.values())
    assert trace.node(trace.output).value == 5 - 22
    last = {step.node: step.total for step in trace.steps if step.kind == "edge"}
    found = {node.name: trace.node(last[node.id]).value for node in trace.forward_nodes if node.id in last}
    expected = {"W_1_1": 1, "W_1_2": 2, "W_1_3": 3, "W_2_1": -2, "W_2_2": -4, "W_2_3": -6, "x_1": 1, "x_2": 0}
    assert found == found | expected | {"x_3": -6, "q_1": 1, "q_2": -2}


def test_the_drawing_shows_every_entry_with_its_index_set_below() -> None:
    view = gl.parse("q = W @ x").scalar_view(Q_IS_WX, seed=[1, -2])
    trace = view.graph.trace(view.values())
    picture = draw(trace)
    assert ET.fromstring(picture).tag.endswith("svg")
    assert picture.count('class="node') >= len(trace.forward_nodes)
    assert {node.latex for node in trace.forward_nodes} >= {"W_{1,2}", "W_{2,3}", "x_{3}"}


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("L = sum(softmax(s)*c)", drawn(s=(3,), c=(3,))),
        ("P = softmax(S); Y = P @ V", drawn(S=(2, 2), V=(2, 2))),
        ("L = sum(tanh(A @ B + b))", drawn(A=(2, 3), B=(3, 2), b=(2,))),
        ("y = layer_norm(x)", drawn(x=(3,))),
    ],
)
def test_the_view_is_a_program_that_parses_to_the_same_graph(formula: str, values: dict[str, Any]) -> None:
    view = gl.parse(formula, values=values).scalar_view(values)
    again = gl.parse(view.graph.text, stabilise=False)
    assert again.text == view.graph.text
    operations = [sum(node.op is not None for node in graph.dag.nodes) for graph in (again, view.graph)]
    assert operations[0] == operations[1]
    point = view.values()
    assert again.gradients(point) == view.graph.gradients(point)


def test_entries_of_an_array_nobody_named_are_called_as_that_array_is_in_the_tensor_graph() -> None:
    graph = gl.parse("L = sum(tanh(A @ x))")
    lines = graph.scalar_view(A=[[1, 2], [3, 4]], x=[1, 2]).graph.lines
    assert graph.lines == ["d = A@x", "e = tanh(d)", "L = sum(e)"]
    assert lines[-3:] == ["e_1 = tanh(d_1)", "e_2 = tanh(d_2)", "L = e_1 + e_2"]


def test_no_name_of_an_opened_array_is_given_to_a_scalar() -> None:
    values = {"d": np.ones((2, 2)), "e": np.ones(2)}
    graph = gl.parse("g = d @ e; L = sum(g*g*g)", values=values).scalar_view(values).graph
    assert not {"d", "e", "g"} & set(graph.names.values())


def test_the_sum_of_all_paths_through_a_softmax_is_the_gradient() -> None:
    values = drawn(s=(3,), c=(3,))
    view = gl.parse("L = softmax(s) @ c", values=values).scalar_view(values)
    for name in ("s_1", "s_2", "s_3"):
        paths = view.graph.paths(name, view.values())
        assert len(paths) == 4  # its own numerator, and the sum below each of the three outputs
        assert sum(path.product for path in paths) == pytest.approx(view.graph.gradients(view.values())[name])


# ---- values and gradients ------------------------------------------------------------------------------------------
def test_a_view_made_by_shapes_takes_values_later() -> None:
    view = gl.parse("L = sum((W @ x)^2)", values=Q_IS_WX).scalar_view()
    found = view.gradients(Q_IS_WX)
    np.testing.assert_allclose(found["W"], 2 * np.outer([5, 11], [1, 2, 3]))
    with pytest.raises(ValueProblem, match="no value given for W, x"):
        view.gradients()
    with pytest.raises(ShapeError, match=r"x has shape \(2,\), but was opened with \(3,\)"):
        view.values(Q_IS_WX, x=[1, 2])


def test_values_may_change_one_by_one_after_the_opening() -> None:
    view = gl.parse("L = sum(x*y)").scalar_view(x=[1, 2], y=[3, 4])
    np.testing.assert_array_equal(view.gradients(x=[5, 6])["y"], [5, 6])


def test_rows_that_nobody_picks_get_zero_and_other_ids_need_another_opening() -> None:
    values = {"E": [[1, 2], [3, 4], [5, 6]], "i": np.array([2, 2])}
    view = gl.parse("L = sum(embedding(E, i)^2)", values=values).scalar_view(values)
    assert view.graph.inputs == ["E_3_1", "E_3_2"]
    np.testing.assert_array_equal(view.gradients()["E"], [[0, 0], [0, 0], [20, 24]])
    with pytest.raises(ValueProblem, match="the graph was opened with another i"):
        view.gradients(i=np.array([1, 2]))


def test_numbers_by_entry_are_gathered_into_arrays() -> None:
    view = gl.parse("L = c*sum(X)").scalar_view(c=2, X=[[1, 2]])
    gathered = view.gather({"c": 7.0, "X_1_2": 5.0})
    assert gathered["c"] == 7.0
    np.testing.assert_array_equal(gathered["X"], [[0, 5]])


def test_an_output_that_is_an_array_needs_a_seed_of_its_shape() -> None:
    view = gl.parse("q = W @ x").scalar_view(Q_IS_WX)
    with pytest.raises(ShapeError, match=r"the output has shape \(2,\)"):
        view.gradients()
    with pytest.raises(ShapeError, match=r"the seed has shape \(3,\), but the output \(2,\)"):
        view.gradients(seed=[1, 2, 3])


# ---- refused -------------------------------------------------------------------------------------------------------
def test_sizes_that_are_only_names_are_asked_for() -> None:
    with pytest.raises(ValueProblem, match="the size n of Q is not known"):
        gl.parse("softmax(Q @ K.T) @ V").scalar_view()


def test_too_large_a_view_is_refused_with_its_size() -> None:
    x = np.ones((32, 32))
    with pytest.raises(LimitError, match=r"takes [0-9,]+ nodes, but at most 5,000 are opened") as caught:
        gl.parse("attention(Q, K, V)").scalar_view(Q=x, K=x, V=x)
    assert "smaller arrays" in str(caught.value)


def test_wrong_shapes_are_refused_as_everywhere() -> None:
    with pytest.raises(ShapeError, match="the inner sizes must match"):
        gl.parse("q = W @ x").scalar_view(W=[[1, 2]], x=[1, 2, 3])


def test_an_input_called_seed_needs_the_mapping() -> None:
    with pytest.raises(ValueProblem, match="both an option here and an input"):
        gl.parse("L = sum(seed*x)").scalar_view(seed=[1, 2], x=[1, 2])


def test_a_latex_product_is_settled_by_the_values_before_it_is_opened() -> None:
    view = gl.parse(r"q = W x", notation="latex").scalar_view(Q_IS_WX)
    assert [name for name in view.graph.names.values() if name.startswith("q_")] == ["q_1", "q_2"]
