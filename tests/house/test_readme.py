"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphlab.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ graphlab (.*)$", README, flags=re.MULTILINE)


def test_the_python_examples_print_what_they_say() -> None:
    """All python blocks, one after the other, in one session."""
    blocks = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    differences: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(examples, out=differences.append)
    assert results.attempted
    assert not results.failed, "".join(differences)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_terminal_examples_succeed(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 0, and something is printed."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 0, result.output
    assert result.output


def test_every_link_leads_to_a_file() -> None:
    """Links within the project."""
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
