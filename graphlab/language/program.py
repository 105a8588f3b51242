"""A text → a Program: the nodes it means, their names, and how ambiguous parts were read.

tokens → statements → reading (what each name is) → syntax (terms) → building (nodes). Nothing typed is executed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from graphlab.engine.core import Node, building
from graphlab.engine.shapes import Shape
from graphlab.errors import GraphLabError, ParseError, ValueProblem
from graphlab.language.building import Builder
from graphlab.language.latex_tokens import tokenize_latex
from graphlab.language.names import canonical_name
from graphlab.language.reading import Notice, Reading
from graphlab.language.statements import Formula, read_statements
from graphlab.language.syntax import Parser
from graphlab.language.terms import Call, Term, in_order
from graphlab.language.tokens import tokenize

LOSS = "L"
Notation = Literal["plain", "latex"]


@dataclass(frozen=True)
class Program:
    """What a text means, before it becomes a Graph.

    outputs: the output first, then the node of every other statement that the output does not use
    names: of nodes the learner assigned, in their ASCII spelling; inputs carry their own
    output_name: of the output's statement as it is printed, None for a bare formula
    shapes: as declared, of inputs
    positions: where in `source` each operation stands
    open_products: of a text in LaTeX, the products that are elementwise or of matrices, as the shapes will have it
    """

    outputs: tuple[Node, ...]
    names: dict[Node, str]
    output_name: str | None
    shapes: dict[str, Shape]
    notices: tuple[Notice, ...]
    source: str
    positions: dict[Node, int]
    open_products: frozenset[Node]


def parse_program(
    text: str,
    *,
    notation: Notation = "plain",
    products: Collection[str] = (),
    functions: Collection[str] = (),
    values: Collection[str] = (),
) -> Program:
    """Read a program in plain notation or in LaTeX.

    `products` and `functions` say of names before a bracket how to read them, `values` which names are given a value
    (they are inputs, also e and pi). Raises a GraphLabError that knows its place in the text: ParseError, UnknownName
    for a misspelt or missing function, LimitError, ValueProblem for a value given to a function or an unknown notation.
    """
    if notation not in ("plain", "latex"):
        raise ValueProblem(f"there is no notation {notation!r:.40}", hint='The notations are "plain" and "latex".')
    given = [{canonical_name(name) for name in names} for names in (products, functions, values)]
    try:
        with building():
            return _read(text, notation == "latex", *given)
    except GraphLabError as error:
        error.source = text
        raise


def _read(
    text: str, latex: bool, products: Collection[str], functions: Collection[str], values: Collection[str]
) -> Program:
    tokens, notices = tokenize_latex(text) if latex else (tokenize(text), [])
    statements = read_statements(tokens)
    reading = Reading(statements, tokens, products=products, functions=functions, values=values)
    terms = {
        formula: Parser(formula.tokens, reading, text, formula.parameters or (), latex=latex).formula()
        for formula in statements
        if isinstance(formula, Formula)
    }
    if not terms:
        raise ParseError("there is no formula yet", hint="Type one, for example L = c(a+2b).", position=0)
    builder = Builder(reading, taken={token.text for token in tokens if token.kind == "name"})
    formulas = _define_functions(terms, reading, builder)
    nodes, printed = _calculate(formulas, terms, builder)
    chosen = max(range(len(formulas)), key=lambda i: (formulas[i].name == LOSS, i))
    used = _needed_by([nodes[chosen]])
    outputs = (nodes[chosen], *dict.fromkeys(node for node in nodes if node not in used))
    return Program(
        outputs=outputs,
        names=builder.names,
        output_name=printed[chosen],
        shapes={name: declared.shape for name, declared in reading.shapes.items()},
        notices=tuple(sorted(notices + reading.notices + builder.notices, key=lambda notice: notice.position)),
        source=text,
        positions={node: builder.positions[node] for node in _needed_by(outputs) if node in builder.positions},
        open_products=frozenset(builder.open_products & _needed_by(outputs)),
    )


def _define_functions(terms: Mapping[Formula, Term], reading: Reading, builder: Builder) -> list[Formula]:
    """Give `builder` the learner's functions. Returns the formulas to calculate, in order.

    A definition that nothing calls and that stands last, or is called L, is such a formula, as in L(a, b) = a + 2b.
    """
    definitions = reading.definitions
    calls = {formula: _called(term) & definitions.keys() for formula, term in terms.items()}
    used = set().union(*calls.values())
    order = _dependencies_first({name: calls[formula] for name, formula in definitions.items()}, definitions)
    standing = [formula for formula in terms if not (formula.is_definition and formula.name in used)]
    formulas = [f for f in standing if not f.is_definition or f is standing[-1] or f.name == LOSS]
    for name in order:
        formula = definitions[name]
        if formula in formulas:
            continue
        builder.define(name, formula.parameters or (), terms[formula])
        if name not in used:
            builder.notices.append(Notice(f"{name} is defined but never used", formula.position, name))
    return formulas


def _called(term: Term) -> set[str]:
    return {part.name for part in in_order(term) if isinstance(part, Call)}


def _dependencies_first(calls: Mapping[str, Set[str]], definitions: Mapping[str, Formula]) -> list[str]:
    try:
        return list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        raise ParseError(
            f"{circle[0]} would call itself: {' → '.join(circle[:6])}",
            hint="A function cannot use itself; write the steps out.",
            position=definitions[circle[0]].position,
        ) from None


def _calculate(
    formulas: Iterable[Formula], terms: Mapping[Formula, Term], builder: Builder
) -> tuple[list[Node], list[str | None]]:
    """The node of each formula, and the name it is printed with."""
    nodes: list[Node] = []
    printed: list[str | None] = []
    for formula in formulas:
        for parameter in formula.parameters or ():
            builder.lookup(parameter, formula.position)
        nodes.append(builder.build(terms[formula], builder.lookup))
        printed.append(builder.assign(formula.target, nodes[-1]) if formula.target else None)
    return nodes, printed


def _needed_by(nodes: Iterable[Node]) -> set[Node]:
    """`nodes` and everything below them."""
    stack = list(nodes)
    seen = set(stack)
    while stack:
        for x in stack.pop().inputs:
            if x not in seen:
                seen.add(x)
                stack.append(x)
    return seen
