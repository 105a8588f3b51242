"""Programs with known answers: from public threads about wrong gradients, and at points where naive formulas fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphlab as gl

CASES = Path(__file__).parents[1] / "cases"


def rows(file: str) -> list[dict[str, Any]]:
    return json.loads((CASES / file).read_text(encoding="utf-8"))


def number(value: Any) -> Any:
    return np.asarray(value, dtype=float).tolist() if isinstance(value, (str, list)) else value


GRADIENTS = {row["id"]: row for row in rows("gradients.json")}
HARD_POINTS = {row["id"]: row for row in rows("hard_points.json")}


@pytest.mark.parametrize("row", [pytest.param(r, id=i) for i, r in GRADIENTS.items()])
def test_a_program_from_a_public_thread_has_the_right_value_and_gradients(row: dict[str, Any]) -> None:
    point = {name: number(value) for name, value in row["point"].items()}
    graph = gl.parse(row["input"], values=point)
    np.testing.assert_allclose(graph.evaluate(point), number(row["expected"]["value"]), rtol=1e-9, atol=1e-12)
    slopes = graph.gradients(point)
    assert set(slopes) == set(row["expected"]["grad"])
    for name, expected in row["expected"]["grad"].items():
        np.testing.assert_allclose(slopes[name], number(expected), rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("row", [pytest.param(r, id=i) for i, r in HARD_POINTS.items()])
def test_a_hard_point_follows_the_stated_convention(row: dict[str, Any]) -> None:
    point = {name: number(value) for name, value in row["point"].items()}
    graph = gl.parse(row["program"], values=point)
    check = {"rtol": row["rtol"], "atol": row["atol"]}
    np.testing.assert_allclose(graph.evaluate(point), number(row["value"]), **check)
    slopes = graph.gradients(point)
    for name, expected in row["grad"].items():
        np.testing.assert_allclose(slopes[name], number(expected), **check, err_msg=name)


@pytest.mark.parametrize("row", [pytest.param(r, id=i) for i, r in HARD_POINTS.items()])
def test_a_trace_shows_the_numbers_that_gradients_returns(row: dict[str, Any]) -> None:
    point = {name: number(value) for name, value in row["point"].items()}
    graph = gl.parse(row["program"], values=point)
    trace = graph.trace(point)
    inputs = {node.name: node.id for node in trace.nodes if node.role == "input"}
    for name, slope in graph.gradients(point).items():
        if inputs[name] in trace.known_gradients:
            np.testing.assert_array_equal(trace.known_gradients[inputs[name]], slope)
