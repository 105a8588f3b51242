"""The graph viewer as a Streamlit component: `graph_viewer(scene, shown, key=…)`.

It steps in the browser; Python gets the step, the chosen node, the open boxes and the reader's preferences a moment
later and writes them into `shown`. The assets are plain files without a build step. They are read here and handed over
as text, which works the same from a wheel, an editable install and a bare checkout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from graphlab.render.style import page_css
from graphlab.ui.state import ShownGraph

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    "scene",
    "graph",
    "folding",
    "viewport",
    "gestures",
    "words",
    "heat",
    "details",
    "outline",
    "table",
    "controls",
    "viewer",
)
READ: dict[str, Callable[[Any], Any]] = {
    "step": lambda step: int(step or 0),
    "selected": lambda selected: str(selected) if selected else None,
    "opened": lambda opened: [str(box) for box in opened or ()],
    "prefs": lambda prefs: dict(prefs or {}),
}


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
    shown: ShownGraph,
    *,
    key: str,
    revision: int = 0,
    tour: bool = False,
    lecture: bool = False,
    table_only: bool = False,
    contents: Sequence[Mapping[str, Any]] = (),
    search: Callable[[str], Sequence[Mapping[str, Any]]] | None = None,
) -> None:
    """Show a scene (`render.scene.scene`), beginning where `shown` says.

    Afterwards the browser is right, and what the reader does there is written into `shown`, each time before the script
    runs again; raise `revision` to have the browser take over `shown` once more. `tour` shows the first sixty seconds,
    where the scene has them; `lecture` fits the graph to a projector; `table_only` leaves the graph out, and the pass
    as on paper stays. `contents` is the tree of a large graph's boxes, entries {"id", "title", "repeats", "counts",
    "fault", "open", "entries"}; `search` finds in it what a reader types, as {"id", "name", "scope", "open"}.
    """
    begin = _beginning(key, revision, shown)
    listeners: dict[str, Any] = {f"on_{name}_change": partial(_take, shown, key, name) for name in READ}
    query = (st.session_state.get(key) or {}).get("query") or ""
    found = {"query": query, "results": list(search(query)) if search and query else []}
    data = {
        "scene": dict(scene),
        "tour": tour,
        "lecture": lecture,
        "table_only": table_only,
        "contents": list(contents),
        "found": found,
        "revision": revision,
    }
    _mount(key=key, data=data | begin, default=begin | {"query": ""}, on_query_change=_nothing, **listeners)


def _beginning(key: str, revision: int, shown: ShownGraph) -> dict[str, Any]:
    """Where the browser begins. It is kept, so that Streamlit need not send a picture again that has not changed."""
    kept: tuple[int, dict[str, Any]] | None = st.session_state.get(f"{key} began")
    if kept is None or kept[0] != revision or key not in st.session_state:
        kept = revision, {name: read(getattr(shown, name)) for name, read in READ.items()}
        st.session_state[f"{key} began"] = kept
    return kept[1]


def _nothing() -> None:
    """Streamlit keeps a state only if somebody listens to it."""


def _take(shown: ShownGraph, key: str, name: str) -> None:
    """The browser has told something new."""
    setattr(shown, name, READ[name]((st.session_state.get(key) or {}).get(name)))
