"""The process of one contender: `python -m benchmarks.worker WORKLOAD CONTENDER '[SIZE, …]'`.

It imports its library, does the work twice, and says on standard output what it found: numbers to compare, the peak of
its memory, its versions. Then, for each line "N" on standard input, it times N runs and says how long they took. The
garbage collector runs as it does for every user.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.machine import linear_algebra
from benchmarks.workloads import Contender

MODULES = {
    "autograd": ("autograd", "autograd.numpy", "autograd.scipy.special"),
    "graphlab": ("graphlab", "graphlab.layers"),
    "jax": ("jax", "jax.numpy"),
    "micrograd": ("micrograd", "micrograd.engine"),
    "torch": ("torch", "torch.nn.functional"),
}
SHORTEST = 0.1  # seconds: quicker work is repeated within one timing


def main(workload: str, name: str, arguments: list[Any]) -> None:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints goes to standard error, not between the answers

    def say(**facts: Any) -> None:
        print(json.dumps(facts), file=channel, flush=True)

    try:
        if missing := import_library(name):
            return say(missing=missing)
        imported = memory("VmRSS")
        make = importlib.import_module(f"benchmarks.workloads.{workload}").CONTENDERS[name]
        contender: Contender = make(*arguments)
        contender.run()
        results = contender.run()
        peak = memory("VmHWM")
        above = None if peak is None or imported is None else peak - imported
        say(numbers=contender.numbers(results), peak=above, linear_algebra=linear_algebra())
        del results
        loops = loops_for(contender)
        for line in sys.stdin:
            wall, cpu = zip(*(timing(contender, loops) for _ in range(int(line))), strict=True)
            say(wall=wall, cpu=cpu)
    except Exception as fault:  # it ends this process, and the one that measures must know why
        say(fault=f"{type(fault).__name__}: {fault}")


def import_library(name: str) -> str | None:
    """Imports what the contender works with; the name of the package where it is not installed."""
    library = name.split()[0]
    for module in MODULES.get(library, (library,)):
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != library:
                raise
            return library
    return None


def memory(field: str) -> float | None:
    """VmRSS (now) or VmHWM (the peak) in MiB; None where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":")), None)


def loops_for(contender: Contender) -> int:
    """How many runs make up one timing. Processor time decides: it does not grow while others have the processor."""
    loops = 1
    while timing(contender, loops)[1] * loops < SHORTEST:
        loops *= 2
    return loops


def timing(contender: Contender, loops: int) -> tuple[float, float]:
    """Wall and processor seconds of one run, on average over so many."""
    contender.prepare()
    gc.collect()
    begin, begin_cpu = perf_counter(), process_time()
    for _ in range(loops):
        contender.run()
    return (perf_counter() - begin) / loops, (process_time() - begin_cpu) / loops


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
