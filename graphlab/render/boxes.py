"""One node as a measured box: its name and rule, a slot for its value and one for its gradient.

`plan_box` measures everything the box will ever show, so that its size is fixed before layout and a step changes only
texts and classes. `drawing.write_box` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graphlab.engine.shapes import show_shape
from graphlab.render.arrays import as_matrix, heat_shape, is_grid
from graphlab.render.frames import (
    LETTERS,
    SIZE,
    gradient_latex,
    gradient_names,
    has_gradient_slot,
    rule_of,
    shows_size,
)
from graphlab.render.mathematics import Formula, as_text, text_width, typeset
from graphlab.tracing.box_explainer import count_contents
from graphlab.tracing.trace import Trace, TraceNode
from graphlab.tracing.words import Letters, label, label_latex

TITLE_SIZE, VALUE_SIZE, GRADIENT_SIZE, CELL_SIZE, REASON_SIZE = 23.0, 27.0, 22.0, 15.0, 15.0
PADDING, TITLE_HEIGHT, SLOT_HEIGHT = 16.0, 44.0, 38.0
CELL_HEIGHT, HEAT_CELL, NARROWEST_CELL = 25.0, 11.0, 38.0
NARROWEST_BOX, WIDEST_TITLE, WIDEST_FORMULA, BLANK = 92.0, 330.0, 120.0, 34.0
EQUALS = " = "
REASON_LINE, REASON_CHARACTERS, REASON_LINES = 19.0, 34, 4
COUNT_SIZE, COUNT_LINE = 15.0, 19.0
LONGEST_NAME = 28


@dataclass(frozen=True, slots=True)
class Grid:
    """An array in a slot: `cell` is the (width, height) of one entry, `numbers` whether they stand in it."""

    rows: int
    columns: int
    cell: tuple[float, float]
    numbers: bool

    @property
    def width(self) -> float:
        return self.columns * self.cell[0]

    @property
    def height(self) -> float:
        return self.rows * self.cell[1]


Grids = tuple[Grid | None, Grid | None]  # of the value and of the gradient


@dataclass(frozen=True, slots=True)
class Slot:
    """One line of a box, `top` to `top` + `height`. A number starts or is centred at `x`."""

    role: str
    top: float
    height: float
    x: float
    centred: bool
    size: float
    grid: Grid | None
    labels: Mapping[Letters, Formula]
    formula: Formula | None


@dataclass(frozen=True, slots=True)
class BoxPlan:
    """A measured box. `counts` are the lines under the title of a closed box, `spoken` its accessible name without
    numbers."""

    node: TraceNode
    width: float
    height: float
    title: Formula
    title_height: float
    shape: str
    slots: tuple[Slot, ...]
    reason: tuple[str, ...]
    spoken: str
    counts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """All a box will show: the widest texts of its slots, and the formulas of its value and gradient."""

    value: str = ""
    gradient: str = ""
    value_formula: Formula | None = None
    gradient_formula: Formula | None = None


def plan_box(trace: Trace, node: TraceNode, contents: Contents) -> BoxPlan:
    """Measure a node's box."""
    title = title_of(node)
    reason = _wrap(node.fault) if node.fault else ()
    shape = show_shape(node.shape) if node.shape else ""
    if node.role == "constant" and not node.shape:
        width, top = max(48.0, title.width + 2 * PADDING), _title_height(title)
        return BoxPlan(node, width, top, title, top, "", (), reason, _spoken(node))
    grid, labels = _grid(node, contents), _labels(trace, node)
    grids = (grid, None if shows_size(node) else grid)
    counts = tuple(count_contents(node.box).split(", ")) if node.box else ()
    lines = [text_width(line, REASON_SIZE) for line in (*reason, *counts)]
    inner = max(*_inner_widths(title, shape, grids, labels, contents), *lines)
    width = max(NARROWEST_BOX, inner + 2 * PADDING)
    top = _title_height(title)
    slots = _slots(width, top + COUNT_LINE * len(counts), grids, labels, contents) if has_slots(trace, node) else ()
    height = top + COUNT_LINE * len(counts) + sum(slot.height for slot in slots) + 6.0 + REASON_LINE * len(reason)
    return BoxPlan(node, width, height, title, top, shape, slots, reason, _spoken(node), counts)


def has_slots(trace: Trace, node: TraceNode) -> bool:
    """Not where nothing will ever stand in them: in closed boxes without a single value, in folded outlines."""
    return node.value is not None or (node.box is None and (bool(trace.values) or not trace.folded))


def _labels(trace: Trace, node: TraceNode) -> dict[Letters, Formula]:
    """The names of the gradient; of a closed box, whose slot shows how large it is, the sign for that."""
    if not has_gradient_slot(trace, node):
        return {}
    if shows_size(node):
        return dict.fromkeys(LETTERS, as_text(SIZE, GRADIENT_SIZE))
    written, plain = gradient_latex(trace, node), gradient_names(trace, node)
    return {n: typeset(written[n], plain[n], GRADIENT_SIZE) for n in LETTERS}


def _title_height(title: Formula) -> float:
    """Fractions and roots stand higher than a line."""
    return max(TITLE_HEIGHT, title.height + 14.0)


def title_of(node: TraceNode) -> Formula:
    """`d = 2b`, or the name alone where there is no rule or it is too long for a box; `layer ×12` for a closed box."""
    if node.box is not None:
        return as_text(box_title(node.symbol, node.box.repeats), TITLE_SIZE)
    name = label_latex(node)
    if node.role != "operation" or not node.name:
        return typeset(name, label(node), TITLE_SIZE)
    whole = typeset(f"{name} = {node.latex}", rule_of(node), TITLE_SIZE)
    return whole if whole.width <= WIDEST_TITLE else typeset(name, label(node), TITLE_SIZE)


def box_title(title: str, repeats: int) -> str:
    """A scope's name as a heading, shortened where it is long, with ×N."""
    name = title if len(title) <= LONGEST_NAME else title[: LONGEST_NAME - 1] + "…"
    return f"{name} × {repeats}" if repeats > 1 else name


def _spoken(node: TraceNode) -> str:
    if node.box is not None:
        return f"{label(node)}, {count_contents(node.box)}"
    return f"constant {label(node)}" if node.role == "constant" else rule_of(node)


def _inner_widths(
    title: Formula, shape: str, grids: Grids, labels: Mapping[Letters, Formula], contents: Contents
) -> list[float]:
    widths = [title.width + (text_width(shape, CELL_SIZE) + 14 if shape else 0), text_width(contents.value, VALUE_SIZE)]
    if labels:
        label, number = _gradient_widths(grids[1], labels, contents)
        widths.append(label + max(number, _room(contents.gradient_formula)))
    return [*widths, grids[0].width if grids[0] else 0.0, _room(contents.value_formula)]


def _gradient_widths(grid: Grid | None, labels: Mapping[Letters, Formula], contents: Contents) -> tuple[float, float]:
    """The widest label with its "=", and the number or grid after it."""
    label = max(formula.width for formula in labels.values()) + text_width(EQUALS, GRADIENT_SIZE)
    return label, grid.width if grid else max(BLANK, text_width(contents.gradient, GRADIENT_SIZE))


def _room(formula: Formula | None) -> float:
    """What a formula may ask for; longer ones are drawn smaller."""
    return min(WIDEST_FORMULA, formula.width) if formula else 0.0


def _grid(node: TraceNode, contents: Contents) -> Grid | None:
    if node.value is None or not np.ndim(node.value):
        return None
    matrix = as_matrix(np.asarray(node.value))
    if is_grid(matrix):
        widest = max(text_width(contents.value, CELL_SIZE), text_width(contents.gradient, CELL_SIZE)) + 10
        rows, columns = matrix.shape
        return Grid(rows, columns, (max(NARROWEST_CELL, widest), CELL_HEIGHT), True)
    return Grid(*heat_shape(matrix), (HEAT_CELL, HEAT_CELL), False)


def _slots(
    width: float, top: float, grids: Grids, labels: Mapping[Letters, Formula], contents: Contents
) -> tuple[Slot, ...]:
    height, below = (max(SLOT_HEIGHT, grid.height + 12) if grid else SLOT_HEIGHT for grid in grids)
    value = Slot("value", top, height, width / 2, True, VALUE_SIZE, grids[0], {}, contents.value_formula)
    if not labels:
        return (value,)
    label, number = _gradient_widths(grids[1], labels, contents)
    start = min((width - label - number) / 2 + label, width - PADDING - max(number, _room(contents.gradient_formula)))
    gradient = Slot(
        "gradient", top + height, below, start, False, GRADIENT_SIZE, grids[1], labels, contents.gradient_formula
    )
    return value, gradient


def _wrap(reason: str) -> tuple[str, ...]:
    lines = [""]
    for word in reason.split():
        if lines[-1] and len(lines[-1]) + len(word) >= REASON_CHARACTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word[:REASON_CHARACTERS]}".strip()
    return (*lines[: REASON_LINES - 1], lines[REASON_LINES - 1] + " …") if len(lines) > REASON_LINES else tuple(lines)
