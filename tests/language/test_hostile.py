"""Hostile input is refused politely: the right kind of error, in well under a second, nothing executed."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlab.errors import GraphLabError, LimitError, ParseError
from graphlab.language import limits, parse_program

pytestmark = pytest.mark.usefixtures("undisturbed")

HOSTILE = {
    "9**9**9": LimitError,
    "9^(9^9)": LimitError,
    "f(x) = 9^x; f(999)": LimitError,
    "1e999999999": LimitError,
    "9" * 10**6: LimitError,
    "1e" + "9" * 10**4: LimitError,
    "(" * 10**4 + "x" + ")" * 10**4: LimitError,
    "(" * 101 + "x" + ")" * 101: LimitError,
    "-" * 5000 + "x": LimitError,
    "x^" * 3000 + "x": LimitError,
    "|" * 2001: LimitError,
    "sin " * 3000 + "x": LimitError,
    "sin(" * 101 + "x" + ")" * 101: LimitError,
    "+".join(["x"] * 10**5): LimitError,
    "+".join(["x"] * 5002): LimitError,
    "a/b c " * 4000: LimitError,
    ";".join(["x"] * 2501): LimitError,
    "\n".join(["f_0(x) = x+x", *(f"f_{i}(x) = f_{i - 1}(f_{i - 1}(x))" for i in range(1, 60)), "f_59(a)"]): LimitError,
    "u(" * 4000 + "x" + ")" * 4000: LimitError,
    '__import__("os").system("x")': ParseError,
    "().__class__": ParseError,
    "x.__class__.__bases__": ParseError,
    r"\href{javascript:alert(1)}{x}": ParseError,
    "<script>alert(1)</script>": ParseError,
    "(" * 9000: ParseError,
    "[" * 9000: ParseError,
    "x\x00y": ParseError,
    "x\ud800": ParseError,
    "a\u202eb": ParseError,
    "# hidden \u2066 in a comment\nx": ParseError,
    "x\u200b": ParseError,
    "": ParseError,
    " \t\n": ParseError,
}


@pytest.mark.parametrize("text", HOSTILE, ids=[ascii(text[:24]) for text in HOSTILE])
def test_hostile_input_is_refused_in_no_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(GraphLabError) as caught:
        parse_program(text)
    message = str(caught.value)
    assert time.process_time() - start < 1
    assert type(caught.value) is HOSTILE[text]
    assert len(message) < 500


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\u202e", "\u2066", "\u200f", "\ufeff", "\u00ad"])
def test_invisible_characters_are_named_by_code_point(character: str) -> None:
    """And are not printed."""
    with pytest.raises(ParseError, match=rf"U\+{ord(character):04X} \(") as caught:
        parse_program(f"a + {character}b")
    assert caught.value.position == 4
    assert character not in str(caught.value)


def test_what_is_just_within_the_limits_is_read() -> None:
    """A chain may be as long as the operations allow, brackets a hundred deep."""
    chain = parse_program("+".join(["x"] * (limits.OPERATIONS + 1)))
    assert len(chain.positions) == limits.OPERATIONS
    for text in ("(" * 100 + "x" + ")" * 100, "1+sin(" * 100 + "x" + ")" * 100, "x^" * 100 + "x", "9" * 40, "1e-308"):
        assert parse_program(text)
    assert parse_program("x = 1\n" * limits.STATEMENTS)


def test_long_texts_are_read_in_time() -> None:
    """No construct takes time that grows with the square of the text."""
    nearly = 15_000 // 4
    for text in ("a b " * 2400, "1/2x + " * 1200 + "x", "x\n" * 2500, "[" + "1," * 9000 + "1]", "sin x " * nearly):
        start = time.process_time()
        with suppress(LimitError):
            parse_program(text)
        assert time.process_time() - start < 1


PIECES = st.sampled_from(
    "a b x x_1 e pi T f u v w L sin max sum softmax where lambda axis keepdims true 0 1 2.5 1e3 . , ; : = == < >= + - "
    "* / @ ^ ** ( ( ) ) [ ] | ‖ ² ⁻¹ ₁ α σ √ .T ᵀ _ __ { } ' # \\ \n".split(" ")
)


@given(st.lists(PIECES, max_size=25).flatmap(lambda pieces: st.sampled_from(["", " "]).map(lambda s: s.join(pieces))))
@settings(max_examples=1500)
def test_pieces_in_any_order_are_read_or_refused(text: str) -> None:
    """Only a GraphLabError may come out, and it knows its place."""
    refused_or_read(text)


@given(st.text(max_size=40))
@settings(max_examples=500)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Also every character there is."""
    refused_or_read(text)


def refused_or_read(text: str) -> None:
    try:
        program = parse_program(text)
    except GraphLabError as error:
        assert error.source == text
        assert error.position is not None and 0 <= error.position <= len(text)
        assert str(error)
    else:
        assert program.outputs
        assert all(0 <= place < len(text) for place in program.positions.values())
