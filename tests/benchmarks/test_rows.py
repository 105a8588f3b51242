"""The table of comparisons is complete and can be measured."""

from __future__ import annotations

import importlib
from collections import Counter

import pytest

from benchmarks.report import PAGE
from benchmarks.rows import ROWS, Row, rows
from benchmarks.worker import MODULES
from benchmarks.workloads import Contenders

TITLES = [row.title for row in ROWS]


def contenders(row: Row) -> Contenders:
    """Those of the row's workload."""
    found: Contenders = importlib.import_module(f"benchmarks.workloads.{row.workload}").CONTENDERS
    return found


@pytest.mark.parametrize("row", ROWS, ids=TITLES)
def test_a_row_has_a_goal_and_says_how_it_is_measured(row: Row) -> None:
    """A stretch goal is a harder one."""
    assert row.goal > 0
    assert row.how
    assert row.stretch is None or 0 < row.stretch < row.goal


@pytest.mark.parametrize("row", ROWS, ids=TITLES)
def test_a_row_names_contenders_of_its_workload(row: Row) -> None:
    """Ours is graphlab; what counts nodes has no peer."""
    assert row.ours in contenders(row) and row.ours.split()[0] == "graphlab"
    assert (row.peer in contenders(row)) == (row.measure != "nodes")
    assert row.rounds >= 3


def test_titles_tell_rows_apart() -> None:
    """They head the notes of the page."""
    assert Counter(TITLES).most_common(1)[0][1] == 1


def test_every_peer_is_compared_with() -> None:
    """No library is imported for nothing."""
    assert set(MODULES) <= {row.peer for row in ROWS} | {"graphlab"}


def test_rows_about_the_same_contenders_are_measured_alike() -> None:
    """They share one measurement, so its rounds must be the same in both."""
    ways: dict[object, set[tuple[int, int, bool]]] = {}
    for row in ROWS:
        ways.setdefault(row.pair, set()).add((row.rounds, row.repetitions, row.same_numbers))
    assert all(len(found) == 1 for found in ways.values())


def test_quick_rows_are_all_about_bert_and_the_scalar_mlp() -> None:
    """And all of those are quick."""
    quick = {row.title for row in rows(quick=True)}
    assert quick == {row.title for row in ROWS if row.workload in ("bert", "bert_block", "mlp")}


@pytest.mark.parametrize("row", ROWS, ids=TITLES)
def test_the_page_has_the_row_with_its_goal(row: Row) -> None:
    """`make bench`, then `python -m benchmarks.report`, brings it up to date."""
    line = next(line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| {row.title} "))
    assert f"| ≤ {row.goal:g}" in line
