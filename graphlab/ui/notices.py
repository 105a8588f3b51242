"""How a formula was read where it could be read otherwise, each with a button for the other reading."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from graphlab.language import Notice
from graphlab.ui import session
from graphlab.ui.plain import plain
from graphlab.ui.state import PageState

FLIPS = {
    "functions": "Read it as a function",
    "products": "Read it as a product",
    "values": "Make it an input",
    "stabilise": "Compute it as typed",
}
AS_TYPED = Notice("computed exactly as typed, whatever digits that costs", 0, None, ("stabilise", "yes"))


def show_notices(notices: tuple[Notice, ...], *, as_typed: bool) -> None:
    """Each notice with its button, if there is another reading; `as_typed` says that nothing is computed carefully."""
    notices = (AS_TYPED, *notices) if as_typed else notices
    for number, notice in enumerate(notices):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(plain(notice.message.rstrip(".") + "."), width="content")
            if notice.flip and notice.flip not in [earlier.flip for earlier in notices[:number]]:
                label = "Compute it carefully" if notice is AS_TYPED else FLIPS[notice.flip[0]]
                st.button(label, key=f"flip {number} {notice.flip}", on_click=flip, args=notice.flip,
                          type="tertiary")  # fmt: skip


def flip(option: str, name: str) -> None:
    page: PageState = st.session_state.page
    if option == "values":
        session.change(replace(page, values={**page.values, name: "1"}), set_field=False)
        return
    if option == "stabilise":
        session.change(replace(page, stabilise=not page.stabilise), set_field=False)
        return
    chosen = {"functions": set(page.functions) - {name}, "products": set(page.products) - {name}}
    chosen[option].add(name)
    session.change(
        replace(page, functions=sorted(chosen["functions"]), products=sorted(chosen["products"])), set_field=False
    )
