"""×N stands for siblings that are truly equal, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphlab as gl
from graphlab.tracing.outline import outline
from graphlab.tracing.repeats import boxes_of
from graphlab.tracing.scopes import levels
from tests.tracing.samples import tower


def repeated(graph: gl.Graph, **open: Any) -> dict[str, int]:
    """Boxes ×N, with N."""
    return {box.id: box.repeats for box in boxes_of(graph.outline(**open)).boxes.values() if box.repeats > 1}


def siblings(*builders: Callable[[Any], Any]) -> gl.Graph:
    """One after the other, each in a scope part.0, part.1 … of its own."""
    x = gl.variable("x")
    for number, build in enumerate(builders):
        with gl.scope(f"part.{number}"):
            x = build(x)
    return gl.graph(L=x)


def test_a_number_belongs_to_the_name_before_it() -> None:
    assert [box.title for box in levels("encoder.layer.3.attention.self")] == [
        "encoder",
        "layer.3",
        "attention",
        "self",
    ]
    assert [box.path for box in levels("a.0.1.b")] == ["a.0.1", "a.0.1.b"]
    assert [box.id for box in levels("0.weight")] == ["s:0", "s:0.weight"]
    assert levels("") == ()


def test_equal_layers_fold_whatever_their_number() -> None:
    assert repeated(tower(layers=12)) == {"s:encoder.layer.*": 12}
    assert repeated(tower(layers=2)) == {"s:encoder.layer.*": 2}
    assert repeated(tower(layers=1)) == {}


def test_a_changed_layer_stands_alone_between_the_equal_ones() -> None:
    assert repeated(tower(layers=12, changed=5)) == {"s:encoder.layer.0-4": 5, "s:encoder.layer.6-11": 6}
    assert repeated(tower(layers=3, changed=1)) == {}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda x: gl.cos(x) + x, id="another operation"),
        pytest.param(lambda x: gl.sin(x) + gl.sin(x), id="other wiring"),
        pytest.param(lambda x: x + gl.sin(x), id="the inputs swapped"),
        pytest.param(lambda x: gl.sin(x) + x + x, id="one operation more"),
        pytest.param(lambda x: gl.sin(x) + 2, id="a constant"),
    ],
)
def test_a_sibling_that_differs_breaks_the_fold(other: Callable[[Any], Any]) -> None:
    def same(x: Any) -> Any:
        return gl.sin(x) + x

    assert repeated(siblings(same, same)) == {"s:part.*": 2}
    assert repeated(siblings(same, other)) == {}


def test_options_constants_and_shapes_must_be_equal_too() -> None:
    assert repeated(siblings(lambda x: gl.softmax(x, axis=0), lambda x: gl.softmax(x, axis=1))) == {}
    assert repeated(siblings(lambda x: 2 * x, lambda x: 3 * x)) == {}
    assert repeated(siblings(gl.sum, gl.sum), x=[1.0, 2.0]) == {}


def test_siblings_beside_each_other_fold_like_those_in_a_row() -> None:
    x, heads = gl.variable("x"), []
    for number in range(3):
        with gl.scope(f"head.{number}"):
            heads.append(gl.sin(x * gl.variable(f"w_{number}")))
    assert repeated(gl.graph(L=heads[0] + heads[1] + heads[2])) == {"s:head.*": 3}


def test_repeats_inside_repeats_fold_each() -> None:
    x = gl.variable("x")
    for i in range(2):
        with gl.scope(f"block.{i}"):
            for k in range(3):
                with gl.scope(f"head.{k}"):
                    x = gl.sin(x)
    (block,) = outline(gl.graph(L=x).outline())
    assert (block.id, block.repeats, block.operations) == ("s:block.*", 2, 6)
    first = block.entries[0]
    assert (first.id, [entry.id for entry in first.entries]) == ("s:block.0", ["s:block.0.head.*"])
    assert first.entries[0].open == ("s:block.*", "s:block.0")


def test_an_opened_composite_breaks_no_fold() -> None:
    graph = siblings(gl.softmax, gl.softmax, gl.softmax)
    assert repeated(graph, open=["n2"]) == {"s:part.*": 3}
