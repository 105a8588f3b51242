"""The public Derivative: a Graph that knows which graph it is the derivative of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from graphlab.api.graph import Graph
from graphlab.api.programs import definition
from graphlab.engine import core, rewriting
from graphlab.engine.core import Node
from graphlab.engine.naming import bar_name
from graphlab.engine.notation import Written
from graphlab.engine.writing import LONGEST, Writer
from graphlab.errors import LimitError

SUBSTITUTED_UP_TO = 80


class Derivative(Graph):
    """The derivative of a graph's output with respect to one input: a Graph, so it evaluates and differentiates again.

    `text` and `latex` are one expression: written out down to the inputs where that takes at most 80 characters, else
    with the learner's named nodes as symbols. `lines` is the backward pass as on paper: one assignment per bar.
    """

    def __init__(self, result: Node, of: Graph, slots: Mapping[Node, Node]) -> None:
        shapes = {name: of._symbolic_shapes[node] for name, node in of.dag.inputs.items()}
        super().__init__(result, names=of._given_names, shapes=shapes)
        self._of = of
        self._slots = slots

    @property
    def text(self) -> str:
        return self._expression.text

    @property
    def latex(self) -> str:
        return self._expression.latex

    @property
    def lines(self) -> list[str]:
        """One assignment per bar. Together with the `lines` of the graph it came from, it parses and evaluates."""
        taken = {*self._of.dag.inputs, *self._of.names.values()}
        symbols: dict[Node, Node] = {node: node for node in self._of.dag.nodes}
        writer = Writer(self._of.names, self._of._symbolic_shapes.rank)
        rows: dict[Node, tuple[str, str]] = {}
        for node, total in self._slots.items():
            name = bar_name(str(node.name) if node.is_input else self._of.names.get(node, "L"), taken)
            become = dict(symbols)
            for _ in rewriting.rewrite(total, become, rewriting.Context(self._of._symbolic_shapes)):
                pass
            rows[total] = (name, definition(writer, become[total]).text)
            symbols[total] = symbol = core.variable(name)
            self._of._symbolic_shapes.declare(symbol, self._of._symbolic_shapes[node])
        return [f"{name} = {text}" for name, text in rows.values()]

    @cached_property
    def _expression(self) -> Written:
        rank = self._symbolic_shapes.rank
        for symbols, longest in (({}, SUBSTITUTED_UP_TO), (self._given_names, LONGEST), (self._of.names, LONGEST)):
            written = Writer(symbols, rank, longest).define(self.dag.output)
            if written is not None:
                return written
        raise LimitError("written out, this derivative takes more than 20,000 characters", hint="Use .lines.")
