"""What the pages about BERT show: plain fields, kept in the session and written into the link, `?word=star&layer=3`.

Only what differs from a page's first look stands in its link. A long text is packed there, marked by a leading ~. The
model is no part of it: a folder of this machine means nothing to others.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import streamlit as st

MOST_CHARACTERS = 8_000
LONGEST_LINK, LONGEST_PLAIN = 2_000, 400
PACKED = "~"


@dataclass
class WordState:
    """One word in several sentences, one a line, an empty line between meanings. Layer 0 is what goes into the first
    block, −1 the last layer."""

    text: str = """i went to the bank to get money .
i rushed to the bank for a loan .

i sat on the bank of the river .
i stood on the bank of the stream ."""
    word: str = "bank"
    layer: int = -1


@dataclass
class AttentionState:
    """One head on a text, one cell of its map, and the two tokens whose likeness is differentiated. Layers and heads
    are counted from 1, tokens from 0; what a smaller model or text does not have means its last."""

    text: str = "the cat sat on the mat because it was tired ."
    second: str = ""
    layer: int = 6
    head: int = 12
    row: int = 8
    column: int = 2
    gradient: bool = False
    first: int = 2
    other: int = 8


State = TypeVar("State", WordState, AttentionState)


def current(kind: type[State]) -> State:
    """What this session shows; at first what the link says, with a warning if that is damaged."""
    if kind.__name__ not in st.session_state:
        try:
            st.session_state[kind.__name__] = from_link(st.query_params.to_dict(), kind)
        except ValueError:
            st.warning("The link is damaged: part of it is missing or changed. Here is the first example instead.")
            st.session_state[kind.__name__] = kind()
    state: State = st.session_state[kind.__name__]
    return state


def remember(state: WordState | AttentionState) -> None:
    """Mirror the state in the address, or say that it is too long for one."""
    told = to_link(state)
    if len(urlencode(told)) > LONGEST_LINK:
        st.caption("This text is too long for a link: the address does not keep it.")
        told = {}
    if st.query_params.to_dict() != told:
        st.query_params.from_dict(told)


def to_link(state: WordState | AttentionState) -> dict[str, str]:
    """The fields that differ from the first look, as texts."""
    usual = asdict(type(state)())
    return {
        name: _short(value) if isinstance(value, str) else str(int(value))
        for name, value in asdict(state).items()
        if value != usual[name]
    }


def from_link(told: Mapping[str, str], kind: type[State]) -> State:
    """What `to_link` made; fields of other pages are left aside. Raises ValueError for what it cannot have made."""
    usual = asdict(kind())
    known = {field.name for field in fields(kind)} & told.keys()
    return kind(**{name: _read(told[name], type(usual[name])) for name in known})


def _read(text: str, kind: type) -> Any:
    return _long(text) if kind is str else kind(int(text))


def _short(text: str) -> str:
    if len(quote(text)) <= LONGEST_PLAIN and not text.startswith(PACKED):
        return text
    return PACKED + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def _long(text: str) -> str:
    """The text that `_short` packed."""
    if not text.startswith(PACKED):
        return text[:MOST_CHARACTERS]
    try:
        raw = base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        decoder = zlib.decompressobj()
        unpacked = decoder.decompress(raw, 4 * MOST_CHARACTERS)
    except zlib.error as fault:
        raise ValueError(str(fault)) from None
    if not decoder.eof:
        raise ValueError("the packed text is cut off, or longer than a field holds")
    return unpacked.decode()[:MOST_CHARACTERS]
