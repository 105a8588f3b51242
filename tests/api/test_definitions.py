"""Abstract functions: differentiated without a formula, computed with one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab as gl
from graphlab.api import Trace
from graphlab.engine.core import OPS
from graphlab.engine.ops.abstract import abstract_function
from graphlab.errors import GraphLabError, NoRule, ParseError, UnknownName, ValueProblem


def chain_of_three() -> gl.Graph:
    return gl.parse("y = u(v(w(x)))")


def test_the_derivative_is_the_chain_rule_in_symbols() -> None:
    """As on the lecture's page."""
    derivative = chain_of_three().derivative("x")
    assert derivative.text == "u'(v(w(x)))*v'(w(x))*w'(x)"
    assert derivative.latex == r"u'(v(w(x))) \, v'(w(x)) \, w'(x)"
    assert derivative.lines == ["y_bar = 1", "e_bar = y_bar*u'(e)", "d_bar = e_bar*v'(d)", "x_bar = d_bar*w'(x)"]


def test_the_second_derivative_has_a_second_prime() -> None:
    """And reads back."""
    second = gl.parse("f(x)").derivative("x").derivative("x")
    assert second.text == "f''(x)"
    assert gl.parse("f(x^2)").derivative("x").derivative("x").text == "2*f'(x^2) + 4*x*f''(x^2)*x"
    assert gl.parse(second.text).derivative("x").text == "f'''(x)"


def test_a_derivative_reads_back_in_both_notations() -> None:
    """f'(x) is the derivative of f there too."""
    derivative = chain_of_three().derivative("x")
    assert gl.parse(derivative.text).text == derivative.text
    assert gl.parse(derivative.latex, notation="latex").text == derivative.text


def test_it_can_be_drawn_and_not_computed() -> None:
    """The outline is symbolic; values need formulas."""
    graph = chain_of_three()
    outline = graph.outline()
    assert [node.text for node in outline.nodes] == ["x", "w(x)", "v(d)", "u(e)"]
    assert Trace.from_json(outline.to_json()) == outline
    assert [node.value for node in graph.outline(x=1).nodes] == [1.0, None, None, None]
    for compute in (graph.evaluate, graph.gradients, graph.trace, graph.check):
        with pytest.raises(NoRule, match="nothing says what u, v, w compute") as caught:
            compute(x=1)
        assert 'define(u="sin(x)")' in str(caught.value)


def test_an_abstract_function_never_enters_the_registry() -> None:
    """It belongs to the graphs that use it."""
    before = dict(OPS)
    gl.parse("f(x) + g(x)").derivative("x")
    assert before == OPS
    assert abstract_function("f") is abstract_function("f")
    with pytest.raises(NoRule, match="nothing says what f computes"):
        abstract_function("f")(1.0)


def test_defining_the_functions_computes_the_lecture() -> None:
    """w = x², v = 3w + 1, u = √v at x = 1: 2 · 3 · ¼ = 1.5."""
    graph = chain_of_three().define(u="√v", v="3w+1", w="x^2")
    assert graph.text == "y = sqrt(3*x^2 + 1)"
    assert graph.evaluate(x=1) == 2.0
    assert graph.gradients(x=1) == {"x": 1.5}
    assert all(row.agrees for row in graph.check(x=1))
    derivative = chain_of_three().derivative("x").define(u="√v", v="3w+1", w="x^2")
    assert derivative.evaluate(x=1) == 1.5
    assert derivative.text == "1/(2*sqrt(3*x^2 + 1))*3*(2*x)"


def test_one_function_may_be_defined_and_the_others_left() -> None:
    """One after the other, also in terms of each other."""
    graph = chain_of_three().define(v="t^2")
    assert graph.text == "y = u(w(x)^2)"
    assert graph.define(u="w(x) + 1").define(w="sin(x)").text == "y = sin(sin(x)^2) + 1"


def test_the_second_derivative_uses_the_formulas_second_derivative() -> None:
    """f = sin: f'' = −sin."""
    second = gl.parse("f(x)").derivative("x").derivative("x").define(f="sin(x)")
    assert second.evaluate(x=0.3) == pytest.approx(-math.sin(0.3))


def test_a_formula_with_several_names_says_which_is_the_variable() -> None:
    """The others are inputs."""
    graph = gl.parse("f(x) + a").define(f="f(t) = a*t^2")
    assert graph.evaluate(x=3, a=2) == 20.0
    assert graph.inputs == ["x", "a"]
    assert gl.parse("f(x)").define({"f": "f(t) = 3"}).text == "3"


def test_arrays_go_through_entry_by_entry() -> None:
    """Also where the formula is constant."""
    graph = gl.parse("L = sum(f(x))", values={"x": [1, 2, 3]})
    np.testing.assert_array_equal(graph.define(f="x^2").gradients(x=[1, 2, 3])["x"], [2.0, 4.0, 6.0])
    assert graph.define(f="f(x) = 2").evaluate(x=[1, 2, 3]) == 6.0


@pytest.mark.parametrize(
    "formulas, kind, message",
    [
        ({"q": "x"}, UnknownName, "the graph has no abstract function q"),
        ({"u": "a*b"}, ValueProblem, "the formula of u, a*b, needs one variable, but has 2"),
        ({"u": "2"}, ValueProblem, "the formula of u, 2, needs one variable, but has 0"),
        ({"u": "sum(x)"}, ValueProblem, "the formula of u, sum(x), does not work entry by entry"),
        ({"u": "v(x)", "v": "x"}, ValueProblem, "the formula of u uses v, which gets a formula too"),
        ({"u": "sin("}, ParseError, "missing ) for the ( here"),
    ],
)
def test_a_formula_that_does_not_fit_is_named(
    formulas: dict[str, str], kind: type[GraphLabError], message: str
) -> None:
    with pytest.raises(kind) as caught:
        chain_of_three().define(formulas)
    assert caught.value.message == message


def test_a_value_for_an_abstract_function_is_an_error_with_the_way_out() -> None:
    """It takes a formula."""
    with pytest.raises(NoRule, match="define"):
        gl.parse("f(x)").evaluate(f=2, x=1)
    assert gl.parse("f(x)", values={"f": 2, "x": 3}).evaluate(f=2, x=3) == 6.0


def test_limits_hold_for_what_was_defined() -> None:
    """Typed formulas stay typed."""
    graph = gl.parse("f(f(f(x)))").define(f="x^2")
    assert graph.source == graph.text == "((x^2)^2)^2"
