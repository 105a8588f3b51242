"""The graph viewer as a Streamlit component: `graph_viewer(scene, key=…)`.

It steps in the browser; Python gets the step, the chosen node and the reader's preferences a moment later, as state.
The assets are plain files without a build step. They are read here and handed over as text, which works the same from
a wheel, an editable install and a bare checkout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from graphlab.render.style import page_css

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("scene", "graph", "viewport", "gestures", "words", "details", "table", "controls", "viewer")
STATES = ("step", "selected", "prefs")


def viewer_html() -> str:
    """The viewer's elements."""
    return _read("viewer.html")


def viewer_css() -> str:
    """The graph's stylesheet and the viewer's."""
    return page_css(".viewer") + _read("viewer.css")


def viewer_script() -> str:
    """One module, joined in the order of `SCRIPTS`."""
    return "\n".join(_read(f"{name}.js") for name in SCRIPTS)


def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


_mount = st.components.v2.component("graphlab_viewer", html=viewer_html(), css=viewer_css(), js=viewer_script())


def graph_viewer(
    scene: Mapping[str, Any],
    *,
    key: str,
    step: int = 0,
    revision: int = 0,
    selected: str | None = None,
    prefs: Mapping[str, Any] | None = None,
    tour: bool = False,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Show a scene (`render.scene.scene`) and return {"step", "selected", "prefs"} as the reader has them now.

    `step`, `selected` and `prefs` are where to begin. Afterwards the browser is right; raise `revision` to set them
    again. `tour` shows the first sixty seconds, where the scene has them. `on_change` is called after each change.
    """
    begin = {"step": step, "selected": selected, "prefs": dict(prefs or {})}
    result = _mount(
        key=key,
        data={"scene": dict(scene), "revision": revision, "tour": tour, **begin},
        default=begin,
        on_step_change=on_change or _nothing,
        on_selected_change=on_change or _nothing,
        on_prefs_change=on_change or _nothing,
    )
    return {name: result.get(name, begin[name]) for name in STATES}


def _nothing() -> None:
    """Streamlit keeps a state only if somebody listens to it."""
