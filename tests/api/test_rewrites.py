"""Rewriting as a trace: what each kind does, that every step is checked, and that values and gradients are kept."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import graphlab as gl
from graphlab.engine import core
from graphlab.engine.inference import infer_shapes
from graphlab.engine.rewriting import Keys
from graphlab.errors import ShapeError, ValueProblem
from graphlab.tracing.rewriting_checks import Check, Checker
from graphlab.tracing.rewriting_steps import RewriteTrace
from tests.strategies import Sample, scalar_graphs

LENIENT = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def told(trace: RewriteTrace) -> list[tuple[str, str, str, str]]:
    return [(step.name, step.rule, step.before, step.after) for step in trace.steps]


def point_of(sample: Sample) -> dict[str, float]:
    return {str(node.name): float(value) for node, value in sample.point.items()}


# ---- what each kind does -------------------------------------------------------------------------------------------
def test_simplifying_tells_every_rule_with_its_reason_and_place() -> None:
    graph = gl.parse("y = 1*x + x*2")
    trace = graph.rewrites("simplify")
    assert told(trace) == [
        ("d", "drop ·1", "1*x", "x"),
        ("e", "number first", "x*2", "2*x"),
        ("y", "collect equal terms", "x + 2*x", "3*x"),
    ]
    assert trace.steps[1].before_latex == r"x \cdot 2" and trace.steps[1].after_latex == r"2 \, x"
    assert trace.steps[2].why == "Two equal terms are twice that term."
    assert [step.node for step in trace.steps] == ["n2", "n4", "n5"]
    assert trace.source_latex == r"y = 1 \, x + x \cdot 2" and trace.result_latex == r"y = 3 \, x"
    assert (trace.source, trace.result) == ("y = 1*x + x*2", "y = 3*x") and graph.simplified().text == trace.result
    assert graph.text == "y = 1*x + x*2", "the learner's graph is never changed"


def test_the_raw_derivative_can_be_watched_while_it_is_simplified() -> None:
    graph = gl.parse("L = c(a+2b)")
    raw = graph.derivative("b", simplify=False)
    trace = raw.rewrites("simplify")
    assert [step.rule for step in trace.steps] == ["drop ·1", "drop ·1", "number first"]
    assert trace.result == graph.derivative("b").text == "2*c"


def test_merging_says_which_nodes_are_the_same() -> None:
    graph = gl.parse("d = x*x; e = x*x; L = d + e")
    (step,) = graph.rewrites("merge").steps
    assert (step.name, step.before, step.after) == ("e", "x*x", "d")
    assert step.why.startswith("d and e are the same: x · x. ")
    assert graph.merged().text == "d = x*x; L = d + d"


def test_merging_goes_on_above_what_was_merged() -> None:
    graph = gl.parse("d = x*x; e = x*x; f = d + 1; L = (e + 1)*f*(x*x)")
    assert [(step.name, step.after) for step in graph.rewrites("merge").steps] == [("e", "d"), ("g", "f"), ("k", "d")]
    assert graph.merged().text == "d = x*x; f = d + 1; L = f*f*d"


def test_a_node_that_becomes_shared_gets_the_name_it_was_shown_with() -> None:
    merged = gl.parse("y = sin(x*x) + x*x").merged()
    assert merged.text == "d = x*x; y = sin(d) + d"
    assert gl.parse(merged.text).lines == merged.lines


def test_names_stay_in_the_new_graph_where_their_nodes_survive() -> None:
    graph = gl.parse("y = sin(x)*1 + cos(x)")
    names = {graph.names[node] for node in graph.dag.nodes if node.op is not None}
    assert names == {"d", "e", "g", "y"}
    assert gl.parse("y = sin(x)*1 + cos(x)").simplified().lines == ["d = sin(x)", "g = cos(x)", "y = d + g"]


def test_a_name_of_an_input_is_its_own_unless_it_is_the_output() -> None:
    assert gl.parse("d = x*1; L = d + 1").simplified().text == "L = x + 1"
    simplified = gl.parse("y = x*1").simplified()
    assert simplified.text == "y = x" and simplified.gradients(x=3) == {"x": 1.0}


def test_two_outputs_that_are_the_same_become_the_one_called_l() -> None:
    x = gl.variable("x")
    merged = gl.graph(a=x * x, L=x * x).merged()
    assert merged.text == "L = x*x" and len(merged.dag.outputs) == 1


def test_constants_and_opposite_zeros_stay_apart() -> None:
    assert gl.parse("L = 2*a + 2*b").merged().text == "L = 2*a + 2*b"
    x = gl.variable("x")
    zeros = gl.graph(L=1 / (x * core.constant(0.0)) - 1 / (x * core.constant(-0.0)))
    assert not zeros.rewrites("merge").steps and zeros.merged().evaluate(x=1) == math.inf


def test_stabilising_says_how_much_safer_the_new_form_is() -> None:
    trace = gl.parse("p = sigmoid(z); L = -log(p)").rewrites("stabilise")
    (step,) = trace.steps
    assert (step.name, step.before, step.after) == ("d", "log(sigmoid(z))", "-softplus(-z)")
    assert step.check.verdict == trace.check.verdict == "safer"
    assert step.check.rescued > 0 and step.check.difference is not None and step.check.difference < 1e-12
    assert "only the new form has a finite value" in step.check.sentence


def test_nothing_to_rewrite_is_an_empty_trace_of_the_same_program() -> None:
    graph = gl.parse("L = c(a+2b)")
    for kind in ("simplify", "merge", "stabilise"):
        trace = graph.rewrites(kind)
        assert trace.steps == () and trace.result == trace.source == "L = c*(a + 2*b)"


def test_matrices_are_checked_at_sizes_that_fit() -> None:
    trace = gl.parse("S = Q@K.T; P = softmax(S)*1; L = sum(P@V)").rewrites("simplify")
    assert told(trace) == [("P", "drop ·1", "softmax(Q@K.T)*1", "softmax(Q@K.T)")]
    assert trace.check == Check(5, 0.0)


def test_ids_and_masks_are_put_in_as_such() -> None:
    for text in ("L = sum(embedding(E, i)*1)", "L = sum(softmax(masked(S, m))*1)", "L = cross_entropy(X, y)*1"):
        values = {"E": np.ones((4, 2)), "i": [0, 1], "S": np.ones((2, 2)), "m": [[1, 0], [1, 1]], "X": np.ones((2, 3)),
                  "y": [0, 1]}  # fmt: skip
        graph = gl.parse(text)
        known = graph.with_shapes({name: values[name] for name in graph.inputs})
        assert known.rewrites("simplify").check == Check(5, 0.0)


@pytest.mark.parametrize("text", ["y = log(x)*1", "y = log(x - 3)*1", "y = asin(x)*log(x)*1", "y = sqrt(-x)*1"])
def test_points_lie_where_the_formula_has_a_value(text: str) -> None:
    assert gl.parse(text).rewrites("simplify").check == Check(5, 0.0)


@pytest.mark.parametrize("text", ["y = u(x)*1", "y = log(-x^2)*1", "y = x[7]*1"])
def test_without_numbers_to_put_in_a_step_is_said_to_be_unchecked(text: str) -> None:
    (step,) = gl.parse(text).rewrites("simplify").steps
    assert step.check.verdict == "unchecked" and step.check.difference is None
    assert step.check.sentence.startswith("Not checked")


def test_a_wrong_rule_would_be_seen() -> None:
    graph = gl.parse("y = x*x")
    x = graph.dag.input("x")
    others = [x * 2, core.OPS["stack"](x, x), x / 0]
    checker = Checker(graph.dag, infer_shapes(graph.dag, {}), others)
    checks = [checker.compare(graph.dag.output, other) for other in others]
    assert [check.verdict for check in checks] == ["differs"] * 3
    assert [check.difference for check in checks[1:]] == [math.inf, math.inf]
    assert checks[0].sentence.startswith("Not equal at 5 random points (largest difference ")


def test_a_rewrite_trace_is_plain_data() -> None:
    trace = gl.parse("y = 1*x + x").rewrites("simplify")
    data = json.loads(trace.to_json())
    assert data == trace.to_dict() == gl.parse("y = 1*x + x").rewrites("simplify").to_dict()
    assert (data["kind"], data["rewriting"], data["schema"]) == ("rewrite", "simplify", 1)
    assert data["steps"][0]["check"] == {"points": 5, "difference": 0.0, "rescued": 0, "verdict": "same"}


# ---- what is refused -----------------------------------------------------------------------------------------------
def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueProblem, match="of kind simplify, merge, stabilise, not 'expand'"):
        gl.parse("y = x").rewrites("expand")


def test_a_latex_formula_is_rewritten_once_its_products_are_settled() -> None:
    text = r"y = A x \cdot 1"
    graph = gl.parse(text, notation="latex")
    for method in (graph.simplified, graph.merged, lambda: graph.rewrites("simplify")):
        with pytest.raises(ValueProblem, match="products of matrices"):
            method()
    values = {"A": [[1, 2], [3, 4]], "x": [1, 1]}
    settled = gl.parse(text, notation="latex", values=values)
    assert settled.simplified().text == "y = A@x"
    assert settled.simplified().evaluate(values).tolist() == [3.0, 7.0]


def test_a_graph_whose_shapes_do_not_fit_is_refused() -> None:
    graph = gl.parse("L = sum(A@B)*1").with_shapes({"A": np.ones((2, 3)), "B": np.ones((2, 3))})
    with pytest.raises(ShapeError, match="inner sizes must match"):
        graph.rewrites("simplify")


# ---- what holds for every graph ------------------------------------------------------------------------------------
@LENIENT
@given(scalar_graphs())
def test_merging_keeps_value_and_gradient_leaves_no_equal_operations_and_is_done_after_once(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    merged = graph.merged()
    assert merged.evaluate(point) == graph.evaluate(point)
    slopes = graph.gradients(point)
    assert merged.gradients(point) == {
        name: pytest.approx(slope, rel=1e-9, abs=1e-9 * max(1.0, *map(abs, slopes.values())))
        for name, slope in slopes.items()
    }
    keys = Keys()
    counted = Counter(keys(node) for node in merged.dag.nodes if node.op is not None)
    assert set(counted.values()) <= {1}
    again = merged.rewrites("merge")
    assert not again.steps and merged.merged().dag.nodes == merged.dag.nodes


@LENIENT
@given(scalar_graphs())
def test_no_step_of_simplifying_differs_in_value(sample: Sample) -> None:
    graph, point = gl.Graph(*sample.dag.outputs), point_of(sample)
    simpler = graph.simplified()
    slopes = graph.gradients(point)
    kept = {name: point[name] for name in simpler.inputs}
    assert simpler.evaluate(kept) == pytest.approx(graph.evaluate(point), rel=1e-9, abs=1e-9)
    for name, slope in simpler.gradients(kept).items():
        assert slope == pytest.approx(slopes[name], rel=1e-9, abs=1e-9 * max(1.0, *map(abs, slopes.values())))
    assert not simpler.rewrites("simplify").steps


def test_a_long_program_is_rewritten_and_checked_in_linear_time() -> None:
    graph = gl.parse("x=x0; " + "x=1*x+x*x-x*x; " * 300)
    trace = graph.rewrites("merge")
    assert len(trace.steps) == 300 and trace.check.verdict == "same"
