r"""LaTeX that cannot be read: the fault at its character with what to try, and hostile text refused in no time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlab.errors import GraphLabError, LimitError, ParseError, UnknownName
from graphlab.language import parse_program

pytestmark = pytest.mark.usefixtures("undisturbed")

FAULTS = [
    # what graphlab computes
    (r"\frac{dL}{da}", "^", ParseError, "that is what graphlab computes"),
    (r"x + \frac{\partial L}{\partial a}", "    ^", ParseError, "that is what graphlab computes"),
    (r"\frac{\mathrm{d}}{\mathrm{d} x_1} y", "^", ParseError, "that is what graphlab computes"),
    (r"\frac{d^2 L}{da^2}", "^", ParseError, "that is what graphlab computes"),
    (r"2\partial x", " ^", ParseError, "that is what graphlab computes"),
    (r"\nabla L", "^", ParseError, "that is what graphlab computes"),
    (r"\sigma'(x)", "^", ParseError, "sigma'(…) is what graphlab computes"),
    # commands
    (r"x + \foo", "    ^", ParseError, r"\foo is not a command graphlab reads"),
    (r"\href{a}{b}", "^", ParseError, r"\href is not a command graphlab reads"),
    (r"\input{x}", "^", ParseError, r"\input is not a command graphlab reads"),
    (r"\def\x{1}", "^", ParseError, r"\def is not a command graphlab reads"),
    (r"\alpah x", "^", ParseError, r"\alpah is not a command graphlab reads"),
    (r"\int x", "^", ParseError, r"\int is not a command graphlab reads"),
    (r"x \% y", "  ^", ParseError, r"\% is not a command graphlab reads"),
    (r"\log_2 x", "    ^", ParseError, r"\log takes no index"),
    (r"sin(x)", "^", ParseError, "in LaTeX sin is the product of its letters"),
    (r"2 softmax \left(x\right)", "  ^", ParseError, "in LaTeX softmax is the product of its letters"),
    (r"\mathrm{sigmod}(x)", "^", UnknownName, "sigmod: did you mean sigmoid?"),
    (r"\mathrm{a b}", "^", ParseError, "a b is no name"),
    (r"\bar{2}", "^", ParseError, r"\bar stands over a name"),
    # names and indices
    (r"x_{a+b}", "    ^", ParseError, "an index is made of letters, digits and commas"),
    (r"x_", "  ^", ParseError, "an index is made of letters, digits and commas"),
    (r"2_1", " ^", ParseError, "_ cannot stand here"),
    (r"x + " + "a" * 3 + r"_{" + "b" * 101 + "}", "      ^", LimitError, "a name has at most 100 characters"),
    # groups
    (r"{x", "^", ParseError, "missing } for the { here"),
    (r"x}", " ^", ParseError, "there is no { for this }"),
    (r"\frac{a}", "        ^", ParseError, "something must follow here"),
    (r"\frac{}{b}", "     ^", ParseError, "there is nothing between these braces"),
    (r"x^", "  ^", ParseError, "something must follow here"),
    (r"x^23", "   ^", ParseError, "two numbers stand side by side"),
    (r"\left(a", "     ^", ParseError, "missing ) for the ( here"),
    (r"\left.x\right|", "     ^", ParseError, "a bracket is missing"),
    (r"\left|x", "^", ParseError, r"missing ) for the \left| here"),
    (r"(a \\ b)", "^", ParseError, r"the ( here is still open at \\"),
    (r"\{a, b\}", "   ^", ParseError, "a comma stands only between"),
    (r"x [1, 2]{}", "          ^", ParseError, "something must follow {}"),
    # environments
    (r"\begin{tabular} x \end{tabular}", "^", ParseError, r"\begin{tabular} is not read"),
    (r"\begin x", "^", ParseError, "the name of an environment must follow in braces"),
    (r"\begin{aligned} x", "                 ^", ParseError, r"\end{aligned} is missing"),
    (r"x \end{cases}", "  ^", ParseError, r"there is no \begin{cases} for this \end"),
    (r"2\begin{cases} x & y", " ^", ParseError, r"\end is missing for what opens here"),
    (r"\begin{cases} x & y \end{pmatrix}", "^", ParseError, r"\end{cases} is missing for this \begin"),
    (r"\begin{cases} x & y \end{cases}", "^", ParseError, "cases are two rows or more"),
    (r"\begin{cases} x \\ y \end{cases}", "^", ParseError, "cases are two rows or more"),
    (r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}", "^", ParseError, "the rows of a matrix must have the same length"),
    (r"\begin{pmatrix} 1 & \\ 3 & 4 \end{pmatrix}", "^", ParseError, "a place in this matrix is empty"),
    (r"({a & b})", "    ^", ParseError, "& stands only between columns"),
    (r"W \in 3", "  ^", ParseError, r"\in declares a shape"),
    # sums
    (r"\sum_{i=1}^{n} x_i", "^", ParseError, "only a range of numbers can be written out"),
    (r"\sum_i x_i", "^", ParseError, "only a range of numbers can be written out"),
    (r"\prod x", "^", ParseError, "only a range of numbers can be written out"),
    (r"\sum_{i=3}^{1} x_i", "^", ParseError, "this range is empty"),
    (r"\sum_{i=1}^{2000} x_i", "^", LimitError, "a sum is written out to at most 1,000 terms"),
    (r"\sum_{i=1}^{2}", "              ^", ParseError, "a term must follow"),
    (r"\sum_{i=0}^{1} x_{i-1}", "                  ^", ParseError, "the index -1 is below 0"),
    # as in plain text
    (r"a +", "   ^", ParseError, "something must follow +"),
    (r"\cdot b", "^", ParseError, r"\cdot needs something on its left"),
    (r"d = 2b e = a", "         ^", ParseError, "= cannot stand here"),
    (r"\sin^{-1} x", "    ^", ParseError, "sin^-1 can mean the inverse function or the reciprocal"),
    (r"a < b < c", "      ^", ParseError, "compare two values at a time"),
    (r"9^{9^9}", " ^", LimitError, "this power is larger than 1e308"),
    ("x \u202e y", "  ^", ParseError, "U+202E (RIGHT-TO-LEFT OVERRIDE) cannot stand in a formula"),
    ("x \u2603", "  ^", ParseError, "\u2603 U+2603 (SNOWMAN) cannot stand here"),
    ("", "^", ParseError, "there is no formula yet"),
]  # fmt: skip


@pytest.mark.parametrize("text, caret, kind, message", FAULTS, ids=[ascii(fault[0][:30]) for fault in FAULTS])
def test_a_fault_is_named_at_its_character(text: str, caret: str, kind: type[GraphLabError], message: str) -> None:
    """The caret too."""
    with pytest.raises(GraphLabError) as caught:
        parse_program(text, notation="latex")
    error = caught.value
    assert error.message.startswith(message)
    assert type(error) is kind
    assert error.caret is not None
    assert error.caret.splitlines()[-1] == caret
    assert error.source == text


def test_faults_of_students_say_what_to_try() -> None:
    """Each with a hint."""
    for text in (
        r"\frac{dL}{da}",
        r"\log_2 x",
        "sin(x)",
        r"\alpah",
        r"\sum_i x_i",
        r"\begin{cases} x \end{cases}",
        r"x_{a+b}",
    ):
        with pytest.raises(GraphLabError) as caught:
            parse_program(text, notation="latex")
        assert caught.value.hint


HOSTILE = {
    "{" * 10**4 + "x" + "}" * 10**4: LimitError,
    ("{" * 101 + "x" + "}" * 101): LimitError,
    r"\frac" * 5000: LimitError,
    r"\sqrt" * 5000 + "x": LimitError,
    "x" + "^" * 60_000: LimitError,
    "x^" * 3000 + "x": LimitError,
    "x^{" * 5000 + "x" + "}" * 5000: LimitError,
    r"\bar{" * 5000 + "x" + "}" * 5000: LimitError,
    r"\left(" * 3000 + "x" + r"\right)" * 3000: LimitError,
    r"\begin{cases}" * 4000: LimitError,
    r"\begin{pmatrix}" * 4000: LimitError,
    r"\sum_{i=1}^{9}" * 200 + "x": LimitError,
    r"\sum_{i=1}^{999}\sum_{j=1}^{999} x": LimitError,
    r"\sum_{i=1}^{1000}" + r"\," * 25_000 + "x": LimitError,
    r"\begin{cases}" + r" a & b \\ " * 5000 + r"\end{cases}": LimitError,
    "[" * 9000: LimitError,
    "[x," * 5000: LimitError,
    "x_{[" * 3000: LimitError,
    "u(" * 4000 + "x" + ")" * 4000: LimitError,
    "x{}" * 9000 + "x": LimitError,
    r"\\" * 30_000: LimitError,
    "ab" * 10_000: LimitError,
    r"\alpha" * 10_000: LimitError,
    "9" * 60_000: LimitError,
    r"1.5{\cdot}10^{9999}": LimitError,
    "x" * 64_001: LimitError,
    r"\mathrm{" + " " * 60_000: ParseError,
    r"\mathrm{" * 6000: ParseError,
    "x_{1," * 9000: ParseError,
    "}" * 9000: ParseError,
    "_" * 9000: ParseError,
    "&" * 60_000: ParseError,
    "\\" * 9001: ParseError,
    "|" * 95 + "x": ParseError,
    ("{" * 99 + "x" + "}" * 99) * 100 + "}": ParseError,
    r"\href{javascript:alert(1)}{x}": ParseError,
    r"\input{/etc/passwd}": ParseError,
    r"\newcommand{\x}{\x\x}\x": ParseError,
    r"\text{<script>alert(1)</script>}": ParseError,
    "<script>alert(1)</script>": ParseError,
    "x\x00y": ParseError,
    "": ParseError,
    r"\, ~ \quad": ParseError,
}


@pytest.mark.parametrize("text", HOSTILE, ids=[ascii(text[:24]) for text in HOSTILE])
def test_hostile_latex_is_refused_in_no_time(text: str) -> None:
    """In well under a second."""
    start = time.process_time()
    with pytest.raises(GraphLabError) as caught:
        parse_program(text, notation="latex")
    assert time.process_time() - start < 1
    assert type(caught.value) is HOSTILE[text]
    assert len(str(caught.value)) < 500


PIECES = st.sampled_from(
    r"a b x _1 _{ij} ^2 ^{ ^T ^\top { } {} ( ) [ ] | \| \left( \right) \left| \right| \{ \} _{[ "
    r"\frac{ \frac12 \sqrt \sqrt[3] \sum_{i=1}^{3} \sum \prod_{i=0}^2 i x_i x_{i+1} "
    r"\begin{cases} \end{cases} \begin{pmatrix} \end{pmatrix} "
    r"\begin{aligned} \end{aligned} & \\ \text{otherwise} \text{if} \sin \log \max \sigma \alpha \bar{ \hat x ' "
    r"\mathrm{ab} \operatorname{softmax} \cdot \odot \otimes \in \mathbb{R}^{n} \, \quad + - * / = < \le , ; : "
    r"0 1 2.5 1e3 e \pi u f T W % $ # ~ \partial \foo".split(" ")
)


@given(st.lists(PIECES, max_size=25).flatmap(lambda pieces: st.sampled_from(["", " "]).map(lambda s: s.join(pieces))))
@settings(max_examples=1500)
def test_pieces_in_any_order_are_read_or_refused(text: str) -> None:
    """Only a GraphLabError may come out, and it knows its place."""
    try:
        program = parse_program(text, notation="latex")
    except GraphLabError as error:
        assert error.source == text
        assert error.position is not None and 0 <= error.position <= len(text)
        assert str(error)
    else:
        assert all(0 <= place < len(text) for place in program.positions.values())


@given(st.text(max_size=40))
@settings(max_examples=500)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Also every character there is."""
    try:
        parse_program(text, notation="latex")
    except GraphLabError as error:
        assert error.position is not None and 0 <= error.position <= len(text)
