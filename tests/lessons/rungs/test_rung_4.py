"""Rung 4: the numbers of the lecture's first graph, and four ways to add up gradients."""

from __future__ import annotations

import pytest
import torch

from graphlab.lessons.course import LESSONS

torch.set_num_threads(1)
POINT = {"a": 3.0, "b": 1.0, "c": -2.0}


def loss(a: float, b: float, c: float) -> float:
    return c * (a + 2 * b)


def expected() -> dict[str, float]:
    """What the experiment must show, with torch."""
    leaves = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in POINT.items()}
    (leaves["c"] * (leaves["a"] + 2 * leaves["b"])).backward()
    slopes = {name: float(leaf.grad) for name, leaf in leaves.items() if leaf.grad is not None}
    at = loss(**POINT)
    return {
        "change": loss(POINT["a"], POINT["b"] + 0.1, POINT["c"]) - at,
        "promise": slopes["b"] * 0.1,
        "change_all": loss(*(value + 0.1 for value in POINT.values())) - at,
        "promise_all": sum(slopes.values()) * 0.1,
        **laboratory(),
    }


def laboratory() -> dict[str, float]:
    """d = 2a, e = d + 1, L = de at a = 3, added up by hand in each order."""
    a = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    for _ in range(2):
        d = 2 * a
        (d * (d + 1)).backward()
    value = 2 * 3.0
    from_product, from_sum = value + 1, value
    return {
        "right": 2 * (from_product + from_sum),
        "overwritten": 2 * from_sum,
        "recursive": 2 * from_product + 2 * (from_product + from_sum),
        "leaf_twice": float(a.grad) if a.grad is not None else 0.0,
        "all_twice": 2 * (from_product + from_sum) + 2 * (from_product + from_sum + from_product + 2 * from_sum),
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert found["change"] == pytest.approx(-0.4) and found["promise"] == pytest.approx(-0.4)
    assert found["change_all"] == pytest.approx(-0.07) and found["promise_all"] == pytest.approx(-0.1)
    orders = ("right", "overwritten", "recursive", "leaf_twice", "all_twice")
    assert [found[name] for name in orders] == [26, 12, 40, 52, 90]


def test_the_first_wrong_node_of_each_wrong_order_is_marked() -> None:
    """One in each column but the right one; the mark stands where the numbers part."""
    (table,) = LESSONS["4"].experiment.at_first.views
    rows = table.as_table().texts
    marked = table.as_table().marked
    assert {column for _, column in marked} == {2, 3, 4, 5} and len(marked) == 4
    for row, column in marked:
        assert rows[row][column] != rows[row][1]
        assert all(rows[earlier][column] == rows[earlier][1] for earlier in range(row))


def test_only_for_one_input_does_the_slope_promise_the_truth() -> None:
    """L is linear in each input, but not in all of them together."""
    experiment = LESSONS["4"].experiment
    for name in POINT:
        found = experiment.run({"moved": name, "by": 1.7}).quantities
        assert found["change"].value == pytest.approx(found["promise"].value)
    found = experiment.run({"moved": "all three", "by": 1.7}).quantities
    assert found["change"].value != pytest.approx(found["promise"].value)
