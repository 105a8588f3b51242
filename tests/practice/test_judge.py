"""The judge: equal formulas are right, others are not, numbers and shapes are read kindly, nothing typed breaks it."""

from __future__ import annotations

import importlib.util
import itertools
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab as gl
from graphlab.errors import GraphLabError, UnknownName, ValueProblem
from graphlab.practice import Gradient, Local, Shape, Value
from tests.practice.pairs import ATTENTION, ATTENTION_SIZES, BASES, NORM, Base, equivalents, near_misses

CHAIN = "d = 2b; e = a+d; L = c*e"
LECTURE = {"a": 3, "b": 1, "c": -2}
PAIRS_PER_BASE = 8


def judge(program: str, question: Any, answer: str, **options: Any) -> gl.Verdict:
    return gl.judge(gl.parse(program), question, answer, **options)


# ---- many pairs ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("base", BASES, ids=lambda base: f"{base.program[:20]} {base.question}")
def test_equal_formulas_are_right(base: Base) -> None:
    """Each is equal by the rules of algebra, whatever the numbers are."""
    refused = {
        answer: v
        for answer in equivalents(base)
        if (v := gl.judge(base.graph, base.question, answer)).right is not True
    }
    assert not refused


@pytest.mark.parametrize("base", BASES, ids=lambda base: f"{base.program[:20]} {base.question}")
def test_near_misses_are_not_right_and_come_with_inputs_that_show_it(base: Base) -> None:
    """mpmath has seen a difference for each, without the judge."""
    answers = list(itertools.islice(near_misses(base), PAIRS_PER_BASE))
    assert len(answers) == PAIRS_PER_BASE
    for answer in answers:
        verdict = gl.judge(base.graph, base.question, answer)
        assert verdict.right is not True, answer
        if verdict.counterexample is not None:
            assert not np.array_equal(verdict.counterexample.yours, verdict.counterexample.wanted) or "1e-30" in answer


def test_there_are_two_hundred_pairs_of_each_kind() -> None:
    """As the goal for the judge says."""
    assert sum(len(set(equivalents(base))) for base in BASES) >= 200
    assert len(BASES) * PAIRS_PER_BASE >= 200


# ---- traps -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "answer",
    ["x + relu(x-100)", "x + where(x>50, 1, 0)", "x + 1e-45", "x*(1+1e-9)", "x + 1e-9", "x + where(x==3, 1, 0)",
     "sqrt(x^2)", "|x|", "0.99999999999x", "x + relu(-x-1000)", "x + max(x, 7) - 7", "x*(1+1e-45)"],
)  # fmt: skip
def test_what_equals_x_nearly_everywhere_is_not_x(answer: str) -> None:
    """Found at literal points, or by many digits."""
    assert judge("y = x*1", "y", answer).right is False


@pytest.mark.parametrize(
    "answer", ["relu(x) - relu(-x)", "x^3/x^2", "x^3 - x^3 + x", "log(exp(x))", "x*(sin(x)^2+cos(x)^2)"]
)
def test_what_equals_x_wherever_it_has_a_value_is_x(answer: str) -> None:
    """Cancellation in float64 is no difference."""
    assert judge("y = x*1", "y", answer).right is True


def test_broadcasting_does_not_rescue_the_gradient_of_a_bias() -> None:
    """Ȳ has a row for every token; b̄ has one for all, also where there are as many tokens as units."""
    shapes = {"X": np.zeros((3, 3)), "W": np.zeros((3, 3)), "b": np.zeros(3)}
    g = gl.parse("Y = X@W.T + b", values=shapes)
    assert gl.judge(g, "b_bar", "Y_bar").right is False
    assert gl.judge(g, "b_bar", "Y_bar[0]").right is False
    assert gl.judge(g, "b_bar", "sum(Y_bar, axis=0, keepdims=true)").right is False
    assert gl.judge(g, "b_bar", "sum(Y_bar, axis=1)").right is False
    assert gl.judge(g, "b_bar", "sum(Y_bar, axis=0)").right is True


@pytest.mark.parametrize("answer", ["X.T@Q_bar", "Q_bar@X.T", "Q_bar@X", "X@Q_bar", "Q_bar.T@X.T"])
def test_factors_in_the_wrong_order_are_wrong_also_where_all_sizes_are_equal(answer: str) -> None:
    """Every order fits there, so shapes alone prove nothing."""
    g = gl.parse("Q = X@W.T", values={"X": np.zeros((3, 3)), "W": np.zeros((3, 3))})
    assert gl.judge(g, "W_bar", answer).right is False
    assert gl.judge(g, "W_bar", "Q_bar.T@X").right is True


def test_a_size_that_was_put_in_as_a_number_holds_for_this_graph_only() -> None:
    """A mean over three rows is a third, and the verdict says that this is not general."""
    g = gl.parse("L = mean(x)", values={"x": np.zeros(3)})
    general, special = (gl.judge(g, "x_bar", answer) for answer in ("0*x + 1/size(x)", "0*x + 1/3"))
    assert general.right and "sizes" not in general.message
    assert special.right and "sizes of this graph" in special.message
    assert gl.judge(g, "x_bar", "0*x + 1/4").right is False


@pytest.mark.parametrize("answer", ["where(x>=0,1,0)", "r/x", "(1+x/|x|)/2", "where(x<=0,0,1)"])
def test_a_difference_at_the_kink_alone_is_right_and_the_convention_is_named(answer: str) -> None:
    """ReLU's slope at 0 is a convention."""
    verdict = judge("r = relu(x)", "dr/dx", answer)
    assert verdict.right is True
    assert verdict.message.endswith("the slope is taken to be 0.") or answer == "where(x<=0,0,1)"


@pytest.mark.parametrize("answer", ["0.333333", "0.33333333333", "0.333"])
def test_a_rounded_constant_is_very_close_but_not_exact(answer: str) -> None:
    """Within half a unit of its last digit."""
    verdict = judge("y = x/3", "dy/dx", answer)
    assert verdict.right is False
    assert verdict.message.startswith("Very close")


@pytest.mark.parametrize("answer", ["22/7*x", "0.4*x", "3.15x"])
def test_a_wrong_constant_is_not_called_rounded(answer: str) -> None:
    """22/7 is no decimal, and 3.15 is not π."""
    assert "Very close" not in judge("y = pi*x", "y", answer).message


# ---- spellings -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "answer", ["2*e_bar", "2ē", "2 dL/de", "2·∂L/∂e", "2 de", "2e.grad", "2c", "b_bar = 2c", "c+c", "2L/e"]
)
def test_a_gradient_may_be_written_in_every_way_of_the_lecture(answer: str) -> None:
    """In a question as in an answer."""
    assert judge(CHAIN, "dL/db", answer).right is True


@pytest.mark.parametrize("question", ["dL/db", "∂L/∂b", "b_bar", "b̄", "b.grad", "db", "b\u0304", Gradient("b")])
def test_a_question_may_be_written_in_every_way_of_the_lecture(question: Any) -> None:
    """All ask for the gradient of b."""
    assert judge(CHAIN, question, "2c").right is True
    assert judge(CHAIN, question, "c").right is False


@pytest.mark.parametrize(
    "answer", ["s(1−s)", "s - s²", "σ′(z)", "sigma(z)(1-sigma(z))", "e^-z/(1+e^-z)^2", "1/(2+2cosh(z))"]
)
def test_an_answer_may_use_inputs_and_intermediate_values(answer: str) -> None:
    """The textbook's form stands in the reply."""
    verdict = judge("z = w*x; s = sigma(z)", Local("s", "z"), answer)
    assert verdict.right is True
    assert "s*(1 - s)" in verdict.message


@pytest.mark.parametrize("answer", ["S̄ᵀQ", "S_bar.T@Q", "S_bar^T Q", r"S_bar.T·Q"])
def test_a_product_of_matrices_may_be_written_without_its_sign(answer: str) -> None:
    """Where its factors fit in no other way."""
    program = "X:(n,d); W:(k,d); Q = X@W.T; K = X@W.T; S = Q@K.T"
    assert judge(program, "K_bar", answer).right is True


def test_latex_answers_are_read() -> None:
    """With bars and fractions."""
    assert judge(CHAIN, "dL/db", r"2 \bar{e}", notation="latex").right is True
    assert judge(CHAIN, "dL/db", r"\frac{2L}{e}", notation="latex").right is True
    assert judge(CHAIN, "dL/db", r"2 \frac{\partial L}{\partial e}", notation="latex").right is True
    assert judge(CHAIN, "dL/db", r"\frac{c}{2}", notation="latex").right is False


def test_abstract_functions_need_no_definition() -> None:
    """The chain rule with every slope taken at its own place."""
    assert judge("u(v(w(x)))", "dL/dx", "u'(v(w(x)))*v'(w(x))*w'(x)").right is True
    assert judge("u(v(w(x)))", "dL/dx", "u'(x)*v'(x)*w'(x)").right is False
    assert judge("u(v(w(x)))", "dL/dx", "u'(v(w(x))) + v'(w(x)) + w'(x)").right is False


@pytest.mark.parametrize(
    ("question", "answer"), [("dL/db", "b_bar"), ("L", "L"), ("L", "2L - L"), ("dL/db", "2a_bar - b_bar + b_bar")]
)
def test_an_answer_that_is_the_question_is_sent_back(question: str, answer: str) -> None:
    """L for L is true and says nothing."""
    verdict = judge(CHAIN, question, answer)
    assert verdict.right is None
    assert "itself" in verdict.message


def test_a_local_derivative_holds_the_other_names_fixed() -> None:
    """d reaches L twice; ∂e/∂d is along one edge only."""
    program = "d = 2a; e = d+1; L = d*e"
    assert judge(program, Local("L", "e"), "d").right is True
    assert judge(program, Local("L", "d"), "e").right is True
    assert judge(program, "dL/dd", "e").right is False
    assert judge(program, "dL/dd", "e + d").right is True


def test_layer_norm_backward_needs_all_three_paths() -> None:
    """Direct, mean and variance."""
    g = gl.parse(NORM, values={"X": np.zeros((2, 4))})
    mean = "mean(H_bar, axis=1, keepdims=true)"
    along = "H*mean(H_bar*H, axis=1, keepdims=true)"
    assert gl.judge(g, "X_bar", f"(H_bar - {mean} - {along})/s").right is True
    assert gl.judge(g, "X_bar", f"(H_bar - {mean})/s").right is False
    assert gl.judge(g, "X_bar", "H_bar/s").right is False


def test_attention_knows_softmax_from_its_diagonal_and_the_scale() -> None:
    """P̄⊙P without the average, and dK without 1/√d."""
    g = gl.parse(ATTENTION, values={name: np.zeros(shape) for name, shape in ATTENTION_SIZES.items()})
    assert gl.judge(g, "S_bar", "P*(P_bar - rowsum(P_bar*P))").right is True
    assert gl.judge(g, "S_bar", "P*P_bar").right is False
    assert gl.judge(g, "S_bar", "P*(1-P)*P_bar").right is False
    assert gl.judge(g, "K_bar", "S_bar.T@Q").right is False


# ---- numbers and shapes ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("answer", ["−4", "-4.0", "−4,0", "4·(−1)", "−8/2", "2c", "-4.01", "2*e_bar"])
def test_a_number_is_right_however_it_is_written(answer: str) -> None:
    """To three significant digits."""
    assert judge(CHAIN, Gradient("b", at=LECTURE), answer).right is True


@pytest.mark.parametrize("answer", ["4", "-2", "-4.1", "-3.9", "0", "-5"])
def test_a_wrong_number_is_not_given_away(answer: str) -> None:
    """Neither in the message nor in an example."""
    verdict = judge(CHAIN, Gradient("b", at=LECTURE), answer)
    assert verdict.right is False and verdict.counterexample is None
    assert "4" not in verdict.message


@pytest.mark.parametrize(
    ("answer", "right"),
    [("0.3", True), ("0.33", True), ("0.34", False), ("0", False), ("0.0", False), ("1/3", True)],
)
def test_decimals_count_to_half_a_unit_of_the_last_one(answer: str, right: bool) -> None:
    """But whole numbers and zeros claim nothing."""
    assert judge("y = x/3", Gradient("x", at={"x": 1}), answer).right is right


def test_arrays_are_right_entry_by_entry_and_in_their_shape() -> None:
    """The softmax of the lecture: s = (ln 2, 0, 0), p̄ = (2, 4, 0)."""
    question = Gradient("s", at={"s": np.log([2.0, 1, 1]), "p_bar": [2, 4, 0]})
    program = "p = softmax(s)"
    assert judge(program, question, "[0, 0.5, -0.5]").right is True
    assert judge(program, question, "[0.5, 0.75, 0]").right is False
    assert judge(program, question, "[[0, 0.5, -0.5]]").right is False
    assert judge(program, question, "p*(p_bar - sum(p_bar*p))").right is True


@pytest.mark.parametrize("answer", ["2×3", "(2, 3)", "2 by 3", "2x3", "[2,3]", "2, 3", "2 3"])
def test_shapes_are_read_in_every_usual_way(answer: str) -> None:
    """Of a graph that knows its sizes."""
    g = gl.parse("q = W@x", values={"W": np.zeros((2, 3)), "x": np.zeros(3)})
    assert gl.judge(g, "shape of W", answer).right is True
    assert gl.judge(g, Shape("x"), answer).right is False


@pytest.mark.parametrize(
    ("question", "answer"), [("shape of Q", "(n, k)"), ("shape(Q)", "n×k"), ("shape of S", "n by n")]
)
def test_shapes_may_have_names(question: str, answer: str) -> None:
    """Those that were declared."""
    assert judge("X:(n,d); W:(k,d); Q = X@W.T; S = Q@Q.T", question, answer).right is True


# ---- whatever is typed -----------------------------------------------------------------------------------------------
HOSTILE = [
    "",
    " ",
    "2c+(",
    "2q",
    "9**9**9",
    "__import__('os').system('x')",
    "().__class__",
    "\\href{x}{y}",
    "a\x00b",
    "1e999999",
]
HOSTILE += [
    "(" * 10_000,
    "x" * 200,
    "a+" * 70_000,
    "\u202ea",
    "d/d",
    "dL/d",
    "∂",
    "½½",
    "'",
    "L(",
    "slope_of_(a)",
    "e_bar_bar",
]


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("question", ["dL/db", "L", "shape of b", Gradient("b", at=LECTURE)])
def test_what_cannot_be_read_is_said_and_raises_nothing(question: Any, answer: str) -> None:
    """Neither right nor wrong."""
    verdict = judge(CHAIN, question, answer)
    assert verdict.right is not True
    assert verdict.message


@settings(max_examples=60, deadline=None)
@given(st.text("abcdeL xσ_.'∂/()+-*^[]{},0123456789\\=<>ē\u0304", max_size=14))
def test_no_text_raises_an_exception(answer: str) -> None:
    """In both notations."""
    for notation in ("plain", "latex"):
        assert gl.judge(gl.parse(CHAIN), "dL/db", answer, notation=notation).right in (True, False, None)


def test_the_caret_stands_below_what_was_typed() -> None:
    """Also after a spelling that was replaced by a longer one."""
    message = judge(CHAIN, "dL/db", "ē + ½ + $").message
    line, caret = message.splitlines()[1:3]
    assert line == "ē + ½ + $" and caret.index("^") == line.index("$")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """And the names there are."""
    assert "nothing called q" in judge(CHAIN, "dL/db", "2q").message
    assert "alpha" in judge("y = alpha*x", "dy/dx", "alhpa").message


@pytest.mark.parametrize(
    "bomb", ["^".join(["x"] * 90), "exp(" * 90 + "x" + ")" * 90, " + ".join(["erf(sin(x^x))"] * 1_200)]
)
def test_the_judge_stops_by_itself(bomb: str) -> None:
    """By its own deadline, in less than four seconds of work; it is never called right."""
    start = time.process_time()
    verdict = judge("y = x*1", "y", bomb)
    assert time.process_time() - start < 4
    assert verdict.right is not True


def test_what_takes_too_long_is_undecided_and_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A right answer in no time at all."""
    monkeypatch.setattr("graphlab.practice.verdicts.SECONDS", 0.0)
    verdict = judge(CHAIN, "dL/db", "2L/e")
    assert verdict.right is None
    assert "could not decide" in verdict.message


def test_without_mpmath_nine_digits_decide_and_the_verdict_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """mpmath belongs to the extra "symbolic"."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    verdict = judge(CHAIN, "dL/db", "2L/e")
    assert verdict.right is True and "mpmath" in verdict.message
    assert judge(CHAIN, "dL/db", "2.001L/e").right is False


# ---- questions -------------------------------------------------------------------------------------------------------
def test_a_question_the_graph_cannot_be_asked_is_an_error() -> None:
    """That is the teacher's mistake, not the learner's."""
    with pytest.raises(UnknownName):
        judge(CHAIN, Value("q"), "1")
    with pytest.raises(ValueProblem):
        judge(CHAIN, "what is b?", "1")
    with pytest.raises(ValueProblem):
        judge(CHAIN, Local("L", "a"), "1")
    with pytest.raises(GraphLabError):
        judge(CHAIN, Gradient("b", at={"a": 1}), "1")


def test_a_counterexample_is_what_the_graph_says_there() -> None:
    """The engine's own gradient at these values."""
    found = judge(CHAIN, "dL/db", "c").counterexample
    assert found is not None
    assert found.wanted == gl.parse(CHAIN).gradients(found.values)["b"] != found.yours == found.values["c"]
