"""Texts for Streamlit's Markdown that must be read as they stand: nothing a learner typed becomes markup."""

from __future__ import annotations

from graphlab.errors import GraphLabError, LimitError, ParseError, TraceError

MARKS = frozenset("\\`*_{}[]()<>#+-.!|$~:&^=")


def plain(text: str) -> str:
    """The text with every character escaped that Markdown, its maths or its colours would read."""
    return "".join(f"\\{c}" if c in MARKS else c for c in text)


def sentence(fault: GraphLabError) -> str:
    """An error's message as a sentence, with its line where there are several.

    Only messages that never begin with a learner's name get a capital: a is not A.
    """
    where = f"Line {fault.line}: " if fault.line and fault.line > 1 else ""
    message = fault.message
    if isinstance(fault, ParseError | LimitError | TraceError):
        message = message[:1].upper() + message[1:]
    return where + message + ("" if message.endswith((".", "?")) else ".")


def with_hint(fault: GraphLabError) -> str:
    """An error for the page: what is wrong and what to try, as plain text."""
    return plain(f"{sentence(fault)} {fault.hint or ''}".strip())
