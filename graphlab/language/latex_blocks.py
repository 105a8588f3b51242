r"""LaTeX with parts: fractions, roots, brackets, rows by number, shapes; and the table of all commands with parts.

Each function reads one block of a Scanner from behind its command and leaves tokens of the plain notation: a fraction
as { a / b }, [a + b] without a comma as (a + b), X \in \mathbb{R}^{n \times d} as X: (n, d).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphlab.errors import ParseError
from graphlab.language.latex_environments import begin, end, plain_arrays
from graphlab.language.latex_sums import series
from graphlab.language.tokens import Token

if TYPE_CHECKING:
    from graphlab.language.latex_tokens import Scanner

Block = Callable[["Scanner", int], None]
_name = r"(?:\\[A-Za-z]+|[A-Za-z])(?:_(?:\w|\{[^{}]*\}))?"
_d = r"(?:d|\\partial(?![A-Za-z])|\\(?:mathrm|text)\{d\})"
DERIVATIVE = re.compile(
    rf"\s*\{{\s*{_d}(?:\^\{{?\d\}}?)?\s*(?:{_name})?\s*\}}\s*\{{\s*{_d}\s*{_name}(?:\^\{{?\d\}}?)?\s*\}}"
)
BAR = re.compile(r"\s*(\||\\\||\\vert(?![A-Za-z])|\\Vert(?![A-Za-z])|‖|\.)")
REALS = re.compile(r"\s*(?:\\mathbb\s*(?:\{\s*R\s*\}|R)|\\R(?![A-Za-z])|ℝ)\s*(\^)?")


def computed_here(start: int) -> ParseError:
    r"""The answer to \partial and \frac{dL}{da}."""
    return ParseError(
        "that is what graphlab computes", hint="Type the formula itself and ask for its derivative.", position=start
    )


# ---- fractions and roots -------------------------------------------------------------------------------------------
def fraction(scanner: Scanner, start: int) -> None:
    r"""\frac{a}{b}."""
    if DERIVATIVE.match(scanner.text, scanner.position):
        raise computed_here(start)
    scanner.emit("{", r"\frac", start)
    scanner.argument()
    scanner.emit("/", r"\frac", start)
    scanner.argument()
    scanner.emit("}", "}", scanner.position)


def root(scanner: Scanner, start: int) -> None:
    r"""\sqrt{x} as sqrt(x), \sqrt[3]{x} as x^(1/3)."""
    index: list[Token] = []
    if found := re.compile(r"\s*\[").match(scanner.text, scanner.position):
        scanner.position = found.end()
        index = scanner.collect({"]"})
        scanner.close("]", start)
    if not index:
        scanner.emit("name", "sqrt", start)
        scanner.emit("(", r"\sqrt", start)
        scanner.argument()
        scanner.emit(")", "}", scanner.position)
        return
    scanner.emit("{", r"\sqrt", start)
    scanner.emit("{", r"\sqrt", start)
    scanner.argument()
    for kind in ("}", "^", "{"):
        scanner.emit(kind, r"\sqrt", start)
    scanner.emit("number", "1", start)
    scanner.emit("/", r"\sqrt", start)
    scanner.tokens += [Token("{", "{", start, start), *index, Token("}", "}", start, start)]
    scanner.emit("}", "}", scanner.position)
    scanner.emit("}", "}", scanner.position)


def bracket(scanner: Scanner, start: int) -> None:
    """[a, b] is a vector; without a comma brackets only group. [a,] is a vector of one entry."""
    first = len(scanner.tokens)
    scanner.emit("[", "[", start)
    if not scanner.scan({"]"}):
        return
    commas = outer_commas(scanner.tokens[first + 1 :])
    if commas and scanner.tokens[-1].kind == ",":
        scanner.tokens.pop()
    if not commas:
        del scanner.tokens[first]
        inside = scanner.tokens[first:]
        del scanner.tokens[first:]
        scanner.opening(start)
        scanner.tokens += inside
    scanner.position += 1
    scanner.emit("]" if commas else ")", "]", scanner.position - 1)
    if commas:
        entries = plain_arrays(scanner.tokens[first:])
        scanner.tokens[first:] = [Token("{", "{", start, start), *entries]
        scanner.emit("}", "}", scanner.position)


def rows_by_number(scanner: Scanner, start: int) -> None:
    """x_{[i]}: the row of x with that number."""
    before = scanner.tokens[-1].stop
    scanner.emit("[", "_{[", before)
    scanner.scan({"]"})
    scanner.close("]", start)
    scanner.emit("]", "]", scanner.position - 1)
    scanner.scan({"}"})
    scanner.close("}", start)


def outer_commas(tokens: list[Token]) -> int:
    """How many commas stand outside all brackets."""
    depth = commas = 0
    for token in tokens:
        depth += (token.kind in "([{") - (token.kind in ")]}")
        commas += token.kind == "," and not depth
    return commas


# ---- bars that say which side they are on --------------------------------------------------------------------------
def sized(*, opens: bool) -> Block:
    r"""\left and \right: before a bar they say on which side of x it stands; other brackets are read as usual."""

    def read(scanner: Scanner, start: int) -> None:
        found = BAR.match(scanner.text, scanner.position)
        if found is None:
            return
        if found[1] == ".":
            raise ParseError("a bracket is missing: the dot stands for none", position=found.start(1))
        scanner.position = found.end()
        bar("norm" if found[1] in (r"\|", r"\Vert", "‖") else "abs", opens=opens)(scanner, start)

    return read


def bar(function: str, *, opens: bool) -> Block:
    """|x| as abs(x) and ‖x‖ as norm(x)."""

    def read(scanner: Scanner, start: int) -> None:
        shown = scanner.text[start : scanner.position]
        if opens:
            scanner.emit("name", function, start)
        scanner.emit("(" if opens else ")", shown, start)

    return read


# ---- shapes --------------------------------------------------------------------------------------------------------
def declaration(scanner: Scanner, start: int) -> None:
    r"""X \in \mathbb{R}^{n \times d} as X: (n, d)."""
    found = REALS.match(scanner.text, scanner.position)
    if found is None:
        raise ParseError(r"\in declares a shape", hint=r"Write X \in \mathbb{R}^{n \times d}.", position=start)
    scanner.position = found.end()
    scanner.emit(":", r"\in", start)
    scanner.emit("(", r"\in", start)
    first = len(scanner.tokens)
    if found[1]:
        scanner.argument()
    sizes = [token for token in scanner.tokens[first:] if token.kind not in "{}"]
    scanner.tokens[first:] = [token._replace(kind=",") if token.kind == "·" else token for token in sizes]
    scanner.emit(")", r"\in", scanner.position)


BLOCKS: dict[str, Block] = {
    "left": sized(opens=True),
    "right": sized(opens=False),
    "lvert": bar("abs", opens=True),
    "rvert": bar("abs", opens=False),
    "lVert": bar("norm", opens=True),
    "rVert": bar("norm", opens=False),
    "frac": fraction,
    "dfrac": fraction,
    "tfrac": fraction,
    "cfrac": fraction,
    "sqrt": root,
    "begin": begin,
    "end": end,
    "sum": series("+"),
    "prod": series("*"),
    "in": declaration,
}
