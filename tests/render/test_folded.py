"""Folded traces drawn: closed boxes with what they hold, frames around open ones, shapes and sizes on the edges."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import graphlab as gl
from graphlab.render import layout as layouts
from graphlab.render.arrays import LARGE_HEAT_CELLS, heat
from graphlab.render.frames import changes
from graphlab.render.layout import Direction
from graphlab.render.scene import scene
from graphlab.render.svg import draw, picture_of
from graphlab.tracing.folding import fold
from tests.render.samples import HOSTILE
from tests.render.test_svg import SVG, assert_harmless, groups
from tests.tracing.samples import tower, values_of

LAYERS = "s:encoder.layer.*"
SETS = [["s:encoder"], ["s:encoder", LAYERS], ["s:encoder", LAYERS, "s:encoder.layer.1", "s:head"]]


def folded(open: list[str], **options: Any) -> gl.Trace:
    graph = tower(**options)
    return fold(graph.trace(values_of(graph)), open)


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def rectangle(group: ElementTree.Element, kind: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a rect, in the drawing's own units."""
    rect = next(r for r in group.iter(f"{SVG}rect") if r.attrib["class"] == kind)
    moved = re.findall(r"-?[\d.]+", group.attrib.get("transform", "0 0"))
    x, y = (float(rect.attrib.get(axis, 0)) + float(shift) for axis, shift in zip("xy", moved, strict=True))
    return x, y, x + float(rect.attrib["width"]), y + float(rect.attrib["height"])


def test_a_closed_box_says_what_it_holds() -> None:
    nodes = groups(draw(folded(["s:encoder"])), "node")
    assert texts(nodes[LAYERS])[:4] == ["layer × 4", "(4, 3)", "16 operations", "36 parameters"]
    assert sum(r.attrib["class"] == "behind" for r in nodes[LAYERS].iter(f"{SVG}rect")) == 2
    assert not any(r.attrib["class"] == "behind" for r in nodes["s:table"].iter(f"{SVG}rect"))


def test_a_closed_box_shows_the_value_that_leaves_it_and_the_size_of_its_gradient() -> None:
    trace = folded(["s:encoder"])
    box = groups(draw(trace), "node")[LAYERS]
    size = np.linalg.norm(trace.known_gradients[LAYERS])
    assert "‖ḡ‖" in texts(box) and f"{size:.2g}" in texts(box)
    outline = fold(tower().outline(), ["s:encoder"])
    assert not [g for g in groups(draw(outline), "node")[LAYERS].iter(f"{SVG}g") if "slot" in g.attrib["class"]]


@pytest.mark.parametrize("open", SETS, ids=str)
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_frames_hold_their_boxes_and_no_others(open: list[str], direction: Direction) -> None:
    trace = folded(open)
    svg = draw(trace, direction=direction)
    frames, nodes = groups(svg, "opened"), groups(svg, "node")
    assert list(frames) == [box.id for box in trace.opened]
    for box in trace.opened:
        left, top, right, bottom = rectangle(frames[box.id], "surround")
        for name, node in nodes.items():
            x0, y0, x1, y1 = rectangle(node, "box")
            inside = left <= x0 and x1 <= right and top <= y0 and y1 <= bottom
            beside = x1 <= left or right <= x0 or y1 <= top or bottom <= y0
            assert inside if name in box.nodes else beside, (box.id, name)


@pytest.mark.parametrize("open", SETS, ids=str)
def test_without_a_layout_program_frames_hold_their_boxes(open: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "ENGINES", {})
    layouts._placed.cache_clear()
    trace = folded(open)
    picture = picture_of(trace)
    layout = picture.layout("LR")
    layouts._placed.cache_clear()
    assert layout.engine == "layers"
    for box, (left, top, width, height) in zip(trace.opened, layout.frames, strict=True):
        for name in box.nodes:
            (x, y), plan = layout.positions[name], picture.boxes[name]
            assert left < x - plan.width / 2 and x + plan.width / 2 < left + width
            assert top < y - plan.height / 2 and y + plan.height / 2 < top + height


def test_edges_out_of_operations_and_boxes_carry_shapes() -> None:
    trace = folded(["s:encoder"])
    labels = {name: "".join(label.itertext()) for name, label in groups(draw(trace, step=0), "label-of").items()}
    assert labels[f"s:table-{LAYERS}-0"] == "(4, 3)" and labels["n1-s:table-0"] == ""
    edges = {edge["id"]: edge for edge in scene(trace)["edges"]}
    assert edges["n1-s:table-0"]["shape"] == "(5, 3)"


def test_edges_say_how_large_the_gradient_is_that_went_back() -> None:
    trace = folded(["s:encoder", LAYERS])
    edges = {edge["id"]: edge["norm"] for edge in scene(trace)["edges"]}
    size = np.linalg.norm(trace.known_gradients["s:encoder.layer.0"])
    assert edges["s:encoder.layer.0-s:encoder.layer.1-0"] == f"‖ḡ‖ = {size:.2g}".replace("-", "−")
    assert edges["n0-s:table-1"] == ""


def test_a_scene_says_what_to_open_and_what_to_close() -> None:
    graph = tower()
    composite = next(node.id for node in graph.outline().nodes if node.op == "softmax")
    data = scene(fold(graph.outline(), ["s:encoder", "s:head"]))
    opens = {node["id"]: node["opens"] for node in data["nodes"]}
    assert opens[LAYERS] == LAYERS and opens[composite] == composite and opens["n1"] == ""
    assert [(box["id"], box["inside"]) for box in data["opened"]] == [("s:encoder", ""), ("s:head", "")]
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    box = next(node["box"] for node in data["nodes"] if node["id"] == LAYERS)
    assert (box["title"], box["repeats"], box["counts"]) == ("layer", 4, "16 operations, 36 parameters")
    assert [(result["name"], result["shape"], result["size"]) for result in box["results"]] == [("X", "(n, 3)", "")]


@pytest.mark.parametrize("open", SETS, ids=str)
def test_stepping_fills_every_box_that_is_seen(open: list[str]) -> None:
    trace = folded(open)
    steps = scene(trace)["steps"]
    assert len(steps) == len(changes(trace)) == len(trace.steps) + 1
    filled = {name for step in steps for name in step["values"]}
    assert filled == {node.id for node in trace.forward_nodes}
    assert all(step["words"]["fraction"]["sentence"] and step["spoken"] for step in steps)


def test_details_have_a_larger_heat_map_with_its_key() -> None:
    values = np.arange(100.0 * 70).reshape(100, 70)
    large = heat(values, signed=False)
    assert large is not None and (large["rows"], large["columns"]) == (LARGE_HEAT_CELLS, LARGE_HEAT_CELLS)
    assert large["means"] and len(large["numbers"]) == len(large["shades"]) == LARGE_HEAT_CELLS**2
    small = heat([[1.0, -2.0], [0.5, np.nan]], signed=True)
    assert small is not None and (small["low"], small["high"], small["means"]) == ("−2", "2", False)
    assert small["shades"] == [0.5, -1.0, 0.25, 0.0] and small["numbers"] == ["1", "−2", "0.5", "nan"]
    assert heat(3.0, signed=False) is heat(None, signed=True) is heat(np.zeros((0, 3)), signed=False) is None


@pytest.mark.parametrize("open", [[], [f"s:{HOSTILE}"]])
def test_hostile_scope_names_cannot_reach_the_page(open: list[str]) -> None:
    x = gl.variable("x")
    with gl.scope(HOSTILE):
        graph = gl.graph(L=gl.sin(x) * x)
    trace = fold(graph.trace(x=1), open)
    svg = draw(trace)
    assert "<script" not in svg
    assert_harmless(svg)
    for drawing in scene(trace)["svg"].values():
        assert_harmless(drawing)
