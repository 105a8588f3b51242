"""Lecture mode: one beat fills the screen, Page down and Page up walk through beats and steps.

The keys are heard in the browser (assets/lecture.js): `l` in and out, `b` black, `+ −` size, `r` from the beginning,
`q` a QR code of this very step. A key that the viewer uses for a step never turns the page.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import segno
import streamlit as st

from graphlab.lessons.course import LESSONS
from graphlab.lessons.lesson import Lesson
from graphlab.ui.lessons.controls import choose_settings
from graphlab.ui.lessons.questions import show_answered
from graphlab.ui.lessons.stepping import begin_at, lesson_scene, opened_boxes, show_screen
from graphlab.ui.lessons.training import training_place
from graphlab.ui.lessons.views import show_findings
from graphlab.ui.state import LessonState

ASSETS = Path(__file__).parent / "assets"
LONGEST_ADDRESS = 2_900  # what a QR code holds
FLAG = "lecture"


def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "graphlab_lecture", html=_read("lecture.html"), css=_read("lecture.css"), js=_read("lecture.js")
)


class Slide(NamedTuple):
    """One beat on the screen: what draws it, and the screen of the lesson that it steps, if any."""

    draw: Callable[[], None]
    screen: int | None = None


def slides(lesson: Lesson, state: LessonState) -> list[Slide]:
    """The lesson, beat by beat."""
    first = lesson.experiment.at_first
    beats = [
        Slide(lambda: show_question(lesson)),
        Slide(lambda: show_answered(lesson.predict, first)),
        Slide(lambda: show_experiment(lesson, state)),
    ]
    if lesson.training:
        beats.append(Slide(lambda: training_place(lesson, as_tables=False, large=True)))
    beats += [Slide(lambda: show_screen(lesson, state, lecture=True), screen) for screen in range(len(lesson.screens))]
    beats.append(Slide(lambda: show_answered(lesson.why, first)))
    earlier = LESSONS.get(lesson.recall or "")
    if earlier:
        beats.append(Slide(lambda: show_answered(earlier.why, earlier.experiment.at_first)))
    return beats


def show_question(lesson: Lesson) -> None:
    """The question with its choices, as letters to vote for."""
    with st.container(key="question"):
        st.title(f"{lesson.key} · {lesson.title}")
        st.markdown(lesson.experiment.at_first.fill(lesson.predict.text))
        for letter, choice in zip("ABCD", lesson.predict.mixed, strict=False):
            st.markdown(f"**{letter}**\u2003{choice.text}")


def show_experiment(lesson: Lesson, state: LessonState) -> None:
    """What is found, and below it the controls."""
    st.markdown(lesson.experiment.question)
    place = st.container()
    settings = choose_settings(lesson.experiment.controls, state.chosen, lesson.key)
    with place:
        show_findings(lesson.experiment.run(settings), large=True)


def is_lecture() -> bool:
    """Whether this session shows lectures; at first what the address says."""
    if FLAG not in st.session_state:
        st.session_state[FLAG] = st.query_params.get(FLAG) == "1"
    return bool(st.session_state[FLAG])


def show_lecture(lesson: Lesson, state: LessonState) -> None:
    """The present beat, alone."""
    st.html(f"<style>{_read('projected.css')}</style>")
    st.query_params[FLAG] = "1"
    beats = slides(lesson, state)
    state.slide = min(max(state.slide, 0), len(beats) - 1)
    beat = beats[state.slide]
    if beat.screen is not None:
        state.screen = beat.screen
    hear_keys(lesson, state, len(beats))
    with st.container(key="lecture"):
        beat.draw()
    prepare(lesson, [later.screen for later in beats[state.slide + 1 : state.slide + 2]])


def prepare(lesson: Lesson, screens: list[int | None]) -> None:
    """Draw what comes next while the present beat is shown, so that no audience waits."""
    for screen in screens:
        walk = lesson.screens[screen].walk if screen is not None else None
        if screen is not None and walk is not None:
            lesson_scene(lesson.key, screen, opened_boxes(walk, LessonState()), None)


def hear_keys(lesson: Lesson, state: LessonState, beats: int = 0) -> None:
    """Listen to the keys; with `beats`, as a lecture."""
    code = st.session_state.pop("lesson code", "")
    title = f"{lesson.key} · {lesson.title}"
    data = {"lecture": beats > 0, "slide": state.slide + 1, "slides": beats, "title": title, "code": code}
    _mount(
        key=f"{lesson.key} keys",
        data=data,
        on_turn_change=lambda: turn(lesson, state),
        on_toggle_change=toggle,
        on_reset_change=lambda: restart(lesson, state),
        on_address_change=lambda: make_code(lesson),
    )


def told(lesson: Lesson, name: str) -> Any:
    return (st.session_state.get(f"{lesson.key} keys") or {}).get(name)


def turn(lesson: Lesson, state: LessonState) -> None:
    """To the next beat from its first step, or to the one before at its last step."""
    beats, by = slides(lesson, state), 1 if told(lesson, "turn") == 1 else -1
    if not 0 <= state.slide + by < len(beats):
        return
    state.slide += by
    screen = beats[state.slide].screen
    if screen is not None:
        walk = lesson.screens[screen].walk
        begin_at(lesson, len(walk.trace.steps) if walk is not None and by < 0 else 0)


def toggle() -> None:
    st.session_state[FLAG] = not st.session_state.get(FLAG)
    if not st.session_state[FLAG]:
        st.query_params.pop(FLAG, None)


def restart(lesson: Lesson, state: LessonState) -> None:
    """From the beginning, with the settings as at first."""
    state.slide = state.step = state.screen = 0
    state.chosen = {}
    begin_at(lesson, 0)


def make_code(lesson: Lesson) -> None:
    """A QR code of the address that the browser told."""
    address = str(told(lesson, "address") or "")
    if not address.startswith(("http://", "https://")) or len(address) > LONGEST_ADDRESS:
        return
    picture = BytesIO()
    segno.make_qr(address, error="L").save(picture, kind="svg", border=4, dark="#000", light="#fff", omitsize=True)
    st.session_state["lesson code"] = picture.getvalue().decode()
