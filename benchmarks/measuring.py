"""Two contenders taking turns. Each lives in a process of its own, and only one works at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from threading import Timer
from types import TracebackType
from typing import Any, Self

from benchmarks.judging import Spread, Verdict, disagreement, judge, ratios, spread
from benchmarks.machine import keep_to_cores, worker_environment
from benchmarks.rows import Row

PATIENCE = 600.0  # seconds for one answer


class NotInstalled(Exception):
    """A library that a contender needs is missing."""


class Failed(Exception):
    """A contender gave no answer, or not the same one as its peer."""


class Worker:
    """One contender's process: it has done the work twice and waits to be timed."""

    def __init__(self, row: Row, name: str, threads: int) -> None:
        self.name = name
        command = [sys.executable, "-m", "benchmarks.worker", row.workload, name, json.dumps(row.arguments)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=worker_environment(threads)
        )
        keep_to_cores(self._process.pid, threads)
        self.facts: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def check_in(self) -> None:
        """Waits until the work was done twice; then `facts` has its numbers and its peak."""
        self.facts = self._answer()

    def seconds(self, repetitions: int) -> dict[str, float]:
        """Median wall and processor seconds of one run."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{repetitions}\n")
        self._process.stdin.flush()
        return {clock: median(times) for clock, times in self._answer().items()}

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        timer = Timer(PATIENCE, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if not line:
            code = self._process.wait()
            raise Failed(f"{self.name} ended with exit code {code} (an answer may take {PATIENCE:g} seconds)")
        answer: dict[str, Any] = json.loads(line)
        if "missing" in answer:
            raise NotInstalled(f"{answer['missing']} is not installed")
        if "fault" in answer:
            raise Failed(f"{self.name}: {answer['fault']}")
        return answer


@dataclass
class Measurement:
    """What two contenders did: seconds of each round, by clock, and what they said when they checked in."""

    ours: dict[str, Any]
    peer: dict[str, Any] = field(default_factory=dict)
    our_rounds: list[dict[str, float]] = field(default_factory=list)
    peer_rounds: list[dict[str, float]] = field(default_factory=list)

    def ratios(self, row: Row) -> list[float]:
        """The figures that the row is about."""
        if row.measure == "nodes":
            return list(self.ours["numbers"].values())
        if row.measure == "time":
            return self.time_ratios("wall")
        if self.ours["peak"] is None:
            raise NotInstalled("this system does not tell a process's peak of memory")
        return ratios([self.ours["peak"]], [self.peer["peak"]])

    def time_ratios(self, clock: str) -> list[float]:
        """One for each round."""
        return ratios([r[clock] for r in self.our_rounds], [r[clock] for r in self.peer_rounds])


@dataclass(frozen=True)
class Result:
    """A row with its verdict. `note` says why there are no ratios, where there are none."""

    row: Row
    verdict: Verdict
    ratios: list[float] = field(default_factory=list)
    measurement: Measurement | None = None
    note: str = ""

    @property
    def spread(self) -> Spread | None:
        return spread(self.ratios) if self.ratios else None


def measure(row: Row, threads: int) -> Measurement:
    """Runs the contenders of a row, and of all rows with the same ones: first their numbers, then rounds in turn."""
    with Worker(row, row.ours, threads) as ours:
        ours.check_in()
        if not row.peer:
            return Measurement(ours.facts)
        with Worker(row, row.peer, threads) as peer:
            peer.check_in()
            if row.same_numbers and (fault := disagreement(ours.facts["numbers"], peer.facts["numbers"])):
                raise Failed(fault)
            taken = Measurement(ours.facts, peer.facts)
            for _ in range(row.rounds):
                taken.our_rounds.append(ours.seconds(row.repetitions))
                taken.peer_rounds.append(peer.seconds(row.repetitions))
            return taken


def results(rows: list[Row], threads: int, tell: Callable[[Result], None]) -> list[Result]:
    """A result for every row; `tell` hears of each as soon as it is there."""
    taken: dict[object, Measurement | Exception] = {}
    found = []
    for row in rows:
        if row.pair not in taken:
            taken[row.pair] = attempt(row, threads)
        found.append(result(row, taken[row.pair]))
        tell(found[-1])
    return found


def attempt(row: Row, threads: int) -> Measurement | Exception:
    """The measurement, or why there is none."""
    try:
        return measure(row, threads)
    except (NotInstalled, Failed) as fault:
        return fault


def result(row: Row, taken: Measurement | Exception) -> Result:
    """The row's verdict."""
    if isinstance(taken, Measurement):
        try:
            figures = taken.ratios(row)
        except NotInstalled as fault:
            taken = fault
        else:
            judged = [max(figures)] if row.measure == "nodes" else figures  # a goal for every layer, not for most
            return Result(row, judge(spread(judged), row.goal), figures, taken)
    return Result(row, "NOT RUN" if isinstance(taken, NotInstalled) else "FAILED", note=str(taken))
