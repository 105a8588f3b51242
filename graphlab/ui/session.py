"""The page's state in this session: read from the address once, changed with undo, mirrored in the address.

The session holds text and numbers only, never graphs: `page` (a PageState), `past` (for undo), two counters that tell
the fields and the viewer when to take over what Python says, and `fresh`, which tells the switches. The pages Models
and BERT keep states of their own beside it.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from graphlab.errors import TraceError
from graphlab.ui.plain import with_hint
from graphlab.ui.state import BertState, LessonState, ModelState, PageState, ShownGraph, State, from_link, to_link

LINKS: dict[type, str] = {PageState: "g", ModelState: "m", LessonState: "s", BertState: "b"}
MOST_UNDO = 50


def current_state(otherwise: PageState) -> PageState:
    """The state of this session; at first that of the address, else `otherwise`."""
    if "page" not in st.session_state:
        st.session_state.revision = st.session_state.graph_revision = 0
        st.session_state.past = []
        st.session_state.page = opened_state(PageState) or otherwise
    state: PageState = st.session_state.page
    # Streamlit forgets a page's switches while another page is shown.
    if st.session_state.pop("fresh", True) or "forward mode" not in st.session_state:
        st.session_state["notation"] = state.notation
        st.session_state["forward mode"] = bool(state.moving)
    return state


def opened_state(kind: type[State]) -> State | None:
    """What the address holds for a page; None, with a warning, if that is damaged."""
    packed = st.query_params.get(LINKS[kind])
    if packed:
        try:
            return from_link(packed, kind)
        except TraceError as fault:
            st.warning(f"{with_hint(fault)} Here is the first example instead.")
    return None


def take_formula() -> None:
    """The learner typed: keep what was there for undo, and forget what belonged to it."""
    typed = (st.session_state.get("formula") or {}).get("text")
    if typed is not None and typed != st.session_state.page.formula:
        change(
            replace(
                st.session_state.page, formula=typed, products=[], functions=[], opened=None, step=0, selected=None
            ),
            set_field=False,
        )


def change(state: PageState, *, set_field: bool = True) -> None:
    """Show another state. `set_field` also writes the formula into its field."""
    st.session_state.past = [*st.session_state.past, replace(st.session_state.page)][-MOST_UNDO:]
    show(state, set_field=set_field)


def show(state: PageState, *, set_field: bool = True) -> None:
    """Show a state from its beginning: fields and viewer take it over."""
    st.session_state.page = state
    st.session_state.graph_revision += 1
    st.session_state.fresh = True
    if set_field:
        st.session_state.revision += 1
    for key in [key for key in st.session_state if str(key).startswith("value ")]:
        del st.session_state[key]


def can_undo() -> bool:
    return bool(st.session_state.past)


def undo() -> None:
    """Go back to what was shown before the last change."""
    show(st.session_state.past.pop())


def remember(state: ShownGraph) -> None:
    """Mirror the state in the address, or say that it is too long for one."""
    packed, name = to_link(state), LINKS[type(state)]
    if packed is None:
        st.query_params.pop(name, None)
        st.caption("This page is too long for a link; use Save → Save this page instead.")
    elif st.query_params.get(name) != packed:
        st.query_params[name] = packed
