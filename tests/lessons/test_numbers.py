"""What every lesson's `expect` names comes out as the file of its rung computes it, at the digits that a page shows."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Quantity
from graphlab.lessons.lesson import Lesson
from tests.requirements import needs

needs("torch")


def oracle(lesson: Lesson) -> dict[str, Any]:
    """`expected()` of tests/lessons/rungs/test_rung_<key>.py: the quantities by name, found without graphlab."""
    found: dict[str, Any] = import_module(f"tests.lessons.rungs.test_rung_{lesson.key}").expected()
    return found


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))
def test_what_is_expected_is_found(lesson: Lesson) -> None:
    """Compared as written on the page."""
    found, wanted = lesson.experiment.at_first.quantities, oracle(lesson)
    assert lesson.experiment.expect and set(wanted) == set(lesson.experiment.expect)
    shown = {name: found[name].shown for name in wanted}
    assert shown == {name: Quantity("", value).shown for name, value in wanted.items()}
