"""One lesson from top to bottom: predict, experiment, formula, steps, and a question from an earlier page.

The experiment appears once a reader has predicted, or says that they would rather look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from graphlab.lessons.course import LESSONS, neighbours
from graphlab.lessons.lesson import Lesson
from graphlab.ui import session
from graphlab.ui.lessons.controls import choose_settings
from graphlab.ui.lessons.lecture import hear_keys, is_lecture, show_lecture, toggle
from graphlab.ui.lessons.progress import state_of
from graphlab.ui.lessons.questions import ask
from graphlab.ui.lessons.stepping import begin_at, explore_page, show_screen
from graphlab.ui.lessons.training import training_place
from graphlab.ui.lessons.views import show_findings
from graphlab.ui.lessons.worksheet import print_button
from graphlab.ui.state import LessonState

Link = Callable[[str, str], None]  # a lesson's key and a label
TABLES = "lesson tables"


def lesson_page(key: str, links: Callable[[], None], link: Link, explore: Callable[[], None]) -> None:
    """The page of the lesson `key`. `links` draws the top line of all pages, `link` a link to another lesson, and
    `explore` goes to the Explore page, whose state is set before."""
    lesson = LESSONS[key]
    state = state_of(lesson)
    if is_lecture():
        show_lecture(lesson, state)
        session.remember(state)
        return
    top(lesson, links)
    header(lesson, link)
    tables = bool(st.session_state.get(TABLES))
    if predict(lesson, state):
        experiment(lesson, state, as_tables=tables)
        if lesson.training is not None:
            training_place(lesson, as_tables=tables)
        steps(lesson, state, explore, as_tables=tables)
        questions(lesson)
    onward(lesson, link)
    hear_keys(lesson, state)
    session.remember(state)


def top(lesson: Lesson, links: Callable[[], None]) -> None:
    """The line that all pages have, and what a lesson adds to it."""
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
        st.button(
            "Lecture", key="lesson lecture", icon=":material/slideshow:", help="For a projector (l)", on_click=toggle
        )
        print_button(lesson)
        st.session_state.setdefault(TABLES, False)
        st.toggle(
            "Tables only",
            key=TABLES,
            help="Every picture as a table, and the pass as on paper",
        )


def header(lesson: Lesson, link: Link) -> None:
    """What it is about, what it needs, and what its letters mean."""
    st.title(f"{lesson.key} · {lesson.title}")
    st.markdown(lesson.says)
    needed = [LESSONS[key] for key in lesson.needs if key in LESSONS]
    if needed:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("I'm lost: two minutes of", width="content")
            for earlier in needed:
                link(earlier.key, f"{earlier.key} {earlier.title}")
    meanings = " · ".join(f"**{letter}** {meaning}" for letter, meaning in lesson.symbols.items())
    st.markdown(f"Letters here: {meanings}")


def predict(lesson: Lesson, state: LessonState) -> bool:
    """The question. Returns whether the rest may be shown."""
    st.header("1 · Predict")
    answered = ask(lesson.predict, f"{lesson.key} predict", lesson.experiment.at_first)
    looking = f"{lesson.key} looks"
    if not answered and not st.session_state.get(looking):
        st.session_state[looking] = bool(state.step or state.chosen)
        if not st.session_state[looking]:
            st.button("I would rather look", key=f"{lesson.key} look", on_click=look, args=(looking,), type="tertiary")
    return answered or bool(st.session_state[looking])


def look(key: str) -> None:
    st.session_state[key] = True


@st.fragment
def experiment(lesson: Lesson, state: LessonState, *, as_tables: bool) -> None:
    """The controls and what comes of them."""
    st.header("2 · Experiment")
    st.markdown(lesson.experiment.question)
    settings = choose_settings(lesson.experiment.controls, state.chosen, lesson.key)
    state.chosen = changed(settings, lesson)
    show_findings(lesson.experiment.run(settings), as_tables=as_tables)
    session.remember(state)


def changed(settings: Mapping[str, Any], lesson: Lesson) -> dict[str, Any]:
    """The settings that are not as at first: what a link must hold."""
    controls = lesson.experiment.controls
    return {name: value for name, value in settings.items() if value != controls[name].first}


def steps(lesson: Lesson, state: LessonState, explore: Callable[[], None], *, as_tables: bool) -> None:
    """The screens, one at a time."""
    st.header("3 · Formula and steps")
    if len(lesson.screens) > 1:
        choose_screen(lesson, state)
    show_screen(lesson, state, as_tables=as_tables)
    walk = lesson.screens[state.screen].walk
    page = explore_page(walk) if walk is not None else None
    if page is not None and st.button("Open in Explore", key=f"{lesson.key} explore", type="tertiary"):
        session.current_state(page)
        session.change(page)
        explore()


def choose_screen(lesson: Lesson, state: LessonState) -> None:
    key = f"{lesson.key} screen"
    st.session_state[key] = state.screen
    st.pills("Screen", range(len(lesson.screens)), key=key, format_func=lambda i: f"{i + 1} {lesson.screens[i].title}",
             on_change=take_screen, args=(lesson, state), required=True, label_visibility="collapsed")  # fmt: skip


def take_screen(lesson: Lesson, state: LessonState) -> None:
    """Another screen, from its beginning."""
    state.screen = int(st.session_state[f"{lesson.key} screen"])
    begin_at(lesson, 0)


def questions(lesson: Lesson) -> None:
    """Why, and one question from an earlier page."""
    st.header("4 · Why?")
    ask(lesson.why, f"{lesson.key} why", lesson.experiment.at_first)
    earlier = LESSONS.get(lesson.recall or "")
    if earlier is not None:
        st.header(f"5 · From {earlier.key}, {earlier.title}")
        ask(earlier.why, f"{lesson.key} recalls {earlier.key}", earlier.experiment.at_first)


def onward(lesson: Lesson, link: Link) -> None:
    """To the lessons before and after."""
    before, after = neighbours(lesson.key)
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if before is not None:
            link(before.key, f"← {before.key} {before.title}")
        if after is not None:
            link(after.key, f"{after.key} {after.title} →")
