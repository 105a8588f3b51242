"""The arithmetic of a comparison."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.judging import Spread, disagreement, judge, ratios, spread

SECONDS = st.floats(1e-9, 1e3)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 0.2, "met"), (0.5, 0.5, "met"), (0.4, 0.6, "≈"), (0.5, 0.6, "≈"), (0.51, 0.6, "missed")],
)
def test_a_goal_is_met_or_missed_only_where_all_rounds_say_so(low: float, high: float, verdict: str) -> None:
    """Against a goal of one half, which is itself within the goal."""
    assert judge(Spread((low + high) / 2, low, high), 0.5) == verdict


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=9), SECONDS)
def test_a_round_that_is_slow_for_both_changes_nothing(rounds: list[tuple[float, float]], slower: float) -> None:
    """A ratio belongs to one round."""
    ours, peer = zip(*rounds, strict=True)
    found = ratios(ours, peer)
    assert ratios((ours[0] * slower, *ours[1:]), (peer[0] * slower, *peer[1:])) == pytest.approx(found)


@given(st.lists(SECONDS, min_size=1, max_size=9))
def test_the_median_lies_between_the_extremes(values: list[float]) -> None:
    """And the extremes are values that were measured."""
    found = spread(values)
    assert found.low <= found.median <= found.high
    assert {found.low, found.high} <= set(values)


def test_rounds_that_do_not_pair_up_are_refused() -> None:
    """Each of ours has one of the peer's."""
    with pytest.raises(ValueError, match="zip"):
        ratios([1.0, 2.0], [1.0])


def test_numbers_agree_in_their_first_six_digits() -> None:
    """Not in the seventh."""
    assert disagreement({"L": 1.0000004, "a": 20.0}, {"L": 1.0, "a": 20.0}) is None
    assert disagreement({"L": 1.00002, "a": 20.0}, {"L": 1.0, "a": 20.0}) == "L is 1.00002 here and 1 there"


def test_a_gradient_that_is_zero_by_an_identity_may_hold_rounding_errors() -> None:
    """Such as that of the key bias; the sums beside it say how large."""
    assert disagreement({"L": 1.0, "a": 2.0, "k": 1e-10}, {"L": 1.0, "a": 2.0, "k": -3e-10}) is None
    assert disagreement({"L": 1.0, "a": 2.0, "k": 1e-4}, {"L": 1.0, "a": 2.0, "k": -3e-10}) is not None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_not_finite_never_agrees(value: float) -> None:
    """Not even with itself: nothing was computed."""
    assert disagreement({"L": value}, {"L": value}) is not None


def test_a_gradient_that_only_one_side_has_is_named() -> None:
    """Otherwise less work could pass for speed."""
    assert disagreement({"L": 1.0}, {"L": 1.0, "b": 2.0}) == "only one of the two tells b"
