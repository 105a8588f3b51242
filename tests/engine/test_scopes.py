"""Scopes and the names that operations are built with."""

import pytest

import graphlab as gl
from graphlab.engine import core


def two_layers() -> gl.Graph:
    x = gl.variable("x")
    with gl.scope("encoder"):
        for number in range(2):
            with gl.scope(f"layer.{number}"):
                weight = core.variable(core.scoped("query.weight"), symbol="W_Q")
                x = gl.named("Q", weight * x)
    return gl.graph(L=x + 1)


def test_a_name_used_in_two_scopes_is_told_apart_by_them_in_text_and_by_the_layer_in_latex():
    g = two_layers()
    assert g.lines == [
        "encoder_layer_0_Q = encoder_layer_0_query_weight*x",
        "encoder_layer_1_Q = encoder_layer_1_query_weight*encoder_layer_0_Q",
        "L = encoder_layer_1_Q + 1",
    ]
    assert r"Q^{(1)} &= W_{Q}^{(1)} \, Q^{(0)}" in g.latex


def test_a_symbol_with_its_layers_number_takes_another_superscript_in_braces():
    """TeX refuses two in a row."""
    with gl.scope("layer.3"):
        w = core.variable(core.scoped("weight"), symbol="W", shape=("n", "n"))
    assert gl.graph(L=gl.sum(w.T + w**2)).latex == r"L = \operatorname{sum}({W^{(3)}}^\top + {W^{(3)}}^{2})"


def test_the_program_of_a_scoped_graph_parses_to_the_same_numbers():
    g = two_layers()
    values = {"x": 3, "encoder_layer_0_query_weight": 2, "encoder_layer_1_query_weight": -1}
    again = gl.parse("; ".join(g.lines))
    assert again.evaluate(values) == g.evaluate(values) == -5
    assert again.gradients(values) == g.gradients(values)


def test_values_may_be_given_under_the_dotted_names_of_pytorch():
    g = two_layers()
    assert g.evaluate({"x": 3, "encoder.layer.0.query.weight": 2, "encoder.layer.1.query.weight": -1}) == -5


def test_a_trace_tells_the_short_name_and_the_scope_and_survives_json():
    trace = two_layers().trace({"x": 3, "encoder_layer_0_query_weight": 2, "encoder_layer_1_query_weight": -1})
    node = next(n for n in trace.nodes if n.name == "encoder_layer_1_Q")
    assert (node.symbol, node.scope) == ("Q", "encoder.layer.1")
    assert gl.Trace.from_json(trace.to_json()) == trace


def test_an_operation_is_named_once_and_an_input_never():
    a = gl.variable("a")
    with pytest.raises(gl.errors.ValueProblem, match="cannot be called"):
        gl.named("b", a)
    with pytest.raises(gl.errors.ValueProblem, match="cannot be called"):
        gl.named("d", gl.named("c", a + 1))
