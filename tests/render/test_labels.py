"""Labels stand at the middle of their edge, unless a box is in the way and there is room elsewhere."""

from __future__ import annotations

import re

import pytest

from graphlab.render.edges import Edge
from graphlab.render.groups import Rectangle
from graphlab.render.labels import write_label

EDGE = Edge("n0-n1-0", "n0", "n1", 0, "(2, 3)", tagged=True)
FLAT = ((0.0, 0.0), (100.0, 0.0), (200.0, 0.0), (300.0, 0.0))
STEEP = ((0.0, 0.0), (0.0, 100.0), (0.0, 200.0), (0.0, 300.0))


def place(curve: tuple[tuple[float, float], ...], *boxes: Rectangle) -> tuple[float, float]:
    """Where the text that is sent stands."""
    written = write_label(EDGE, curve, None, "‖ḡ‖ = 0.03", boxes)
    x, y = re.search(r'class="sent" x="([-\d.]+)" y="([-\d.]+)"', written).groups()  # type: ignore[union-attr]
    return float(x), float(y)


def test_with_room_everywhere_it_is_the_middle() -> None:
    assert place(FLAT) == (150.0, -10.0)
    assert place(STEEP) == (10.0, 157.0)


@pytest.mark.parametrize(("curve", "box"), [(FLAT, (140.0, -40.0, 5.0, 35.0)), (STEEP, (30.0, 140.0, 50.0, 30.0))])
def test_it_goes_aside_for_a_box(curve: tuple[tuple[float, float], ...], box: Rectangle) -> None:
    assert place(curve, box) != place(curve)


def test_a_box_on_one_side_sends_it_to_the_other() -> None:
    x, _ = place(STEEP, (20.0, -50.0, 200.0, 400.0))
    assert x == -10.0


def test_with_no_room_at_all_it_stays_in_the_middle() -> None:
    assert place(FLAT, (-500.0, -500.0, 1000.0, 1000.0)) == place(FLAT)
