"""DOT text and positions for other programs, without a way in for a learner's text."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from graphlab.render.dot import positions, write_dot
from graphlab.render.layout import ENGINES
from graphlab.tracing.trace import Trace
from tests.render.samples import HOSTILE, hostile, lecture


def test_the_text_shows_rules_values_and_gradients() -> None:
    text = write_dot(lecture())
    assert 'n4 [label="d = 2 · b\\n2\\n∂L/∂d = −2"]' in text
    assert "n3 -> n4" in text and "rankdir=LR" in text


def test_after_fewer_steps_less_is_shown() -> None:
    assert 'n4 [label="d = 2 · b"]' in write_dot(lecture().upto(0))


def test_labels_cannot_end_early() -> None:
    text = write_dot(hostile())
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    assert "javascript" not in outside and "script" not in outside
    assert HOSTILE not in text and "\\\\N" in text


@pytest.mark.parametrize("trace", [lecture(), hostile()])
def test_graphviz_reads_it_back(trace: Trace) -> None:
    program = ENGINES["graphviz-pure"]()
    assert program
    drawn = subprocess.run(
        [program, "-Tsvg"],
        input=write_dot(trace),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "<script" not in drawn and "<a " not in drawn


def test_positions_are_plain_data() -> None:
    data = positions(lecture())
    assert json.loads(json.dumps(data)) == data
    assert [node["id"] for node in data["nodes"]] == [f"n{i}" for i in range(7)]
    assert {(edge["source"], edge["target"], edge["argument"]) for edge in data["edges"]} >= {("n3", "n4", 1)}
    assert all(0 < node["x"] < data["width"] and 0 < node["y"] < data["height"] for node in data["nodes"])
