"""The LaTeX that people write for these formulas, each with what it means in text or what it is answered with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import graphlab as gl
from graphlab.errors import ParseError

ROWS = json.loads((Path(__file__).with_name("latex_constructs.json")).read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", [row for row in ROWS if "text" in row], ids=lambda row: row["latex"])
def test_a_latex_construct_means_what_it_means_on_paper(row: dict[str, str]) -> None:
    graph = gl.parse(row["latex"], notation="latex")
    assert graph.text == row["text"]
    assert gl.parse(graph.latex, notation="latex").text == row["text"]


@pytest.mark.parametrize("row", [row for row in ROWS if "error" in row], ids=lambda row: row["latex"])
def test_a_construct_that_is_no_formula_is_answered(row: dict[str, str]) -> None:
    with pytest.raises(ParseError) as caught:
        gl.parse(row["latex"], notation="latex")
    assert caught.value.message == row["error"] and caught.value.hint
