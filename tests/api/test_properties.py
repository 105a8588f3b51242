"""Properties over random graphs with sharing: what is printed reads back, and every way to a gradient agrees."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import graphlab as gl
from graphlab.engine.evaluation import evaluate
from graphlab.engine.simplifying import simplify
from tests.strategies import Sample, scalar_graphs, value_of

LENIENT = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def point_of(sample: Sample) -> dict[str, float]:
    return {str(node.name): float(value) for node, value in sample.point.items()}


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@LENIENT
@given(scalar_graphs())
def test_the_lines_of_a_graph_read_back_with_the_same_value(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    again = gl.parse("\n".join(graph.lines), values=point)
    assert again.evaluate({name: point[name] for name in again.inputs}) == value_of(sample)
    assert again.lines == graph.lines


@LENIENT
@given(scalar_graphs(steps=8))
def test_the_text_of_a_graph_reads_back_as_the_same_text(sample: Sample) -> None:
    graph = gl.Graph(*sample.dag.outputs)
    assert gl.parse(graph.text, values=graph.inputs).text == graph.text


@LENIENT
@given(scalar_graphs())
def test_the_lines_of_a_derivative_read_back_with_the_gradient(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    slopes = graph.gradients(point)
    for name in graph.inputs:
        lines = [*graph.lines, *graph.derivative(name).lines]
        again = gl.parse("\n".join([*lines, f"{name}_bar"]).replace("L", "loss"), values=point)
        assert again.evaluate({n: point[n] for n in again.inputs}) == close(slopes[name])


@LENIENT
@given(scalar_graphs())
def test_the_derivative_graph_evaluates_to_the_gradient_simplified_or_not(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    slopes = graph.gradients(point)
    for name in graph.inputs:
        for simplified in (True, False):
            derivative = graph.derivative(name, simplify=simplified)
            assert derivative.evaluate({n: point[n] for n in derivative.inputs}) == close(slopes[name])


@LENIENT
@given(scalar_graphs())
def test_simplifying_keeps_the_value(sample: Sample) -> None:
    simpler = gl.Graph(simplify(sample.dag.output))
    values = evaluate(simpler.dag, {n: v for n, v in sample.point.items() if n in simpler.dag.ids})
    assert float(values[simpler.dag.output]) == close(value_of(sample))
