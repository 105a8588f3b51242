"""The scalar view equals the tensor view: for every op there is, at ties, and for random graphs of arrays."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphlab as gl
from graphlab.engine.core import OPS, Node, Op, constant, scope, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.inference import Shapes, shapes_of_values
from graphlab.engine.paths import count_paths
from graphlab.engine.reverse import gradients
from graphlab.engine.scalars import LARGEST, Opened, count_nodes, open_graph, weighted_sum
from graphlab.engine.values import convert, has_gradient
from graphlab.errors import LimitError, NoRule, ShapeError, ValueProblem
from tests.engine.samples import ALL_CALLS, Call

Point = dict[Node, Any]


def opened(dag: Dag, point: Point, names: dict[Node, str] | None = None) -> Opened:
    known = {node: np.asarray(value) for node, value in point.items() if not has_gradient(value)}
    return open_graph(dag, shapes_of_values(dag, point), known, names or {})


def scalar_gradients(view: Opened, point: Point, seed: Any) -> tuple[Any, Point]:
    """The output's entries and the gradients of the inputs, both found on scalars and put together again."""
    dag = Dag(weighted_sum(view.output, seed), *view.output.flat)
    entries = {
        cell: np.float64(x)
        for node, value in point.items()
        if has_gradient(value)
        for cell, x in zip(view.inputs[str(node.name)].flat, np.ravel(value), strict=True)
    }
    values = evaluate(dag, {cell: x for cell, x in entries.items() if cell in dag.ids})
    assert all(np.shape(value) == () for value in values.values()), "every node is a scalar"
    found = gradients(dag, values, np.float64(1), [cell for cell in entries if cell in dag.ids])
    slopes = {
        node: np.reshape([found.get(cell, 0.0) for cell in view.inputs[str(node.name)].flat], np.shape(value))
        for node, value in point.items()
        if has_gradient(value)
    }
    return np.reshape([values[cell] for cell in view.output.flat], view.output.shape), slopes


def assert_both_views_agree(dag: Dag, point: Point, bound: float = 1e-12) -> None:
    values = evaluate(dag, point)
    seed = np.random.default_rng(11).normal(size=np.shape(values[dag.output]))[()]
    value, slopes = scalar_gradients(opened(dag, point), point, seed)
    np.testing.assert_allclose(value, np.asarray(values[dag.output], dtype=float), rtol=bound, atol=bound)
    expected = gradients(dag, values, seed, list(slopes))
    for node, slope in slopes.items():
        np.testing.assert_allclose(slope, expected[node], rtol=bound, atol=bound, err_msg=str(node.name))


def graph_of(call: Call) -> tuple[Dag, Point]:
    inputs = [variable(f"x_{i}") for i in range(len(call.inputs))]
    dag = Dag(call.op.node(*inputs, **call.attrs))
    return dag, {n: convert(v, str(n.name)) for n, v in zip(inputs, call.inputs, strict=True)}


@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_every_op_opens_into_scalars_with_its_value_and_gradients(call: Call) -> None:
    assert_both_views_agree(*graph_of(call))


@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_the_size_is_never_underestimated(call: Call) -> None:
    dag, point = graph_of(call)
    made = Dag(*opened(dag, point).output.flat).nodes
    assert len(made) <= count_nodes(dag, shapes_of_values(dag, point))


@pytest.mark.parametrize(
    ("formula", "values", "nodes"),
    [
        ("sum(tanh(A @ B + b))", {"A": (2, 3), "B": (3, 2), "b": (2,)}, 45),
        ("W @ x", {"W": (2, 3), "x": (3,)}, 9 + 6 + 4),
        ("mean(x)", {"x": (4,)}, 4 + 3 + 1 + 1),
        ("softmax(s)", {"s": (3,)}, 3 + 2 + 1 + 3 + 3 + 2 + 3),
        ("x*x", {"x": ()}, 2),
    ],
)
def test_the_size_is_exact_where_every_entry_is_used(
    formula: str, values: dict[str, tuple[int, ...]], nodes: int
) -> None:
    dag = gl.parse(formula, values={name: np.ones(shape) for name, shape in values.items()}).dag
    shapes = Shapes({node: values[name] for name, node in dag.inputs.items()})
    assert count_nodes(dag, shapes) == nodes
    assert len(Dag(*open_graph(dag, shapes, {}, {}).output.flat).nodes) == nodes


def test_what_is_too_large_is_refused_with_its_size_before_anything_is_built() -> None:
    dag = gl.parse("X @ W", values={"X": np.ones((1000, 1000)), "W": np.ones((1000, 1000))}).dag
    shapes = Shapes(dict.fromkeys(dag.inputs.values(), (1000, 1000)))
    with pytest.raises(LimitError, match=f"takes 2,001,000,000 nodes, but at most {LARGEST:,} are opened"):
        open_graph(dag, shapes, {}, {})


TIES = ("max(x)", "min(x)", "sum(max(X, axis=0)*[1, 2])", "max(x, y)", "prod(x)", "sum(abs(y))", "sum(relu(y))")


@pytest.mark.parametrize("formula", TIES)
def test_ties_and_kinks_follow_the_conventions_of_the_tensor_ops(formula: str) -> None:
    values = {"x": [2.0, 0, 2, 0, 2, 0], "X": [[1.0, 3], [1, 4], [1, 4]], "y": [0.0, 0, 0, 0, 0, 1]}
    graph = gl.parse(f"L = sum({formula})", values=values)
    given = {name: values[name] for name in graph.inputs}
    view = graph.scalar_view(given)
    for name, slope in graph.gradients(given).items():
        np.testing.assert_allclose(view.gradients()[name], slope, rtol=1e-15, atol=0)


def test_the_shift_of_a_softmax_is_no_path_and_detach_sends_nothing() -> None:
    s = variable("s")
    view = opened(Dag(OPS["softmax"].node(s)), {s: np.array([1.0, 3.0])})
    dag = Dag(view.output[0])
    mine, other = view.inputs["s"]
    assert any(node.op is OPS["detach"] for node in dag.nodes)
    assert (count_paths(dag, mine), count_paths(dag, other)) == (2, 1)
    detached = opened(Dag(OPS["detach"].node(s)), {s: np.array([1.0, 3.0])})
    assert [count_paths(Dag(detached.output[0]), x) for x in view.inputs["s"]] == [0, 0]


def test_masks_and_ids_are_constants_that_leave_no_operation_behind() -> None:
    table, ids, mask = variable("E"), variable("i"), variable("m")
    point: Point = {table: np.array([[1.0, 2], [3, 4]]), ids: np.array([1, 1]), mask: np.array([True, False])}
    view = opened(Dag(OPS["masked"].node(OPS["embedding"].node(table, ids), mask)), point)
    assert [cell.name for cell in view.output[:, 0]] == ["E_2_1", "E_2_1"]
    assert [cell.value for cell in view.output[:, 1]] == [-np.inf, -np.inf]


def test_ids_that_are_not_known_are_asked_for() -> None:
    table, ids = variable("E"), variable("i")
    dag = Dag(OPS["embedding"].node(table, ids))
    with pytest.raises(ValueProblem, match="embedding picks entries by number, so its ids must be known"):
        open_graph(dag, Shapes({table: (3, 2), ids: (2,)}), {}, {})


def test_an_op_that_cannot_be_opened_is_named() -> None:
    sort = Op("sort", np.sort, lambda x: x, lambda a: a, "Sorting moves entries.", 1, vjp=(None,), call_name="sort")
    x = variable("x")
    with pytest.raises(NoRule, match="sort cannot be opened into scalars"):
        open_graph(Dag(sort.node(x)), Shapes({x: (3,)}), {}, {})


# ---- names ---------------------------------------------------------------------------------------------------------
def test_entries_are_called_as_a_learner_would_type_them() -> None:
    w, x, c = variable("W"), variable("x'"), variable("c")
    product = OPS["matmul"].node(w, x)
    dag = Dag(c * product)
    view = open_graph(dag, Shapes({w: (2, 2), x: (2,), c: ()}), {}, {product: "q"})
    assert [cell.name for cell in view.inputs["W"].flat] == ["W_1_1", "W_1_2", "W_2_1", "W_2_2"]
    assert [cell.name for cell in view.inputs["x'"]] == ["x_1'", "x_2'"]
    assert view.inputs["c"][()] is c
    assert list(view.names.values()) == ["q_1", "q_2"]


def test_an_entry_never_shares_its_name_with_anything_else() -> None:
    x, one, y = variable("x"), variable("x_1"), variable("y")
    named = x + y
    view = open_graph(Dag(named * one), Shapes({x: (2,), one: (), y: (2,)}), {}, {named: "y"})
    names = [cell.name for cells in view.inputs.values() for cell in cells.flat] + list(view.names.values())
    assert sorted(names) == ["x_1", "x_1'", "x_2", "y_1", "y_1'", "y_2", "y_2'"]


def test_entries_keep_the_short_name_that_formulas_write() -> None:
    w = variable("encoder.query.weight", "W_Q")
    view = open_graph(Dag(w * 2), Shapes({w: (1, 2)}), {}, {})
    cells = view.inputs["encoder.query.weight"][0]
    assert [cell.name for cell in cells] == ["encoder.query.weight_1_1", "encoder.query.weight_1_2"]
    assert [cell.attrs["symbol"] for cell in cells] == ["W_Q_1_1", "W_Q_1_2"]


def test_entries_stand_in_the_scope_of_their_array() -> None:
    x = variable("x")
    with scope("encoder"), scope("attention"):
        node = OPS["softmax"].node(x)
    view = opened(Dag(node + 1), {x: np.ones(2)})
    outputs = list(view.output.flat)
    inner = [cell for cell in Dag(*outputs).nodes if cell.op and cell not in outputs]
    assert len(inner) > 5 and {cell.scope for cell in inner} == {"encoder.attention"}
    assert {cell.scope for cell in outputs} == {""}


# ---- random graphs -------------------------------------------------------------------------------------------------
SMOOTH = [OPS[name] for name in "add sub mul tanh sigmoid sin softplus gelu maximum abs relu neg detach".split()]
OF_ARRAYS = [op for op in OPS.values() if op.partials is None and not op.ids and not op.masks]
OF_ARRAYS = [
    op
    for op in OF_ARRAYS
    if not re.match("bce|prod_others|norm|pad_to|part_of|put_back|split_heads|merge_heads", op.name)
]
SHAPES = [(), (2,), (3,), (2, 3), (3, 2), (2, 2), (1, 3)]


def tensor_graph(seed: int) -> tuple[Dag, Point]:
    """A random DAG over arrays; operations whose shapes do not fit, or whose values grow too large, are left out."""
    random = np.random.default_rng(seed)
    point: Point = {variable(f"x{i}"): random.normal(size=shape)[()] for i, shape in enumerate(SHAPES)}
    nodes = [*point, constant(1.5)]
    values: Point = {**point, nodes[-1]: np.float64(1.5)}
    for _ in range(60):
        ops = SMOOTH if random.random() < 0.2 else OF_ARRAYS
        op = ops[random.integers(len(ops))]
        inputs = [nodes[random.integers(len(nodes))] for _ in range(op.arity or 2)]
        attrs = {"axis": int(random.integers(-1, 1))} if "axis" in op.options and op.name != "expand" else {}
        try:
            op.shape(*[np.shape(values[x]) for x in inputs], **attrs)
        except ShapeError:
            continue
        value = op.forward(*[values[x] for x in inputs], **attrs)
        if np.all(np.isfinite(value)) and np.max(np.abs(value)) < 100 and np.size(value) < 30:
            nodes.append(op.node(*inputs, **attrs))
            values[nodes[-1]] = value
    output = OPS["mean"].node(nodes[-1])
    for other in nodes[-9:-1]:
        output = output + OPS["mean"].node(other)
    dag = Dag(output)
    return dag, {node: point[node] for node in dag.inputs.values()}


@given(st.integers(0, 10**6))
def test_random_graphs_of_arrays_have_the_same_gradients_in_both_views(seed: int) -> None:
    assert_both_views_agree(*tensor_graph(seed))
