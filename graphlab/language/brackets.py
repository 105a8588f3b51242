"""What stands between brackets and bars: ( … ), [ … ], x[0], |x| and ‖x‖. The `Parser` says what an expression is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from graphlab.engine.notation import Prec
from graphlab.engine.ops import elementary, shaping, stacking
from graphlab.errors import LimitError
from graphlab.language import faults, limits
from graphlab.language.cursor import Cursor
from graphlab.language.literals import is_literal, read_array
from graphlab.language.reading import Notice, Reading
from graphlab.language.statements import CLOSED_BY
from graphlab.language.terms import Array, Call, Number, Operation, Term
from graphlab.language.tokens import Token


class Brackets(Cursor, ABC):
    """Reads brackets with what is inside, and bounds how deep they nest."""

    def __init__(self, tokens: Sequence[Token], reading: Reading, source: str) -> None:
        super().__init__(tokens, source)
        self.reading = reading
        self.level = 0
        self.bars = 0  # | that are open inside the innermost bracket
        self.norms = 0  # ‖ likewise
        self.rank = 0  # [ that are open around this place

    @abstractmethod
    def expression(self, floor: Prec) -> Term:
        """As much as binds at least as tightly as `floor`."""

    def inner(self, floor: Prec) -> Term:
        """An expression one level further in."""
        self.level += 1
        if self.level > limits.NESTING:
            raise faults.too_deep(self.next)
        term = self.expression(floor)
        self.level -= 1
        return term

    @contextmanager
    def closed_off(self) -> Iterator[None]:
        """Inside brackets: bars that are open outside do not close here."""
        outside = self.bars, self.norms
        self.bars = self.norms = 0
        yield
        self.bars, self.norms = outside

    def notice(self, message: str, position: int) -> None:
        self.reading.notices.append(Notice(message, position))

    def bracket(self, opening: Token) -> Term:
        """( … ), or what LaTeX groups without showing it."""
        closing = CLOSED_BY[opening.kind]
        if self.next.kind == closing:
            raise faults.empty_brackets(opening)
        with self.closed_off():
            term = self.inner(Prec.COMPARISON)
        if self.next.kind == ",":
            raise faults.list_in_brackets(self.next, opening, self.tokens)
        self.expect(closing)
        return term

    def array(self, opening: Token) -> Term:
        """[a, b] or [[a, b], [c, d]]: a constant if it holds only numbers, else its entries stacked."""
        if is_literal(self.tokens, self.index - 1):
            rows, self.index = read_array(self.tokens, self.index - 1)
            return Array(opening.position, rows)
        self.rank += 1
        if self.rank > limits.RANK:
            raise LimitError(f"an array has at most {limits.RANK} axes", position=opening.position)
        with self.closed_off():
            entries = [self.inner(Prec.COMPARISON)]
            while self.next.kind == ",":
                self.index += 1
                entries.append(self.inner(Prec.COMPARISON))
        self.expect("]")
        self.rank -= 1
        if len({row_length(entry) for entry in entries} - {None}) > 1:
            raise faults.uneven_rows(opening)
        return Operation(opening.position, stacking.stack, tuple(entries))

    def between_bars(self, opening: Token) -> Term:
        """|x|. A bar where an operand must stand opens, any other bar closes what is open."""
        start = self.index - 1
        self.bars += 1
        term = self.inner(Prec.COMPARISON)
        self.bars -= 1
        if self.next.kind in ("end", ")", "]", "}"):
            raise faults.open_bar(opening)
        self.expect("|")
        if isinstance(term, Operation) and term.op is elementary.abs and self.tokens[start + 1].kind == "|":
            inside = self.typed(start + 2, self.index - 2)
            self.notice(f"||{inside}|| read as the absolute value of |{inside}|, not as a norm", opening.position)
        return Operation(opening.position, elementary.abs, (term,))

    def norm(self, opening: Token) -> Term:
        """‖x‖."""
        self.norms += 1
        term = self.inner(Prec.COMPARISON)
        self.norms -= 1
        if self.next.kind in ("end", ")", "]", "}"):
            raise faults.open_bar(opening)
        self.expect("‖")
        return Call(opening.position, "norm", (term,))

    def row_of(self, left: Term, opening: Token) -> Term:
        """x[0], the row of x with that number, or its entry if x is a vector."""
        if isinstance(left, Number) or opening.position != self.tokens[self.index - 1].stop:
            raise faults.no_index(opening)
        self.index += 1
        with self.closed_off():
            number = self.inner(Prec.COMPARISON)
        if self.next.kind == ",":
            raise faults.several_indices(self.next)
        self.expect("]")
        return Operation(opening.position, shaping.embedding, (left, number))


def row_length(term: Term) -> int | None:
    """How many entries a row of an array has, where that can be seen: None for what may be one number."""
    if isinstance(term, Array):
        return len(term.rows) if isinstance(term.rows, tuple) else None
    return len(term.inputs) if isinstance(term, Operation) and term.op is stacking.stack else None
