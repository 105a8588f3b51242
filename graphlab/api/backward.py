"""The backward pass of a graph as a program: one assignment per gradient, as text and in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from graphlab.api.programs import as_latex, as_text, definition
from graphlab.api.seeds import needs_seed
from graphlab.engine import core, reverse
from graphlab.engine.core import Node
from graphlab.engine.inference import Shapes
from graphlab.engine.notation import Written
from graphlab.engine.textbook import Book
from graphlab.engine.writing import FormulaWriter, symbol_latex
from graphlab.errors import UnknownName
from graphlab.language import canonical_name

if TYPE_CHECKING:
    from graphlab.api.graph import Graph

NAMES_SHOWN = 12


@dataclass(frozen=True)
class Backward:
    """The gradients of a graph's output with respect to the nodes `wrt`. `totals` holds them and those they need.

    `lines` and `latex` write the pass as on paper, one assignment per bar, in the order in which they are found. Bars
    are those of the nodes that were given names; in a graph without such, those of all operations. Together with the
    `lines` of the graph the text parses and evaluates.
    """

    of: Graph
    wrt: tuple[Node, ...]
    seed: Node
    totals: Mapping[Node, Node]

    @property
    def lines(self) -> list[str]:
        """One assignment per bar, such as "S_bar = P*(P_bar - rowsum(P_bar*P))"."""
        return as_text(self._rows)

    @property
    def latex(self) -> str:
        """The same in LaTeX, aligned at the equals signs."""
        return as_latex(self._rows)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def shapes(self) -> Shapes:
        return self.of._symbolic_shapes

    @cached_property
    def _rows(self) -> list[tuple[Written, Written]]:
        book = Book(self.of.dag, called_by_name(self.of), self.of.names, self.shapes)
        writer = FormulaWriter({}, self.shapes.get)
        rows = [(str(row.symbol.name), row) for row in book.assignments(self.totals, self.wrt)]
        return [
            (Written(name, symbol_latex(row.symbol, name)), definition(writer, row.definition)) for name, row in rows
        ]


def called_by_name(graph: Graph) -> dict[Node, str]:
    """The nodes whose gradients get lines: those that were given names, if any was but the outputs; else all."""
    given = {node: name for node, name in graph._given_names.items() if node.op is not None}
    return given if given.keys() - set(graph.dag.outputs) else graph.names


def backward_of(of: Graph, wrt: Sequence[Node] | None, seed: str | float | None) -> Backward:
    """The backward pass towards `wrt`, or all inputs that have a gradient; see `Graph.backward`."""
    shapes = of._sound(of._symbolic_shapes)
    shape = shapes[of.dag.output]
    if shape != () and seed is None:
        raise needs_seed(shape)
    start = (
        core.variable(canonical_name(seed)) if isinstance(seed, str) else core.constant(1.0 if seed is None else seed)
    )
    shapes.declare(start, shape)
    targets = list(of.dag.inputs.values()) if wrt is None else wrt
    facts = reverse.backward_graph(of.dag, shapes, start, targets)
    totals = {of.dag.output: start} | {fact.node: fact.total for fact in facts}
    if wrt is None:
        return Backward(of, tuple(x for x in targets if x in totals), start, totals)
    for target in targets:
        if target not in totals:
            nothing = core.constant(0.0)
            totals[target] = nothing if shapes[target] == () else core.OPS["expand"].node(nothing, target)
    return Backward(of, tuple(targets), start, totals)


def node_called(graph: Graph, name: str) -> Node:
    """The input of that name, or else the operation; UnknownName lists both."""
    wanted = canonical_name(name)
    if wanted in graph.dag.inputs:
        return graph.dag.inputs[wanted]
    for node, called in graph.names.items():
        if called == wanted:
            return node
    inputs, steps = (listed(names) for names in (graph.inputs, list(graph.names.values())))
    raise UnknownName(f"the graph has no input called {name!r}", hint=f"Its inputs: {inputs}. Its operations: {steps}.")


def listed(names: Sequence[str]) -> str:
    """Names one after the other, the first few of many."""
    shown = ", ".join(names[:NAMES_SHOWN]) or "none"
    return shown + (", …" if len(names) > NAMES_SHOWN else "")
