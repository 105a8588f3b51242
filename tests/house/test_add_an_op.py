"""docs/add-an-op.md is true: its three lines, in one file, are all it takes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-an-op.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_three_lines_in_one_file_add_an_op_with_all_that_follows(tmp_path: Path) -> None:
    for name in ("graphlab", "transformer", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    diff = re.search(r"```diff\n(.*?)```", PAGE, flags=re.DOTALL)
    assert diff is not None
    file = tmp_path / re.findall(r"^\+\+\+ b/(.*)$", diff[1], flags=re.MULTILINE)[0]
    lines = [line for line in diff[1].splitlines() if not line.startswith(("---", "+++", "@@"))]
    before = "\n".join(line[1:] for line in lines if line.startswith(" "))
    after = "\n".join(line[1:] for line in lines)
    source = file.read_text(encoding="utf-8")
    assert before in source and sum(line.startswith("+") for line in lines) == 3
    file.write_text(source.replace(before, after), encoding="utf-8")

    program = "import graphlab as gl; g = gl.parse('L = log10(x)^2'); print(g.gradients(x=10), g.derivative('x').text)"
    shown = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("{'x': 0.0868588963806")
    command = [sys.executable, "-m", "pytest", "-q", "-k", "log10 or random_graphs or covered", "tests/engine"]
    tests = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", tests.stdout)[1]) >= 12
