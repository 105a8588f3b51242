"""`python -m benchmarks [--quick] [--threads N] [--only WORD]`: run, print the table, write results/*.json.

The exit code is 1 where a goal was missed or a contender failed.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import report
from benchmarks.machine import load
from benchmarks.measuring import Result, results
from benchmarks.rows import rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description="graphlab beside its peers")
    parser.add_argument("--quick", action="store_true", help="only the rows about BERT and the scalar MLP")
    parser.add_argument("--threads", type=int, default=1, help="threads that every library may use (1)")
    parser.add_argument("--only", default="", metavar="WORD", help="only rows whose title contains this")
    options = parser.parse_args()
    chosen = [row for row in rows(quick=options.quick) if options.only in row.title]
    if not chosen:
        parser.error(f"no row's title contains {options.only!r}")
    before = load()
    found = results(chosen, options.threads, tell)
    data = report.as_data(found, options.threads, (before, load()))
    name = "selected" if options.only else "quick" if options.quick else "latest"
    print(report.table(map(report.cells, data["rows"])), *report.notes(data["rows"]), sep="\n")
    print(f"in full: {report.write(data, name).relative_to(report.ROOT)}")
    return any(result.verdict in ("missed", "FAILED") for result in found)


def tell(result: Result) -> None:
    """A line per row, as the run goes on."""
    print(*report.cells(report.row_as_data(result)), result.note, sep="  ", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
