"""Call or product: the six rules, and the notices that let a learner flip them."""

from __future__ import annotations

import pytest

from graphlab.errors import ParseError, UnknownName, ValueProblem
from graphlab.language import Notice, parse_program
from tests.language.structure import read


def notices(text: str, **options: set[str]) -> list[Notice]:
    return list(parse_program(text, **options).notices)


def test_a_known_function_is_a_call_without_a_notice() -> None:
    """Rule 1."""
    assert read("sin(x)") == "sin(x)"
    assert notices("sin(x)") == []


def test_a_definition_of_the_learners_own_wins_over_a_known_function() -> None:
    """Nothing that was typed is passed over."""
    assert read("relu(x) = max(0, x); L = relu(a)") == "maximum(0, a)"


def test_an_assigned_name_is_a_factor_without_a_notice() -> None:
    """Rule 2, also when it is assigned further down."""
    assert read("c = 3; c(a+b)") == "mul(3, add(a, b))"
    assert notices("c = 3; c(a+b)") == []


@pytest.mark.parametrize("option", ["products", "values"])
def test_a_name_passed_as_product_or_value_is_a_factor(option: str) -> None:
    """Rule 2."""
    assert read("f(x)", **{option: {"f"}}) == "mul(f, x)"
    assert notices("f(x)", **{option: {"f"}}) == []


def test_options_take_names_in_any_spelling() -> None:
    """α is alpha."""
    assert read("φ(x)", products={"φ"}) == "mul(phi, x)"


def test_a_declared_input_is_a_factor() -> None:
    """Rule 2."""
    assert read("f: (n,)\nf(x)") == "mul(f, x)"


def test_a_function_the_learner_defined_is_a_call_with_a_notice() -> None:
    """Rule 3."""
    assert read("f(x) = x^2; L = f(a)") == "pow(a, 2)"
    assert notices("f(x) = x^2; L = f(a)") == [Notice("f(…) read as your function f", 16, "f", ("products", "f"))]


def test_a_name_passed_as_function_without_a_formula_is_abstract() -> None:
    """Rule 3."""
    assert read("c(x)", functions={"c"}) == "c(x)"
    assert notices("c(x)", functions={"c"}) == [
        Notice("c(…) read as a function nobody wrote down", 0, "c", ("products", "c"))
    ]


@pytest.mark.parametrize("text", ["f(x)", "g(x-1)", "F(x)+1", "φ(x)", "ψ(2x)"])
def test_letters_of_functions_before_brackets_are_abstract(text: str) -> None:
    """Rule 4, with a notice that flips it."""
    (notice,) = notices(text)
    assert notice.message.endswith("read as a function nobody wrote down") and notice.flip is not None
    option, name = notice.flip
    assert "mul" in read(text, **{option: {name}})


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("y = u(v(w(x)))", "u(v(w(x)))"),
        ("h(x)", "h(x)"),
        ("h(x) + h(x-1)", "add(h(x), h(sub(x, 1)))"),
        ("u(2v(x+1))", "u(mul(2, v(add(x, 1))))"),
    ],
)
def test_u_v_w_h_are_abstract_when_used_like_functions(text: str, meaning: str) -> None:
    """Rule 4: nested in one another or given one bare name."""
    assert read(text) == meaning


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("w(x+1)", "mul(w, add(x, 1))"),
        ("w(x)+w", "add(mul(w, x), w)"),
        ("f(x)+f", "add(mul(f, x), f)"),
        ("f (x)", "mul(f, x)"),
        ("u(x+1)*v(x+2)", "mul(mul(mul(u, add(x, 1)), v), add(x, 2))"),
    ],
)
def test_the_same_letters_are_factors_when_they_also_stand_alone(text: str, meaning: str) -> None:
    """Rule 4 does not apply, rule 6 does."""
    assert read(text) == meaning
    assert all(notice.flip is not None for notice in notices(text))


def test_defining_the_functions_makes_them_concrete() -> None:
    """The lecture's chain rule, in the lecture's order."""
    text = "f(x) = u(v(w(x))); w(x) = x^2; v(w) = 3w+1; u(v) = √v; L = f(a)"
    assert read(text) == "sqrt(add(mul(3, pow(a, 2)), 1))"


def test_a_prime_before_a_bracket_is_the_derivative_of_an_abstract_function() -> None:
    """f′(x) is not f′ times x."""
    assert read("f'(x)") == "f'(x)"
    assert read("u''(v(x)) + u(x)") == "add(u''(v(x)), u(x))"


@pytest.mark.parametrize("text", ["sin'(x)", "f(x) = x^2; f'(3)", "σ′(x)"])
def test_the_derivative_of_a_function_with_a_formula_is_the_answer_and_no_question(text: str) -> None:
    """And the error says so."""
    with pytest.raises(ParseError, match=r"is what graphlab computes") as caught:
        parse_program(text)
    assert caught.value.hint


@pytest.mark.parametrize("word, meant", [("sigmod", "sigmoid"), ("sofmax", "softmax"), ("rleu", "relu")])
def test_a_misspelt_function_is_an_error_that_says_which_was_meant(word: str, meant: str) -> None:
    """Rule 5."""
    with pytest.raises(UnknownName, match=f"^{word}: did you mean {meant}\\?") as caught:
        parse_program(f"L = {word}(x)")
    assert caught.value.position == 4


def test_anything_else_is_a_factor_with_a_notice() -> None:
    """Rule 6, once per name."""
    expected = [Notice("c(…) read as c × (…)", 4, "c", ("functions", "c"))]
    assert notices("L = c(a+2b) + c(a)") == expected


def test_a_flip_gives_the_other_reading() -> None:
    """What the notice says can be passed to parse_program as it is."""
    option, name = notices("f(x) = x; L = f(a)")[0].flip or ("", "")
    assert read("f(x) = x; L = f(a)", **{option: {name}}) == "mul(f, a)"


def test_euler_is_read_as_a_number_only_while_nobody_says_otherwise() -> None:
    """Assigned, valued, or an input of a definition, it is an ordinary name."""
    assert notices("L = c e") == [Notice("e read as Euler's number, 2.718…", 6, "e", ("values", "e"))]
    assert parse_program("L = c e").outputs[0].inputs[1].is_constant
    assert parse_program("L = c e", values={"e"}).outputs[0].inputs[1].name == "e"
    assert read("d=2b; e=a+d; L=c*e") == "mul(c, add(a, mul(2, b)))"
    assert read("f(e) = e^2; L = f(a)") == "pow(a, 2)"
    assert notices("e^x") == []


def test_a_power_to_t_is_a_transpose_only_where_there_is_no_t() -> None:
    """And says so."""
    assert notices("W^T") == [Notice("^T read as the transpose", 2, "T", ("products", "T"))]
    assert read("W^T", products={"T"}) == "pow(W, T)"
    assert read("T = 3; W^T") == "pow(W, 3)"


def test_a_quotient_before_a_factor_says_how_it_was_read() -> None:
    """1/2x is half of x."""
    assert [n.message for n in notices("1/2x")] == ["1/2x read as (1/2)·x"]
    assert notices("(1/2)x") == []


def test_a_function_without_brackets_says_what_it_took() -> None:
    """When that is more than one factor."""
    assert [n.message for n in notices("sin 2x")] == ["sin 2x read as sin(2x)"]
    assert notices("sin x") == []


def test_doubled_bars_say_that_they_are_no_norm() -> None:
    """||x|| is the length of a vector elsewhere."""
    assert [n.message for n in notices("||x||")] == ["||x|| read as the absolute value of |x|, not as a norm"]
    assert notices("||x|-|y||") == []


def test_the_name_of_a_function_can_be_a_value_when_it_has_one() -> None:
    """An input called mean."""
    assert read("x - mean", values={"mean"}) == "sub(x, mean)"
    assert read("sum = a + b; L = sum*c") == "mul(add(a, b), c)"


def test_a_value_for_a_defined_function_is_an_error() -> None:
    """A function takes no value."""
    with pytest.raises(ValueProblem, match="f is defined as a function, so it takes no value"):
        parse_program("f(x) = x; f(2)", values={"f"})


def test_the_name_of_a_function_is_an_input_where_it_has_a_value() -> None:
    """var is a common name."""
    assert read("(x-m)/sqrt(var + 1)", values={"var"}) == "div(sub(x, m), sqrt(add(var, 1)))"
