"""Composites open into their parts: the same values and gradients, and no other node changes its id or name."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine.core import variable
from graphlab.errors import NoRule, UnknownName
from tests.engine.samples import ALL_CALLS, Call

COMPOSITES = [call for call in ALL_CALLS if call.op.body]


def graph_of(call: Call) -> tuple[gl.Graph, dict[str, object]]:
    """The sum of a composite's output, weighted so that no gradient is constant."""
    inputs = [variable(f"x_{i}") for i in range(len(call.inputs))]
    output = call.op.node(*inputs, **call.attrs)
    values = {f"x_{i}": value for i, value in enumerate(call.inputs)}
    return gl.graph(c=output, L=gl.sum(output * gl.sin(output))), values


@pytest.mark.parametrize("call", COMPOSITES, ids=str)
def test_every_composite_opens_with_the_same_values_and_gradients(call: Call) -> None:
    graph, values = graph_of(call)
    closed = graph.trace(values)
    composite = next(node.id for node in closed.nodes if node.name == "c")
    opened = graph.trace(values, open=[composite])
    assert opened.notices == closed.notices
    assert np.allclose(opened.node(opened.output).value, closed.node(closed.output).value, rtol=1e-12, atol=1e-12)
    for node_id, gradient in closed.known_gradients.items():
        if node_id != composite:
            np.testing.assert_allclose(opened.known_gradients[node_id], gradient, rtol=1e-10, atol=1e-12)
    assert gl.Trace.from_json(opened.to_json()).to_json() == opened.to_json()


@pytest.mark.parametrize("call", COMPOSITES, ids=str)
def test_opening_keeps_the_ids_names_and_order_of_all_other_nodes(call: Call) -> None:
    graph, values = graph_of(call)
    closed = graph.outline(values)
    composite = next(node.id for node in closed.nodes if node.name == "c")
    opened = graph.outline(values, open=[composite])
    parts = [node for node in opened.forward_nodes if node.id.startswith(f"{composite}.")]
    assert [part.id for part in parts] == [f"{composite}.{k}" for k in range(len(parts))]
    assert {part.scope for part in parts} == {call.op.name} and parts[-1].name == "c"
    others = [(node.id, node.name) for node in opened.forward_nodes if node not in parts]
    assert others == [(node.id, node.name) for node in closed.forward_nodes if node.id != composite]
    assert opened.node(composite).role == "opened" and opened.node(composite).text == closed.node(composite).text


def test_a_part_that_is_a_composite_opens_again() -> None:
    graph = gl.parse("L = cross_entropy(Z, y)")
    values = {"Z": [[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]], "y": [2, 0]}
    once = graph.trace(values, open=["n2"])
    inner = next(node.id for node in once.forward_nodes if node.op == "log_softmax")
    twice = graph.trace(values, open=["n2", inner])
    parts = [node for node in twice.forward_nodes if node.id.startswith(f"{inner}.")]
    assert [node.scope for node in parts] == ["cross_entropy.log_softmax"] * len(parts)
    assert twice.node(twice.output).value == pytest.approx(once.node(once.output).value, rel=1e-12)
    np.testing.assert_allclose(twice.known_gradients["n0"], once.known_gradients["n0"], rtol=1e-12)


def test_forward_mode_goes_through_the_parts_too() -> None:
    graph, point = gl.parse("y = sum(softmax(x)*x)"), {"x": [0.5, -1.0, 2.0]}
    tangents = {"x": [1.0, 0.0, 0.5]}
    opened = graph.trace(point, kind="tangent", tangents=tangents, open=["n1"])
    assert opened.known_gradients[opened.output] == pytest.approx(graph.jvp(tangents, point), rel=1e-12)


def test_where_the_parts_lose_digits_a_notice_says_so() -> None:
    graph = gl.parse("L = sum(softmax(x))")
    assert graph.trace(x=[1.0, 2.0], open=["n1"]).notices == ()
    (notice,) = graph.trace(x=[-np.inf, -np.inf], open=["n1"]).notices
    assert "its parts, worked out one by one, lose digits that softmax itself saves" in notice


@pytest.mark.parametrize(("wanted", "error"), [("n9", UnknownName), ("n1.7", UnknownName), ("n0", NoRule)])
def test_what_cannot_be_opened_is_named(wanted: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=wanted):
        gl.parse("y = softmax(x)").trace(x=[1.0, 2.0], open=[wanted])
