r"""\sum and \prod with a range of numbers: every term written out, as { {…} + {…} }."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphlab.errors import LimitError, ParseError

if TYPE_CHECKING:
    from graphlab.language.latex_tokens import Scanner

TERMS = 1000  # of one sum
ENDS = frozenset(
    r"""+ - − = < > <= >= == != , ; ) ] } & \\ \right \end \rvert \rVert \le \leq \ge \geq \ne \neq \lt \gt ≤ ≥ ≠
    \} \in :""".split()
)
RANGE = re.compile(
    r"\s*(?:\\limits\s*)?(?:_\s*\{\s*([A-Za-z])\s*=\s*(-?[0-9]{1,9})\s*\}\s*\^\s*(?:\{\s*(-?[0-9]{1,9})\s*\}|([0-9]))"
    r"|\^\s*(?:\{\s*(-?[0-9]{1,9})\s*\}|([0-9]))\s*_\s*\{\s*([A-Za-z])\s*=\s*(-?[0-9]{1,9})\s*\})"
)


def series(sign: str) -> Callable[[Scanner, int], None]:
    r"""\sum or \prod with a range of numbers: every term written out, with `sign` between them."""

    def read(scanner: Scanner, start: int) -> None:
        found = RANGE.match(scanner.text, scanner.position)
        if found is None:
            word = "sum" if sign == "+" else "prod"
            raise ParseError(
                "only a range of numbers can be written out",
                hint=rf"Write \{word}_{{i=1}}^{{3}}; over all entries of x it is \operatorname{{{word}}}(x).",
                position=start,
            )
        letter = found[1] or found[7]
        numbers = range(int(found[2] or found[8]), int(found[3] or found[4] or found[5] or found[6]) + 1)
        if not numbers:
            raise ParseError("this range is empty", position=start)
        if len(numbers) > TERMS:
            raise LimitError(f"a sum is written out to at most {TERMS:,} terms", position=start)
        terms(scanner, start, letter, numbers, sign, found.end())

    return read


def terms(scanner: Scanner, start: int, letter: str, numbers: range, sign: str, body: int) -> None:
    """The term at `body`, read once for every number that `letter` stands for."""
    indices = scanner.names.indices
    outer = indices.get(letter)
    scanner.emit("{", r"\sum", start)
    for number in numbers:
        if number != numbers[0]:
            scanner.emit(sign, sign, start)
        scanner.emit("{", "{", start)
        indices[letter] = number
        scanner.position = body
        before = len(scanner.tokens)
        scanner.scan(term=True)
        if len(scanner.tokens) == before:
            raise ParseError("a term must follow", position=body)
        scanner.emit("}", "}", scanner.position)
        scanner.count()
    scanner.emit("}", "}", scanner.position)
    del indices[letter]
    if outer is not None:
        indices[letter] = outer


def ends_term(piece: str, bar_open: bool) -> bool:
    """Whether a sum's term ends before this piece; a bar ends it if one is open outside."""
    return piece in ENDS or (piece == "|" and bar_open)
