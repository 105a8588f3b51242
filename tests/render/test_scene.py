"""The viewer's data: plain JSON, static parts once, and deltas that add up to the picture after every step."""

from __future__ import annotations

import json
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest

from graphlab.render import scene as scenes
from graphlab.render.frames import changes, frame
from graphlab.render.scene import scene
from tests.render.samples import lecture, matrices, trace_of


def replayed(data: dict[str, Any], k: int) -> dict[str, dict[str, Any]]:
    """What a viewer that starts at the nearest keyframe shows after step k."""
    every = scenes.KEYFRAME_EVERY
    start = k // every * every
    state = data["keyframes"].get(str(start), {"values": {}, "gradients": {}, "sent": {}})
    shown = {name: dict(part) for name, part in state.items()}
    for step in data["steps"][start + 1 if start else 0 : k + 1]:
        for name, part in shown.items():
            part.update(step[name])
    return shown


@pytest.mark.parametrize("source", [lecture, matrices])
def test_a_scene_is_plain_json(source: Any) -> None:
    data = scene(source())
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_the_lecture_has_nine_steps_in_words_letters_and_numbers() -> None:
    data = scene(lecture())
    assert len(data["steps"]) == 10
    last = data["steps"][9]
    assert last["gradients"] == {"n3": "−4"} and last["answer"] == -4.0
    assert last["sent"] == {"n3-n4-1": {"brief": "−4", "full": "∂d/∂b = 2"}}
    assert "∂L/∂d" in last["words"]["fraction"]["sentence"]
    assert normalize("NFC", "d\N{COMBINING MACRON}") in normalize("NFC", last["words"]["bar"]["sentence"])
    assert "d.grad" in last["words"]["dot"]["sentence"]
    assert last["numbers"] == "= −2 · 2 = −4"


def test_formulas_of_steps_are_typeset_only_in_the_notation_that_is_wanted() -> None:
    plain, wanted = scene(lecture())["steps"][9]["words"], scene(lecture(), formulas="bar")["steps"][9]["words"]
    assert all(words["formula"] == "" for words in plain.values())
    assert wanted["bar"]["formula"].startswith("<svg") and wanted["fraction"]["formula"] == ""


def test_deltas_and_keyframes_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "KEYFRAME_EVERY", 4)
    trace = lecture()
    data, steps = scene(trace), changes(trace)
    assert set(data["keyframes"]) == {"4", "8"}
    for k in range(10):
        whole = frame(steps, k)
        shown = replayed(data, k)
        assert (shown["values"], shown["gradients"]) == (whole.values, whole.gradients)
        assert set(shown["sent"]) == set(whole.sent)


@pytest.mark.parametrize(
    ("grain", "groups"),
    [
        ("edge", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("node", [0, 1, 2, 3, 4, 5, 5, 6, 6, 7]),
        ("layer", [0, 1, 2, 3, 4, 5, 5, 6, 6, 7]),
    ],
)
def test_one_press_shows_an_edge_a_node_or_a_layer(grain: str, groups: list[int]) -> None:
    data = scene(lecture())
    assert [step["groups"][grain] for step in data["steps"]] == groups
    assert data["grain"] == "edge"


def test_nodes_say_everything_about_themselves() -> None:
    nodes = {node["name"]: node for node in scene(lecture())["nodes"]}
    e = nodes["e"]
    assert [normalize("NFC", name) for name in e["names"].values()] == ["∂L/∂e", "ē", "e.grad"]
    assert (e["value"]["digits"], e["gradient"]["digits"]) == ("5", "-2")
    assert e["inputs"] == ["n1", "n4"] and e["users"] == ["n6"]
    assert [local["digits"] for local in e["locals"]] == ["", ""]
    assert e["why"]
    assert nodes["2"]["gradient"] is None


def test_the_id_changes_with_the_picture_only() -> None:
    same, other = trace_of("L = c(a+2b)", a=3, b=1, c=-2), trace_of("L = c(a+3b)", a=3, b=1, c=-2)
    assert scene(lecture())["id"] == scene(same, tour={"start": "…"})["id"] != scene(other)["id"]


def test_a_nudge_names_the_promise_and_the_truth() -> None:
    deltas = np.round(np.linspace(-2, 2, 41), 10)
    b = 1 + deltas
    given = {"n3": {"deltas": deltas, "values": {"n3": b, "n4": 2 * b, "n5": 3 + 2 * b, "n6": -2 * (3 + 2 * b)}}}
    nudge = scene(lecture(), nudges=given)["nudges"]["n3"]
    tenth = nudge["deltas"].index("0.1")
    assert nudge["values"]["n6"][tenth] == "−10.4"
    assert nudge["lines"][tenth] == "slope · Δ = −4 · 0.1 = −0.4; L really changes by −0.4"
    assert nudge["lines"][nudge["deltas"].index("0")].endswith("L really changes by 0")
    assert "−4 · (−0.1) = 0.4" in nudge["lines"][nudge["deltas"].index("−0.1")]


def test_the_table_is_the_pass_as_on_paper() -> None:
    rows = scene(lecture())["table"]
    assert [row["step"] for row in rows] == [0, 0, 0, *range(1, 10)]
    assert rows[5]["rule"] == "L = c · e" and rows[5]["value"] == "−10"
    last = rows[-1]
    assert (last["upstream"], last["local"], last["contribution"], last["gradient"]) == (
        "−2",
        "∂d/∂b = 2",
        "−2 · 2 = −4",
        "−4",
    )


def test_a_second_path_is_added_in_the_table() -> None:
    rows = scene(trace_of("d = 2a; L = d(d+1)", a=3))["table"]
    assert "7 + 6 = 13" in [row["gradient"] for row in rows]


def test_values_that_are_no_numbers_are_shown_by_name() -> None:
    data = scene(trace_of("y = log(x)", x=0))
    assert data["steps"][1]["values"] == {"n1": "−∞"} and data["steps"][1]["answer"] is None
