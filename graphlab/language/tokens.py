"""Tokens, and the tokenizer of the plain notation: characters → tokens.

A token's kind is "number", "name", "transpose" (.T), ";" (also a new line), "end", or a sign in its one spelling:
** is ^, × and · and ⊙ are *, − is -, and x² gives x ^ 2. Names are in their one ASCII spelling.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from graphlab.errors import LimitError, ParseError
from graphlab.language import limits
from graphlab.language.names import NAME, canonical_name


class Token(NamedTuple):
    """A piece of the text: what it is, what it says, and where it stands (`position` up to `stop`)."""

    kind: str
    text: str
    position: int
    stop: int


SIGNS = {sign: sign for sign in "+ - * / @ ^ ( ) [ ] , = < > <= >= == != | ‖ : ;".split()} | {
    "**": "^",
    "\n": ";",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∙": "*",
    "∗": "*",
    "⊙": "*",
    "−": "-",
    "–": "-",
    "÷": "/",
    "∕": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_longest_first = sorted(SIGNS, key=len, reverse=True)

PIECE = re.compile(
    rf"""(?P<blank>[ \t\r\u00a0\u2000-\u200a\u202f\u3000]+|\#[^\n]*)
    |(?P<number>(?:[0-9]+(?:\.(?!T\b)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>{NAME})
    |(?P<transpose>\.T\b|ᵀ|\^[ ]*⊤)
    |(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    |(?P<root>√)
    |(?P<sign>{"|".join(map(re.escape, _longest_first))})""",
    re.VERBOSE,
)
# Control characters, and characters that are invisible or turn the direction of writing: also refused in comments.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
HINTS = {
    ".": "A dot stands inside a number (0.5) or before T (A.T is the transpose).",
    "_": "A name starts with a letter, and letters or digits follow each underscore: x_1, W_Q.",
    "\\": "This looks like LaTeX: choose that notation. In plain text a fraction is a/b, a root sqrt(x), an index x_1.",
    "{": "Braces stand only in an index, as in x_{12}. To group, use ( ).",
    "}": "Braces stand only in an index, as in x_{12}. To group, use ( ).",
    "!": "Unequal is written !=. There is no factorial.",
    "∂": "Type the formula itself: graphlab computes its derivatives.",
    "∇": "Type the formula itself: graphlab computes its derivatives.",
    "&": "There is no “and”: use where(a > 0, …, …) inside where(b > 0, …, …).",
    "%": "A percentage is written as a number: 0.05.",
    "'": "A prime follows the name it belongs to: x'.",
}
LETTERS = "Names are made of a–z, A–Z, Greek letters, digits and underscores."


def tokenize(text: str) -> list[Token]:
    """The tokens of a text in plain notation.

    Raises ParseError at a character that has no place in a formula, LimitError for what is too long.
    """
    check_text(text)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        found = PIECE.match(text, position)
        if found is None:
            raise unreadable(text[position], position)
        kind, piece, stop = str(found.lastgroup), found.group(), found.end()
        if kind == "sign":
            tokens.append(Token(SIGNS[piece], piece, position, stop))
        elif kind == "name":
            tokens.append(Token("name", checked_name(piece, text[stop : stop + 1], position), position, stop))
        elif kind == "number":
            tokens.append(Token("number", checked_number(piece, position), position, stop))
        elif kind == "raised":
            tokens.extend(raised(piece, position))
        elif kind == "root":
            tokens.append(Token("name", "sqrt", position, stop))
        elif kind == "transpose":
            tokens.append(Token(kind, piece, position, stop))
        if len(tokens) > limits.TOKENS:
            raise LimitError(f"the text has more than {limits.TOKENS:,} numbers, names and signs", position=position)
        position = stop
    return tokens


def check_text(text: str) -> None:
    """Raises LimitError for a text that is too long, ParseError for a character that nobody can see."""
    if len(text) > limits.CHARACTERS:
        raise LimitError(
            f"the text has {len(text):,} characters; graphlab reads up to {limits.CHARACTERS:,}",
            position=limits.CHARACTERS,
        )
    if hidden := HIDDEN.search(text):
        raise ParseError(
            f"{describe(hidden.group())} cannot stand in a formula", hint="Delete it.", position=hidden.start()
        )


def checked_name(piece: str, following: str, position: int) -> str:
    """A name in its one spelling."""
    if following == "_":
        raise unreadable("_", position + len(piece))
    name = canonical_name(piece)
    if len(name) > limits.NAME_LENGTH:
        raise LimitError(f"a name has at most {limits.NAME_LENGTH} characters", position=position)
    return name


def checked_number(piece: str, position: int) -> str:
    """A number exactly as it was typed."""
    mantissa, _, exponent = piece.lower().partition("e")
    if len(mantissa.replace(".", "")) > limits.DIGITS:
        raise LimitError(f"a number has at most {limits.DIGITS} digits", position=position)
    too_long = len(exponent.lstrip("+-")) > limits.DIGITS
    if too_long or abs(int(exponent or 0)) > limits.EXPONENT or float(piece) == float("inf"):
        raise LimitError(f"a number lies between 1e-{limits.EXPONENT} and 1e{limits.EXPONENT}", position=position)
    return piece


def raised(piece: str, position: int) -> list[Token]:
    """The tokens of a raised number: ⁻² is ^ - 2."""
    digits = "".join(RAISED[c] for c in piece)
    tokens = [Token("^", piece, position, position)]
    if not digits[0].isdigit():
        tokens.append(Token(digits[0], piece[0], position, position + 1))
        position += 1
    number = digits.lstrip("+-")
    tokens.append(Token("number", checked_number(number, position), position, position + len(number)))
    return tokens


def unreadable(character: str, position: int) -> ParseError:
    """The error for a character that starts nothing."""
    hint = HINTS.get(character) or (LETTERS if character.isalnum() else None)
    return ParseError(f"{describe(character)} cannot stand here", hint=hint, position=position)


def describe(character: str) -> str:
    """A character as a reader can tell it: with code point and name unless it is plain ASCII."""
    if " " < character < "\x7f":
        return character
    name = unicodedata.name(character, "a control character")
    shown = f"{character} " if character.isprintable() and not character.isspace() else ""
    return f"{shown}U+{ord(character):04X} ({name})"
