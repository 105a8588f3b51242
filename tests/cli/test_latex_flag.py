"""The --latex flag: a formula in LaTeX on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from graphlab.cli import main


def test_trace_reads_latex() -> None:
    """The shapes of the values settle its products."""
    result = CliRunner().invoke(
        main, ["trace", "--latex", r"L = \frac{1}{2} w^\top x", "w=[1, 2]", "x=[3, 4]", "--json"]
    )
    assert result.exit_code == 0, result.output
    data = json.loads(result.output)
    assert data["value"] == 5.5
    assert data["gradients"] == {"w": [1.5, 2.0], "x": [0.5, 1.0]}


def test_check_reads_latex() -> None:
    """All witnesses agree."""
    result = CliRunner().invoke(main, ["check", "--latex", r"\sigma(w \cdot x)", "w=0.5", "x=2"])
    assert result.exit_code == 0, result.output


def test_draw_reads_latex(tmp_path: Path) -> None:
    """Positions need no picture."""
    target = tmp_path / "lecture.dot"
    result = CliRunner().invoke(main, ["draw", "--latex", r"L = c \, (a + 2b)", "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert target.exists()


def test_a_fault_in_latex_is_shown_with_its_place() -> None:
    """Exit code 2."""
    result = CliRunner().invoke(main, ["trace", "--latex", r"L = \frac{dL}{da}"])
    assert result.exit_code == 2
    assert "that is what graphlab computes" in result.output + (result.stderr or "")
