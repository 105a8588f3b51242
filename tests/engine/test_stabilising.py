"""Stabilising: what is recognised, that it is the same function, and that the digits survive where they would not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine.core import scope
from graphlab.engine.dag import Dag
from graphlab.engine.stabilising import RULES, stabilise

REPLACED = [
    ("log(softmax(x))", {"x": [0.3, -1.2]}, "log_softmax(x)"),
    ("log(softmax(x, axis=0))", {"x": [[0.3, -1.2], [0.1, 2]]}, "log_softmax(x, axis=0)"),
    ("log(sigmoid(x))", {"x": 0.7}, "-softplus(-x)"),
    ("log(sigmoid(-x))", {"x": 0.7}, "-softplus(x)"),
    ("log(1 - sigmoid(x))", {"x": 0.7}, "-softplus(x)"),
    ("log(1 + exp(x))", {"x": 0.7}, "softplus(x)"),
    ("log(exp(-x) + 1)", {"x": 0.7}, "softplus(-x)"),
    ("log1p(exp(x))", {"x": 0.7}, "softplus(x)"),
    ("log(1/(1 + exp(-x)))", {"x": 0.7}, "-softplus(-x)"),
    ("log(sum(exp(x)))", {"x": [0.3, -1.2]}, "logsumexp(x)"),
    ("log(sum(exp(x), axis=1, keepdims=true))", {"x": [[0.3, -1.2]]}, "logsumexp(x, axis=1, keepdims=true)"),
    ("log(exp(x) + exp(y))", {"x": 0.7, "y": 0.2}, "x + softplus(y - x)"),
    ("log(exp(x) - exp(y))", {"x": 0.7, "y": 0.2}, "x + log(-expm1(y - x))"),
    ("log(exp(x))", {"x": 0.7}, "x"),
    ("exp(x)/sum(exp(x))", {"x": [0.3, -1.2]}, "softmax(x)"),
    ("exp(x)/sum(exp(x), axis=1, keepdims=true)", {"x": [[0.3, -1.2]]}, "softmax(x, axis=1)"),
    ("exp(x)/(1 + exp(x))", {"x": 0.7}, "sigmoid(x)"),
    ("(exp(x) - exp(-x))/(exp(x) + exp(-x))", {"x": 0.7}, "tanh(x)"),
    ("(exp(2x) - 1)/(exp(2x) + 1)", {"x": 0.7}, "tanh(x)"),
    ("(1 - exp(-2x))/(1 + exp(-2x))", {"x": 0.7}, "tanh(x)"),
    ("(1 - exp(x))/(1 + exp(x))", {"x": 0.7}, "tanh(-(x/2))"),
    ("log(1 - exp(x))", {"x": -0.7}, "log(-expm1(x))"),
    ("1 - erf(x)", {"x": 0.7}, "erfc(x)"),
    ("bce(sigmoid(x), y)", {"x": 0.7, "y": 1}, "bce_with_logits(x, y)"),
]
LEFT_ALONE = [
    "log(x)",
    "log(1 + x)",
    "1 - sigmoid(x)",
    "1/(1 + exp(-x))",
    "exp(x)/sum(exp(y))",
    "exp(X)/sum(exp(X), axis=0)",
    "(exp(x) - exp(-y))/(exp(x) + exp(-y))",
    "log(2 - sigmoid(x))",
]


@pytest.mark.parametrize(("typed", "values", "run"), REPLACED)
def test_a_fragile_formula_is_run_as_the_same_function(typed: str, values: dict[str, object], run: str) -> None:
    graph = gl.parse(typed, values=values)
    assert gl.Graph(graph.stabilised.dag.output).text == run
    literal = gl.parse(typed, values=values, stabilise=False)
    assert literal.stabilised is literal
    np.testing.assert_allclose(graph.evaluate(values), literal.evaluate(values), rtol=1e-13)
    seed = np.ones(np.shape(literal.evaluate(values))) * 0.7
    mine, theirs = (g.gradients(values, seed=seed) for g in (graph, literal))
    for name, slope in theirs.items():
        np.testing.assert_allclose(mine[name], slope, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("typed", LEFT_ALONE)
def test_what_keeps_its_digits_or_is_another_function_is_left_alone(typed: str) -> None:
    graph = gl.parse(typed)
    assert graph.stabilised is graph


def test_every_rule_is_tried_here() -> None:
    used = set()
    for typed, values, _ in REPLACED:
        used |= {fact.rule.name for fact in stabilise(gl.parse(typed, values=values).dag).rewrites}
    assert used == {rule.name for rule in RULES}
    assert all(rule.why.endswith(".") for rule in RULES)


def test_the_typed_program_and_its_names_stay() -> None:
    graph = gl.parse("p = sigmoid(z); L = -(t*log(p) + (1 - t)*log(1 - p))")
    assert graph.text == "p = sigmoid(z); L = -(t*log(p) + (1 - t)*log(1 - p))"
    trace = graph.trace(z=1000, t=0)
    assert {"p", "L"} <= {node.name for node in trace.nodes}
    assert trace.source == "p = sigmoid(z); L = -(t*log(p) + (1 - t)*log(1 - p))"
    first, second = trace.notices
    assert first.startswith("log(sigmoid(z)) is computed as -softplus(-z): ")
    assert second.startswith("log(1 - sigmoid(z)) is computed as -softplus(z): ")
    assert [notice.message for notice in graph.notices] == list(trace.notices)
    assert graph.source[graph.notices[0].position :].startswith("log(p)")


@pytest.mark.parametrize(("z", "t"), [(1000, 0), (-1000, 1), (1000, 1), (-1000, 0)])
def test_the_loss_of_a_sigmoid_is_right_at_a_thousand(z: float, t: float) -> None:
    graph = gl.parse("p = sigmoid(z); L = -(t*log(p) + (1 - t)*log(1 - p))")
    assert graph.evaluate(z=z, t=t) == max(z, 0) - z * t
    assert graph.gradients(z=z, t=t) == {"z": (z > 0) - t, "t": -z}
    assert all(row.agrees for row in graph.check(z=z, t=t))


def test_switched_off_it_computes_what_was_typed() -> None:
    graph = gl.parse("L = log(sigmoid(z))", stabilise=False)
    assert graph.evaluate(z=-1000) == -math.inf and not graph.notices
    z = gl.variable("z")
    assert gl.graph(L=gl.log(gl.sigmoid(z)), stabilise=False).evaluate(z=-1000) == -math.inf
    assert gl.graph(L=gl.log(gl.sigmoid(z))).evaluate(z=-1000) == -1000


def test_a_rule_used_often_is_told_once() -> None:
    graph = gl.parse("L = log(sigmoid(a)) + log(sigmoid(b)) + log(sigmoid(c))")
    (notice,) = graph.notices
    assert notice.message.endswith("So also in 2 more places.")


def test_what_is_computed_another_way_stays_in_its_scope() -> None:
    x = gl.variable("x")
    with scope("head"):
        y = gl.log(gl.sigmoid(x))
    dag = stabilise(Dag(y * 2)).dag
    assert {node.scope for node in dag.nodes if node.op is not None and node is not dag.output} == {"head"}
    assert dag.output.scope == ""
