"""What cannot be read is an error of the right kind, at the right character, in a student's words."""

from __future__ import annotations

import pytest

from graphlab.errors import GraphLabError, LimitError, ParseError, UnknownName
from graphlab.language import parse_program

# The caret stands below the place: text, then the line with the caret, then what is said.
FAULTS: list[tuple[str, str, type[GraphLabError], str]] = [
    ("", "^", ParseError, "there is no formula yet"),
    ("  \n # only a comment", "^", ParseError, "there is no formula yet"),
    ("X: (n, d)", "^", ParseError, "there is no formula yet"),
    # brackets and bars
    ("(x", "^", ParseError, "missing ) for the ( here"),
    ("((a)+b", "^", ParseError, "missing ) for the ( here"),
    ("2*(a+(b)", "  ^", ParseError, "missing ) for the ( here"),
    ("[1, 2", "^", ParseError, "missing ] for the [ here"),
    ("x)", " ^", ParseError, "there is no ( for this )"),
    ("(a]", "^", ParseError, "missing ) for the ( here"),
    ("(a; b)", "^", ParseError, "the ( here is still open at a semicolon"),
    ("()", "^", ParseError, "there is nothing between these brackets"),
    ("|x", "^", ParseError, "missing | for the | here"),
    ("|(x|)", "    ^", ParseError, "something must follow |"),
    # something is missing or too much
    ("x=", "  ^", ParseError, "something must follow ="),
    ("a+", "  ^", ParseError, "something must follow +"),
    ("(a+)", "   ^", ParseError, "something must follow +"),
    ("a+*b", "  ^", ParseError, "* needs something on its left"),
    ("*b", "^", ParseError, "* needs something on its left"),
    ("a=b=c", "   ^", ParseError, "= cannot stand here"),
    ("2x = 3", "   ^", ParseError, "= cannot stand here"),
    ("a,b", " ^", ParseError, "a comma stands only between"),
    ("(a,b)", "  ^", ParseError, "a comma stands only between"),
    ("lambda x: x", "        ^", ParseError, "a colon follows only a name"),
    ("a<b<c", "   ^", ParseError, "compare two values at a time"),
    ("x [0]", "  ^", ParseError, "[ cannot stand here"),
    ("2[0]", " ^", ParseError, "[ cannot stand here"),
    ("x[0, 1]", "   ^", ParseError, "one number at a time stands in [ ]"),
    ("‖x", "^", ParseError, "missing ‖ for the ‖ here"),
    ("x^2.T", "   ^", ParseError, "a number has no transpose"),
    # numbers
    ("2 3", "  ^", ParseError, "two numbers stand side by side"),
    ("1..2", "  ^", ParseError, "two numbers stand side by side"),
    ("1.2.3", "   ^", ParseError, "two numbers stand side by side"),
    ("1e309", "^", LimitError, "a number lies between 1e-308 and 1e308"),
    ("9.99e308", "^", LimitError, "a number lies between"),
    ("2+" + "9" * 41, "  ^", LimitError, "a number has at most 40 digits"),
    # characters
    ("x!", " ^", ParseError, "! cannot stand here"),
    ("x.y", " ^", ParseError, ". cannot stand here"),
    ("a & b", "  ^", ParseError, "& cannot stand here"),
    ("x = {1}", "    ^", ParseError, "{ cannot stand here"),
    ("'x'", "^", ParseError, "' cannot stand here"),
    ("2é", " ^", ParseError, "é U+00E9 (LATIN SMALL LETTER E WITH ACUTE) cannot stand here"),
    (r"\frac{a}{b}", "^", ParseError, r"\ cannot stand here"),
    ("∂L", "^", ParseError, "∂ U+2202 (PARTIAL DIFFERENTIAL) cannot stand here"),
    ("a_", " ^", ParseError, "_ cannot stand here"),
    ("a*" + "b" * 101, "  ^", LimitError, "a name has at most 100 characters"),
    # functions
    ("sin", "^", ParseError, "sin is a function"),
    ("2 + sin*x", "    ^", ParseError, "sin is a function"),
    ("sin()", "^", ParseError, "sin takes 1 input, but got 0"),
    ("sin(a, b)", "^", ParseError, "sin takes 1 input, but got 2"),
    ("where(a, b)", "^", ParseError, "where takes 3 inputs, but got 2"),
    ("max()", "^", ParseError, "max takes 1 or 2 inputs, but got 0"),
    ("sum(x, 0)", "^", ParseError, "sum takes 1 input, but got 2"),
    ("sum(x, axs=0)", "       ^", ParseError, "sum has no option axs"),
    ("sum(x, axis=a)", "            ^", ParseError, "axis takes a whole number"),
    ("sum(x, axis=0.5)", "       ^", ParseError, "axis is a whole number"),
    ("sum(x, axis=(0 1))", "               ^", ParseError, "axis takes a whole number"),
    ("sum(x, axis=true)", "       ^", ParseError, "axis is a whole number"),
    ("sum(x, keepdims=3)", "       ^", ParseError, "keepdims is true or false"),
    ("sum(x, axis=0, axis=1)", "               ^", ParseError, "axis is there twice"),
    ("sum(axis=0, x)", "            ^", ParseError, "inputs come before options"),
    ("max(a, b, axis=0)", "          ^", ParseError, "max has no option axis"),
    ("sum(x,)", "      ^", ParseError, "something must follow ,"),
    ("sum(,x)", "    ^", ParseError, "something must follow ("),
    ("sin^-1 x", "   ^", ParseError, "sin^-1 can mean the inverse function or the reciprocal"),
    ("sin⁻¹(x)", "   ^", ParseError, "sin^-1 can mean"),
    ("sin^(-1)(x)", "   ^", ParseError, "sin^-1 can mean"),
    ("sin^n x", "    ^", ParseError, "only a whole number can stand between sin and its input"),
    ("sin^", "    ^", ParseError, "only a whole number can stand between"),
    ("f(x, y)", "^", ParseError, "f takes 1 input while nothing says what it computes, but got 2"),
    ("f(x, axis=0)", "^", ParseError, "f has no options"),
    ("sigmod(x)", "^", UnknownName, "sigmod: did you mean sigmoid?"),
    ("c(a, b)", "^", UnknownName, "c is not a function graphlab knows"),
    ("pow(a, b)", "^", UnknownName, "pow is not a function graphlab knows"),
    ("sum = a + sum", "          ^", ParseError, "sum is a function, and is used as a value before it is assigned"),
    # definitions
    ("f(x) = f(x-1); L = f(1)", "^", ParseError, "f would call itself: f → f"),
    ("f(x) = g(x); g(x) = f(x); L = f(1)", "^", ParseError, "f would call itself: f → g → f"),
    ("f(x, y) = x; L = f(1)", "                 ^", ParseError, "f takes 2 inputs, but got 1"),
    ("f(x) = x; L = f(1, axis=0)", "              ^", ParseError, "f has no options"),
    ("f(x) = x; L = f", "              ^", ParseError, "f is a function here"),
    ("f(2) = 3", "  ^", ParseError, "the inputs of f must be names"),
    ("f(x y) = 3", "    ^", ParseError, "the inputs of f must be names"),
    ("f() = 3", " ^", ParseError, "f needs the name of an input"),
    ("f(x,) = 3", "   ^", ParseError, "f needs the name of an input"),
    ("f(x, x) = x", "     ^", ParseError, "the input x of f is there twice"),
    ("f(x) = 1; f(x) = 2; f(3)", "          ^", ParseError, "f is defined twice"),
    ("f(x) = 1; f = 2", "          ^", ParseError, "f is a value here and a function elsewhere"),
    # arrays and shapes
    ("[]", " ^", ParseError, "a number must stand here"),
    ("[1, a", "^", ParseError, "missing ] for the [ here"),
    ("[1, a,]", "      ^", ParseError, "something must follow ,"),
    ("[a b, 2 3]", "        ^", ParseError, "two numbers stand side by side"),
    ("[[a, b], [c]]", "^", ParseError, "the rows of a matrix must have the same length"),
    ("[[[[[a]]]]]", "    ^", LimitError, "an array has at most 4 axes"),
    ("[[1, 2], [3]]", "         ^", ParseError, "the rows of a matrix must have the same length"),
    ("[[1, 2], 3]", "         ^", ParseError, "the rows of a matrix must have the same length"),
    ("[[[[[1]]]]]", "    ^", LimitError, "an array has at most 4 axes"),
    ("X: n", "   ^", ParseError, "a shape must follow the colon"),
    ("X:", "  ^", ParseError, "a shape must follow the colon"),
    ("X: (n d)", "      ^", ParseError, "the sizes of a shape have commas between them"),
    ("X: (0,)", "    ^", ParseError, "a size is a name or a whole number above 0"),
    ("X: (a,b,c,d,e)", "   ^", LimitError, "an array has at most 4 axes"),
    ("X: (n,); X: (m,); X", "         ^", ParseError, "the shape of X is declared twice"),
    ("X = a; X: (n,)", "       ^", ParseError, "X is computed, so its shape follows"),
    # later lines
    ("d = 2b\ne = a+", "      ^", ParseError, "something must follow +"),
    ("L = (a\nM = (b)", "    ^", ParseError, "missing ) for the ( here"),
]


@pytest.mark.parametrize("text, caret, kind, message", FAULTS, ids=[repr(fault[0][:30]) for fault in FAULTS])
def test_a_fault_is_named_at_its_character(text: str, caret: str, kind: type[GraphLabError], message: str) -> None:
    with pytest.raises(GraphLabError) as caught:
        parse_program(text)
    error = caught.value
    assert type(error) is kind
    assert error.message.startswith(message)
    assert error.caret is not None
    assert error.caret.splitlines()[-1] == caret
    assert error.source == text


def test_every_fault_of_a_student_says_what_to_try_or_is_plain() -> None:
    """Hints where the message alone does not say what to do."""
    for text in (
        "2x = 3",
        "sum(x, 0)",
        "sin",
        "sin^-1 x",
        "c(a, b)",
        "x = {1}",
        r"\frac{a}{b}",
        "x[0, 1]",
    ):
        with pytest.raises(GraphLabError) as caught:
            parse_program(text)
        assert caught.value.hint


def test_the_place_is_said_by_line_and_column() -> None:
    """From the second line on."""
    with pytest.raises(ParseError, match=r"line 2, column 7: something must follow \+") as caught:
        parse_program("d = 2b\ne = a+\nL = e")
    assert (caught.value.line, caught.value.column) == (2, 7)
