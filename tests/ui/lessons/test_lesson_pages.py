"""Every lesson's page in Streamlit's own test harness: predict, experiment, steps, blanks, lecture."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from graphlab.lessons.blanks import blanks_of, number_of
from graphlab.lessons.controls import Choose, Numbers, Points, Slider, Switch, Text
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Quantity
from graphlab.lessons.lesson import Choice, Lesson, Walk
from graphlab.tracing.numbers import full_digits
from graphlab.ui.lessons.controls import is_long
from graphlab.ui.state import LessonState, from_link, to_link
from graphlab.ui.values import write_value
from tests.lessons.test_numbers import oracle

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))


def script(key: str) -> None:
    """A lesson alone: AppTest does not follow links between pages."""
    import streamlit as st

    from graphlab.ui.lessons.page import lesson_page

    lesson_page(key, lambda: None, lambda key, label: st.caption(f"{key}: {label}") and None, lambda: None)


def page(lesson: Lesson, state: LessonState | None = None) -> AppTest:
    test = AppTest.from_function(script, args=(lesson.key,), default_timeout=60)
    if state is not None:
        test.query_params["s"] = to_link(state) or ""
    return test.run()


def opened(lesson: Lesson) -> AppTest:
    """With the whole page in sight."""
    test = page(lesson)
    return test.button(key=f"{lesson.key} look").click().run()


def whole(test: AppTest) -> bool:
    return not (test.exception or test.error or test.warning)


def shown(test: AppTest) -> LessonState:
    """What the address says."""
    return from_link(str(test.query_params["s"]), LessonState)


def choice(lesson: Lesson, kind: str) -> Choice:
    (found,) = [one for one in lesson.predict.choices if getattr(one, kind)]
    return found


@EVERY
def test_the_experiment_waits_for_a_prediction(lesson: Lesson) -> None:
    test = page(lesson)
    assert whole(test) and not test.metric
    assert whole(opened(lesson)) and opened(lesson).metric


@EVERY
def test_the_tempting_answer_stays_in_sight_and_the_right_one_ends_it(lesson: Lesson) -> None:
    test = page(lesson)
    question = f"choice {lesson.key} predict"
    tempting, right = choice(lesson, "tempting"), choice(lesson, "right")
    test.radio(key=question).set_value(tempting.text).run()
    fill = lesson.experiment.at_first.fill
    assert whole(test) and [info.value for info in test.info] == [fill(tempting.reply)]
    test.radio(key=question).set_value(right.text).run()
    assert whole(test) and test.info[0].value == fill(right.reply)
    assert any(tempting.text in caption.value and fill(tempting.reply) in caption.value for caption in test.caption)


@EVERY
def test_the_page_shows_what_is_expected(lesson: Lesson) -> None:
    """At the digits of the page, against numbers found without graphlab: under its label, or in a table."""
    test = opened(lesson)
    test.toggle(key="lesson tables").set_value(True).run()
    metrics = {metric.label: metric.value for metric in test.metric}
    cells = {str(cell).replace("\\", "").strip("*◀ ") for table in test.table for cell in table.value.to_numpy().flat}
    for name, value in oracle(lesson).items():
        quantity, written = lesson.experiment.at_first.quantities[name], Quantity("", value).shown
        entries = {Quantity("", entry).shown for entry in np.ravel(value)}
        assert entries <= cells or written in cells if quantity.in_view else metrics[quantity.label] == written, name


def move(test: AppTest, lesson: Lesson, name: str) -> None:
    """Set one control to something else."""
    control, key = lesson.experiment.controls[name], f"{lesson.key} {name}"
    if isinstance(control, Slider):
        test.slider(key=key).set_value(control.most if control.first != control.most else control.least)
    elif isinstance(control, Switch):
        test.toggle(key=key).set_value(not control.first)
    elif isinstance(control, Choose):
        row = test.pills if is_long(control) else test.segmented_control
        row(key=key).set_value(next(one for one in control.options if one != control.first))
    elif isinstance(control, Numbers):
        test.text_input(key=key).set_value(re.sub("[02-9]", "1", write_value(control.first), count=1))
    elif isinstance(control, Text):
        test.text_input(key=key).set_value(control.first[: len(control.first) // 2])
    elif isinstance(control, Points):
        test.session_state[key] = [*control.first, [0.0, 0.0, 1.0]]
    test.run()


@EVERY
def test_every_control_can_be_moved_and_the_link_keeps_it(lesson: Lesson) -> None:
    for name in lesson.experiment.controls:
        test = opened(lesson)
        move(test, lesson, name)
        assert whole(test), name
        state = shown(test)
        assert name in state.chosen
        again = page(lesson, state)
        assert whole(again)
        values = [metric.value for metric in test.metric]
        assert [metric.value for metric in again.metric] == values


@EVERY
def test_every_screen_opens(lesson: Lesson) -> None:
    for screen in range(len(lesson.screens)):
        test = page(lesson, LessonState(screen=screen, step=1))
        assert whole(test), screen
        assert any(lesson.screens[screen].title in text.value for text in test.markdown)


def asked_walks(lesson: Lesson) -> list[tuple[int, Walk]]:
    return [(i, s.walk) for i, s in enumerate(lesson.screens) if s.walk is not None and s.blanks]


@EVERY
def test_blanks_are_filled_from_the_last_step_backwards(lesson: Lesson) -> None:
    """One blank; after the right answer one more."""
    for screen, walk in asked_walks(lesson):
        blanks = blanks_of(walk.trace, lesson.screens[screen].blanks)
        test = page(lesson, LessonState(screen=screen, step=1))
        test.segmented_control(key=f"{lesson.key} stage {screen}").set_value("Last step blank").run()
        for blank in blanks[-1:-3:-1]:
            field = test.text_input(key=f"{lesson.key} blank {screen} {blank.name}")
            field.set_value(full_digits(number_of(walk.trace, blank))).run()
            assert whole(test) and test.success
            if blank is not blanks[0]:
                test.button(key=f"{lesson.key} stage {screen} more").click().run()


@EVERY
def test_a_wrong_answer_is_met_step_by_step_and_never_costs_the_line_unasked(lesson: Lesson) -> None:
    screen, walk = asked_walks(lesson)[0]
    blank = blanks_of(walk.trace, lesson.screens[screen].blanks)[-1]
    test = page(lesson, LessonState(screen=screen, step=1))
    test.segmented_control(key=f"{lesson.key} stage {screen}").set_value("All blank").run()
    key = f"{lesson.key} blank {screen} {blank.name}"
    wrong = full_digits(number_of(walk.trace, blank) + 7)
    said = []
    for spaces in range(4):
        test.text_input(key=key).set_value(wrong + " " * spaces).run()
        assert whole(test) and test.text_input(key=key).value.strip() == wrong
        said.append(test.info[0].value)
    assert len(set(said)) == 4
    test.text_input(key=key).set_value("what?").run()
    assert whole(test)


@EVERY
def test_everything_can_be_read_as_tables(lesson: Lesson) -> None:
    test = opened(lesson)
    test.toggle(key="lesson tables").set_value(True).run()
    assert whole(test)
    assert len(test.table) >= len(lesson.experiment.at_first.views)
    assert not test.get("arrow_vega_lite_chart")


@EVERY
def test_a_lecture_goes_through_every_beat(lesson: Lesson) -> None:
    from graphlab.ui.lessons.lecture import slides

    for slide in range(len(slides(lesson, LessonState()))):
        test = AppTest.from_function(script, args=(lesson.key,), default_timeout=60)
        test.query_params["s"], test.query_params["lecture"] = to_link(LessonState(slide=slide)) or "", "1"
        test.run()
        assert whole(test), slide
        assert not test.header and not test.radio


@pytest.mark.parametrize(
    "packed", ["nonsense", to_link(LessonState(screen=99, slide=99, step=10**6, chosen={"x": "y"}))]
)
def test_a_damaged_link_opens_the_lesson_all_the_same(packed: str) -> None:
    test = AppTest.from_function(script, args=("4",), default_timeout=60)
    test.query_params["s"] = packed
    assert not test.run().exception


def test_what_no_list_of_numbers_is_said_at_its_field() -> None:
    lesson = LESSONS["5b"]
    for typed in ("[1, 2]", "[1, 2, x]", "hello", "[[1, 2, 3]]", "[1, 2, NaN]"):
        test = opened(lesson)
        test.text_input(key="5b scores").set_value(typed).run()
        assert test.warning and not test.exception
        assert test.metric[0].value == lesson.experiment.at_first.quantities["p"].shown
