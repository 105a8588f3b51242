"""Plans through the public Graph: the answers, errors, types and copies are those of the Graph's own methods."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab.errors import GraphLabError, NoRule, ShapeError, ValueProblem
from tests.api.test_cases import GRADIENTS, HARD_POINTS, number
from tests.requirements import needs

PLANS = ["auto", "source", "tape", "tensors", "groups"]


@pytest.mark.parametrize("plan", [*PLANS, "torch"])
@pytest.mark.parametrize("row", [pytest.param(r, id=i) for i, r in GRADIENTS.items()])
def test_a_program_from_a_public_thread_has_its_gradients_in_every_plan(row: dict[str, Any], plan: str) -> None:
    point = {name: number(value) for name, value in row["point"].items()}
    graph = gl.parse(row["input"], values=point)
    value, slopes = run_or_skip(graph, plan, point)
    np.testing.assert_allclose(value, number(row["expected"]["value"]), rtol=1e-9, atol=1e-12)
    assert list(slopes) == list(graph.gradients(point))
    for name, expected in row["expected"]["grad"].items():
        np.testing.assert_allclose(slopes[name], number(expected), rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("plan", [*PLANS, "torch"])
@pytest.mark.parametrize("row", [pytest.param(r, id=i) for i, r in HARD_POINTS.items()])
def test_a_hard_point_follows_the_stated_convention_in_every_plan(row: dict[str, Any], plan: str) -> None:
    point = {name: number(value) for name, value in row["point"].items()}
    value, slopes = run_or_skip(gl.parse(row["program"], values=point), plan, point)
    check = {"rtol": row["rtol"], "atol": row["atol"]}
    np.testing.assert_allclose(value, number(row["value"]), **check)
    for name, expected in row["grad"].items():
        np.testing.assert_allclose(slopes[name], number(expected), **check, err_msg=name)


def run_or_skip(graph: gl.Graph, plan: str, point: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Value and gradients by a plan or on torch; only the groups, for single numbers, may refuse a graph of arrays."""
    if plan == "torch":
        needs("torch")
        by_torch: tuple[Any, dict[str, Any]] = graph.compile(backend="torch").value_and_gradients(point)
        return by_torch
    try:
        found: tuple[Any, dict[str, Any]] = graph.compile(plan=plan).value_and_gradients(point)
    except NoRule:
        assert plan == "groups"
        assert any(map(np.ndim, point.values())) or not graph.is_elementwise
        return graph.evaluate(point), graph.gradients(point)
    return found


LECTURE = {"a": 3.0, "b": 1.0, "c": -2.0}
SUMMED = "L = sum(c*(a + 2b)*tanh(a)/b)"
ARRAYS = {"a": [3.0, -1.0], "b": [1.0, 5.0], "c": -2.0}


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_takes_values_as_a_graph_does(plan: str) -> None:
    made = gl.parse("L = c(a+2b)").compile(plan=plan)
    expected = (-10.0, {"c": 5.0, "a": -2.0, "b": -4.0})
    for _ in range(2):
        assert made.value_and_gradients(LECTURE) == expected
        assert made.value_and_gradients(a=3, b=1, c=-2) == expected
        assert made.value_and_gradients({"a": 3, "b": np.float64(1)}, c=-2.0) == expected
    assert made.evaluate(LECTURE) == -10.0
    assert made.gradients(LECTURE, seed=2) == {"c": 10.0, "a": -4.0, "b": -8.0}


def test_a_plan_refuses_what_a_graph_refuses_in_the_same_words() -> None:
    graph = gl.parse("L = c(a+2b)")
    made = graph.compile()
    made.value_and_gradients(LECTURE)
    for wrong in ({"a": 1.0, "b": 2.0}, {**LECTURE, "d": 1.0}, {**LECTURE, "a": "one"}, {"a": 1.0, "b": 2.0, "d": 3.0}):
        messages = []
        for gradients in (graph.gradients, made.gradients):
            with pytest.raises(GraphLabError) as caught:
                gradients(wrong)
            messages.append((type(caught.value), str(caught.value)))
        assert messages[0] == messages[1]


def test_a_plan_says_which_option_is_also_an_input() -> None:
    made = gl.parse("L = seed*x").compile()
    assert made.gradients({"seed": 2, "x": 3}) == {"seed": 3.0, "x": 2.0}
    with pytest.raises(ValueProblem, match="both an option here and an input"):
        made.gradients(seed=2, x=3)


def test_shapes_that_do_not_fit_and_a_missing_seed_are_said_at_the_run() -> None:
    made = gl.parse("y = A @ x", values={"A": np.eye(2), "x": np.ones(2)}).compile()
    with pytest.raises(ShapeError, match="inner sizes"):
        made.evaluate(A=np.eye(2), x=np.ones(3))
    with pytest.raises(ShapeError, match="pass seed="):
        made.gradients(A=np.eye(2), x=np.ones(2))
    with pytest.raises(ShapeError, match="the seed has shape"):
        made.gradients(A=np.eye(2), x=np.ones(2), seed=[1, 2, 3])
    np.testing.assert_array_equal(made.gradients(A=np.eye(2), x=np.ones(2), seed=[1, 2])["x"], [1, 2])


def test_words_that_are_no_plan_are_refused() -> None:
    graph = gl.parse("L = x*x")
    for options in ({"plan": "fast"}, {"backend": "jax"}, {"backend": "torch", "plan": "tape"}):
        with pytest.raises(ValueProblem):
            graph.compile(**options)
    with pytest.raises(NoRule, match="single real numbers"):
        graph.compile(plan="groups").evaluate(x=[1.0, 2.0], borrow=True)


@pytest.mark.parametrize("plan", ["auto", "source", "tape", "tensors"])
def test_results_are_copies_that_later_runs_leave_alone(plan: str) -> None:
    graph = gl.parse("y = c*(a + 2b)", values=ARRAYS)
    made = graph.compile(plan=plan)
    first = made.value_and_gradients(ARRAYS, seed=[1, 1])
    kept = [np.array(x) for x in (first[0], *first[1].values())]
    made.value_and_gradients({**ARRAYS, "a": [100.0, 200.0], "c": 7.0}, seed=[5, 6])
    for found, before in zip((first[0], *first[1].values()), kept, strict=True):
        np.testing.assert_array_equal(found, before)
    first[0][:] = np.nan
    np.testing.assert_array_equal(made.evaluate(ARRAYS), graph.evaluate(ARRAYS))


@pytest.mark.parametrize("plan", ["auto", "source", "tape", "tensors"])
def test_borrowed_results_hold_until_the_next_run(plan: str) -> None:
    graph = gl.parse("y = c*(a + 2b)", values=ARRAYS)
    made = graph.compile(plan=plan)
    for scale in (1.0, 2.0):
        point = {**ARRAYS, "c": scale}
        value, slopes = made.value_and_gradients(point, seed=[1, 2], borrow=True)
        np.testing.assert_array_equal(value, graph.evaluate(point))
        for name, slope in graph.gradients(point, seed=[1, 2]).items():
            np.testing.assert_array_equal(slopes[name], slope)


@pytest.mark.parametrize("plan", ["auto", "source", "tape", "tensors"])
def test_a_plan_is_made_anew_for_other_shapes_and_types(plan: str) -> None:
    graph = gl.parse(SUMMED, values=ARRAYS)
    made = graph.compile(plan=plan)
    wide = {"a": np.full((3, 2), 0.5), "b": np.arange(1.0, 3.0), "c": np.ones((3, 1))}
    single = {name: np.float32(value) for name, value in (("a", 3), ("b", 1.5), ("c", -2))}
    for point in (ARRAYS, wide, LECTURE, single, {**single, "a": np.float64(3)}, ARRAYS):
        value, slopes = made.value_and_gradients(point)
        np.testing.assert_allclose(value, graph.evaluate(point), rtol=1e-6 if point is single else 1e-12)
        expected = graph.gradients(point)
        assert list(slopes) == list(expected)
        for name in expected:
            np.testing.assert_allclose(slopes[name], expected[name], rtol=1e-6 if point is single else 1e-12)


@pytest.mark.parametrize("plan", ["auto", "source", "tape", "tensors"])
def test_the_gradients_of_float32_arrays_are_float32(plan: str) -> None:
    point = {name: np.asarray(value, np.float32) for name, value in ARRAYS.items()}
    slopes = gl.parse(SUMMED, values=point).compile(plan=plan).gradients(point)
    assert {slopes["a"].dtype, slopes["b"].dtype} == {np.dtype(np.float32)}


def test_ids_and_masks_have_no_gradient_in_a_plan_either() -> None:
    graph = gl.parse("L = sum(embedding(T, ids))", values={"T": np.eye(3), "ids": [0, 2]})
    for plan in ("auto", "source", "tape", "tensors"):
        slopes = graph.compile(plan=plan).gradients(T=np.eye(3), ids=[0, 2])
        assert list(slopes) == ["T"]
        np.testing.assert_array_equal(slopes["T"], [[1, 1, 1], [0, 0, 0], [1, 1, 1]])


def test_a_plan_runs_the_stabilised_graph() -> None:
    graph = gl.parse("L = log(sigmoid(x))")
    assert graph.compile().value_and_gradients(x=-1000.0) == (-1000.0, {"x": 1.0})


def test_an_open_product_is_settled_by_the_values_of_each_run() -> None:
    graph = gl.parse(r"y = W x", notation="latex")
    made = graph.compile()
    assert made.evaluate(W=2, x=3) == 6.0
    np.testing.assert_array_equal(made.evaluate(W=[[1, 2], [3, 4]], x=[1, 1]), [3, 7])
    assert made.value_and_gradients(W=2.0, x=3.0) == (6.0, {"W": 3.0, "x": 2.0})


@pytest.mark.parametrize("plan", ["auto", "tensors"])
def test_threads_may_share_a_plan(plan: str) -> None:
    graph = gl.parse(SUMMED, values=ARRAYS)
    made = graph.compile(plan=plan)
    points = [{"a": np.linspace(i, i + 1, 500), "b": np.full(500, 1.0 + i), "c": float(i)} for i in range(8)]
    expected = [graph.gradients(point) for point in points]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(made.gradients, points * 20))
    for i, slopes in enumerate(found):
        for name, slope in expected[i % len(points)].items():
            np.testing.assert_allclose(slopes[name], slope, rtol=1e-12)


def wide_graph(count: int = 400) -> tuple[gl.Graph, dict[str, float]]:
    names = [f"x_{i}" for i in range(count)]
    loss = None
    for x in gl.variables(" ".join(names)):
        term = gl.tanh(x * 0.5) * x
        loss = term if loss is None else loss + term
    return gl.graph(L=loss), {name: 0.01 * i - 1 for i, name in enumerate(names)}


def test_a_large_graph_of_numbers_gives_the_numbers_of_its_trace() -> None:
    graph, point = wide_graph()
    trace = graph.trace(point)
    inputs = {node.name: node.id for node in trace.nodes if node.role == "input"}
    for name, slope in graph.gradients(point).items():
        assert slope == pytest.approx(trace.known_gradients[inputs[name]], rel=1e-12, abs=1e-15)


def test_a_graph_that_is_built_and_run_once_is_freed_at_once() -> None:
    graph, point = wide_graph(3)
    graph.gradients(point)
    gc.collect()
    gc.disable()
    try:
        graph, point = wide_graph(3)
        graph.gradients(point)
        del graph
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_the_torch_backend_gives_the_same_answers() -> None:
    needs("torch")
    graph = gl.parse(SUMMED, values=ARRAYS)
    value, slopes = graph.compile(backend="torch").value_and_gradients(ARRAYS)
    assert value == pytest.approx(graph.evaluate(ARRAYS), rel=1e-12)
    for name, slope in graph.gradients(ARRAYS).items():
        np.testing.assert_allclose(slopes[name], slope, rtol=1e-12)
