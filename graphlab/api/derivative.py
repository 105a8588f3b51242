"""The public Derivative: a Graph that knows which graph it is the derivative of."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from graphlab.api.backward import Backward, backward_of, node_called
from graphlab.api.graph import Graph
from graphlab.engine.core import Node
from graphlab.engine.dag import reachable
from graphlab.engine.merging import merging_rule
from graphlab.engine.notation import Written
from graphlab.engine.rewriting import Context, count_uses, rewritten
from graphlab.engine.simplifying import RULES, simplify
from graphlab.engine.textbook import Book
from graphlab.engine.writing import LONGEST, FormulaWriter, Writer, measure
from graphlab.errors import LimitError, ValueProblem

SUBSTITUTED_UP_TO = 80


class Derivative(Graph):
    """The derivative of a graph's output with respect to one node: a Graph, so it evaluates and differentiates again.

    `text` and `latex` are one expression, in which named nodes are symbols: those of the graph and those of a rule (the
    weights P of an attention, which `lines` define). Where all of these are single numbers, and it takes at most 80
    characters, it is written out down to the inputs. `substituted` writes more of it out. `lines` is the backward pass
    as on paper, one assignment per bar; `lines_latex` the same in LaTeX.
    """

    def __init__(self, result: Node, names: Mapping[Node, str], found: Backward, *, simplify: bool) -> None:
        of = found.of
        inputs = [*of.dag.inputs.values(), *([found.seed] if found.seed.is_input else [])]
        shapes = {str(node.name): of._symbolic_shapes[node] for node in inputs}
        super().__init__(result, names=names, shapes=shapes, stabilise=of._stabilise)
        self._of = of
        self._backward = found
        self._simplify = simplify
        self._levels: int | None = 0

    @property
    def is_open(self) -> bool:
        return self._of.is_open

    def settled_by(self, given: Mapping[str, Any]) -> Graph:
        """This derivative; ValueProblem for arrays where products of a LaTeX formula were taken as those of numbers."""
        if self.is_open and any(np.ndim(value) for value in given.values()):
            raise ValueProblem(
                "with vectors or matrices a product of the LaTeX formula may be another one than the one that was "
                "differentiated",
                hint="Give the values to parse as well: parse(…, values={…}).",
            )
        return self

    # ---- how it is written -----------------------------------------------------------------------------------------
    @property
    def text(self) -> str:
        return self._expression.text

    @property
    def latex(self) -> str:
        return self._expression.latex

    @property
    def lines(self) -> list[str]:
        """One assignment per bar. Together with the `lines` of the graph it came from, it parses and evaluates."""
        return self._backward.lines

    @property
    def lines_latex(self) -> str:
        """The lines in LaTeX, aligned at the equals signs."""
        return self._backward.latex

    def estimate(self, levels: int | None = 1) -> int:
        """How many characters of LaTeX `substituted(levels)` would take, found without writing them out.

        It is within a few characters per bracket of the true length.
        """
        return measure(self._expanded(levels), self._shape)

    def substituted(self, levels: int | None = 1) -> Derivative:
        """The same derivative, in whose `text` and `latex` every symbol is replaced by its definition, so many times;
        with None until only inputs are left.

        Raises LimitError, with the length it would have, above 20,000 characters.
        """
        length = self.estimate(levels)
        if length > LONGEST:
            raise LimitError(
                f"written out, this takes about {length:,} characters of LaTeX; at most {LONGEST:,} are written",
                hint="Substitute fewer levels, or use .lines.",
            )
        made = copy.copy(self)
        made.__dict__.pop("_expression", None)
        made._levels = None if levels is None or self._levels is None else self._levels + levels
        return made

    @cached_property
    def _expression(self) -> Written:
        written = None if self._levels else self._short or self._unsimplified
        written = written or FormulaWriter({}, self._shape).define(self._expanded(0))
        if written is None and not self._levels:
            book = Book(self._of.dag, self._of.names, self._of.names, self._of._symbolic_shapes)
            written = FormulaWriter({}, self._shape).define(book.expression(self._total))
        if written is None:
            raise LimitError("written out, this derivative takes more than 20,000 characters", hint="Use .lines.")
        return written

    @property
    def _short(self) -> Written | None:
        """Down to the inputs, where that is short and no name of an array is lost."""
        named = self._simplify and any(self._shape(x) for x in reachable([self._named]) if x in self._book.meanings)
        if named or len(self.dag.nodes) > SUBSTITUTED_UP_TO:
            return None
        whole = simplify(self._total, self._of._symbolic_shapes) if self._simplify else self._total
        written = FormulaWriter({}, self._shape, SUBSTITUTED_UP_TO).define(whole)
        return written if written and len(written.latex) <= SUBSTITUTED_UP_TO else None

    @property
    def _unsimplified(self) -> Written | None:
        """As the chain rule builds it, where that was asked for."""
        return None if self._simplify else Writer(self._given_names, self._symbolic_shapes.get).define(self.dag.output)

    def _expanded(self, more: int | None) -> Node:
        """The expression with symbols replaced as often as was asked for, and `more` often."""
        if more is None or self._levels is None:
            return simplify(self._total, self._of._symbolic_shapes)
        node = self._named
        for _ in range(self._levels + more):
            node = self._book.opened(node)
        return node

    @cached_property
    def _book(self) -> Book:
        return Book(self._of.dag, self._of._given_names, self._of.names, self._of._symbolic_shapes)

    @cached_property
    def _named(self) -> Node:
        return self._book.expression(self._total)

    @property
    def _total(self) -> Node:
        return self._backward.totals[self._backward.wrt[0]]

    def _shape(self, node: Node) -> Any:
        return self._of._symbolic_shapes.get(node)


def derive(of: Graph, name: str, *, simplify: bool, seed: str | float | None) -> Derivative:
    """The derivative of a graph with respect to the input, or else operation, called `name`; see `Graph.derivative`."""
    target = node_called(of, name)
    found = backward_of(of, [target], seed)
    result = found.totals[target]
    become = {node: node for node in of._given_names}
    if simplify:
        become = {}
        context = Context(found.shapes, uses=count_uses([result]))
        result = rewritten(result, become, [*RULES, merging_rule(set(of.dag.nodes))], context)
    names = {become[node]: name for node, name in reversed(of._given_names.items()) if node in become}
    return Derivative(
        result, {node: name for node, name in names.items() if not node.is_input}, found, simplify=simplify
    )
