"""Points of the plane from a CSV file: three columns, x₁, x₂ and the class 0 or 1; a first line may name them.

A file that cannot be used is refused with the line and the reason.
"""

from __future__ import annotations

import csv
import math

from graphlab.errors import LimitError, ValueProblem

COLUMNS = 3
LARGEST_FILE = 1_000_000  # characters
WANTED = "A line is x1, x2, class, for example 0.5, -1.2, 1."


def read_points(text: str, most: int) -> list[list[float]]:
    """The rows [x₁, x₂, y] of a CSV text with at most `most` points, separated by commas, semicolons or tabs.

    Raises ValueProblem, naming line and reason, for what is no such table, and LimitError for too many rows.
    """
    if len(text) > LARGEST_FILE:
        raise LimitError(f"the file has {len(text):,} characters; at most {LARGEST_FILE:,} are read", hint=few(most))
    lines = text.lstrip("\N{ZERO WIDTH NO-BREAK SPACE}").splitlines()
    rows: list[list[float]] = []
    for number, cells in enumerate(csv.reader(lines, delimiter=delimiter_of(lines)), start=1):
        if not any(cell.strip() for cell in cells) or (number == 1 and is_heading(cells)):
            continue
        rows.append(read_row(number, cells))
        if len(rows) > most:
            raise LimitError(f"line {number}: there are more than {most} points", hint=few(most))
    if not rows:
        raise ValueProblem("the file has no points", hint=WANTED)
    return rows


def few(most: int) -> str:
    return f"Choose {most} points or fewer."


def delimiter_of(lines: list[str]) -> str:
    """What separates the cells of the first line."""
    return next((sign for sign in ";\t" if lines and sign in lines[0]), ",")


def is_heading(cells: list[str]) -> bool:
    """Names instead of numbers, in every column."""
    return len(cells) == COLUMNS and not any(is_number(cell) for cell in cells)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_row(number: int, cells: list[str]) -> list[float]:
    """One point. ValueProblem says what is wrong with the line."""
    if len(cells) != COLUMNS:
        raise ValueProblem(f"line {number}: {len(cells)} columns instead of {COLUMNS}", hint=WANTED)
    for cell in cells:
        if not is_number(cell):
            raise ValueProblem(f"line {number}: {cell.strip()!r:.40} is not a number", hint=WANTED)
        if not math.isfinite(float(cell)):
            raise ValueProblem(f"line {number}: {cell.strip()!r:.40} is not a finite number", hint=WANTED)
    x1, x2, label = map(float, cells)
    if label not in (0, 1):
        raise ValueProblem(f"line {number}: the class is {cells[2].strip()}, not 0 or 1", hint=WANTED)
    return [x1, x2, label]
