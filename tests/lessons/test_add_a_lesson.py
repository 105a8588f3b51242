"""docs/add-a-lesson.md is true: the lesson printed there works, and what it says about the parts is so."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from graphlab.lessons import controls, findings
from graphlab.lessons.blanks import blanks_of
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import slots
from graphlab.lessons.lesson import Lesson
from graphlab.lessons.worksheet import worksheet
from tests.lessons.test_house import CONSTANT, CONTROLS, INPUTS, stated_results, strange_numbers

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-lesson.md").read_text("utf-8")


def printed() -> str:
    """The lesson of the page."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    return str(code)


def test_the_printed_lesson_works() -> None:
    """It finds what it expects, can be stepped, asked and printed."""
    scope: dict[str, Any] = {}
    exec(compile(printed(), "add-a-lesson.md", "exec"), scope)
    lesson: Lesson = scope["LESSON"]
    found = lesson.experiment.at_first
    assert found.quantities["slope"].shown == "6"
    assert all(view.as_table().rows for view in found.views)
    assert slots(*(choice.reply for choice in lesson.predict.choices)) <= set(found.quantities)
    for screen in lesson.screens:
        assert screen.latex and screen.walk is not None and blanks_of(screen.walk.trace, screen.blanks)
    assert "· solution" in worksheet(lesson)
    assert lesson.key not in LESSONS


def test_the_printed_lesson_keeps_the_rules() -> None:
    tree = ast.parse(printed())
    assert not strange_numbers(tree) and not stated_results(tree)


def test_the_page_names_every_control_and_view_and_every_place_for_numbers() -> None:
    for name in (*CONTROLS, "Table", "Lines", "Bars", "Heat", "Plane", "Formula", "Drawing"):
        assert f"`{name}" in PAGE and (hasattr(controls, name) or hasattr(findings, name))
    assert all(f"`{name}=`" in PAGE for name in INPUTS)
    assert all(f"`{suffix}`" in PAGE for suffix in re.findall(r"[A-Z]{3,}", CONSTANT.pattern))
