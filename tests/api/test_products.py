r"""Products in LaTeX: elementwise, dot, outer or matrix product, as the shapes will have it."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as gl
from graphlab.errors import ShapeError, ValueProblem

W = [[1.0, 2.0], [3.0, 4.0]]


def latex(text: str, **values: object) -> gl.Graph:
    return gl.parse(text, notation="latex", values=values)


@pytest.mark.parametrize(
    "text, values, expected",
    [
        (r"W x + b", {"W": W, "x": [1, 10], "b": [100, 200]}, [121.0, 243.0]),
        (r"Wx+b", {"W": 2, "x": 3, "b": 1}, 7.0),
        (r"c x", {"c": 2, "x": [1, 2]}, [2.0, 4.0]),
        (r"2 W", {"W": W}, [[2.0, 4.0], [6.0, 8.0]]),
        (r"w \cdot x", {"w": [1, 2], "x": [3, 4]}, 11.0),
        (r"w^\top x", {"w": [1, 2], "x": [3, 4]}, 11.0),
        (r"w x^\top", {"w": [1, 2], "x": [3, 4]}, [[3.0, 4.0], [6.0, 8.0]]),
        (r"w \odot x", {"w": [1, 2], "x": [3, 4]}, [3.0, 8.0]),
        (r"W W^\top", {"W": W}, [[5.0, 11.0], [11.0, 25.0]]),
        (r"W \odot W", {"W": W}, [[1.0, 4.0], [9.0, 16.0]]),
        (r"x^\top W x", {"W": W, "x": [1, 2]}, 27.0),
        (r"f(x) = W x \\ f(f(b))", {"W": W, "b": [1, 0]}, [7.0, 15.0]),
    ],
)
def test_a_product_is_what_the_shapes_make_it(text: str, values: dict[str, object], expected: object) -> None:
    """Whether the values come with the text or later."""
    np.testing.assert_array_equal(latex(text).evaluate(values), expected)
    np.testing.assert_array_equal(latex(text, **values).evaluate(values), expected)


def test_one_graph_serves_numbers_and_then_matrices() -> None:
    """Nothing is decided for good before the shapes are known."""
    graph = latex(r"y = w \cdot x")
    assert graph.evaluate(w=2, x=3) == 6.0
    assert graph.evaluate(w=[1, 2], x=[3, 4]) == 11.0
    assert graph.evaluate(w=2, x=3) == 6.0
    assert graph.gradients(w=[1, 2], x=[3, 4])["w"].tolist() == [3.0, 4.0]
    assert graph.trace(w=[1, 2], x=[3, 4]).nodes[2].op == "matmul"
    assert graph.trace(w=1, x=3).nodes[2].op == "mul"
    assert all(row.agrees for row in graph.check(w=[1, 2], x=[3, 4]))


def test_the_text_says_what_was_settled() -> None:
    """With the values, and as far as can be told without."""
    assert latex(r"W x + b", W=W, x=[1, 2], b=1).text == "W@x + b"
    assert latex(r"W x + b").text == "W*x + b"
    assert latex(r"W \in \mathbb{R}^{m \times n} \\ x \in \mathbb{R}^n \\ W x").text == "W@x"


def test_a_capital_letter_beside_a_matrix_is_a_matrix() -> None:
    """Attention as on paper, without values."""
    graph = latex(r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V")
    assert graph.text == "softmax(Q@K.T/sqrt(d_k))@V"
    assert [notice.message for notice in graph.notices] == [
        "Q taken as a matrix (n, d)",
        "K taken as a matrix (m, d)",
        "V taken as a matrix (m, k)",
    ]


def test_shapes_that_do_not_fit_are_named_at_the_product() -> None:
    """With its place in the LaTeX."""
    with pytest.raises(ShapeError, match="the inner sizes must match") as caught:
        latex(r"b + W x").evaluate(b=1, W=W, x=[1, 2, 3])
    assert caught.value.position == 6


def test_plain_text_decides_by_its_signs() -> None:
    """There * is elementwise whatever the shapes."""
    np.testing.assert_array_equal(gl.parse("w*x").evaluate(w=[1, 2], x=[3, 4]), [3.0, 8.0])


def test_a_derivative_taken_with_numbers_is_not_used_for_matrices() -> None:
    """It would be another formula."""
    derivative = latex(r"\operatorname{sum}(W x)").derivative("x")
    assert derivative.evaluate(W=2) == 2.0
    for taken in (derivative, latex("w w x").derivative("w").derivative("w")):
        with pytest.raises(ValueProblem, match="may be another one than the one that was differentiated"):
            taken.evaluate(dict.fromkeys(taken.inputs, W))
    settled = latex(r"\operatorname{sum}(W x)", W=W, x=[1, 2]).derivative("x")
    np.testing.assert_array_equal(settled.evaluate(W=W, x=[1, 2]), [4.0, 6.0])
    numbers = latex(r"2x + \frac{x^2}{3}").derivative("x")
    np.testing.assert_array_equal(numbers.evaluate(x=[0, 3]), [2.0, 4.0])
