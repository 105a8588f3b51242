"""Literals of more than one token: arrays such as [[1, 2], [3, 4]], and the values of options such as axis=(0, 1).

Each function reads from the token number it is given and returns what it read with the number of the token after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphlab.errors import LimitError, ParseError
from graphlab.language import limits
from graphlab.language.tokens import Token

Rows = float | tuple["Rows", ...]
TRUTH = {"true": True, "True": True, "false": False, "False": False}


def is_literal(tokens: Sequence[Token], index: int) -> bool:
    """Whether the brackets that open here hold only numbers, with signs, commas and brackets."""
    depth, before = 0, ""
    while True:
        kind = tokens[index].kind
        starts_entry = before in ("[", ",", "")
        if kind in ("-", "+", "[", "number"):
            if not starts_entry and not (kind == "number" and before in ("-", "+")):
                return False
        elif kind not in (",", "]"):
            return False
        depth += (kind == "[") - (kind == "]")
        if not depth:
            return True
        before, index = kind, index + 1


def read_array(tokens: Sequence[Token], index: int, rank: int = 1) -> tuple[tuple[Rows, ...], int]:
    """[1, -2.5] or [[1, 2], [3, 4]], from its bracket on.

    Raises ParseError for an entry that is no number and for rows of different length.
    """
    opening = tokens[index]
    if rank > limits.RANK:
        raise LimitError(f"an array has at most {limits.RANK} axes", position=opening.position)
    rows: list[Rows] = []
    starts: list[int] = []
    while True:
        index += 1
        starts.append(tokens[index].position)
        row: Rows
        if tokens[index].kind == "[":
            row, index = read_array(tokens, index, rank + 1)
        else:
            row, index = read_number(tokens, index)
        rows.append(row)
        if shape_of(row) != shape_of(rows[0]):
            raise ParseError("the rows of a matrix must have the same length", hint=lengths(rows), position=starts[-1])
        if tokens[index].kind == "]":
            return tuple(rows), index + 1
        if tokens[index].kind != ",":
            raise not_a_number(tokens[index])


def read_number(tokens: Sequence[Token], index: int) -> tuple[float, int]:
    """A number with its sign."""
    negative = tokens[index].kind == "-"
    if tokens[index].kind in ("-", "+"):
        index += 1
    if tokens[index].kind != "number":
        raise not_a_number(tokens[index])
    value = float(tokens[index].text)
    return -value if negative else value, index + 1


def not_a_number(token: Token) -> ParseError:
    return ParseError("a number must stand here", hint="A vector is written [1, 2, 3].", position=token.position)


def shape_of(rows: Rows) -> tuple[int, ...]:
    """The shape of an array whose rows are equally long."""
    shape: list[int] = []
    while isinstance(rows, tuple):
        shape.append(len(rows))
        rows = rows[0]
    return tuple(shape)


def lengths(rows: Sequence[Rows]) -> str:
    first, last = rows[0], rows[-1]
    sizes = [f"row {n} has {len(row)}" for n, row in ((1, first), (len(rows), last)) if isinstance(row, tuple)]
    return ", ".join(sizes).capitalize() + "." if len(sizes) == 2 else "Rows and single numbers do not mix."


def option_value(tokens: Sequence[Token], index: int, option: Token) -> tuple[object, int]:
    """The value of an option: true, false, a number, or whole numbers in brackets."""
    token = tokens[index]
    if token.kind == "name" and token.text in TRUTH:
        return TRUTH[token.text], index + 1
    if token.kind == "number" and not token.text.isdigit():
        return float(token.text), index + 1
    if token.kind != "(":
        return whole_number(tokens, index, option)
    numbers: list[int] = []
    index += 1
    while tokens[index].kind != ")":
        number, index = whole_number(tokens, index, option)
        numbers.append(number)
        if tokens[index].kind == ",":
            index += 1
        elif tokens[index].kind != ")":
            raise bad_option(option, tokens[index])
    return tuple(numbers), index + 1


def whole_number(tokens: Sequence[Token], index: int, option: Token) -> tuple[int, int]:
    """A whole number with its sign."""
    negative = tokens[index].kind == "-"
    if negative:
        index += 1
    token = tokens[index]
    if token.kind != "number" or not token.text.isdigit():
        raise bad_option(option, token)
    return -int(token.text) if negative else int(token.text), index + 1


def bad_option(option: Token, token: Token) -> ParseError:
    return ParseError(
        f"{option.text} takes a whole number, several in brackets, or true or false",
        hint="For example axis=0, axis=(0, 1), keepdims=true.",
        position=token.position,
    )
