"""Small graphs that come again are run from kept source: only ever the source of their own structure."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

import graphlab as gl
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.plans.recurring import TIMES, recurring
from tests.strategies import Sample, scalar_graphs

OFTEN = TIMES + 2


def built(formula: Callable[[Node, Node], Node], names: str = "x y") -> gl.Graph:
    return gl.graph(L=formula(*gl.variables(names)))


@given(sample=scalar_graphs())
@settings(max_examples=60)
def test_a_graph_gives_the_same_however_often_it_runs(sample: Sample) -> None:
    graph = gl.Graph(sample.dag.output)
    point = {str(node.name): float(value) for node, value in sample.point.items()}
    runs = [(graph.evaluate(point), graph.gradients(point)) for _ in range(OFTEN)]
    for value, slopes in runs[1:]:
        assert value == runs[0][0]
        assert list(slopes) == list(runs[0][1])
        for name, slope in slopes.items():
            assert slope == pytest.approx(runs[0][1][name], rel=1e-12, nan_ok=True)


FORMULAS: list[Callable[[Node, Node], Node]] = [
    lambda x, y: x * y + 2.0,
    lambda x, y: y * x + 2.0,
    lambda x, y: x * y + 3.0,
    lambda x, y: x * y - 2.0,
    lambda x, y: (x + 0 * y) / 0.0,
    lambda x, y: (x + 0 * y) / -0.0,
    lambda x, y: x * x + y,
    lambda x, y: gl.log(gl.sigmoid(x)) + y,
]


def test_graphs_that_differ_in_anything_are_told_apart() -> None:
    point = {"x": 2.0, "y": 3.0}
    for _ in range(OFTEN):
        found = [(graph.evaluate(point), graph.gradients(point)) for graph in map(built, FORMULAS)]
    assert [value for value, _ in found] == [8, 8, 9, 4, math.inf, -math.inf, 7, pytest.approx(2.8730719889570)]
    assert len({recurring(built(formula).dag).quick for formula in FORMULAS}) == len(FORMULAS)
    assert built(FORMULAS[0], "u v").gradients(u=2.0, v=3.0) == {"u": 3.0, "v": 2.0}


def test_equal_graphs_share_their_source_and_others_stay_unknown() -> None:
    x, _, y = gl.variables("x z y")
    apart = Dag(x * y + 2.0)
    assert recurring(apart) is not recurring(built(FORMULAS[0]).dag)
    assert recurring(built(FORMULAS[0]).dag) is recurring(built(FORMULAS[0]).dag)
    array = Dag(x * np.ones(2))
    assert recurring(array) is not recurring(array)


def test_values_that_are_no_floats_take_the_plain_way() -> None:
    graph = built(FORMULAS[0])
    for _ in range(OFTEN):
        assert graph.gradients(x=2.0, y=3.0) == {"x": 3.0, "y": 2.0}
    assert graph.gradients(x=2, y=True) == {"x": 1.0, "y": 2.0}
    np.testing.assert_array_equal(graph.evaluate(x=[1, 2], y=3.0), [5, 8])
    with pytest.raises(gl.errors.ValueProblem, match="no value given for y"):
        graph.evaluate(x=2.0)
    with pytest.raises(gl.errors.ValueProblem, match="no input called 'z'"):
        graph.evaluate(x=2.0, y=3.0, z=1.0)


def test_building_leaves_the_garbage_collector_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), gl.building():
        assert gc.get_threshold()[0] > before[0]
        assert gc.isenabled()
        raise ZeroDivisionError
    assert gc.get_threshold() == before
