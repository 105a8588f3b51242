"""A place in a row of tokens: what comes next, stepping on, and what was typed."""

from __future__ import annotations

from collections.abc import Sequence

from graphlab.language import faults
from graphlab.language.tokens import Token


class Cursor:
    """Stands before token number `index`; the last token is an "end"."""

    def __init__(self, tokens: Sequence[Token], source: str) -> None:
        self.tokens = tokens
        self.source = source
        self.index = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.index]

    def peek(self, ahead: int) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.tokens[self.index]
        self.index += 1
        return token

    def expect(self, kind: str) -> None:
        if self.next.kind != kind:
            raise self.unexpected()
        self.index += 1

    def unexpected(self) -> Exception:
        return faults.unexpected(self.next, self.tokens[self.index - 1] if self.index else None)

    def typed(self, start: int, stop: int) -> str:
        """What was typed from token number `start` up to `stop`, on one line; a long text by its end."""
        first, last = self.tokens[start].position, self.tokens[stop - 1].stop
        cut = max(first, last - 40)
        return ("…" if cut > first else "") + " ".join(self.source[cut:last].split())
