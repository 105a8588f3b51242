"""The third and fourth beat: a screen's formulas, its graph to step, and blanks to fill in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from graphlab.errors import GraphLabError, NoRule, UnknownName
from graphlab.lessons.blanks import Blank, blanks_of, check, hint, is_told, number_of, title_of
from graphlab.lessons.course import LESSONS
from graphlab.lessons.lesson import Lesson, Screen, Walk
from graphlab.render.scene import scene
from graphlab.tracing.folding import fold, suggested_open
from graphlab.tracing.numbers import show_value
from graphlab.tracing.scopes import is_scope
from graphlab.tracing.trace import Trace
from graphlab.tracing.words import Letters, show_formula
from graphlab.ui import session, tour
from graphlab.ui.drawing import wanted_formulas
from graphlab.ui.lessons.progress import answers, is_filled
from graphlab.ui.lessons.views import show_findings
from graphlab.ui.plain import plain, with_hint
from graphlab.ui.state import LessonState, PageState, ShownGraph
from graphlab.ui.values import write_value
from graphlab.ui.viewer.component import graph_viewer

FIRST_BOXES = 14
FIELD_WIDTH = 340
WATCH, LAST, ALL = STAGES = ("Watch", "Last step blank", "All blank")


def show_screen(lesson: Lesson, state: LessonState, *, as_tables: bool = False, lecture: bool = False) -> None:
    """One screen of a lesson: what it says, its formulas, its graph."""
    begins = st.session_state.pop(begins_key(lesson), None)
    if begins is not None:
        state.step, state.opened, state.selected = begins, None, None
    screen = lesson.screens[state.screen]
    st.markdown(f"**{screen.title}.** {lesson.experiment.at_first.fill(screen.says)}")
    if screen.show is not None:
        show_findings(screen.show(), as_tables=as_tables, large=lecture)
    if screen.walk is None:
        return
    blank = 0 if lecture else choose_blanks(lesson, state.screen)
    for latex in () if lecture else screen.latex[:1] if blank else screen.latex:
        st.latex(latex)
    if blank:
        fill_in(lesson, state.screen, blank, as_tables=as_tables)
    else:
        step_through(lesson, state, as_tables=as_tables, lecture=lecture)


def revision(lesson: Lesson) -> int:
    """How often Python, not the reader, has moved this lesson's viewer."""
    return int(st.session_state.get(f"{lesson.key} viewer revision", 0))


def move_viewer(lesson: Lesson) -> None:
    """Have the viewer take over what the lesson's state says."""
    st.session_state[f"{lesson.key} viewer revision"] = revision(lesson) + 1


def begin_at(lesson: Lesson, step: int) -> None:
    """Have the next screen begin at a step. That is done when it is drawn, for the viewer before it may still tell its
    own step among the callbacks."""
    st.session_state[begins_key(lesson)] = step
    move_viewer(lesson)


def begins_key(lesson: Lesson) -> str:
    return f"{lesson.key} begins"


# ---- watching --------------------------------------------------------------------------------------------------------
@st.fragment
def step_through(lesson: Lesson, state: LessonState, *, as_tables: bool, lecture: bool) -> None:
    """The graph in the viewer, or the pass as on paper, stepped by the reader."""
    walk = lesson.screens[state.screen].walk
    assert walk is not None, "there is a graph"
    try:
        shown = lesson_scene(lesson.key, state.screen, opened_boxes(walk, state), wanted_formulas(state.prefs))
    except (UnknownName, NoRule, GraphLabError) as fault:
        st.warning(with_hint(fault))
        state.opened = None
        shown = lesson_scene(lesson.key, state.screen, opened_boxes(walk, state), None)
    key = f"{lesson.key} viewer {state.screen}"
    graph_viewer(shown, state, key=key, revision=revision(lesson), lecture=lecture, table_only=as_tables)
    st.session_state["lesson prefs"] = state.prefs
    session.remember(state)


def opened_boxes(walk: Walk, state: ShownGraph) -> tuple[str, ...]:
    """The boxes that are open; at first those that the walk names, in a model as many as can be read."""
    if state.opened is None:
        named = [walk.id_of(name) for name in walk.open]
        state.opened = named or suggested_open(walk.trace, FIRST_BOXES)
    return tuple(state.opened)


@st.cache_resource(max_entries=128, show_spinner="Drawing the graph …")
def lesson_scene(key: str, screen: int, opened: tuple[str, ...], formulas: Letters | None) -> Mapping[str, Any]:
    """The picture of a screen with these boxes open. Raises what `fold` raises for boxes that are not there."""
    walk = LESSONS[key].screens[screen].walk
    assert walk is not None, "there is a graph"
    trace = walk.run([box for box in opened if not is_scope(box)])
    nudges = tour.nudges(walk.graph, trace) if trace.kind == "reverse" and not opened else None
    return scene(fold(trace, opened), nudges=nudges, formulas=formulas)


def explore_page(walk: Walk) -> PageState | None:
    """What the Explore page shows of this graph; None where it has no text."""
    if not isinstance(walk.program, str):
        return None
    formula = walk.program.replace("; ", "\n")
    return PageState(formula=formula, values={name: write_value(value) for name, value in walk.values.items()})


# ---- filling in ------------------------------------------------------------------------------------------------------
def choose_blanks(lesson: Lesson, screen: int) -> int:
    """How many steps are asked, counted from the last one: none, one, one more with every success, or all."""
    asked = len(lesson.screens[screen].blanks)
    if not asked:
        return 0
    key = f"{lesson.key} stage {screen}"
    stage = st.segmented_control("What you do", STAGES, key=key, default=WATCH, required=True)
    more = f"{lesson.key} more {screen}"
    if stage == LAST:
        done = [is_filled(answers(lesson, screen).get(name)) for name in names_by_step(lesson.screens[screen])]
        number = min(st.session_state.get(more, 1), asked)
        if number < asked and all(done[asked - number :]):
            st.button("One step more", key=f"{key} more", on_click=set_number, args=(more, number + 1), type="primary")
        return int(number)
    return asked if stage == ALL else 0


def set_number(key: str, number: int) -> None:
    st.session_state[key] = number


def names_by_step(screen: Screen) -> list[str]:
    assert screen.walk is not None
    return [blank.name for blank in blanks_of(screen.walk.trace, screen.blanks)]


def fill_in(lesson: Lesson, screen: int, number: int, *, as_tables: bool) -> None:
    """The pass as on paper, with fields for the last `number` blanks, and the graph as far as they are filled."""
    walk = lesson.screens[screen].walk
    assert walk is not None
    trace = walk.trace
    blanks = blanks_of(trace, lesson.screens[screen].blanks)
    asked = blanks[len(blanks) - number :]
    given = answers(lesson, screen)
    waiting = [blank for blank in asked if not is_filled(given.get(blank.name))]
    if not as_tables:
        show_progress(lesson, screen, waiting[0].step - 1 if waiting else len(trace.steps))
    with st.container(horizontal=True):
        for blank in blanks:
            with st.container(width=FIELD_WIDTH):
                row(lesson, screen, walk, blank, is_asked=blank in asked)
    if not waiting:
        st.success("All filled in.", icon=":material/check:")


def show_progress(lesson: Lesson, screen: int, step: int) -> None:
    """The graph with what is known so far."""
    key = f"{lesson.key} asking {screen}"
    began = st.session_state.get("lesson prefs", {})
    shown = ShownGraph(step=step, prefs={**began, "table": False})
    graph_viewer(partial_scene(lesson.key, screen, step), shown, key=key, revision=step)


@st.cache_resource(max_entries=128, show_spinner=False)
def partial_scene(key: str, screen: int, step: int) -> Mapping[str, Any]:
    """The picture after so many steps, which holds no number of a later one."""
    walk = LESSONS[key].screens[screen].walk
    assert walk is not None
    return scene(without_later_numbers(walk.trace.upto(step)))


def without_later_numbers(trace: Trace) -> Trace:
    """A trace in which values that its steps have not reached are left out."""
    known = trace.known_values
    hidden = [n if n.id in known or n.role == "backward" else replace(n, value=None) for n in trace.nodes]
    return replace(trace, nodes=tuple(hidden))


def row(lesson: Lesson, screen: int, walk: Walk, blank: Blank, *, is_asked: bool) -> None:
    """One line: a number that is given, or a field and what is said to its answer."""
    trace, title = walk.trace, title_of(walk.trace, blank)
    node = trace.node(blank.node)
    rule = "" if blank.is_gradient or node.role == "input" else f" = {show_formula(node.text)}"
    if not is_asked:
        st.markdown(plain(f"{title}{rule} = {show_value(number_of(trace, blank))}"))
        return
    given = answers(lesson, screen)
    answer = given.get(blank.name)
    key = f"{lesson.key} blank {screen} {blank.name}"
    st.session_state.setdefault(key, answer["text"] if answer else "")
    st.text_input(
        f"{title}{rule}",
        key=key,
        on_change=judge,
        args=(lesson, screen, blank, key),
        placeholder="a number or a formula",
    )
    if answer:
        say(walk, blank, answer)


def judge(lesson: Lesson, screen: int, blank: Blank, key: str) -> None:
    """Take an answer; a wrong one counts towards the next hint, one that cannot be read does not."""
    walk, text = lesson.screens[screen].walk, st.session_state[key]
    if walk is None or not text.strip():
        return
    verdict = check(walk, blank, text)
    given = answers(lesson, screen)
    attempts = (given.get(blank.name) or {}).get("attempts", 0) + (verdict.right is False)
    given[blank.name] = {"text": text, "attempts": attempts, "right": bool(verdict.right), "said": verdict.message}


def say(walk: Walk, blank: Blank, answer: Mapping[str, Any]) -> None:
    """The verdict, and to a wrong answer a hint; never more than the attempts have earned."""
    if answer["right"]:
        st.caption(f":material/check: {plain(answer['said'])}")
        return
    help_text = hint(walk, blank, answer["attempts"]) if answer["attempts"] else ""
    icon = ":material/visibility:" if is_told(answer["attempts"]) else ":material/chat_bubble:"
    st.info(plain(f"{answer['said']} {help_text}".strip()), icon=icon)
