"""`import graphlab` is light: it needs NumPy and SciPy only."""

from __future__ import annotations

import os
import subprocess
import sys

SECONDS = 0.3
HEAVY = {"sympy", "torch", "streamlit", "networkx", "ziamath", "click", "rich", "pandas", "PIL"}


def run_fresh(program: str) -> str:
    """What a new interpreter prints."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return result.stdout


def test_importing_graphlab_loads_nothing_heavy() -> None:
    """No SymPy, torch or Streamlit, nor what only the app or the command line needs."""
    loaded = set(run_fresh("import sys, graphlab; print(*sys.modules)").split())
    assert not loaded & HEAVY


def test_importing_graphlab_adds_less_than_three_tenths_of_a_second_to_numpy() -> None:
    """Processor time, and one good run of twenty is enough, so that a busy machine does not matter."""
    program = "import time, numpy; start = time.process_time(); import graphlab; print(time.process_time() - start)"
    assert any(float(run_fresh(program)) < SECONDS for _ in range(20))
