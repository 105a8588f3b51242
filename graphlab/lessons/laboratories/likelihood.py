"""From the likelihood to binary cross-entropy, one line at a time; each line is checked against the one before.

A line either has the same value as the one before, or another value and the same best w. The second is checked by the
order in which the two lines rank some random w: it is kept, or exactly reversed where max turns into min.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

import graphlab as gl

Claim = Literal["", "same value", "order kept", "order reversed"]
DATA_VALUES = {"X": [[-2, 1], [-1, 1], [0.5, 1], [1, 1], [2, 1]], "y": [0, 1, 0, 0, 1]}
TRIES_SEED = 1
TRIES_SIZES = (20, 2)


class Line(NamedTuple):
    """A line of the derivation in the scores z: its program, what it claims about the line before, and why."""

    program: str
    claim: Claim
    because: str


LINES = (
    Line("prod(sigmoid(z)^y * (1 - sigmoid(z))^(1 - y))", "", "the likelihood: how probable were these labels?"),
    Line("log(prod(sigmoid(z)^y * (1 - sigmoid(z))^(1 - y)))", "order kept", "log is increasing"),
    Line("sum(y*log(sigmoid(z)) + (1 - y)*log(1 - sigmoid(z)))", "same value", "log Π = Σ log"),
    Line("sum(y*log(sigmoid(z)) + (1 - y)*log(sigmoid(-z)))", "same value", "1 − σ(z) = σ(−z)"),
    Line("-sum(y*log(sigmoid(z)) + (1 - y)*log(sigmoid(-z)))", "order reversed", "the minus turns max into min"),
    Line("-mean(y*log(sigmoid(z)) + (1 - y)*log(sigmoid(-z)))", "order kept", "divided by n"),
    Line("bce_with_logits(z, y)", "same value", "that is binary cross-entropy"),
)


class Checked(NamedTuple):
    """A line in LaTeX, its values at the random w, and whether its claim holds for all of them."""

    line: Line
    latex: str
    values: Any
    holds: bool


def derivation() -> list[Checked]:
    """Every line, checked."""
    tries = np.random.default_rng(TRIES_SEED).normal(size=TRIES_SIZES)
    found: list[Checked] = []
    for line in LINES:
        graph = gl.parse(f"z = X@w; {line.program}", values={**DATA_VALUES, "w": tries[0]})
        values = np.array([graph.evaluate(**DATA_VALUES, w=w) for w in tries])
        latex = gl.parse(line.program, values={"z": DATA_VALUES["y"], "y": DATA_VALUES["y"]}).latex
        found.append(Checked(line, latex, values, not found or holds(line.claim, found[-1].values, values)))
    return found


def holds(claim: Claim, before: Any, after: Any) -> bool:
    """Whether a claim about two lines is true of their values at the same w."""
    if claim == "same value":
        return bool(np.allclose(before, after, rtol=1e-12, atol=0))
    return bool(np.array_equal(np.argsort(before), np.argsort(after if claim == "order kept" else -after)))


def heading(number: int, checked: Checked) -> str:
    """What stands above a line."""
    claim, because, tried = checked.line.claim, checked.line.because, len(checked.values)
    if not claim:
        return f"{number} · {because}"
    mark = "same value" if claim == "same value" else "same best w"
    what = {"same value": "equal at", "order kept": "the same order of", "order reversed": "the reverse order of"}
    return f"{number} · {mark}: {because} ({'checked' if checked.holds else 'not so'}: {what[claim]} {tried} random w)"
