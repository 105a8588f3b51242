"""The public Derivative: a Graph that knows which graph it is the derivative of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from graphlab.api.graph import Graph
from graphlab.api.programs import definition
from graphlab.api.seeds import needs_seed
from graphlab.engine import core, reverse, rewriting
from graphlab.engine.core import Node
from graphlab.engine.naming import accented_name
from graphlab.engine.notation import Written
from graphlab.engine.writing import LONGEST, Writer
from graphlab.errors import LimitError, ValueProblem
from graphlab.language import canonical_name

SUBSTITUTED_UP_TO = 80


class Derivative(Graph):
    """The derivative of a graph's output with respect to one input: a Graph, so it evaluates and differentiates again.

    `text` and `latex` are one expression: written out down to the inputs where that takes at most 80 characters, else
    with the learner's named nodes as symbols. `lines` is the backward pass as on paper: one assignment per bar.
    """

    def __init__(self, result: Node, of: Graph, slots: Mapping[Node, Node]) -> None:
        shapes = {name: of._symbolic_shapes[node] for name, node in of.dag.inputs.items()}
        super().__init__(result, names=of._given_names, shapes=shapes, stabilise=of._stabilise)
        self._of = of
        self._slots = slots

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
            label = str(node.name) if node.is_input else self._of.names.get(node, "L")
            name = accented_name(label, "bar", taken)
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


def derive(of: Graph, name: str, *, simplify: bool, seed: str | float | None) -> Derivative:
    """The derivative of a graph with respect to the input called `name`; see `Graph.derivative`."""
    target = of.dag.input(name)
    shapes = of._sound(of._symbolic_shapes)
    shape = shapes[of.dag.output]
    if shape != () and seed is None:
        raise needs_seed(shape)
    if isinstance(seed, str):
        start = core.variable(canonical_name(seed))
    else:
        start = core.constant(1.0 if seed is None else seed)
    shapes.declare(start, shape)
    facts = list(reverse.backward_graph(of.dag, shapes, start, [target]))
    slots = {of.dag.output: start} | {fact.node: fact.total for fact in facts}
    if target not in slots:
        nothing = core.constant(0.0)
        slots[target] = nothing if shapes[target] == () else core.OPS["expand"].node(nothing, target)
    result = rewriting.simplify(slots[target], shapes) if simplify else slots[target]
    return Derivative(result, of, slots)
