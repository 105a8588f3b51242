"""The drawn graph: well-formed, nothing but shapes and escaped text, and exactly what is known after a step."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import graphlab as gl
from graphlab.errors import TraceError
from graphlab.render.layout import Direction
from graphlab.render.style import Theme
from graphlab.render.svg import draw
from tests.render.samples import hostile, lecture, matrices, trace_of

SVG = "{http://www.w3.org/2000/svg}"


def groups(svg: str, kind: str) -> dict[str, ElementTree.Element]:
    """The <g> elements of a class, by their data-id."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}g")
    return {g.attrib["data-id"]: g for g in found if kind in g.attrib.get("class", "").split()}


def number(node: ElementTree.Element, slot: str) -> str:
    """What stands in a box's value or gradient slot."""
    for part in node.iter(f"{SVG}g"):
        if slot in part.attrib.get("class", "").split():
            return next(t.text or "" for t in part.iter(f"{SVG}text") if t.attrib.get("class") == "number")
    return "no slot"


def test_after_the_last_step_every_number_of_the_lecture_stands_there() -> None:
    nodes = groups(draw(lecture()), "node")
    values = {name: number(node, "value") for name, node in nodes.items()}
    gradients = {name: number(node, "gradient") for name, node in nodes.items()}
    assert values == {"n0": "−2", "n1": "3", "n2": "no slot", "n3": "1", "n4": "2", "n5": "5", "n6": "−10"}
    assert gradients == {"n0": "5", "n1": "−2", "n2": "no slot", "n3": "−4", "n4": "−2", "n5": "−2", "n6": "1"}


def test_a_step_fills_what_it_computes_and_marks_it() -> None:
    svg = draw(lecture(), step=2)
    nodes, edges = groups(svg, "node"), groups(svg, "edge")
    assert [number(nodes[name], "value") for name in ("n4", "n5", "n6")] == ["2", "5", ""]
    assert [name for name, node in nodes.items() if "current" in node.attrib["class"]] == ["n5"]
    assert [name for name, edge in edges.items() if "sending" in edge.attrib["class"]] == ["n1-n5-0", "n4-n5-1"]


def test_a_backward_step_marks_one_edge_and_labels_it() -> None:
    svg = draw(lecture(), step=7)
    assert [e for e, edge in groups(svg, "edge").items() if "backward" in edge.attrib["class"]] == ["n1-n5-0"]
    labels = {name: "".join(label.itertext()) for name, label in groups(svg, "label-of").items()}
    assert labels["n1-n5-0"] == "−2" and labels["n4-n5-1"] == ""


def test_steps_move_nothing() -> None:
    places = re.compile(r'data-id="[^"]*" transform="[^"]*"|<path class="wire"[^>]*>|<rect class="box"[^>]*>')
    first, *others = (places.findall(draw(lecture(), step=k)) for k in range(10))
    assert all(other == first for other in others)


def test_a_step_outside_the_trace_is_an_error() -> None:
    with pytest.raises(TraceError, match="step 10 is outside"):
        draw(lecture(), step=10)


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("theme", ["light", "dark", None])
def test_every_picture_is_well_formed(direction: Direction, theme: Theme | None) -> None:
    for trace in (lecture(), matrices(), hostile()):
        ElementTree.fromstring(draw(trace, direction=direction, theme=theme))


def test_ids_that_meet_on_a_page_mean_the_same() -> None:
    ids = re.findall(r'<(\w+) id="(\w+)" d="([^"]*)"', draw(lecture()) + draw(matrices()))
    assert {tag for tag, _, _ in ids} == {"path"}
    assert len({name for _, name, _ in ids}) == len({(name, outline) for _, name, outline in ids})


def test_small_arrays_show_numbers_and_large_ones_a_heat_map() -> None:
    nodes = groups(draw(matrices()), "node")
    cells = {
        name: [t.text for t in node.iter(f"{SVG}text") if t.attrib["class"] == "cell"] for name, node in nodes.items()
    }
    assert cells["n0"][:6] == ["1", "2", "3", "0.5", "−1", "0.25"]
    assert cells["n1"] == []
    assert sum("shade" in rect.attrib["class"] for rect in nodes["n1"].iter(f"{SVG}rect")) == 2 * 18
    assert "(3, 6)" in "".join(nodes["n1"].itertext())


def test_the_notation_is_one_attribute() -> None:
    plain, bars = draw(lecture()), draw(lecture(), letters="bar")
    assert bars == plain.replace('data-notation="fraction"', 'data-notation="bar"')


def test_a_fault_is_marked_and_everything_else_drawn() -> None:
    nodes = groups(draw(hostile()), "node")
    assert len(nodes) == 4
    assert "fault" in nodes["n3"].attrib["class"].split()
    assert "alert(1)" in "".join(nodes["n3"].itertext())


def assert_harmless(svg: str) -> None:
    """No element that can run or load anything, and no attribute that names an address or a handler."""
    for element in ElementTree.fromstring(svg).iter():
        tag = element.tag.removeprefix(SVG)
        assert tag in {"svg", "g", "defs", "use", "path", "rect", "line", "polygon", "text", "title", "style"}, tag
        for name, value in element.attrib.items():
            assert not name.startswith("on"), name
            assert "href" not in name or re.fullmatch(r"#g[0-9a-f]{12}", value), value
            assert name in {"data-id", "aria-label"} or "javascript" not in value


def test_hostile_data_cannot_reach_the_page() -> None:
    svg = draw(hostile())
    assert "<script" not in svg
    assert_harmless(svg)
    assert_harmless(draw(trace_of("L = x^2", x=2)))


def test_numbers_have_at_most_four_digits() -> None:
    svg = draw(trace_of("L = exp(x)/3", x=0.123456789))
    texts = [t.text or "" for t in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    long = [text for text in texts if len(re.sub(r"^[^1-9]*|\D", "", text)) > 4]
    assert long == []


def test_a_trace_read_from_a_file_is_drawn_the_same() -> None:
    trace = lecture()
    assert draw(gl.Trace.from_json(trace.to_json())) == draw(trace)
