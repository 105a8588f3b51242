"""Making graphs: from text, and from nodes built with Python's operators."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Literal

from graphlab.api.edges import installed
from graphlab.api.graph import Graph
from graphlab.engine import core
from graphlab.engine.core import Node
from graphlab.engine.shapes import Shape
from graphlab.errors import ValueProblem
from graphlab.language import NAME_LENGTH, canonical_name, is_function, parse_program


def parse(
    text: str,
    *,
    notation: Literal["plain", "latex"] = "plain",
    products: Collection[str] = (),
    functions: Collection[str] = (),
    values: Collection[str] | Mapping[str, Any] = (),
    stabilise: bool = True,
) -> Graph:
    """The graph of a formula: in plain notation such as "L = c(a+2b)" or "d = 2b; e = a+d; L = c*e", or in LaTeX.

    In LaTeX, statements are separated by \\\\ or ;, and the shapes of values decide whether W x is a matrix product.
    `products` and `functions` settle how c(…) is read for the names in them; names that get `values` are never
    functions. A mapping of values also gives the inputs their shapes. Nothing typed is ever executed.
    Where a formula would lose its digits, such as log(sigmoid(z)), a graph runs a stable form of it and says so in its
    notices; `stabilise=False` computes what was typed.
    Raises ParseError (with line, column and caret), UnknownName, LimitError.

    >>> parse("L = c(a+2b)").evaluate(a=3, b=1, c=-2)
    -10.0
    """
    program = parse_program(text, notation=notation, products=products, functions=functions, values=values)
    made = Graph(
        *program.outputs,
        names=program.names,
        source=text,
        shapes=program.shapes,
        notices=program.notices,
        positions=program.positions,
        open_products=program.open_products,
        stabilise=stabilise,
    )
    given = values if isinstance(values, Mapping) else {}
    return made.with_shapes({name: value for name, value in given.items() if canonical_name(name) not in made.shapes})


def graph(
    outputs: Mapping[str, Node] | None = None,
    /,
    *,
    shapes: Mapping[str, Shape] | None = None,
    stabilise: bool = True,
    **named: Node,
) -> Graph:
    """The graph of nodes built with operators: `graph(L=c * (a + 2 * b))`.

    Every keyword names a node; the output is the one called L, else the last. Outputs called like an option go into
    the positional mapping. `shapes` declares inputs for symbolic work: {"X": ("n", "d")}; `stabilise` as in `parse`.
    """
    everything = {**outputs, **named} if outputs else named
    if not everything:
        raise ValueProblem("a graph needs an output", hint="Write gl.graph(L=…).")
    names: dict[Node, str] = {}
    for name, node in everything.items():
        if type(node) is not Node:
            raise ValueProblem(f"{name} is {type(node).__name__}, not a node", hint="Build nodes from gl.variables(…).")
        names.setdefault(node, canonical_name(name))
    output = everything["L"] if "L" in everything else list(everything.values())[-1]
    rest = [node for node in names if node is not output]
    return Graph(output, *rest, names=names, shapes=shapes, stabilise=stabilise)


def variable(name: str) -> Node:
    """An input node. Its shape is that of the value it is given later."""
    return core.variable(input_name(name))


@lru_cache(maxsize=1024)
def input_name(name: str) -> str:
    """The one spelling of an input's name; ValueProblem for what is none."""
    wanted = canonical_name(name)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9,]+)*'*", wanted) or len(wanted) > NAME_LENGTH:
        raise ValueProblem(
            f"{name!r:.60} is no name for an input", hint="A letter, then letters and digits: x, x_1, alpha, W_Q."
        )
    if is_function(wanted):
        raise ValueProblem(f"{name} is the name of a function", hint=f"Call the input {name}_1, for example.")
    return wanted


def variables(names: str) -> list[Node]:
    """Several inputs at once: `a, b, c = variables("a b c")`; commas are allowed."""
    return [Node(None, name=name) for name in input_names(names)]


@lru_cache(maxsize=256)
def input_names(names: str) -> tuple[str, ...]:
    """Several names in one text; ValueProblem for what is none. Graphs are often built again, so it remembers."""
    found = tuple([input_name(name) for name in re.split(r"[\s,]+", names.strip()) if name])
    if not found:
        raise ValueProblem("no names given", hint='Write variables("a b c").')
    return found


def from_sympy(expression: Any) -> Graph:
    """The graph of a SymPy expression; its symbols become inputs and equal parts one node.

    Raises NoRule, naming it, for whatever graphlab has no op for, and ValueProblem for a symbol that is no name here.

    >>> import sympy
    >>> from_sympy(sympy.sin(sympy.Symbol("x")) ** 2).text
    'sin(x)^2'
    """
    with installed():
        from graphlab.interop import expressions

    inputs: dict[str, Node] = {}

    def input_called(name: str) -> Node:
        if name not in inputs:
            inputs[name] = variable(name)
        return inputs[name]

    return Graph(expressions.from_sympy(expression, input_called))
