"""The files of the lessons hold inputs and texts, but no results: numbers stand in tests, or come from graphlab."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

RUNGS = sorted((Path(__file__).parents[2] / "graphlab" / "lessons" / "rungs").glob("*.py"))
CONTROLS = {"Slider", "Switch", "Choose", "Numbers", "Text", "Points"}
INPUTS = {"values", "moving", "seed", "axis", "longest"}
CONSTANT = re.compile(r"(?:\w+_)?(?:VALUES|SEED|GRID|SIZES|STEPS|RATE|POINTS)")
FREE = {0, 1}
DECIMAL = re.compile(r"\d[.,]\d")


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def inputs_of(tree: ast.Module) -> Iterator[ast.AST]:
    """The parts of a module that are clearly inputs."""
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and CONSTANT.fullmatch(target.id) for target in targets):
            yield statement
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node) in CONTROLS:
            yield node
        if isinstance(node, ast.keyword) and node.arg in INPUTS:
            yield node.value
        if isinstance(node, ast.Subscript):
            yield node.slice


def questions_of(tree: ast.Module) -> Iterator[ast.AST]:
    """The text of every question and of every choice, not its reply."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node) in {"Question", "Choice"}:
            yield node.args[0]
        if isinstance(node, ast.Call) and name_of(node) == "parse":
            yield node.args[0]
        if isinstance(node, ast.keyword) and node.arg == "program":
            yield node.value


def constants(tree: ast.AST) -> Iterator[ast.Constant]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Constant))


def strange_numbers(tree: ast.Module) -> list[int]:
    """The lines with a number that is no input."""
    allowed = {node for part in inputs_of(tree) for node in constants(part)}
    numbers = [
        node for node in constants(tree) if isinstance(node.value, int | float) and not isinstance(node.value, bool)
    ]
    return [node.lineno for node in numbers if node not in allowed and node.value not in FREE]


def stated_results(tree: ast.Module) -> list[str]:
    """Texts with a decimal number that is neither part of a question nor an input."""
    allowed = {node for part in (*inputs_of(tree), *questions_of(tree)) for node in constants(part)}
    texts = [node for node in constants(tree) if isinstance(node.value, str) and node not in allowed]
    return [str(node.value) for node in texts if DECIMAL.search(str(node.value))]


@pytest.mark.parametrize("path", RUNGS, ids=lambda path: path.stem)
def test_a_lesson_has_no_number_but_inputs(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert not strange_numbers(tree)
    assert not stated_results(tree)


def test_a_result_in_a_lesson_is_noticed() -> None:
    """In code, and in a reply; an input and a question are not taken for one."""
    assert strange_numbers(ast.parse('ANSWER = 0.4\nx = Quantity("L", -0.07)')) == [1, 2]
    assert stated_results(ast.parse('Choice("It falls by 0.4", "L falls by 0.4.")')) == ["L falls by 0.4."]
    fine = 'WALK_VALUES = {"b": 3.5}\nWalk(program="y = 0.5x", values={"x": 2})\nSlider("x", 0.1, -2, 2, 0.1)\nrow[2]'
    assert not strange_numbers(ast.parse(fine)) and not stated_results(ast.parse(fine))
