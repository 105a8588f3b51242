"""What a run leaves behind: JSON, a table and a page."""

from __future__ import annotations

import json

from benchmarks.measuring import Measurement, Result
from benchmarks.report import as_data, cells, page, row_as_data, table
from benchmarks.rows import ROWS, Row

ROW = Row("a formula", "lecture", "graphlab", "micrograd", 0.5, "built anew", stretch=0.2)
SIDE = {"numbers": {"L": 1.0}, "peak": 10.0, "linear_algebra": ["openblas (1 threads)"]}
TAKEN = Measurement(SIDE, SIDE, [{"wall": 1.0, "cpu": 1.0}, {"wall": 1.2, "cpu": 1.1}], [{"wall": 4.0, "cpu": 4.0}] * 2)
MET = Result(ROW, "met", [0.25, 0.3], TAKEN)
ABSENT = Result(ROW, "NOT RUN", note="micrograd is not installed")


def test_json_keeps_everything_a_verdict_rests_on() -> None:
    """Question, answer, and every round."""
    data = json.loads(json.dumps(as_data([MET, ABSENT], threads=1, busy=(0.1, 1.0))))
    assert data["threads"] == 1 and data["load"] == [0.1, 1.0]
    assert data["machine"].keys() == {"processor", "cores", "system", "python", "versions"}
    met, absent = data["rows"]
    assert met["goal"] == 0.5 and met["verdict"] == "met" and met["ratios"] == [0.25, 0.3]
    assert [taken["wall"] for taken in met["seconds"]["ours"]] == [1.0, 1.2]
    assert absent["verdict"] == "NOT RUN" and absent["ratios"] == [] and "seconds" not in absent


def test_a_row_shows_median_extremes_goal_and_verdict() -> None:
    """The stretch goal as well."""
    assert cells(row_as_data(MET)) == ("a formula / micrograd", "0.28 (0.25–0.3)", "≤ 0.5, stretch 0.2", "met")
    assert cells(row_as_data(ABSENT))[1] == "–"


def test_the_table_is_aligned_markdown() -> None:
    """So that the terminal and the page show the same."""
    lines = table([cells(row_as_data(MET)), cells(row_as_data(ABSENT))]).splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1
    assert {line.count("|") for line in lines} == {5}


def test_the_page_tells_machine_versions_and_what_was_not_run() -> None:
    """All that a reader needs to doubt or repeat it."""
    data = as_data([MET, ABSENT], threads=1, busy=(0.1, 1.0))
    text = page(data)
    for fact in ("numpy", "micrograd is not installed", "openblas (1 threads)", "1.1 s over 4 s", "make bench"):
        assert fact in text
    assert data["machine"]["processor"] in text


def test_every_row_can_be_reported_before_anything_was_measured() -> None:
    """None of them needs figures to be shown."""
    found = [Result(row, "NOT RUN", note="not measured") for row in ROWS]
    assert page(as_data(found, threads=1, busy=(0.0, 0.0))).count("NOT RUN, not measured") == len(ROWS)
