"""What a node means, as text and as a table: for comparing what was read with what should have been."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from graphlab.engine.core import Node
from graphlab.language import Program, parse_program


def read(text: str, **options: Iterable[str]) -> str:
    """The output of a program as nested calls, such as mul(c, add(a, mul(2, b)))."""
    return show(parse_program(text, **{name: set(names) for name, names in options.items()}).outputs[0])


def show(root: Node) -> str:
    """A node as nested calls, down to the inputs."""
    done: dict[Node, str] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        missing = [x for x in node.inputs if x not in done]
        if missing:
            stack += [node, *missing]
        else:
            done[node] = show_one(node, [done[x] for x in node.inputs])
    return done[root]


def show_one(node: Node, inputs: list[str]) -> str:
    if node.op is None:
        return leaf(node)
    return f"{node.op.name}({', '.join([*inputs, *(f'{key}={value}' for key, value in node.attrs.items())])})"


def leaf(node: Node) -> str:
    if node.name is not None:
        return node.name
    literal = node.attrs.get("literal")
    return str(literal) if literal else str(np.asarray(node.value).tolist())


def table(outputs: Iterable[Node]) -> list[tuple[object, ...]]:
    """Ops, options, values and sharing of a graph, with numbers in order of first use instead of node ids."""
    numbers: dict[Node, int] = {}
    rows: list[tuple[object, ...]] = []
    stack = list(reversed(list(outputs)))
    while stack:
        node = stack.pop()
        missing = [x for x in node.inputs if x not in numbers]
        if node in numbers:
            continue
        if missing:
            stack += [node, *reversed(missing)]
            continue
        numbers[node] = len(numbers)
        what = node.op.name if node.op else node.name or np.asarray(node.value).tolist()
        rows.append((what, dict(node.attrs) if node.op else {}, *(numbers[x] for x in node.inputs)))
    return rows


def named(program: Program) -> dict[str, str]:
    """The learner's names and what they stand for."""
    return {name: show(node) for node, name in program.names.items()}
