"""Everything graphlab raises on purpose.

GraphLabError
├── ParseError      the text cannot be read: says where, with a caret
├── ShapeError      an op cannot take inputs of these shapes
├── UnknownName     a name nobody defined; the nearest known ones are offered
├── ValueProblem    a value is missing, superfluous or not a number
├── DomainError     ids or sizes an op cannot take (poles are values: inf or nan, with a notice)
├── LimitError      larger than graphlab accepts
├── NoRule          an op has no meaning there (no derivative, no such backend)
└── TraceError      a trace that cannot be read

An error that comes from a text knows it (`source`) and the offset (`position`); printed, it shows the line with a
caret under the place. One that arises at a node of a graph knows that `node`. `hint` says what to try.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class GraphLabError(Exception):
    """What happened, where, and what to try."""

    def __init__(
        self, message: str, *, hint: str | None = None, source: str | None = None, position: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.source = source
        self.position = position
        self.node: Any = None

    @property
    def line(self) -> int | None:
        """The line of the text, counted from 1."""
        if self.source is None or self.position is None:
            return None
        return self.source.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int | None:
        """The column in that line, counted from 1."""
        if self.source is None or self.position is None:
            return None
        return self.position - (self.source.rfind("\n", 0, self.position) + 1) + 1

    @property
    def caret(self) -> str | None:
        """The line at fault with a caret below the place, at most 78 characters wide."""
        if self.source is None or self.position is None or self.column is None:
            return None
        start = self.position - self.column + 1
        end = self.source.find("\n", start)
        row = self.source[start:] if end < 0 else self.source[start:end]
        at = self.column - 1
        cut = max(0, at - 60)
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in row[cut : cut + 76])
        return ("…" if cut else "") + shown + "\n" + " " * (at - cut + (1 if cut else 0)) + "^"

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}: " if self.line and self.line > 1 else ""
        parts = [where + self.message, self.caret, self.hint]
        return "\n".join(part for part in parts if part)


class ParseError(GraphLabError):
    """The text is not a formula graphlab reads."""


class ShapeError(GraphLabError):
    """An op cannot take inputs of these shapes.

    `op` is its name, `shapes` what it was given, `differ` the two sizes that do not fit (where there are two).
    """

    def __init__(
        self,
        message: str,
        *,
        op: str | None = None,
        shapes: Sequence[tuple[int | str, ...]] = (),
        differ: tuple[int | str, int | str] | None = None,
        hint: str | None = None,
        source: str | None = None,
        position: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint, source=source, position=position)
        self.op = op
        self.shapes = tuple(shapes)
        self.differ = differ


class UnknownName(GraphLabError):
    """A name that stands for nothing here."""


class ValueProblem(GraphLabError):
    """A value is missing, superfluous or malformed."""


class DomainError(GraphLabError):
    """Ids or sizes that an op cannot take."""


class LimitError(GraphLabError):
    """Larger than graphlab accepts; the message says the limit."""


class NoRule(GraphLabError):
    """An op that has no meaning in this place."""


class TraceError(GraphLabError):
    """A trace that is damaged, hostile, too large or of a newer schema."""
