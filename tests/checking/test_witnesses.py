"""The gradient check: it agrees where all is right, excuses only conventions, and finds a planted fault."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine import core
from graphlab.engine.core import OPS


def verdicts(formula: str, **values: object) -> list[tuple[str, str, bool, str]]:
    rows = gl.parse(formula, values=values).check(values)
    return [(row.name, row.witness, row.agrees, row.note) for row in rows]


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("L = c(a+2b)", {"a": 3, "b": 1, "c": -2}),
        ("L = sum(tanh(W@x + b)^2)", {"W": [[0.5, -1], [0.2, 0.3]], "x": [1, 2], "b": [0.1, 0.2]}),
        ("L = mean(max(X, axis=1))", {"X": [[1, 2, 3], [4, 6, 5]]}),
    ],
)
def test_right_gradients_agree_with_every_witness_without_excuse(formula: str, values: dict[str, object]) -> None:
    assert all(agrees and not note for _, _, agrees, note in verdicts(formula, **values))


@pytest.mark.parametrize(
    ("formula", "values", "note"),
    [
        ("L = |x|", {"x": 0}, ""),
        ("L = relu(x)", {"x": 0}, "convention differs: at a kink"),
        ("L = leaky_relu(x, 0.1)", {"x": 0}, "convention differs: at a kink"),
        ("L = sqrt(x)", {"x": 0}, "at the edge of the domain"),
        ("L = 1/x", {"x": 0}, "at a pole"),
    ],
)
def test_a_convention_is_not_a_failure(formula: str, values: dict[str, object], note: str) -> None:
    rows = [row for row in verdicts(formula, **values) if row[1] == "central differences"]
    assert all(agrees and said.startswith(note) for _, _, agrees, said in rows)


@pytest.mark.parametrize("at", [0.7, 0.0])
def test_a_wrong_rule_is_found_even_beside_a_kink(monkeypatch: pytest.MonkeyPatch, at: float) -> None:
    wrong = dataclasses.replace(OPS["sin"], partials=(lambda y, x: OPS["sin"](x) + 5,))
    monkeypatch.setitem(core.OPS, "sin", wrong)
    x = gl.variable("x")
    graph = gl.graph(L=wrong(x) + gl.relu(x))
    rows = graph.check(x=at)
    assert not any(row.agrees for row in rows)


def test_the_worst_entry_is_named() -> None:
    (row, *_) = gl.parse("L = sum(w*w)").check(w=np.array([[1.0, 2.0], [3.0, 1000.0]]))
    assert row.agrees and len(row.index) == 2 and row.bound == 1e-6
