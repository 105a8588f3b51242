"""The lesson on paper: blanks on one page, the solution on the next, nothing raw in between."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from graphlab.lessons.course import LESSONS
from graphlab.lessons.lesson import Lesson
from graphlab.lessons.worksheet import worksheet
from graphlab.tracing.numbers import show_value

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))


def sheets(lesson: Lesson) -> list[str]:
    """The two pages."""
    body = worksheet(lesson).partition("<body>")[2]
    return body.split('<section class="page">')[1:]


@EVERY
def test_the_first_page_holds_no_answer_and_the_second_does(lesson: Lesson) -> None:
    empty, solved = sheets(lesson)
    trace = next(s.walk for s in lesson.screens if s.walk is not None and s.blanks).trace
    assert show_value(trace.known_values[trace.output]) in solved and " · solution" in solved
    assert "✓" in solved and "✓" not in empty
    assert len(empty) < len(solved)


def test_the_blanks_of_the_lecture_are_empty_on_the_first_page() -> None:
    """With the numbers for asking: L = −44 stands on the solution only."""
    empty, solved = sheets(LESSONS["4"])
    assert "−44" in solved and "−44" not in empty


@EVERY
def test_it_is_well_formed_and_has_no_script(lesson: Lesson) -> None:
    text = worksheet(lesson)
    assert "<script" not in text and "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    body = "<body>" + text.partition("<body>")[2].replace("</html>", "")
    ElementTree.fromstring(body.replace("<br>", "<br/>"))


def test_texts_are_escaped() -> None:
    evil = replace(LESSONS["4"], title="<img src=x onerror=alert(1)>", says="a <b>bold</b> $x$ & *more*")
    text = worksheet(evil)
    assert "<img" not in text and "<b>" not in text and "<em>more</em>" in text
