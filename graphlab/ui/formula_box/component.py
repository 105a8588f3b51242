"""The formula field: type, press Enter, and the graph follows. A wrong place gets a caret; phones get a row of keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

ASSETS = Path(__file__).parent / "assets"


def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "graphlab_formula", html=_read("formula.html"), css=_read("formula.css"), js=_read("formula.js")
)


def formula_box(
    text: str,
    *,
    key: str,
    revision: int,
    error: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
    on_change: Callable[[], None] | None = None,
) -> str:
    """Show the field with `text` and return what the learner has typed.

    Afterwards the browser is right; raise `revision` to set the text again. `error` is {"message", "caret", "hint"};
    `names` are offered as keys on a phone.
    """
    data = {"text": text, "revision": revision, "error": dict(error or {}), "names": list(names)}
    result = _mount(key=key, data=data, default={"text": text}, on_text_change=on_change or _nothing)
    typed = result.get("text")
    return text if typed is None else str(typed)


def _nothing() -> None:
    """Streamlit keeps a state only if somebody listens to it."""
