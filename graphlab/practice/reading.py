"""Reading an answer: a text → a node on top of the graph that is asked about.

A name means the input or operation of the graph that is called so; e_bar means a gradient, which is built on demand.
σ′(z) is the derivative rule of σ. A product written without a sign, or with *, is a product of matrices where its
factors fit in no other way; in LaTeX the shapes decide, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphlab.api.products import kind_of_product
from graphlab.engine.core import OPS, Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.errors import GraphLabError, ParseError, ShapeError, UnknownName
from graphlab.language import Program, parse_program
from graphlab.language.names import nearest
from graphlab.language.program import Notation
from graphlab.language.vocabulary import function_called
from graphlab.practice.asked import Asked
from graphlab.practice.spelling import BAR, SLOPE, respell


@dataclass(frozen=True)
class Answer:
    """What was typed, as a node. `used` are the names in it, `literals` the decimals that stand in it."""

    node: Node
    used: tuple[str, ...]
    literals: tuple[Node, ...]


def read_answer(asked: Asked, typed: str, notation: Notation) -> Answer:
    """The answer as a node. Raises a GraphLabError that knows its place in `typed`."""
    spelled = respell(typed, asked.is_known, asked.output_name, latex=notation == "latex")
    try:
        return _read(asked, spelled.text, notation)
    except GraphLabError as error:
        error.source = typed
        error.position = None if error.position is None else spelled.origin(error.position)
        raise


def _read(asked: Asked, text: str, notation: Notation) -> Answer:
    slopes = {name for name in _words(text) if name.startswith(SLOPE)}
    program = parse_program(text, notation=notation, functions={*asked.functions, *slopes}, values=asked.names)
    dag = Dag(program.outputs[0])
    asked.prepare_bars([name.removesuffix(BAR) for name in dag.inputs if name.endswith(BAR)])
    become: dict[Node, Node] = {}
    for node in dag.nodes:
        if node.op is None:
            become[node] = _named(asked, str(node.name)) if node.is_input else node
        else:
            become[node] = _operation(node, [become[x] for x in node.inputs], asked.shapes, program)
    literals = tuple(node for node in dag.nodes if node.is_constant and "." in node.attrs.get("literal", ""))
    return Answer(become[dag.output], tuple(dag.inputs), literals)


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c in "_'" else " " for c in text).split())


def _named(asked: Asked, name: str) -> Node:
    node = asked.node(name)
    if node is None:
        near = nearest(name, asked.names)
        known = f"Did you mean {near}?" if near else f"The names here: {', '.join(asked.names)}."
        raise UnknownName(f"there is nothing called {name} here", hint=known)
    return node


def _operation(node: Node, inputs: list[Node], shapes: Shapes, program: Program) -> Node:
    """The same operation on nodes of the graph."""
    op: Any = node.op
    position = program.positions.get(node)
    if isinstance(op, AbstractOp) and op.function.startswith(SLOPE):
        return slope_of(op.function.removeprefix(SLOPE), inputs[0], position)
    made: Node = op.node(*inputs, **node.attrs)
    if node in program.open_products or (op is OPS["mul"] and shapes.get(made) is None):
        made = _product(made, tuple(inputs), shapes)
    if shapes.get(made) is None:
        fault = shapes.faults.get(made) or ShapeError("the shapes do not fit")
        fault.position = position
        raise fault
    return made


def _product(made: Node, factors: tuple[Node, ...], shapes: Shapes) -> Node:
    """The product of matrices or vectors, where that has a shape."""
    op = kind_of_product(factors, shapes)
    other: Node = op.node(*factors) if op else made
    return other if shapes.get(other) is not None else made


def slope_of(function: str, x: Node, position: int | None = None) -> Node:
    """The derivative of a function of one number at x, by its rule."""
    found = function_called(function)
    op = found.pick(1) if found else None
    rule: Callable[..., Any] | None = op.partials[0] if op and op.partials else None
    if op is None or rule is None:
        raise ParseError(f"{function}′ is no derivative known here", position=position)
    made: Node = rule(op.node(x), x, *op.defaults)
    return made
