"""The lesson on paper: a file to print, with the blanks on one page and the solution on the next."""

from __future__ import annotations

import streamlit as st

from graphlab.lessons.lesson import Lesson
from graphlab.lessons.worksheet import worksheet


def print_button(lesson: Lesson) -> None:
    """Saves the worksheet; it is made when it is asked for."""
    st.download_button(
        "Print", lambda: worksheet(lesson), f"lesson-{lesson.key}.html", "text/html", icon=":material/print:",
        help="A file to print: blanks on one page, the solution on the next", on_click="ignore",
    )  # fmt: skip
