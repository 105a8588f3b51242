"""A Trace is plain data: it survives JSON, replays step by step, and refuses what is damaged."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

import graphlab as gl
from graphlab.engine.evaluation import evaluate
from graphlab.engine.reverse import gradients
from graphlab.errors import TraceError
from tests.strategies import Sample, scalar_graphs


def lecture() -> gl.Trace:
    return gl.parse("L = c(a+2b)").trace(a=3, b=1, c=-2)


def test_the_lectures_trace_has_nine_steps_and_its_numbers() -> None:
    trace = lecture()
    by_name = {node.name: node for node in trace.nodes if node.name}
    assert [by_name[name].value for name in ("d", "e", "L")] == [2.0, 5.0, -10.0]
    assert [step.kind for step in trace.steps] == ["compute"] * 3 + ["seed"] + ["edge"] * 5
    assert [by_name[f"{name}_bar"].value for name in "abc"] == [-2.0, -4.0, 5.0]
    assert [by_name[f"{name}_bar"].expression for name in "abc"] == ["c", r"2 \, c", r"a + 2 \, b"]


def test_upto_is_the_slider() -> None:
    trace = lecture()
    ids = {node.name: node.id for node in trace.nodes}
    assert ids["d"] not in trace.upto(0).known_values and trace.upto(1).known_values[ids["d"]] == 2.0
    assert trace.upto(3).known_gradients == {} and trace.upto(4).known_gradients == {ids["L"]: 1.0}
    with pytest.raises(TraceError, match="outside 0 … 9"):
        trace.upto(10)


def test_equal_input_gives_equal_json() -> None:
    assert lecture().to_json() == lecture().to_json()


def test_json_holds_no_nan_and_comes_back_the_same() -> None:
    trace = gl.parse("L = x*log(x) + sum(w)").trace(x=0, w=[[1, 2], [3, 4]])
    text = trace.to_json()
    assert '"-inf"' in text and '"nan"' in text
    json.loads(text, parse_constant=lambda word: pytest.fail(word))
    again = gl.Trace.from_json(text)
    assert again.to_json() == text and again._repr_svg_() == trace._repr_svg_()


@settings(max_examples=60)
@given(scalar_graphs())
def test_every_trace_survives_json_and_ends_at_the_gradients(sample: Sample) -> None:
    graph = gl.Graph(*sample.dag.outputs)
    point = {str(node.name): value for node, value in sample.point.items()}
    trace = graph.trace(point)
    assert gl.Trace.from_json(trace.to_json()).to_json() == trace.to_json()
    values = evaluate(sample.dag, sample.point)
    slopes = gradients(sample.dag, values, np.float64(1), list(sample.point))
    for node, slope in slopes.items():
        assert trace.known_gradients.get(sample.dag.ids[node], 0.0) == slope


@settings(max_examples=60)
@given(scalar_graphs())
def test_the_contributions_of_a_trace_add_up_to_its_gradients(sample: Sample) -> None:
    trace = gl.Graph(*sample.dag.outputs).trace({str(n.name): v for n, v in sample.point.items()})
    sums: dict[str, float] = {}
    for step in trace.steps:
        if step.kind == "edge":
            assert trace.node(str(step.upstream)).value == trace.known_gradients[str(step.user)]
            sums[step.node] = sums.get(step.node, 0.0) + trace.node(str(step.amount)).value
    for node, total in sums.items():
        assert total == pytest.approx(trace.known_gradients[node], rel=1e-12)


def test_large_arrays_are_summarised_on_request() -> None:
    trace = gl.parse("L = sum(x)").trace(x=np.arange(100.0))
    summary = json.loads(trace.to_json(values="summary"))["values"]["x"]
    assert summary == {"shape": [100], "min": 0.0, "max": 99.0, "mean": 49.5, "not_finite": 0}


def damaged(**changes: object) -> str:
    return json.dumps(lecture().to_dict() | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1]", "not a graphlab trace"),
        ('{"schema": 2}', "schema 2"),
        ('{"schema": 1}', "damaged"),
        (damaged(nodes=[{"id": "<script>", "role": "input"}]), "damaged"),
        (damaged(nodes=[]), "damaged"),
        (damaged(output_id="n99"), "damaged"),
        (damaged(steps=[{"kind": "edge", "node": "n0"}]), "damaged"),
        (damaged(steps=[{"kind": "explode", "node": "n0"}]), "damaged"),
        (damaged(steps=[{"kind": "compute", "node": "n0", "onclick": "alert(1)"}]), "damaged"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_damaged_or_hostile_trace_is_refused(text: str, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        gl.Trace.from_json(text)
