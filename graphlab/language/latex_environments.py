r"""LaTeX environments: lines of statements, cases as where(…), matrices as [[…], […]]."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from graphlab.errors import ParseError
from graphlab.language.reading import Notice
from graphlab.language.tokens import Token

if TYPE_CHECKING:
    from graphlab.language.latex_tokens import Scanner

LINES = frozenset("aligned align alignat split gather gathered equation eqnarray multline".split())
MATRICES = frozenset("matrix pmatrix bmatrix smallmatrix".split())
WORD = re.compile(
    r"\s*\\(?:text|textrm|mathrm|mbox)\s*\{\s*(if|for|when|where|otherwise|else)\s*,?\s*\}", re.IGNORECASE
)
ENVIRONMENT = re.compile(r"\s*\{\s*([A-Za-z]+)\*?\s*\}")


def begin(scanner: Scanner, start: int) -> None:
    r"""\begin{…}."""
    name = environment(scanner, start)
    if name in LINES and scanner.depth == 1:
        scanner.environments.append(name)
    elif name == "cases":
        cases(scanner, start)
    elif name in MATRICES:
        matrix(scanner, start, name)
    elif name in LINES:
        raise ParseError(f"{name} cannot stand inside a formula", position=start)
    else:
        raise ParseError(
            rf"\begin{{{name}}} is not read", hint="There are cases, pmatrix, bmatrix and aligned.", position=start
        )


def end(scanner: Scanner, start: int) -> None:
    r"""\end{…} of lines."""
    name = environment(scanner, start)
    if not scanner.environments or scanner.environments.pop() != name:
        raise ParseError(rf"there is no \begin{{{name}}} for this \end", position=start)


def environment(scanner: Scanner, start: int) -> str:
    found = ENVIRONMENT.match(scanner.text, scanner.position)
    if found is None:
        raise ParseError("the name of an environment must follow in braces", position=start)
    scanner.position = found.end()
    return found[1]


def cells(scanner: Scanner, start: int, name: str, conditions: bool = False) -> list[list[list[Token]]]:
    r"""The rows of an environment, each a list of cells, up to and with its \end."""
    rows: list[list[list[Token]]] = [[]]
    while True:
        word = WORD.match(scanner.text, scanner.position) if conditions and rows[-1] else None
        if word:
            scanner.position = word.end()
        cell = scanner.collect({"&", r"\\", r"\end"})
        rows[-1].append(condition(cell, word) if conditions and rows[-1] else cell)
        scanner.count()
        if scanner.text.startswith("&", scanner.position):
            scanner.skip()
        elif scanner.text.startswith(r"\\", scanner.position):
            scanner.skip()
            rows.append([])
        else:
            scanner.close(r"\end", start)
            if environment(scanner, start) != name:
                raise ParseError(rf"\end{{{name}}} is missing for this \begin", position=start)
            return rows[:-1] if rows[-1] == [[]] and len(rows) > 1 else rows


def condition(cell: list[Token], word: re.Match[str] | None) -> list[Token]:
    """A condition of cases, in which = compares."""
    if word and word[1].lower() in ("otherwise", "else") and cell:
        raise ParseError(f"nothing can follow {word[1]}", position=cell[0].position)
    return [token._replace(kind="==") if token.kind == "=" else token for token in cell]


def cases(scanner: Scanner, start: int) -> None:
    r"""\begin{cases} a & x > 0 \\ b & \text{otherwise} \end{cases} as where(x > 0, a, b)."""
    rows = cells(scanner, start, "cases", conditions=True)
    if len(rows) < 2 or any(len(row) != 2 for row in rows[:-1]) or len(rows[-1]) > 2:
        raise ParseError(
            "cases are two rows or more, each a value, & and a condition",
            hint=r"For example \begin{cases} x & x > 0 \\ 0 & \text{otherwise} \end{cases}.",
            position=start,
        )
    if len(rows[-1]) == 2 and rows[-1][1]:
        scanner.notices.append(Notice("the last case is taken wherever no other is", start))
    scanner.emit("{", r"\begin", start)
    for value, when in rows[:-1]:
        scanner.emit("name", "where", start)
        scanner.emit("(", r"\begin", start)
        scanner.tokens += when
        scanner.emit(",", ",", start)
        scanner.tokens += without_comma(value)
        scanner.emit(",", ",", start)
    scanner.tokens += without_comma(rows[-1][0])
    for _ in rows[:-1]:
        scanner.emit(")", r"\end", scanner.position)
    scanner.emit("}", r"\end", scanner.position)


def without_comma(value: list[Token]) -> list[Token]:
    """A value of cases; the comma before its condition is no part of it."""
    return value[:-1] if value and value[-1].kind == "," else value


def matrix(scanner: Scanner, start: int, name: str) -> None:
    """Rows below each other; one row or one column alone is a vector."""
    rows = cells(scanner, start, name)
    if any(len(row) != len(rows[0]) for row in rows):
        raise ParseError("the rows of a matrix must have the same length", position=start)
    if not all(cell for row in rows for cell in row):
        raise ParseError("a place in this matrix is empty", position=start)
    lists = [[cell for row in rows for cell in row]] if len(rows) == 1 or len(rows[0]) == 1 else rows
    scanner.emit("{", r"\begin", start)
    if len(lists) > 1:
        scanner.emit("[", r"\begin", start)
    for number, entries in enumerate(lists):
        if number:
            scanner.emit(",", r"\\", start)
        scanner.emit("[", r"\begin", start)
        for place, entry in enumerate(entries):
            if place:
                scanner.emit(",", "&", start)
            scanner.tokens += plain_arrays(entry)
        scanner.emit("]", r"\end", scanner.position)
    if len(lists) > 1:
        scanner.emit("]", r"\end", scanner.position)
    scanner.emit("}", r"\end", scanner.position)


def plain_arrays(tokens: list[Token]) -> list[Token]:
    """The tokens of an array without the braces around arrays that start an entry: { [1, 2] } as [1, 2]."""
    kept: list[Token] = []
    dropped: list[bool] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        drop = False
        if token.kind == "{":
            drop = bool(following and following.kind == "[" and (not kept or kept[-1].kind in ("[", ",")))
            dropped.append(drop)
        elif token.kind == "}" and dropped:
            drop = dropped.pop()
        if not drop:
            kept.append(token)
    return kept
