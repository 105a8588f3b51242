"""The course: all lessons, in the order of the lecture and by need.

A lesson is a module of `graphlab.lessons.rungs` with a LESSON; nothing else names it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from graphlab.lessons import rungs
from graphlab.lessons.lesson import Lesson

LECTURE = "1 2 3 4 5 5a 5b 5c 6 7 8a 8 9 10 11 12 13".split()
BY_NEED = "4 5 2 1 3 5a 5b 5c 6 7 8a 8 9 10 11 12 13".split()


def find_lessons() -> dict[str, Lesson]:
    """Every lesson by its key: the lecture's order first, then those of others by name."""
    modules = [import_module(f"{rungs.__name__}.{found.name}") for found in pkgutil.iter_modules(rungs.__path__)]
    lessons = {module.LESSON.key: module.LESSON for module in modules if hasattr(module, "LESSON")}
    return dict(sorted(lessons.items(), key=lambda item: place(item[0], LECTURE)))


def place(key: str, order: list[str]) -> tuple[int, str]:
    """Where a lesson stands in an order; one that it does not name comes last."""
    return (order.index(key) if key in order else len(order), key)


LESSONS: Mapping[str, Lesson] = find_lessons()


def route_by_need() -> list[Lesson]:
    """The lessons in the order in which each finds what it needs."""
    return sorted(LESSONS.values(), key=lambda lesson: place(lesson.key, BY_NEED))


def neighbours(key: str) -> tuple[Lesson | None, Lesson | None]:
    """The lessons before and after this one in the lecture."""
    keys = list(LESSONS)
    at = keys.index(key)
    return (LESSONS[keys[at - 1]] if at else None, LESSONS[keys[at + 1]] if at + 1 < len(keys) else None)
