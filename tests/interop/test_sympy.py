"""To SymPy and back: values survive, what cannot go says so, and nothing can hang."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine import core
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.errors import LimitError, NoRule, ValueProblem
from tests.requirements import needs

sympy = needs("sympy")
from graphlab.interop import simplifying  # noqa: E402 - SymPy may be missing
from graphlab.interop.expressions import from_sympy  # noqa: E402 - SymPy may be missing
from graphlab.interop.sympy import to_sympy  # noqa: E402 - SymPy may be missing

X, Y, Z = sympy.symbols("x y z", real=True)
POINT = {"x": 0.7, "y": 1.3, "z": -0.4}
ONE_INPUT = "exp log sqrt sin cos tan asin acos atan sinh cosh tanh erf Abs sign sec cot asinh atanh Heaviside".split()


class Drawing:
    """Random expressions of about so many operations."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def expression(self, size: int) -> Any:
        if size <= 1:
            numbers = [2, -3, sympy.Rational(1, 3), sympy.Float(0.25), sympy.pi, sympy.E, sympy.sqrt(2)]
            return self.random.choice([X, Y, Z, X, Y, Z, self.random.choice(numbers)])
        kind = self.random.choice(["one", "add", "mul", "sub", "div", "pow", "max", "cases"])
        if kind == "one":
            return getattr(sympy, self.random.choice(ONE_INPUT))(self.expression(size - 1))
        left = self.random.randint(1, size - 1)
        a, b = self.expression(left), self.expression(size - left)
        return {
            "add": lambda: a + b,
            "mul": lambda: a * b,
            "sub": lambda: a - b,
            "div": lambda: a / b,
            "pow": lambda: a ** self.random.choice([2, 3, -1, -2, sympy.Rational(1, 2), b]),
            "max": lambda: self.random.choice([sympy.Max, sympy.Min])(a, b),
            "cases": lambda: sympy.Piecewise((a, a > b), (b, True)),
        }[kind]()


def value_of(expression: Any) -> float | None:
    """Its number at the point; None where it has none, or one too large or too near an edge to compare."""
    found = sympy.sympify(expression).subs({X: POINT["x"], Y: POINT["y"], Z: POINT["z"]}).evalf(30)
    if not found.is_real or not found.is_finite or abs(found) > 1e8:
        return None
    return float(found)


def variables() -> Any:
    made: dict[str, Node] = {}
    return lambda name: made.setdefault(name, core.variable(name))


def graph_value(node: Node) -> float:
    dag = Dag(node)
    return float(evaluate(dag, {n: np.float64(POINT[name]) for name, n in dag.inputs.items()})[node])


def test_five_hundred_random_expressions_keep_their_value_there_and_back() -> None:
    kept = seed = 0
    while kept < 500:
        seed += 1
        drawing = Drawing(seed)
        try:
            expression = drawing.expression(drawing.random.randint(2, 9))
            expected = value_of(expression)
        except (TypeError, ValueError, ZeroDivisionError):  # complex numbers have no order, 0.0 no inverse
            continue
        if expected is None or expression.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo):
            continue
        kept += 1
        node = from_sympy(expression, variables())
        assert graph_value(node) == pytest.approx(expected, rel=1e-7, abs=1e-7), expression
        back = to_sympy(Dag(node), real=True)
        assert value_of(back) == pytest.approx(expected, rel=1e-7, abs=1e-7), expression


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (X**2 + 2 * X * Y, "x^2 + 2*x*y"),
        (X - Y / 3, "x - y/3"),
        (sympy.exp(-X) / (1 + sympy.exp(-X)), "exp(-x)/(1 + exp(-x))"),
        (sympy.sqrt(X) + 1 / Y, "sqrt(x) + 1/y"),
        (sympy.pi * X, "pi*x"),
    ],
)
def test_what_comes_from_sympy_reads_like_what_was_meant(expression: Any, text: str) -> None:
    assert gl.Graph(from_sympy(expression, variables())).text == text


@pytest.mark.parametrize("expression", [sympy.gamma(X), sympy.I * X, sympy.Function("f")(X), sympy.zoo])
def test_what_graphlab_has_no_op_for_is_named(expression: Any) -> None:
    with pytest.raises(NoRule, match=r"no op for SymPy|not a real number"):
        from_sympy(expression, variables())


def test_a_graph_goes_to_sympy_with_its_names() -> None:
    graph = gl.parse("L = c(a+2b)")
    a, b, c = sympy.symbols("a b c")
    assert to_sympy(graph.dag) == c * (a + 2 * b)


def test_sharing_that_explodes_when_written_out_is_refused() -> None:
    with pytest.raises(LimitError, match="symbols long"):
        to_sympy(gl.parse("; ".join(["y = sin(x)"] + ["y = y*y + y"] * 30)).dag)


def test_simplifying_works_and_a_bomb_is_stopped_in_time() -> None:
    x = sympy.Symbol("x")
    assert simplifying.simplify("sin(x)^2 + cos(x)^2 + x", 20) == x + 1
    bomb = "L = " + " + ".join(f"(sin({k}x)+cos({k + 1}x)^{k + 2})^3/(1+tan({k}x))" for k in range(1, 12))
    start = time.monotonic()
    with pytest.raises(LimitError, match="could not simplify this within 1 second"):
        simplifying.simplify(bomb, 1)
    assert time.monotonic() - start < 20


def test_a_power_of_numbers_that_would_never_end_is_refused() -> None:
    with pytest.raises(LimitError, match="more than 400 digits"):
        to_sympy(gl.parse("L = x*((9^300*1)^300*1)^300").dag)


def test_simplifying_says_what_has_no_meaning_there() -> None:
    with pytest.raises(NoRule, match="detach has no meaning in sympy"):
        simplifying.simplify("detach(x)", 20)


def test_a_graph_and_an_expression_turn_into_each_other() -> None:
    x, y = sympy.symbols("x y")
    graph = gl.parse("L = sin(x)^2 + cos(x)^2 + y")
    assert graph.to_sympy() == sympy.sin(x) ** 2 + sympy.cos(x) ** 2 + y
    assert graph.to_sympy(simplify=True, timeout=20) == y + 1
    assert gl.from_sympy(sympy.diff(sympy.sin(x * y), x)).gradients(x=0, y=2) == {"x": 0.0, "y": 1.0}
    with pytest.raises(NoRule, match="only scalars go to SymPy, but W is an array"):
        gl.parse("L = sum(W@x)").to_sympy()


def test_a_symbol_that_is_no_name_here_is_refused() -> None:
    with pytest.raises(ValueProblem, match="no name for an input"):
        gl.from_sympy(sympy.Symbol("__import__('os')") + 1)
