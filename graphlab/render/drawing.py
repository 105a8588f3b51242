"""A measured box as SVG, its slots filled as far as they are known.

The viewer draws the same box once with empty slots and fills them itself (assets/viewer.js, `fillSlot`): it sets the
texts and cells written here and the class `known`, nothing else.
"""

from __future__ import annotations

from html import escape

from graphlab.render.arrays import Shown
from graphlab.render.boxes import (
    BLANK,
    COUNT_LINE,
    COUNT_SIZE,
    EQUALS,
    PADDING,
    REASON_LINE,
    REASON_SIZE,
    BoxPlan,
    Grid,
    Slot,
)
from graphlab.render.elements import placed, text_element
from graphlab.render.mathematics import text_width

NUDGED_SIZE = 20.0
COPY_STEP = 6


def write_box(plan: BoxPlan, centre: tuple[float, float], value: Shown, gradient: Shown, marks: str = "") -> str:
    """The box as SVG. An empty text leaves its slot empty; `marks` are further classes ("current backward")."""
    node = plan.node
    classes = " ".join(part for part in ("node", node.role, "fault" if node.fault else "", marks) if part)
    x, y = centre[0] - plan.width / 2, centre[1] - plan.height / 2
    slots = [write_slot(plan, slot, value if slot.role == "value" else gradient) for slot in plan.slots]
    nudged = text_element("", plan.width, -9, "nudged", anchor="end", size=NUDGED_SIZE) if slots else ""
    return (
        f'<g class="{classes}" data-id="{escape(node.id)}" transform="translate({x:.1f} {y:.1f})">'
        f"<title>{escape(plan.spoken)}</title>{_write_copies(plan)}"
        f'<rect class="box" width="{plan.width:.1f}" height="{plan.height:.1f}" rx="10"/>'
        f"{_write_title(plan)}{_write_counts(plan)}{''.join(slots)}{_write_reason(plan)}{nudged}</g>"
    )


def _write_title(plan: BoxPlan) -> str:
    title, middle = plan.title, plan.title_height / 2
    x = PADDING if plan.shape else (plan.width - title.width) / 2
    parts = [placed(title, x, middle + (title.ascent - title.descent) / 2, "title")]
    if plan.shape:
        parts.append(text_element(plan.shape, plan.width - 12, middle + 5, "shape", anchor="end"))
    if plan.slots:
        parts.append(f'<path class="divider" d="M0 {plan.slots[0].top:.1f}H{plan.width:.1f}"/>')
    return "".join(parts)


def _write_copies(plan: BoxPlan) -> str:
    """A box ×N stands before two others."""
    if plan.node.box is None or plan.node.box.repeats == 1:
        return ""
    size = f'width="{plan.width:.1f}" height="{plan.height:.1f}" rx="10"'
    return "".join(f'<rect class="behind" x="{away}" y="{-away}" {size}/>' for away in (COPY_STEP * 2, COPY_STEP))


def _write_counts(plan: BoxPlan) -> str:
    x, top = plan.width / 2, plan.title_height + 11
    return "".join(
        text_element(line, x, top + COUNT_LINE * k, "count", anchor="middle", size=COUNT_SIZE)
        for k, line in enumerate(plan.counts)
    )


def write_slot(plan: BoxPlan, slot: Slot, content: Shown) -> str:
    """One slot: its labels, the dotted blank, the "?" of predict mode, its number or cells, its formula."""
    middle = slot.top + slot.height / 2 + (2.0 if slot.role == "value" else -1.0)
    baseline = middle + slot.size * 0.35
    anchor = "middle" if slot.centred else ""
    start = slot.x - BLANK / 2 if slot.centred else slot.x
    number = content if isinstance(content, str) else ""
    filled = (
        _write_grid(slot, slot.grid, middle, content)
        if slot.grid
        else text_element(number, slot.x, baseline, "number", anchor=anchor, size=slot.size)
    )
    return (
        f'<g class="slot {slot.role}{" known" if content else ""}">{_write_labels(slot, baseline)}'
        f'<path class="blank" d="M{start:.1f} {middle + 6:.1f}h{BLANK:g}"/>'
        f"{text_element('?', slot.x, baseline, 'ask', anchor=anchor, size=slot.size)}"
        f"{filled}{_write_formula(plan, slot, middle)}</g>"
    )


def _write_labels(slot: Slot, baseline: float) -> str:
    """Labels end where the number begins, so that switching the notation moves no number."""
    if not slot.labels:
        return ""
    equals = text_width(EQUALS, slot.size)
    labels = [
        placed(label, slot.x - equals - label.width, baseline, f"label {notation}")
        for notation, label in slot.labels.items()
    ]
    sign = text_element(EQUALS.strip(), slot.x - equals / 2, baseline, "equals", anchor="middle", size=slot.size)
    return "".join(labels) + sign


def _write_grid(slot: Slot, grid: Grid, middle: float, content: Shown) -> str:
    cells, shades = (content["cells"], content["shades"]) if isinstance(content, dict) else ([], [])
    left, top = slot.x - (grid.width / 2 if slot.centred else 0.0), middle - grid.height / 2
    parts = []
    for k in range(grid.rows * grid.columns):
        x, y = left + (k % grid.columns) * grid.cell[0], top + (k // grid.columns) * grid.cell[1]
        shade = shades[k] if k < len(shades) else 0.0
        parts.append(_write_shade(x, y, grid, shade))
        if grid.numbers:
            text = cells[k] if k < len(cells) else ""
            parts.append(text_element(text, x + grid.cell[0] / 2, y + grid.cell[1] / 2 + 5, "cell"))
    return f'<g class="grid" data-numbers="{int(grid.numbers)}">{"".join(parts)}</g>'


def _write_shade(x: float, y: float, grid: Grid, shade: float) -> str:
    below = " below" if shade < 0 else ""
    return (
        f'<rect class="shade{below}" x="{x:.1f}" y="{y:.1f}" width="{grid.cell[0]:.1f}" '
        f'height="{grid.cell[1]:.1f}" fill-opacity="{opacity(shade, grid.numbers):.2f}"/>'
    )


def opacity(shade: float, behind_text: bool) -> float:
    """How strongly a cell is tinted; pale where a number must stay readable on it (the viewer has the same rule)."""
    return abs(shade) * 0.32 + 0.03 if behind_text else abs(shade) * 0.92 + 0.06


def _write_formula(plan: BoxPlan, slot: Slot, middle: float) -> str:
    """The slot in letters; in a gradient slot it stands where the number would."""
    formula = slot.formula
    if formula is None:
        return ""
    room = plan.width - 2 * PADDING if slot.centred else plan.width - slot.x - PADDING
    scale = min(1.0, room / max(formula.width, 1.0), slot.height / max(formula.height, 1.0))
    x = slot.x - formula.width * scale / 2 if slot.centred else slot.x
    return placed(formula, x, middle + (formula.ascent - formula.descent) / 2 * scale, "symbols", scale)


def _write_reason(plan: BoxPlan) -> str:
    top = plan.height - REASON_LINE * len(plan.reason) + 11
    return "".join(
        text_element(line, plan.width / 2, top + REASON_LINE * k, "reason", anchor="middle", size=REASON_SIZE)
        for k, line in enumerate(plan.reason)
    )
