"""The page's state survives a link and a file, and refuses what is damaged; values are read as they are typed."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlab.api import parse
from graphlab.errors import TraceError, ValueProblem
from graphlab.ui.state import ModelState, PageState, from_link, from_text, to_link, to_text
from graphlab.ui.tour import nudges, tour
from graphlab.ui.values import fill_in, read_value, write_value

STATES = st.builds(
    PageState,
    formula=st.text(max_size=60),
    values=st.dictionaries(st.text(max_size=5), st.text(max_size=8), max_size=4),
    step=st.integers(0, 5000),
    selected=st.none() | st.just("n3"),
)


MODELS = st.builds(
    ModelState,
    model=st.text(max_size=20),
    settings=st.dictionaries(st.text(max_size=8), st.integers(0, 99) | st.booleans(), max_size=4),
    opened=st.lists(st.text(max_size=20), max_size=8),
    step=st.integers(0, 5000),
)


@given(STATES | MODELS)
def test_a_link_and_a_file_bring_back_the_same_page(state: PageState | ModelState) -> None:
    link = to_link(state)
    assert link is not None and from_link(link, type(state)) == state
    assert from_text(to_text(state), type(state)) == state


def test_what_is_too_long_for_a_link_has_none() -> None:
    noise = "".join(hashlib.sha256(bytes([i])).hexdigest() for i in range(90))
    assert to_link(PageState(noise)) is None


@given(st.text(max_size=200))
def test_a_damaged_link_is_refused_and_never_anything_else(text: str) -> None:
    with pytest.raises(TraceError):
        from_link(text, PageState)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"formula": 1}',
        '{"formula": "x", "evil": 1}',
        '{"values": {"a": 1}}',
        '{"selected": []}',
        "[" * 99_999,
    ],
)
def test_a_damaged_file_is_refused(text: str) -> None:
    with pytest.raises(TraceError):
        from_text(text, PageState)


@pytest.mark.parametrize("text", ['{"settings": {"d": "4"}}', '{"opened": [1]}', '{"model": 1}', '{"formula": "x"}'])
def test_a_damaged_link_to_a_model_is_refused(text: str) -> None:
    with pytest.raises(TraceError):
        from_text(text, ModelState)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("3", 3),
        (" −0.5 ", -0.5),
        ("1,5", 1.5),
        ("+2", 2),
        ("1e-3", 0.001),
        ("[1, 2]", [1, 2]),
        ("[[1,2],[3,4]]", [[1, 2], [3, 4]]),
    ],
)
def test_a_value_is_read_as_people_type_it(typed: str, value: object) -> None:
    assert read_value("a", typed) == value


@pytest.mark.parametrize("typed", ["", "three", "true", "null", '"3"', "{}", "[1, 2", "3 4", "[" * 9999])
def test_what_is_no_value_is_named(typed: str) -> None:
    with pytest.raises(ValueProblem, match="α"):
        read_value("alpha", typed)


@given(
    st.lists(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=2), min_size=1, max_size=3)
)
def test_a_written_value_reads_back(rows: list[list[float]]) -> None:
    np.testing.assert_allclose(read_value("x", write_value(rows)), rows)


def test_inputs_without_a_value_get_one_of_the_right_shape() -> None:
    graph = parse("L = sum(Q@K.T) + k")
    filled = {name: json.loads(text) for name, text in fill_in({"k": "7"}, graph).items()}
    assert filled["k"] == 7 and np.shape(filled["Q"])[1] == np.shape(filled["K"])[1]
    assert graph.evaluate(filled) is not None


def test_the_tour_asks_about_b_with_the_lectures_three_answers() -> None:
    graph, values = parse("L = c(a+2b)"), {"a": 3, "b": 1, "c": -2}
    question = tour(graph.trace(values))["question"]
    assert question["text"] == "If b grows by 0.1, what happens to L?"
    assert sorted(question["choices"]) == sorted(["−0.4", "−0.2", "+0.5"])
    assert question["choices"][question["answer"]] == "−0.4"
    assert all("−10.4" in reply for reply in question["replies"])


def test_a_nudge_holds_the_values_of_really_moved_inputs() -> None:
    graph, values = parse("L = c(a+2b)"), {"a": 3, "b": 1, "c": -2}
    trace = graph.trace(values)
    ids = {node.name: node.id for node in trace.nodes}
    moved = nudges(graph, trace)[ids["b"]]
    at = moved["deltas"].index(0.1)
    assert moved["values"][ids["L"]][at] == pytest.approx(-10.4)
    assert nudges(parse("L = sum(x)"), parse("L = sum(x)").trace(x=1)) == {}
