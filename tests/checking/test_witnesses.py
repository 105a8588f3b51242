"""The gradient check: it agrees where all is right, excuses only conventions, and finds a planted fault."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine import core
from graphlab.engine.core import OPS
from tests.requirements import needs


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
        ("L = sqrt(x)", {"x": 0}, "convention differs: at the edge of the domain"),
        ("L = 1/x", {"x": 0}, "convention differs: at a pole"),
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


def notes(formula: str, **values: object) -> dict[str, str]:
    """What is said about each witness, all of which must agree in the end."""
    rows = gl.parse(formula, values=values).check(values)
    assert all(row.agrees for row in rows)
    return {row.witness: row.note for row in rows}


def test_every_witness_is_asked_about_a_graph_it_understands() -> None:
    for package in ("torch", "sympy", "mpmath"):
        needs(package)
    assert list(notes("L = sin(x)", x=1.0)) == ["central differences", "complex step", "torch", "SymPy", "mpmath"]
    assert "complex step" not in notes("L = |x|", x=1.0)
    assert "SymPy" not in notes("L = sum(x)", x=[1.0, 2.0])


@pytest.mark.parametrize(
    "formula",
    [
        "L = sum(gelu(x)*silu(x) + softplus(x)*elu(x))",
        "L = logsumexp(x) + sum(layer_norm(x)*[1, 2, 3]) + var(x) + prod(x)",
        "L = mse(x, [1, 2, 3]) + bce_with_logits(sum(x), 1) + norm(x)",
        "L = sum(attention(reshape(x, shape=(3, 1)), [[1], [2]], [[3], [4]])) + cross_entropy(x, 2)",
    ],
)
def test_larger_ops_agree_with_every_witness_without_excuse(formula: str) -> None:
    assert set(notes(formula, x=[0.3, -1.2, 0.8]).values()) == {""}


def test_what_a_witness_loses_is_told_by_more_digits() -> None:
    needs("mpmath")
    said = notes("p = sigmoid(z); L = -(t*log(p) + (1 - t)*log(1 - p))", z=1000.0, t=0.0)
    assert said["mpmath"] == ""
    assert said["central differences"].startswith("convention differs: digits are lost here (central differences)")


def test_where_torch_has_another_convention_it_says_so() -> None:
    needs("torch")
    assert notes("L = bce(p, 1)", p=0.0)["torch"].startswith("convention differs")
    assert notes("L = where(x > 0, sqrt(x), 0)", x=0.0)["torch"].startswith("convention differs: at a kink")
    assert notes("L = tanh(x)", x=20.0)["torch"] == ""


def test_a_cut_on_purpose_is_not_a_failure() -> None:
    assert notes("L = x*detach(x)", x=2.0)["central differences"].startswith("convention differs: detach cuts")
