"""Training live: a fragment that runs again and again while it is switched on. The session holds its numbers only.

It stops when it is told to, at its last step, and when another page is shown.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from graphlab.lessons.lesson import Lesson, Training
from graphlab.ui.lessons.controls import choose_settings
from graphlab.ui.lessons.views import show_findings

EVERY_SECONDS = 0.4
BUSY_SECONDS = 0.25  # of each of them
SPEEDS = {"20 steps a second": 20, "100": 100, "as fast as it goes": 100_000}
RUNNING = "lesson trains"


def training_place(lesson: Lesson, *, as_tables: bool, large: bool = False) -> None:
    """The controls, the buttons, and what is learnt."""
    training = lesson.training
    assert training is not None, "there is something to train"
    st.markdown("**Train it yourself**")
    settings = choose_settings(training.controls, st.session_state.get(settings_key(lesson), {}), f"{lesson.key} train")
    if st.session_state.get(settings_key(lesson)) != settings:
        st.session_state[settings_key(lesson)] = settings
        reset(lesson)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        running = st.session_state.get(RUNNING) == lesson.key
        st.button(
            "Stop" if running else "Start",
            key=f"{lesson.key} run",
            on_click=set_running,
            args=(None if running else lesson.key,),
            type="primary",
        )
        st.button("One step", key=f"{lesson.key} one", on_click=advance, args=(lesson, 1), disabled=running)
        st.button("Reset", key=f"{lesson.key} reset", on_click=reset, args=(lesson,))
        key, speeds = f"{lesson.key} speed", list(SPEEDS)
        speed = st.segmented_control("Speed", speeds, key=key, default=speeds[0], required=True)
    if not running:
        edit_weights(lesson, training)
    st.fragment(run_every=EVERY_SECONDS if running else None)(live)(lesson, SPEEDS[str(speed)], as_tables, large)


def live(lesson: Lesson, speed: int, as_tables: bool, large: bool) -> None:
    """What is learnt so far; while it runs, first some more steps."""
    training = lesson.training
    assert training is not None
    if st.session_state.get(RUNNING) == lesson.key:
        advance(lesson, max(1, round(speed * EVERY_SECONDS)))
    state = state_of(lesson)
    show_findings(training.findings(state, settings_of(lesson)), as_tables=as_tables, large=large)
    st.caption(f"step {steps_of(lesson)} of {training.longest}")
    if steps_of(lesson) >= training.longest and st.session_state.get(RUNNING) == lesson.key:
        set_running(None)
        st.rerun()


def advance(lesson: Lesson, steps: int) -> None:
    """So many steps, but no longer than half of the time."""
    training, state, taken = lesson.training, state_of(lesson), steps_of(lesson)
    assert training is not None
    end = time.monotonic() + BUSY_SECONDS
    for _ in range(min(steps, training.longest - taken)):
        state, taken = training.step(state, settings_of(lesson)), taken + 1
        if time.monotonic() > end:
            break
    put(lesson, state, taken)


def edit_weights(lesson: Lesson, training: Training) -> None:
    """The weights as tables that can be changed by hand."""
    state = state_of(lesson)
    if not training.editable:
        return
    with st.expander("Weights"):
        for name in training.editable:
            array = np.asarray(state[name], dtype=float)
            st.caption(name)
            shown = array.reshape(1, -1) if array.ndim < 2 else array
            edited = st.data_editor(
                shown, key=f"{lesson.key} {name} {steps_of(lesson)} {revision(lesson)}", hide_index=True
            )
            found = np.asarray(edited, dtype=float).reshape(array.shape)
            if np.isfinite(found).all() and not np.array_equal(found, array):
                put(lesson, {**state, name: found}, steps_of(lesson))
                st.rerun()


# ---- the session -----------------------------------------------------------------------------------------------------
def set_running(key: str | None) -> None:
    st.session_state[RUNNING] = key


def settings_key(lesson: Lesson) -> str:
    return f"{lesson.key} training settings"


def settings_of(lesson: Lesson) -> Mapping[str, Any]:
    settings: Mapping[str, Any] = st.session_state[settings_key(lesson)]
    return settings


def state_of(lesson: Lesson) -> Mapping[str, Any]:
    """The numbers as they are now."""
    key = f"{lesson.key} training"
    if key not in st.session_state:
        reset(lesson)
    state: Mapping[str, Any] = st.session_state[key]["state"]
    return state


def steps_of(lesson: Lesson) -> int:
    return int(st.session_state[f"{lesson.key} training"]["steps"])


def revision(lesson: Lesson) -> int:
    return int(st.session_state.get(f"{lesson.key} training revision", 0))


def put(lesson: Lesson, state: Mapping[str, Any], steps: int) -> None:
    st.session_state[f"{lesson.key} training"] = {"state": dict(state), "steps": steps}


def reset(lesson: Lesson) -> None:
    """Back to the start."""
    training = lesson.training
    assert training is not None
    set_running(None)
    st.session_state[f"{lesson.key} training revision"] = revision(lesson) + 1
    put(lesson, training.start(settings_of(lesson)), 0)
