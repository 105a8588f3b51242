"""Two processes take turns, and what goes wrong in one is told."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from benchmarks.machine import worker_environment
from benchmarks.measuring import Measurement, result, results
from benchmarks.rows import Row

PRODUCTS = "numpy matrix products"
ROW = Row("small products", "bert", PRODUCTS, PRODUCTS, 1e6, "for this test", arguments=("tiny", 1), rounds=3)


def test_both_contenders_are_timed_once_a_round() -> None:
    """And rows about the same two are measured in one go."""
    told = []
    time, memory = results([ROW, replace(ROW, measure="memory")], threads=1, tell=told.append)
    assert told == [time, memory]
    assert time.measurement is memory.measurement is not None
    assert len(time.ratios) == 3 and len(memory.ratios) == 1
    assert all(ratio > 0 for ratio in time.ratios)
    assert (time.verdict, memory.verdict) == ("met", "met")
    assert time.measurement.ours["numbers"] == time.measurement.peer["numbers"]


def test_a_peer_that_is_not_installed_is_not_run() -> None:
    """Which is no failure."""
    (found,) = results([replace(ROW, peer="nosuchlibrary")], threads=1, tell=lambda _: None)
    assert (found.verdict, found.ratios, found.note) == ("NOT RUN", [], "nosuchlibrary is not installed")


def test_a_contender_that_raises_has_failed_and_says_why() -> None:
    """Here: a size that no configuration has."""
    (found,) = results([replace(ROW, arguments=("gigantic", 1))], threads=1, tell=lambda _: None)
    assert (found.verdict, found.note) == ("FAILED", f"{PRODUCTS}: KeyError: 'gigantic'")


def test_contenders_are_not_timed_unless_their_numbers_agree() -> None:
    """These two do not even compute the same things."""
    (found,) = results([replace(ROW, workload="chain", ours=PRODUCTS, peer="torch")], threads=1, tell=lambda _: None)
    assert found.verdict == "FAILED"
    assert found.measurement is None


def test_counts_need_no_peer_and_are_judged_by_the_worst() -> None:
    """One ratio for each thing that was counted."""
    row = replace(ROW, measure="nodes", peer="", goal=4.0)
    taken = Measurement({"numbers": {"a": 2.0, "b": 3.0}})
    assert result(row, taken).verdict == "met"
    assert result(replace(row, goal=2.5), taken).verdict == "missed"


def test_where_the_system_does_not_tell_the_peak_memory_is_not_run() -> None:
    """Times are there nevertheless."""
    taken = Measurement({"peak": None}, {"peak": None}, [{"wall": 1.0}], [{"wall": 2.0}])
    assert result(replace(ROW, measure="memory"), taken).verdict == "NOT RUN"
    assert result(ROW, taken).ratios == [0.5]


def test_a_worker_starts_without_what_tunes_one_library_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are each library's own choice, and all have the same number of threads."""
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("MKL_DEBUG_CPU_TYPE", "5")
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    found = worker_environment(2)
    assert not {"OPENBLAS_CORETYPE", "MKL_DEBUG_CPU_TYPE"} & found.keys()
    assert {found[f"{library}_NUM_THREADS"] for library in ("OMP", "OPENBLAS", "MKL")} == {"2"}
    assert found["PATH"] == os.environ["PATH"]
