"""A page with nothing but the viewer, for the browser tests; it also shows what Python was told."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphlab.render.scene import scene
from graphlab.ui.state import ShownGraph
from graphlab.ui.viewer.component import graph_viewer
from tests.render.samples import hostile, lecture

DELTAS = np.round(np.linspace(-2, 2, 41), 10)
TOUR = {
    "start": "Three numbers go in. Press → to work out d.",
    "question": {
        "after": 3,
        "text": "If b grows by 0.1, what happens to L?",
        "choices": ["−0.4", "−0.2", "+0.5"],
        "answer": 0,
        "replies": ["Yes: L falls by 0.4.", "Not quite: c doubles that.", "That is what c would do."],
    },
    "nudge": "n3",
    "notes": {"9": dict.fromkeys(("fraction", "bar", "dot"), "That is the −0.4 per 0.1 you saw.")},
    "end": "Your turn: type a formula, or hide the numbers and predict.",
}


def nudged_b() -> dict[str, object]:
    """L = c(a+2b) with b moved, by hand."""
    b = 1 + DELTAS
    return {"deltas": DELTAS, "values": {"n3": b, "n4": 2 * b, "n5": 3 + 2 * b, "n6": -2 * (3 + 2 * b)}}


st.set_page_config(layout="wide")
trace = hostile() if "hostile" in st.query_params else lecture()
tour = st.query_params.get("tour", "no") == "yes"
revision = st.session_state.setdefault("revision", 0)
# A callback, because a rerun that the viewer asks for may stop a run before it has seen that the button was pressed.
st.button("Go to step 4", on_click=st.session_state.update, kwargs={"revision": revision + 1})
shown = st.session_state.setdefault(f"shown {revision}", ShownGraph(step=4 if revision else 0))
graph_viewer(
    scene(trace, tour=TOUR if tour else None, nudges={"n3": nudged_b()} if tour else None),
    shown,
    key="viewer",
    revision=revision,
    tour=tour,
)
st.code(json.dumps(asdict(shown), ensure_ascii=False))
