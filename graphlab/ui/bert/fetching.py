"""Getting weights while the page goes on: one thread per model, which every session and both pages look at."""

from __future__ import annotations

import threading

from transformer.checkpoint import CheckpointError
from transformer.fetch import fetch

_jobs: dict[str, Job] = {}
_starting = threading.Lock()


class Job:
    """A model on its way: what is being done, how far it is (bytes, of how many; 0: not known yet), and what went
    wrong."""

    def __init__(self, name: str) -> None:
        self.step, self.done, self.whole, self.fault = "looking for it", 0, 0, ""
        self._thread = threading.Thread(target=self._run, args=(name,), daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.whole) if self.whole else 0.0

    def _run(self, name: str) -> None:
        try:
            fetch(name, self._tell)
        except (CheckpointError, OSError) as fault:
            self.fault = str(fault)

    def _tell(self, step: str, done: int, whole: int) -> None:
        self.step, self.done, self.whole = step, done, whole


def start(name: str) -> None:
    """Begin to fetch a model, unless somebody has begun already."""
    with _starting:
        if name not in _jobs or not _jobs[name].running:
            _jobs[name] = Job(name)


def job_for(name: str) -> Job | None:
    """The last attempt to fetch a model, if there was one."""
    return _jobs.get(name)
