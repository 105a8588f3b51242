"""Results as JSON, as a table in plain text, and as the page docs/benchmarks.md (`python -m benchmarks.report`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import describe
from benchmarks.measuring import Result

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
HEADINGS = ("workload", "measured", "goal", "verdict")


def as_data(results: Iterable[Result], threads: int, busy: tuple[float, float]) -> dict[str, Any]:
    """All of a run, as plain data. `busy` is the machine's load before and after it."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="minutes"),
        "threads": threads,
        "load": [round(load, 2) for load in busy],
        "machine": describe(),
        "rows": [row_as_data(result) for result in results],
    }


def row_as_data(result: Result) -> dict[str, Any]:
    """One row: the question, the answer, and what the answer was made of."""
    row, taken = result.row, result.measurement
    data: dict[str, Any] = {
        "title": row.title,
        "workload": [row.workload, *row.arguments],
        "ours": row.ours,
        "peer": row.peer,
        "measure": row.measure,
        "how": row.how,
        "goal": row.goal,
        "stretch": row.stretch,
        "verdict": result.verdict,
        "note": result.note,
        "ratios": result.ratios,
    }
    if taken and row.measure == "nodes":
        data["counted"] = taken.ours["numbers"]
    if taken and row.peer:
        data |= {
            "seconds": {"ours": taken.our_rounds, "peer": taken.peer_rounds},
            "processor ratio": median(taken.time_ratios("cpu")),
            "peak MiB": {"ours": taken.ours["peak"], "peer": taken.peer["peak"]},
            "linear algebra": {"ours": taken.ours["linear_algebra"], "peer": taken.peer["linear_algebra"]},
        }
    return data


def write(data: dict[str, Any], name: str) -> Path:
    """results/NAME.json"""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


# ---- the table -----------------------------------------------------------------------------------------------------
def cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    """A row of the table, from its data."""
    goal = f"≤ {row['goal']:g}" + (f", stretch {row['stretch']:g}" if row["stretch"] else "")
    return row["title"], measured(row["ratios"]), goal, row["verdict"]


def measured(ratios: list[float]) -> str:
    """The median, and the extremes where there are several: "0.31 (0.29–0.35)"."""
    if not ratios:
        return "–"
    middle = f"{median(ratios):.2g}"
    return middle if len(ratios) == 1 else f"{middle} ({min(ratios):.2g}–{max(ratios):.2g})"


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """A table that reads well as it is and is Markdown too."""
    lines = [HEADINGS, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    padded = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(f"| {line} |" for line in (padded[0], " | ".join("-" * width for width in widths), *padded[1:]))


def notes(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Why some rows have no figures."""
    return [f"{row['title']}: {row['verdict']}, {row['note']}" for row in rows if row["note"]]


# ---- the page ------------------------------------------------------------------------------------------------------
def page(data: dict[str, Any]) -> str:
    """docs/benchmarks.md of one run."""
    rows, machine = data["rows"], data["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    kernels = sorted({kernel for row in rows for side in row.get("linear algebra", {}).values() for kernel in side})
    busy = " and ".join(f"{load:g}" for load in data["load"])
    facts = [
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {data['threads']} thread(s) each",
        f"Python {machine['python']}; {versions}",
        f"linear algebra and threads as loaded: {'; '.join(kernels) or 'unknown'}",
        f"finished {data['finished']}; processes that wanted a core, before and after: {busy}",
    ]
    how = [f"**{row['title']}**: {row['how']}." + seconds(row) for row in rows]
    parts = [INTRODUCTION, table(map(cells, rows)), *notes(rows), METHOD, bullets(facts), HOW, bullets(how)]
    return "\n\n".join(parts) + "\n"


def seconds(row: dict[str, Any]) -> str:
    """What the ratio stands for, in seconds or MiB."""
    if row["measure"] == "nodes":
        return "".join(f" {name}: {ratio:.3g}." for name, ratio in row.get("counted", {}).items())
    if "seconds" not in row:
        return ""
    if row["measure"] == "memory":
        return f" {row['peak MiB']['ours']:.0f} MiB over {row['peak MiB']['peer']:.0f} MiB."
    ours, peer = (median(taken["wall"] for taken in row["seconds"][side]) for side in ("ours", "peer"))
    return f" {ours:.3g} s over {peer:.3g} s; in processor time {row['processor ratio']:.2g}."


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


INTRODUCTION = """# Benchmarks

<!-- Made by `python -m benchmarks.report` from the last `make bench`. -->

graphlab beside other libraries on the same work. Every figure is graphlab's over the other's, so smaller is better:
the median of all rounds, with the lowest and the highest. A goal is met where every round is within it, missed where
none is, and ≈ where the rounds disagree."""
METHOD = """## How it was measured

Each contender has a process of its own, since the thread pools of two libraries in one process slow each other down.
It is kept to as many cores as it may have threads. The two take turns, A B A B …, so that a machine that slows down
slows both; a ratio belongs to one round. Before anything is timed, both do the work twice, and their losses and
gradient sums must agree to six digits. The garbage collector runs as it does for every user, and no library keeps what
a shell may have set for its threads or kernels. The code is in `benchmarks/`; `make bench` repeats it on your machine,
`make bench-quick` the rows about BERT and the scalar MLP."""
HOW = "## Row by row"


if __name__ == "__main__":
    latest = json.loads((RESULTS / "latest.json").read_text(encoding="utf-8"))
    PAGE.write_text(page(latest), encoding="utf-8")
