"""The command line: what it prints, its exit codes, its errors."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

import graphlab as gl
from graphlab.cli import main
from graphlab.engine.core import OPS
from graphlab.engine.ops import elementary

LECTURE = ["L = c(a+2b)", "a=3", "b=1", "c=-2"]


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "120"}).invoke(main, arguments)


def test_trace_prints_nine_steps_and_the_gradients_with_their_formulas() -> None:
    result = run("trace", *LECTURE)
    assert result.exit_code == 0
    for expected in ("d = 2 · b = 2 · 1 = 2.", "e = a + d = 3 + 2 = 5.", "L = c · e = −2 · 5 = −10.", "2*c", "a + 2*b"):
        assert expected in result.output
    assert "│ 9 " in result.output and "│ 10" not in result.output


def test_trace_json_is_the_trace_with_output_value_gradients_and_derivatives() -> None:
    data = json.loads(run("trace", *LECTURE, "--json").output)
    assert data["output"] == "L" and data["value"] == -10.0
    assert data["gradients"] == {"c": 5.0, "a": -2.0, "b": -4.0}
    assert {name: d["text"] for name, d in data["derivatives"].items()} == {"c": "a + 2*b", "a": "c", "b": "2*c"}
    assert data["derivatives"]["b"]["latex"] == r"2 \, c"
    assert len(data["steps"]) == 9 and gl.Trace.from_json(json.dumps(data)).node(data["output_id"]).name == "L"


def test_values_may_be_lists_and_a_formula_may_start_with_a_minus() -> None:
    data = json.loads(run("trace", "-sum(W@x)", "W=[[1, 2], [3, 4]]", "x=[1, -1]", "--json").output)
    assert data["value"] == 2.0 and data["gradients"]["x"] == [-4.0, -6.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trace", "L = c(a+2b)", "a=3", "b=1"], "no value given for c"),
        (["trace", *LECTURE, "q=1"], "no input called 'q'"),
        (["trace", *LECTURE[:-1], "c=two"], "c = 'two' is not a number or a list of numbers"),
        (["trace", *LECTURE, "a=4"], "a is given twice"),
        (["trace", "L = c(a+2b", "a=3"], "missing )"),
        (["trace", "L = a*b", "a"], "'a' is not a value"),
        (["draw", "L = a*b", "-o", "graph.pdf"], "must end in .svg, .dot, .json"),
        (["trace", "L = [1, 2]*x", "x=1"], "starts from one number"),
    ],
)
def test_bad_input_is_named_and_gives_exit_code_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2 and message in result.stderr
    assert "Traceback" not in result.output + result.stderr


def test_draw_writes_a_picture_a_dot_file_or_positions(tmp_path: Path) -> None:
    for suffix in (".svg", ".dot", ".json"):
        result = run("draw", *LECTURE, "-o", str(tmp_path / f"graph{suffix}"))
        assert result.exit_code == 0, result.stderr
    assert ElementTree.parse(tmp_path / "graph.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")
    assert json.loads((tmp_path / "graph.json").read_text())["nodes"]
    assert run("draw", "L = A@B", "-o", str(tmp_path / "symbolic.svg")).exit_code == 0


def test_check_agrees_and_says_so() -> None:
    result = run("check", "L = sigmoid(w*x) + log(x)", "w=0.5", "x=2")
    assert result.exit_code == 0 and "agrees" in result.output and "disagrees" not in result.output


def test_check_finds_a_wrong_rule_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dataclasses.replace(OPS["sin"], partials=(lambda y, x: y + 5,))
    monkeypatch.setattr(elementary, "sin", wrong)
    monkeypatch.setitem(OPS, "sin", wrong)
    result = run("check", "L = sin(x)", "x=0.3")
    assert result.exit_code == 1 and "disagrees" in result.output


def test_help_has_examples() -> None:
    for command in ("trace", "draw", "check"):
        assert "Example: graphlab" in run(command, "--help").output
