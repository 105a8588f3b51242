"""Where naive formulas overflow or cancel: the numbers are right, and the trace says why."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as gl
from graphlab.tracing.explaining import explain

BCE = "p = sigmoid(z); L = -(y*log(p) + (1-y)*log(1-p))"


def said(graph: gl.Graph, **values: object) -> str:
    trace = graph.trace(values)
    return " ".join([*trace.notices, *(words.sentence for words in explain(trace))])


@pytest.mark.parametrize(
    ("z", "y", "loss", "slope"), [(1000, 0, 1000, 1), (-1000, 1, 1000, -1), (1000, 1, 0, 0), (-1000, 0, 0, 0)]
)
def test_the_bce_of_a_sigmoid_is_right_far_out_and_says_how_it_is_computed(z, y, loss, slope) -> None:
    graph = gl.parse(BCE)
    assert graph.evaluate(z=z, y=y) == pytest.approx(loss, abs=1e-300)
    assert graph.gradients(z=z, y=y)["z"] == pytest.approx(slope, abs=1e-300)
    assert "is computed as" in said(graph, z=z, y=y)
    assert not np.isfinite(gl.parse(BCE, stabilise=False).evaluate(z=1000, y=0))


def test_softmax_of_a_thousand_is_right_and_says_that_the_largest_is_subtracted() -> None:
    graph = gl.parse("p = softmax(x); L = sum(p*[1, 2, 3])")
    values = {"x": [1000, 1001, 1002]}
    assert graph.evaluate(values) == pytest.approx(2.5752103826044412)
    assert "largest" in said(graph, **values)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_a_norm_of_huge_or_tiny_entries_is_right_and_says_how(size: float) -> None:
    graph = gl.parse("L = norm(x)")
    assert graph.evaluate(x=[size, size]) == pytest.approx(size * np.sqrt(2), rel=1e-14)
    np.testing.assert_allclose(graph.gradients(x=[size, size])["x"], np.full(2, np.sqrt(0.5)))
    assert "divided by the largest" in said(graph, x=[size, size])
