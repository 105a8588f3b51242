"""A folded trace is a trace: closed boxes are nodes, and what is seen has its own values and gradients."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab as gl
from graphlab.errors import LimitError, TraceError
from graphlab.tracing import folding
from graphlab.tracing.explaining import explain
from graphlab.tracing.folding import fold, suggested_open
from graphlab.tracing.numbers import show_number
from graphlab.tracing.repeats import boxes_of
from tests.strategies import Sample, scalar_graphs
from tests.tracing.samples import left_and_entered_again, tower, values_of

GOLDEN = Path(__file__).parent / "golden" / "folded.json"
LAYERS = "s:encoder.layer.*"
SETS = [
    [],
    ["s:encoder"],
    ["s:encoder", LAYERS],
    ["s:encoder", LAYERS, "s:encoder.layer.2"],
    ["s:table", "s:encoder", LAYERS, "s:encoder.layer.1", "s:encoder.layer.1.inner"],
    ["s:head", "s:encoder.layer.1"],
]


def traced(graph: gl.Graph | None = None) -> gl.Trace:
    graph = graph or tower()
    return graph.trace(values_of(graph))


def seen(trace: gl.Trace) -> list[str]:
    return [node.id for node in trace.forward_nodes]


def test_everything_closed_is_one_box_per_outermost_scope() -> None:
    folded = fold(traced())
    assert [(node.id, node.role) for node in folded.forward_nodes if node.role != "constant"] == [
        ("n0", "input"),
        ("n1", "input"),
        ("s:table", "scope"),
        ("s:encoder", "scope"),
        ("s:head", "scope"),
    ]
    assert folded.output == "s:head" and folded.opened == ()


def test_everything_open_is_the_unfolded_trace() -> None:
    trace = traced()
    folded = fold(trace, list(boxes_of(trace).boxes))
    assert (folded.nodes, folded.steps, folded.output) == (trace.nodes, trace.steps, trace.output)


@pytest.mark.parametrize("open", SETS, ids=str)
def test_what_is_seen_has_the_values_and_gradients_of_the_full_trace(open: list[str]) -> None:
    trace = traced()
    folded = fold(trace, open)
    for node in folded.forward_nodes:
        inside = trace.node(node.box.results[-1]) if node.box else trace.node(node.id)
        np.testing.assert_array_equal(node.value, inside.value)
        if inside.id in trace.known_gradients:
            np.testing.assert_allclose(
                folded.known_gradients[node.id], trace.known_gradients[inside.id], rtol=1e-12, atol=1e-15
            )


@pytest.mark.parametrize("open", SETS, ids=str)
def test_the_contributions_that_cross_borders_add_up_to_the_gradients(open: list[str]) -> None:
    folded = fold(traced(), open)
    sums: dict[str, object] = {}
    for step in folded.steps:
        if step.kind == "edge":
            amount = folded.node(str(step.amount)).value
            sums[step.node] = amount if step.node not in sums else sums[step.node] + amount
    assert sums
    for node, total in sums.items():
        np.testing.assert_allclose(total, folded.known_gradients[node], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("open", SETS, ids=str)
def test_a_folded_trace_survives_json_and_its_inputs_stand_before_its_users(open: list[str]) -> None:
    folded = fold(traced(), open)
    again = gl.Trace.from_json(folded.to_json())
    assert again == folded and again.opened == folded.opened
    assert isinstance(folded, gl.Trace)


@pytest.mark.parametrize("open", SETS, ids=str)
def test_ids_are_those_of_the_full_trace_whatever_is_open(open: list[str]) -> None:
    trace = traced()
    known = {node.id for node in trace.nodes} | set(boxes_of(trace).boxes)
    assert set(seen(fold(trace, open))) <= known
    assert seen(fold(trace, [*open, "s:nowhere", "n99"])) == seen(fold(trace, open))


def test_every_closed_box_is_one_step_forward() -> None:
    folded = fold(traced(), ["s:encoder", LAYERS])
    computed = [step.node for step in folded.steps if step.kind == "compute"]
    assert computed == ["s:table", *(f"s:encoder.layer.{k}" for k in range(4)), "s:head"]
    assert [box.id for box in folded.opened] == ["s:encoder", LAYERS]
    assert folded.opened[1].inside == "s:encoder" and folded.opened[1].repeats == 4


def test_a_box_counts_what_it_holds_and_says_it() -> None:
    folded = fold(traced(), ["s:encoder", LAYERS])
    box = folded.node("s:encoder.layer.0").box
    assert box is not None and (box.operations, box.arrays, box.parameters) == (4, 1, 9)
    sentences = [words.sentence for words in explain(folded)]
    assert "encoder.layer.1 turns X into X: 4 operations, 9 parameters. Open it to see them." in sentences
    back = next(s for s in sentences if "come back through encoder.layer.3" in s)
    above = np.linalg.norm(folded.known_gradients["s:encoder.layer.3"])
    below = np.linalg.norm(folded.known_gradients["s:encoder.layer.2"])
    assert f"its size was {show_number(above)} above and {show_number(below)} below" in back


def test_a_weight_of_one_box_is_inside_and_a_shared_one_outside() -> None:
    assert seen(fold(traced()))[:2] == ["n0", "n1"]
    opened = fold(traced(), ["s:table", "s:head"])
    assert {box.id: "n1" in box.nodes for box in opened.opened} == {"s:table": False, "s:head": False}
    inside = fold(traced(), ["s:encoder", LAYERS, "s:encoder.layer.0"])
    assert not any(node.role == "input" and node.id not in ("n0", "n1") for node in inside.forward_nodes)


def test_a_scope_that_is_left_and_entered_again_is_seen_as_two_boxes() -> None:
    trace = left_and_entered_again().trace(x=0.5)
    folded = fold(trace)
    assert [node.id for node in folded.forward_nodes if node.role == "scope"] == ["s:a", "s:b", "s2:a"]
    assert folded.known_gradients["n0"] == trace.known_gradients["n0"]
    assert seen(fold(trace, ["s:a", "s:b"])) == seen(trace)
    assert gl.Trace.from_json(folded.to_json()) == folded


def test_a_tangent_passes_through_a_closed_box() -> None:
    graph = tower()
    point = values_of(graph)
    trace = graph.trace(point, kind="tangent", tangents={"table_weight": np.ones((5, 3))})
    folded = fold(trace, ["s:encoder"])
    assert [step.user for step in folded.steps if step.kind == "push"] == ["s:table", LAYERS, "s:head"]
    np.testing.assert_array_equal(folded.known_gradients["s:head"], trace.known_gradients[trace.output])
    assert "The tangent has gone through encoder.layer ×4" in " ".join(w.sentence for w in explain(folded))


def test_an_opened_composite_is_a_box_among_scopes_and_closes_to_itself() -> None:
    graph = tower()
    values = values_of(graph)
    composite = next(node.id for node in graph.outline().nodes if node.op == "softmax")
    trace = graph.trace(values, open=[composite])
    shown = fold(trace, ["s:head", composite])
    assert [box.id for box in shown.opened] == ["s:head", composite]
    assert f"{composite}.0" in seen(shown) and composite not in seen(shown)
    closed = fold(trace, ["s:head"])
    assert seen(closed) == seen(fold(graph.trace(values), ["s:head"]))
    assert closed.node(composite).text == graph.outline().node(composite).text
    assert boxes_of(trace).boxes.keys() - {composite} == boxes_of(graph.trace(values)).boxes.keys()


def test_graphs_fold_by_themselves_with_the_large_boxes_open() -> None:
    graph = tower(layers=12)
    outline = graph.folded()
    assert [node.box.repeats for node in outline.forward_nodes if node.box] == [12]
    assert len(outline.forward_nodes) <= folding.FEW_BOXES
    composite = next(node.id for node in outline.forward_nodes if node.op == "softmax")
    values = values_of(graph)
    assert graph.folded(values, open=["s:head", composite]) == fold(
        graph.trace(values, open=[composite]), ["s:head", composite]
    )


def test_what_is_suggested_stays_small_and_opens_all_of_a_small_trace() -> None:
    small = traced(tower(layers=1))
    assert seen(fold(small, suggested_open(small))) == seen(small)
    large = traced(tower(layers=30, changed=7))
    assert len(seen(fold(large, suggested_open(large)))) <= folding.FEW_BOXES


def test_too_many_boxes_are_refused_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "MOST_BOXES", 5)
    with pytest.raises(LimitError, match="would be seen, but at most 5"):
        fold(traced(), ["s:encoder", LAYERS])


def test_a_fault_inside_marks_the_closed_box() -> None:
    a, b = gl.variable("A"), gl.variable("B")
    with gl.scope("encoder"), gl.scope("layer.0"):
        graph = gl.graph(L=gl.sum(gl.named("S", a @ b)))
    trace = graph.outline(A=np.ones((2, 3)), B=np.ones((2, 3)))
    (box,) = [node for node in fold(trace).forward_nodes if node.role == "scope"]
    assert box.fault is not None and box.fault.startswith("S: ") and "inner sizes" in box.fault


def test_scopes_with_hostile_names_stay_data() -> None:
    hostile = "</text><script>\"'&]]>\n#{x}..2.*"
    x = gl.variable("x")
    with gl.scope(hostile):
        graph = gl.graph(L=gl.sin(x) * x)
    trace = graph.trace(x=1)
    folded = fold(trace)
    assert gl.Trace.from_json(folded.to_json()) == folded
    assert seen(fold(trace, list(boxes_of(trace).boxes))) == seen(trace)


def test_the_folded_trace_of_the_golden_file_is_reproduced() -> None:
    """To renew it, write what this test compares."""
    x = gl.variable("x")
    with gl.scope("encoder"):
        for number in range(2):
            with gl.scope(f"layer.{number}"):
                x = gl.named("y", gl.sin(gl.variable(f"w_{number}") * x))
    trace = gl.graph(L=x * x).trace(x=0.5, w_0=2, w_1=-1)
    found = json.dumps(fold(trace, ["s:encoder"]).to_dict(), ensure_ascii=False, indent=1) + "\n"
    assert found == GOLDEN.read_text(encoding="utf-8")


def damaged(**changes: object) -> str:
    data = fold(traced(), ["s:encoder"]).to_dict()
    scope = next(node for node in data["nodes"] if node["role"] == "scope")
    scope |= changes
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    [
        damaged(id="<script>"),
        damaged(box=None),
        damaged(box={"operations": "many", "arrays": 0, "parameters": 0, "repeats": 1, "results": []}),
        damaged(box={"operations": 1, "arrays": 0, "parameters": 0, "repeats": 1, "results": ["n999"]}),
        damaged(sources=["n0"] * 9),
        json.dumps(fold(traced(), ["s:encoder"]).to_dict() | {"opened": [{"id": "s:encoder"}]}),
    ],
)
def test_a_damaged_folded_trace_is_refused(text: str) -> None:
    with pytest.raises(TraceError, match="damaged"):
        gl.Trace.from_json(text)


SCOPES = ("", "a", "a.0", "a.1", "a.1.b", "b", "b.c")


@settings(max_examples=50)
@given(sample=scalar_graphs(), choices=st.data())
def test_any_scopes_and_any_open_boxes_keep_what_is_seen(sample: Sample, choices: st.DataObject) -> None:
    """However scopes lie across a graph: no box needs its own output, and nothing that is seen changes."""
    for node in sample.dag.nodes:
        node.scope = choices.draw(st.sampled_from(SCOPES))
    trace = gl.Graph(*sample.dag.outputs).trace({str(node.name): value for node, value in sample.point.items()})
    boxes = sorted(boxes_of(trace).boxes)
    folded = fold(trace, choices.draw(st.sets(st.sampled_from(boxes))) if boxes else [])
    assert gl.Trace.from_json(folded.to_json()) == folded
    for node in folded.forward_nodes:
        if node.role != "scope" and node.id in trace.known_gradients:
            assert folded.known_gradients[node.id] == pytest.approx(
                trace.known_gradients[node.id], rel=1e-12, abs=1e-300
            )
