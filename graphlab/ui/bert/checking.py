"""The check against PyTorch on the page: one thread per check, its progress, a stop, and the comparison.

Only one check runs at a time, whoever asked for it: each may take gigabytes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from graphlab.errors import GraphLabError
from graphlab.interop.torch import CrossCheck, cross_check
from graphlab.interop.torch.batches import Batch
from graphlab.tracing.numbers import show_number
from graphlab.ui.plain import plain, with_hint
from transformer.model import BertForPreTraining, BertModel

JOB, TABLE = "bert check", "bert check table"
LOOK_AGAIN_SECONDS = 0.5
TABLE_HEIGHT = 320
PARTS = {"forward": (0.0, 0.3), "backward": (0.3, 0.9)}  # from where to where the bar moves
Prepare = Callable[[], tuple[BertModel | BertForPreTraining, Batch]]
_one_at_a_time = threading.Lock()


class Stopped(Exception):
    """The reader has seen enough."""


class Check:
    """A check on its way, of the model with that key: what it does, how far it is from 0 to 1, and its end: what was
    `found`, or what went wrong."""

    def __init__(self, key: str, prepare: Prepare) -> None:
        self.key = key
        self.doing, self.share = "Waiting for another check", 0.0
        self.found: CrossCheck | None = None
        self.fault = ""
        self.told = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(prepare,), daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """End it at the next operation of the graph; what PyTorch has begun it finishes, and nothing comes of it."""
        self._stop.set()

    def _run(self, prepare: Prepare) -> None:
        try:
            with _one_at_a_time:
                self._tell("Getting the model ready", 0.0)
                found = cross_check(*prepare(), progress=self._progress)
                self._tell("Compared", 1.0)
            self.found = found
        except Stopped:
            self.doing = "Stopped"
        except GraphLabError as fault:
            self.fault = with_hint(fault)
        except MemoryError:
            self.fault = "There is not enough memory for this check."

    def _tell(self, doing: str, share: float) -> None:
        if self.stopped:
            raise Stopped
        self.doing, self.share = doing, share

    def _progress(self, phase: str, done: int, whole: int) -> None:
        start, end = PARTS[phase]
        if phase == "backward" and done == whole:
            self._tell("PyTorch, and comparing", end)
        else:
            self._tell(f"The graph, {phase}: {done} of {whole}", start + (end - start) * done / whole)


def job_for(key: str) -> Check | None:
    """This session's check of the model with that key, if there was one."""
    job: Check | None = st.session_state.get(JOB)
    return job if job is not None and job.key == key else None


def begin(key: str, prepare: Prepare) -> None:
    end()
    st.session_state[JOB] = Check(key, prepare)


def end() -> None:
    """Stop what this session may be checking."""
    job: Check | None = st.session_state.get(JOB)
    if job is not None:
        job.stop()


# ---- on the page -----------------------------------------------------------------------------------------------------
def check_panel(key: str, prepare: Prepare, needed: str, reveal: Callable[[str], None]) -> None:
    """The button, and what has come of it. `needed` is its memory; `reveal` shows a tensor in the graph by its name."""
    job = job_for(key)
    running = job is not None and job.running
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Check against PyTorch", icon=":material/rule:", key="check", disabled=running, on_click=begin,
                  args=(key, prepare))  # fmt: skip
        if running:
            st.button("Stop", icon=":material/stop:", key="stop", on_click=end)
    st.caption(f"Every value, its gradient and every parameter's gradient, beside autograd's. Takes about {needed}.")
    if job is None:
        return
    if running:
        progress(job)
    elif job.fault:
        st.error(job.fault, icon=":material/error:")
    elif job.found is None:
        st.info("Stopped; nothing was compared.")
    else:
        comparison(job.found, reveal)


@st.fragment(run_every=LOOK_AGAIN_SECONDS)
def progress(job: Check) -> None:
    """How far it is; when it is done, the page with what came of it."""
    if not job.running:
        st.rerun()
    st.progress(job.share, text="Stopping …" if job.stopped else job.doing)


def comparison(found: CrossCheck, reveal: Callable[[str], None]) -> None:
    """How it came out, and every tensor, worst first; choosing a row shows it in the graph."""
    outcome = plain(found.outcome)
    (st.success if found.ok else st.error)(outcome, icon=":material/check:" if found.ok else ":material/error:")
    rows = found.worst_first

    def take() -> None:
        chosen = st.session_state[TABLE]["selection"]["rows"]
        if chosen:
            reveal(rows[chosen[0]].name)

    table = pd.DataFrame(
        {
            "tensor": [row.name for row in rows],
            "": ["∂" if row.kind == "gradient" else "" for row in rows],
            "shape": ["×".join(map(str, row.shape)) or "scalar" for row in rows],
            "max |Δ|": [show_number(row.difference, 2) for row in rows],
            "relative": [show_number(row.relative, 2) for row in rows],
            "bound": [show_number(row.bound, 2) for row in rows],
            "verdict": [row.verdict for row in rows],
        }
    )
    options: dict[str, Any] = {"hide_index": True, "height": TABLE_HEIGHT, "key": TABLE}
    st.dataframe(table, on_select=take, selection_mode="single-row", **options)
    st.caption(
        plain(f"{found.counted[:1].upper()}{found.counted[1:]} ∂: a gradient. A chosen row is shown in the graph.")
    )
