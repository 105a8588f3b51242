"""The arithmetic of a comparison: one ratio per round, their median with the extremes, and a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal, NamedTuple

Verdict = Literal["met", "missed", "≈", "NOT RUN", "FAILED"]
TOLERANCE = 1e-6  # six digits
ZERO = 1e-6  # of the median gradient sum: what is smaller is zero by an identity, and holds rounding errors only


class Spread(NamedTuple):
    """Ratios in short: the median, the lowest and the highest."""

    median: float
    low: float
    high: float


def ratios(ours: Sequence[float], peer: Sequence[float]) -> list[float]:
    """Our figure over the peer's, round by round, so that a machine that slows down slows both."""
    return [a / b for a, b in zip(ours, peer, strict=True)]


def spread(values: Sequence[float]) -> Spread:
    """The median with the extremes."""
    return Spread(median(values), min(values), max(values))


def judge(found: Spread, goal: float) -> Verdict:
    """met where every round is within the goal, missed where none is, ≈ where the rounds disagree."""
    if found.high <= goal:
        return "met"
    return "missed" if found.low > goal else "≈"


def disagreement(ours: Mapping[str, float], peer: Mapping[str, float]) -> str | None:
    """The first number in which two contenders differ in their first six digits; None where they agree."""
    if ours.keys() != peer.keys():
        return f"only one of the two tells {min(ours.keys() ^ peer.keys())}"
    zero = ZERO * median(map(abs, peer.values()))
    for name, value in ours.items():
        scale = max(abs(value), abs(peer[name]))
        if not math.isfinite(value) or (scale > zero and not abs(value - peer[name]) <= TOLERANCE * scale):
            return f"{name} is {value:.9g} here and {peer[name]:.9g} there"
    return None
