"""What a reader has done in this session: texts and numbers, by lesson."""

from __future__ import annotations

from typing import Any

import streamlit as st

from graphlab.lessons.blanks import is_told
from graphlab.lessons.lesson import Lesson
from graphlab.ui import session
from graphlab.ui.state import LessonState

Answer = dict[str, Any]  # of a blank: "text", "attempts" (wrong ones), "right"


def state_of(lesson: Lesson) -> LessonState:
    """Where the reader is in this lesson; at first what the address says."""
    states: dict[str, LessonState] = st.session_state.setdefault("lesson states", {})
    if lesson.key not in states:
        states[lesson.key] = session.opened_state(LessonState) or LessonState()
        states[lesson.key].prefs = dict(states[lesson.key].prefs or st.session_state.get("lesson prefs", {}))
    state = states[lesson.key]
    state.screen = min(max(state.screen, 0), len(lesson.screens) - 1)
    return state


def tried(question: str) -> list[str]:
    """The choices taken for a question so far, in their order; the list itself."""
    return st.session_state.setdefault("lesson choices", {}).setdefault(question, [])  # type: ignore[no-any-return]


def answers(lesson: Lesson, screen: int) -> dict[str, Answer]:
    """The answers given to the blanks of a screen, by their names; the mapping itself."""
    return st.session_state.setdefault("lesson blanks", {}).setdefault(f"{lesson.key} {screen}", {})  # type: ignore[no-any-return]


def is_filled(answer: Answer | None) -> bool:
    """Whether a blank is done: answered, or its line shown."""
    return answer is not None and (answer["right"] or is_told(answer["attempts"]))


def summary(lesson: Lesson) -> str:
    """How far the reader has come: "predicted · 3 of 9 blanks"."""
    parts = ["predicted"] if tried(f"{lesson.key} predict") else []
    blanks = [(i, name) for i, screen in enumerate(lesson.screens) for name in screen.blanks]
    solved = sum(bool((answers(lesson, i).get(name) or {}).get("right")) for i, name in blanks)
    if solved:
        parts.append(f"{solved} of {len(blanks)} blanks")
    return " · ".join(parts)
