"""Vectors and matrices whose entries are expressions: stacked, indexed, differentiated, written and read again."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as gl
from graphlab.errors import ShapeError
from tests.language.structure import read


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("[a, b]", "stack(a, b)"),
        ("[a + 1, 2]", "stack(add(a, 1), 2)"),
        ("[1/2, 3]", "stack(div(1, 2), 3)"),
        ("[[a, b], [c, d]]", "stack(stack(a, b), stack(c, d))"),
        ("[[1, 2], [c, 4]]", "stack([1.0, 2.0], stack(c, 4))"),
        ("[1, -2]", "[1.0, -2.0]"),
        ("[a, |b|, sin c]", "stack(a, abs(b), sin(c))"),
        ("[a,\n b]", "stack(a, b)"),
        ("2*[a, b]", "mul(2, stack(a, b))"),
        ("x[0]", "embedding(x, 0)"),
        ("x[0][1]^2", "pow(embedding(embedding(x, 0), 1), 2)"),
        ("-x[i+1]", "neg(embedding(x, add(i, 1)))"),
        ("E[[0, 2]]", "embedding(E, [0.0, 2.0])"),
        ("[a, b][1]", "embedding(stack(a, b), 1)"),
        ("‖x‖ + ‖y - 1‖", "add(norm(x), norm(sub(y, 1)))"),
        ("‖x‖‖y‖", "mul(norm(x), norm(y))"),
    ],
)
def test_an_array_means(text: str, meaning: str) -> None:
    """One row each."""
    assert read(text) == meaning


def test_entries_get_their_own_gradients() -> None:
    """Numbers and formulas."""
    graph = gl.parse("L = sum([a^2, a*b, 3])")
    assert graph.evaluate(a=2, b=5) == 17.0
    assert graph.gradients(a=2, b=5) == {"a": 9.0, "b": 2.0}
    assert graph.derivative("b").text == "a"
    assert all(row.agrees for row in graph.check(a=2, b=5))


def test_a_matrix_of_expressions_multiplies() -> None:
    """A rotation turns (1, 0) into (cos t, sin t)."""
    graph = gl.parse("L = sum([[cos(t), -sin(t)], [sin(t), cos(t)]] @ [1, 0] * [1, 10])")
    assert graph.evaluate(t=0.5) == pytest.approx(np.cos(0.5) + 10 * np.sin(0.5))
    assert graph.gradients(t=0.5)["t"] == pytest.approx(-np.sin(0.5) + 10 * np.cos(0.5))
    assert graph.derivative("t").evaluate(t=0.5) == pytest.approx(-np.sin(0.5) + 10 * np.cos(0.5))


def test_rows_may_be_vectors() -> None:
    """Named vectors below each other are a matrix."""
    graph = gl.parse("[u, v] @ [1, 1]", values={"u": [1, 2], "v": [3, 4]})
    np.testing.assert_array_equal(graph.evaluate(u=[1, 2], v=[3, 4]), [3.0, 7.0])


def test_entries_of_different_shape_are_named() -> None:
    """At their bracket."""
    with pytest.raises(ShapeError, match=r"the entries of \[ \] must have one shape") as caught:
        gl.parse("c + [x, 1]").evaluate(c=0, x=[1, 2])
    assert caught.value.position == 4
