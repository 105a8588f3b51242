"""The lessons in the navigation: a page for each, at /lesson-5b, and the list of all at /lessons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from graphlab.lessons.course import LESSONS, route_by_need
from graphlab.ui.lessons.page import Link, lesson_page
from graphlab.ui.lessons.progress import summary
from graphlab.ui.lessons.training import set_running

ORDERS = ("As in the lecture", "By need")


def lesson_pages(links: Callable[[], None], explore: Callable[[], None]) -> tuple[Any, list[Any]]:
    """The page with the list, and the pages of the lessons. `links` draws the top line of every page."""
    pages: dict[str, Any] = {}

    def link(key: str, label: str) -> None:
        st.page_link(pages[key], label=label, width="content")

    for key, lesson in LESSONS.items():
        draw = partial(lesson_page, key, links, link, explore)
        pages[key] = st.Page(draw, title=f"{key} {lesson.title}", url_path=f"lesson-{key}")
    return st.Page(lambda: overview(links, link), title="Lessons", url_path="lessons"), list(pages.values())


def overview(links: Callable[[], None], link: Link) -> None:
    """All lessons, in one order or the other."""
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
    st.title("Lessons")
    st.markdown("From a formula with three numbers to BERT: each page asks, shows one experiment, and lets you step.")
    order = st.segmented_control("Order", ORDERS, default=ORDERS[0], required=True, key="lesson order")
    for lesson in LESSONS.values() if order == ORDERS[0] else route_by_need():
        with st.container(horizontal=True, vertical_alignment="center"):
            link(lesson.key, f"**{lesson.key}** · {lesson.title}")
            st.caption(summary(lesson), width="content")


def leave_training(place: str) -> None:
    """What learns stops when another page is shown."""
    if st.session_state.get("place") != place:
        st.session_state["place"] = place
        set_running(None)
