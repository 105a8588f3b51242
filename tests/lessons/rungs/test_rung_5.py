"""Rung 5: the chain rule, with torch; where the factors are taken, and how many paths there are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Table

torch.set_num_threads(1)


def square(t: torch.Tensor) -> torch.Tensor:
    return t**2


def line(t: torch.Tensor) -> torch.Tensor:
    return 3 * t + 1


def slope(function: Callable[[torch.Tensor], torch.Tensor], x: float) -> float:
    at = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    function(at).backward()  # type: ignore[no-untyped-call]
    assert at.grad is not None
    return float(at.grad)


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    right = slope(lambda x: torch.sqrt(line(square(x))), 1.0)
    factors = [slope(square, 1.0), slope(line, 1.0), slope(torch.sqrt, 4.0)]
    return {
        "v": 4.0,
        "measured": right,
        "right": right,
        "at_x": slope(square, 1.0) * slope(line, 1.0) * slope(torch.sqrt, 1.0),
        "added": sum(factors),
        "paths": f"{2**20:,}",
        "contributions": f"{2 * 20:,}",
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert [found["right"], found["at_x"], found["added"]] == pytest.approx([1.5, 3, 5.25])
    assert (found["paths"], found["contributions"]) == ("1,048,576", "40")


def test_the_chain_rule_agrees_with_the_nudge_whatever_is_picked() -> None:
    """The two wrong rules do not; and no choice leads to a number that is none."""
    experiment, at_x_agrees = LESSONS["5"].experiment, []
    titles = experiment.controls["u"].options  # type: ignore[union-attr]
    for w, v, u in itertools.product(titles, repeat=3):
        found = experiment.run({"x": 1.3, "w": w, "v": v, "u": u, "times": 3}).quantities
        assert found["right"].value == pytest.approx(found["measured"].value, rel=1e-6)
        at_x_agrees.append(math.isclose(found["at_x"].value, found["measured"].value, rel_tol=1e-3))
    assert sum(at_x_agrees) < len(at_x_agrees) / 4


def test_doubling_has_all_paths_and_one_contribution_per_edge() -> None:
    experiment = LESSONS["5"].experiment
    for times in (1, 5, 12):
        found = experiment.run({"x": 1.0, "w": "t²", "v": "t²", "u": "t²", "times": times}).quantities
        assert (found["paths"].value, found["contributions"].value) == (f"{2**times:,}", f"{2 * times:,}")


def test_the_abstract_rule_takes_each_derivative_at_its_own_input() -> None:
    """u′ at v(w(x)), v′ at w(x), w′ at x, as written on the page."""
    show = LESSONS["5"].screens[0].show
    assert show is not None
    _, rule, chosen = show().views
    texts = [view.as_table().texts[0][0].replace(" ", "") for view in (rule, chosen)]
    assert all(factor in texts[0] for factor in ("u'(v(w(x)))", "v'(w(x))", "w'(x)"))
    assert "w(" not in texts[1] and "u'(v(x^{2}))" in texts[1]


def test_the_paths_of_the_table_add_up_to_the_gradient_of_torch() -> None:
    (screen,) = [screen for screen in LESSONS["5"].screens if screen.show is not None and screen.walk is not None]
    assert screen.show is not None
    (table,) = screen.show().views
    assert isinstance(table, Table)
    *paths, total = [float(row[-1]) for row in table.rows]
    assert len(paths) == 2 and sum(paths) == total == slope(lambda x: x**2 * (4 * x), 3.0)
