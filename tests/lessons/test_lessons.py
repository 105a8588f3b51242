"""What holds for every lesson: questions, blanks, texts and screens are whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphlab.errors import UnknownName
from graphlab.lessons.blanks import blanks_of, check, hint, number_of
from graphlab.lessons.controls import Numbers, first_settings, settings_within
from graphlab.lessons.course import BY_NEED, LECTURE, LESSONS, neighbours, route_by_need
from graphlab.lessons.findings import slots
from graphlab.lessons.lesson import Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import full_digits
from graphlab.ui.values import read_value, write_value

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))
STEPPED = [(lesson, screen) for lesson in LESSONS.values() for screen in lesson.screens if screen.walk is not None]
EVERY_WALK = pytest.mark.parametrize(("lesson", "screen"), STEPPED, ids=[f"{x.key} {s.title}" for x, s in STEPPED])


def walk_of(screen: Screen) -> Walk:
    assert screen.walk is not None
    return screen.walk


@EVERY
def test_a_question_has_one_right_and_one_tempting_answer(lesson: Lesson) -> None:
    for question in (lesson.predict, lesson.why):
        assert 2 <= len(question.choices) <= 4
        assert sum(choice.right for choice in question.choices) == 1
        assert sum(choice.tempting and not choice.right for choice in question.choices) == 1
        assert len({choice.text for choice in question.choices}) == len(question.choices)
        assert all(choice.reply for choice in question.choices)


@EVERY
def test_what_a_lesson_needs_and_recalls_comes_before_it(lesson: Lesson) -> None:
    """On the route by need; what is not written yet counts by its place in the lecture."""
    order = [key for key in BY_NEED if key in LECTURE] + [key for key in LESSONS if key not in LECTURE]
    for earlier in (*lesson.needs, *filter(None, [lesson.recall])):
        assert order.index(earlier) < order.index(lesson.key), (lesson.key, earlier)


@EVERY
def test_texts_mention_only_what_the_experiment_finds(lesson: Lesson) -> None:
    found = lesson.experiment.at_first.quantities
    texts = [lesson.says, *(screen.says for screen in lesson.screens)]
    for question in (lesson.predict, lesson.why):
        texts += [question.text, *(choice.reply for choice in question.choices)]
    assert slots(*texts) <= set(found)
    assert set(lesson.experiment.expect) <= set(found)


@EVERY
def test_the_reply_to_the_tempting_answer_says_what_the_experiment_found(lesson: Lesson) -> None:
    (tempting,) = [choice for choice in lesson.predict.choices if choice.tempting]
    assert slots(tempting.reply)


@EVERY
def test_every_view_can_be_read_as_a_table(lesson: Lesson) -> None:
    shown = [screen.show().views for screen in lesson.screens if screen.show is not None]
    for view in [*lesson.experiment.at_first.views, *(view for views in shown for view in views)]:
        table = view.as_table()
        assert table.title and table.rows
        assert {len(row) for row in table.texts} == {len(table.columns)}


@EVERY
def test_settings_survive_a_link_and_nonsense_does_not(lesson: Lesson) -> None:
    controls = lesson.experiment.controls
    assert settings_within(controls, first_settings(controls)) == first_settings(controls)
    for nonsense in (None, "nonsense", [], [["x"]], float("nan"), {"a": 1}, 10**9):
        settings = settings_within(controls, dict.fromkeys(controls, nonsense))
        assert lesson.experiment.run(settings).quantities


@EVERY
def test_whole_numbers_may_be_typed_without_a_point(lesson: Lesson) -> None:
    """A list of them is still a list of numbers, not of ids, which have no gradient."""
    controls = lesson.experiment.controls
    whole = {
        name: np.rint(control.first).astype(int).tolist()
        for name, control in controls.items()
        if isinstance(control, Numbers)
    }
    assert lesson.experiment.run(settings_within(controls, whole)).quantities


@EVERY_WALK
def test_a_screen_can_be_stepped_and_written(lesson: Lesson, screen: Screen) -> None:
    assert walk_of(screen).trace.steps
    assert len(screen.latex) == len(screen.formulas)
    lesson.experiment.at_first.fill(screen.says)


@EVERY_WALK
def test_blanks_take_the_right_answer_and_no_other(lesson: Lesson, screen: Screen) -> None:
    """In all digits and in three; twice and minus the number are refused where they are others."""
    walk = walk_of(screen)
    for blank in blanks_of(walk.trace, screen.blanks):
        number = number_of(walk.trace, blank)
        assert check(walk, blank, full_digits(number)).right, blank
        assert check(walk, blank, blank.name).right is None, "the name of what is asked is no answer"
        for wrong in (2 * number, number + 1):
            if (wrong != number).any() if hasattr(wrong, "any") else wrong != number:
                assert check(walk, blank, full_digits(wrong)).right is False, blank
        assert check(walk, blank, "nobody_knows + 1").right is None
        assert check(walk, blank, "(((").right is None


@EVERY_WALK
def test_hints_go_from_a_question_to_the_line_itself(lesson: Lesson, screen: Screen) -> None:
    walk = walk_of(screen)
    for blank in blanks_of(walk.trace, screen.blanks):
        hints = [hint(walk, blank, attempts) for attempts in (1, 2, 3, 4, 5)]
        assert hints[0].endswith("?") and all(hints) and hints[3] == hints[4]


@EVERY_WALK
def test_a_text_program_can_be_opened_elsewhere_with_its_values(lesson: Lesson, screen: Screen) -> None:
    """What the Explore page is handed reads back to the same numbers."""
    walk = walk_of(screen)
    typed = {name: read_value(name, write_value(value)) for name, value in walk.values.items()}
    assert walk.graph.evaluate(typed) is not None


def test_a_blank_that_the_pass_does_not_compute_is_an_error() -> None:
    with pytest.raises(UnknownName, match="x_bar"):
        blanks_of(Walk(program="y = 2a", values={"a": 1}).trace, ["x_bar"])


def test_the_order_of_choices_does_not_depend_on_how_they_are_written() -> None:
    question = LESSONS["4"].predict
    assert replace(question, choices=question.choices[::-1]).mixed == question.mixed
    assert isinstance(question, Question)


def test_both_routes_go_through_every_lesson_once() -> None:
    assert sorted(LECTURE) == sorted(BY_NEED) and len(LECTURE) == 17
    assert sorted(lesson.key for lesson in route_by_need()) == sorted(LESSONS)
    first, *_, last = LESSONS
    assert neighbours(first)[0] is None and neighbours(last)[1] is None
