"""Two small components: the sheet of all heads, of which one is chosen, and one head's map, of which a cell is.

The map is drawn in the browser on a canvas from the numbers themselves, so that every value can be read by hovering,
tapping or the arrow keys, up to 512 × 512 of them. What is chosen is the page's own; the components only tell of it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

ASSETS = Path(__file__).parent / "assets"
Chosen = Callable[[int, int], None]


def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


_sheet = st.components.v2.component(
    "graphlab_heads", html='<div class="heads" role="group"></div>', css=_read("maps.css"), js=_read("heads.js")
)
_map = st.components.v2.component("graphlab_map", html=_read("map.html"), css=_read("maps.css"), js=_read("map.js"))


def heads_sheet(
    pictures: Mapping[str, bytes],
    shape: tuple[int, int],
    head: tuple[int, int],
    *,
    signed: bool,
    key: str,
    on_choice: Chosen,
) -> None:
    """Show the sheet of (layers, heads), a (layer, head) on it marked, all counted from 0."""
    data = {name: base64.b64encode(picture).decode() for name, picture in pictures.items()}
    chosen = {"shape": shape, "head": head, "signed": signed}
    _sheet(key=key, data={**data, **chosen}, on_chosen_change=_teller(key, on_choice))


def token_map(
    values: np.ndarray[Any, Any],
    tokens: Sequence[str],
    cell: tuple[int, int],
    *,
    signed: bool,
    revision: int,
    key: str,
    on_choice: Chosen,
) -> None:
    """Show one map (n, n) with its tokens. The cell (row, column) counts when `revision` is another than before;
    otherwise the browser knows better."""
    data = {
        "values": base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode(),
        "tokens": list(tokens),
        "cell": cell,
        "signed": signed,
        "revision": revision,
    }
    _map(key=key, data=data, on_chosen_change=_teller(key, on_choice))


def _teller(key: str, on_choice: Chosen) -> Callable[[], None]:
    """What passes on the two numbers that the browser has chosen."""

    def tell() -> None:
        chosen = (st.session_state.get(key) or {}).get("chosen")
        if chosen:
            on_choice(*map(int, chosen))

    return tell
