"""The values of the inputs: what a learner types into a field, and sensible numbers where nothing is typed yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphlab.api import Graph
from graphlab.engine.shapes import Shape
from graphlab.errors import ValueProblem
from graphlab.tracing.words import show_name

FIRST_NUMBERS = (2.0, 3.0, -1.0, 0.5, 1.0, -2.0, 4.0, 1.5)
SIZES = {"n": 2, "d": 3, "m": 2, "k": 2}
OTHER_SIZE = 2
SIGNS = str.maketrans({"\N{MINUS SIGN}": "-", "\N{FULLWIDTH HYPHEN-MINUS}": "-"})


def read_value(name: str, text: str) -> Any:
    """What was typed into a field: a number, or a list of numbers. ValueProblem names the input."""
    cleaned = text.strip().translate(SIGNS)
    if not cleaned:
        raise ValueProblem(f"{show_name(name)} has no value yet", hint="Type a number, such as 0.5, or a list: [1, 2].")
    if cleaned.count(",") == 1 and "[" not in cleaned:
        cleaned = cleaned.replace(",", ".")
    try:
        value = json.loads(cleaned.replace("+", "") if "[" not in cleaned else cleaned, parse_constant=float)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, (int, float, list)) or isinstance(value, bool):
        raise ValueProblem(
            f"{show_name(name)} = {text!r:.40} is not a number", hint="Type a number, such as 0.5, or a list: [1, 2]."
        )
    return value


def read_values(texts: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """The values of these inputs; ValueProblem for the first that cannot be read."""
    return {name: read_value(name, texts.get(name, "")) for name in names}


def write_value(value: Any) -> str:
    """A value as a field shows it."""
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value):
        return f"[{', '.join(map(write_value, value))}]"
    return f"{float(value):.12g}"


def fill_in(texts: Mapping[str, str], graph: Graph) -> dict[str, str]:
    """`texts` with a number for every input that has none: simple ones, arrays in the shapes the formula needs."""
    filled = {name: texts[name] for name in graph.inputs if name in texts}
    shapes = {node.name: node.shape for node in graph.outline().nodes if node.role == "input"}
    for position, name in enumerate(graph.inputs):
        if name not in filled:
            filled[name] = write_value(first_value(shapes[name], position))
    return filled


def first_value(shape: Shape, position: int) -> Any:
    """A number for the input at this position, or an array of small distinct ones."""
    sizes = [dim if isinstance(dim, int) else SIZES.get(dim, OTHER_SIZE) for dim in shape]
    if not sizes:
        return FIRST_NUMBERS[position % len(FIRST_NUMBERS)]
    count = int(np.prod(sizes))
    return np.round(np.sin(1.0 + position + 1.7 * np.arange(count)), 1).reshape(sizes)
