"""Graphs made from a graph: with shapes declared, with functions defined, and rewritten by the visible rules.

The graph itself never changes. A node that survives keeps its name in the new graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphlab.api.definitions import define
from graphlab.api.products import settle
from graphlab.api.programs import as_latex, as_text, write_statements
from graphlab.api.rewrites import rewriting_notices
from graphlab.engine import values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import name_all
from graphlab.engine.notation import Written
from graphlab.engine.shapes import Shape
from graphlab.engine.stabilising import Stabilised
from graphlab.errors import LimitError, ValueProblem
from graphlab.language import Notice, canonical_name
from graphlab.tracing.rewriting_steps import RewriteKind, RewriteTrace, Rewriting, carried, record, rewrite_dag

if TYPE_CHECKING:
    from graphlab.api.graph import Graph


class Remakable(Protocol):
    """What these methods need of the Graph that has them."""

    dag: Dag
    shapes: dict[str, Shape]
    _source: str | None
    _notices: tuple[Notice, ...]
    _positions: Mapping[Node, int]
    _open_products: Collection[Node]
    _stabilise: bool

    @property
    def names(self) -> dict[Node, str]: ...
    @property
    def text(self) -> str: ...
    @property
    def latex(self) -> str: ...
    @property
    def _given_names(self) -> dict[Node, str]: ...
    @property
    def is_open(self) -> bool: ...
    @property
    def _symbolic_shapes(self) -> Shapes: ...
    def _sound(self, shapes: Shapes) -> Shapes: ...


class Remaking:
    """The methods of Graph that make another graph of it."""

    def with_shapes(self: Remakable, given: Mapping[str, Any]) -> Graph:
        """The same graph with its inputs declared to have the shapes of these values, for symbolic work."""
        from graphlab.api.graph import Graph

        known = {canonical_name(name): np.shape(values.convert(value, name)) for name, value in given.items()}
        shapes = self.shapes | known
        become = settle(self.dag, self._open_products, shapes)
        return Graph(
            *[become[node] for node in self.dag.outputs],
            names={become[node]: name for node, name in self._given_names.items()},
            source=self._source,
            shapes=shapes,
            notices=self._notices,
            positions={become[node]: position for node, position in self._positions.items()},
            open_products={become[node] for node in self._open_products} if self.dag.inputs.keys() - shapes else (),
            stabilise=self._stabilise,
        )

    def define(self: Remakable, bodies: Mapping[str, str] | None = None, /, **named: str) -> Graph:
        """The graph with its abstract functions replaced by formulas: `g.define(u="sin(x)", v="v(t) = t^2 + 1")`.

        A formula has one variable, of any name; with more names in it, "u(x) = a*x" says which is the variable. It must
        work entry by entry. Derivatives of the function, u′, become those of the formula. Raises UnknownName for a
        function that the graph does not have, ValueProblem for a formula that does not fit.
        """
        return remade(self, define(self.dag, {**(bodies or {}), **named}, self._symbolic_shapes))

    def simplified(self: Remakable) -> Graph:
        """The graph after all rules of simplifying: no ·1, no +0, numbers folded and in front, equal terms collected.

        Its values and gradients are the same. Raises ShapeError for a graph whose shapes do not fit, ValueProblem for
        a LaTeX formula whose products are open until shapes are known; so do `merged` and `rewrites`.

        >>> import graphlab as gl
        >>> gl.parse("y = 1*x + x*2").simplified().text
        'y = 3*x'
        """
        return rewritten_graph(self, rewriting_of(self, "simplify"))

    def merged(self: Remakable) -> Graph:
        """The graph with equal expressions worked out once; the first of them stays.

        >>> import graphlab as gl
        >>> gl.parse("y = sin(x*x) + x*x").merged().text
        'd = x*x; y = sin(d) + d'
        """
        return rewritten_graph(self, rewriting_of(self, "merge"))

    def rewrites(self: Remakable, kind: RewriteKind) -> RewriteTrace:
        """What "simplify", "merge" or "stabilise" does to the graph, step by step.

        Each step has its rule, its reason, both forms as text and LaTeX, the node it happened at, and a check of their
        values at random points. The graphs at the end are `simplified()`, `merged()` and `stabilised` (in which even
        named nodes stay that nothing uses any more).

        >>> import graphlab as gl
        >>> [(step.name, step.before, step.after) for step in gl.parse("y = sin(x*1)").rewrites("simplify").steps]
        [('d', 'x*1', 'x')]
        """
        done = rewriting_of(self, kind)
        result = program_of(rewritten_graph(self, done))
        return record(self.dag, done, self.names, self._symbolic_shapes, program_of(self), result)


def running_graph(graph: Graph, stable: Stabilised) -> Graph:
    """The graph that is run in place of a typed one: its nodes keep their names, its notices say what was replaced."""
    from graphlab.api.graph import Graph

    become = stable.become
    running = Graph(
        *stable.dag.outputs,
        names={become[node]: name for node, name in graph.names.items()},
        source=graph._source,
        shapes=graph.shapes,
        notices=(*graph._notices, *rewriting_notices(stable, graph._given_names, graph._positions)),
        positions={become[node]: position for node, position in graph._positions.items()},
        stabilise=False,
    )
    running._typed = graph
    return running


def rewriting_of(graph: Remakable, kind: RewriteKind) -> Rewriting:
    """The graph under the rules of one kind."""
    if graph.is_open:
        raise ValueProblem(
            "the products of this LaTeX formula may still become products of matrices, so it cannot be rewritten yet",
            hint="Give the values to parse as well: parse(…, values={…}).",
        )
    return rewrite_dag(graph.dag, kind, graph._sound(graph._symbolic_shapes))


def rewritten_graph(graph: Remakable, done: Rewriting) -> Graph:
    """The graph at the end of a rewriting, with every name that `graph` shows for a node that is still there.

    Nodes that merging has made shared are given their names: only so does the text parse to the same graph.
    """
    shown = carried(graph.names, done.become)
    uses = Counter(x for node in reachable(done.become.values()) for x in node.inputs)
    merged = {fact.after for _, fact in done.facts if done.kind == "merge"}
    made = remade(graph, done.become, {node: shown[node] for node in merged if uses[node] > 1})
    still_there = {node: name for node, name in shown.items() if node in made.dag.ids}
    made.names = name_all(made.dag, {**still_there, **made._given_names})
    return made


def remade(graph: Remakable, become: Mapping[Node, Node], names: Mapping[Node, str] | None = None) -> Graph:
    """The graph of what its nodes became. Names that were given stay, above all those of the outputs; more may be added
    for nodes that have none."""
    from graphlab.api.graph import Graph

    given = graph._given_names
    of_outputs = {become[node]: given[node] for node in graph.dag.outputs[::-1] if node in given}
    made = Graph(
        *dict.fromkeys(become[node] for node in graph.dag.outputs),
        names={**(names or {}), **carried(given, become), **of_outputs},
        shapes=graph.shapes,
        stabilise=graph._stabilise,
    )
    made._source = None if graph._source is None else program_of(made).text
    return made


def program_of(graph: Remakable) -> Written:
    """The graph as it is written; where that is too long, one operation after the other."""
    try:
        return Written(graph.text, graph.latex)
    except LimitError:
        rows = write_statements(graph.dag, graph.names, graph._symbolic_shapes)
        return Written("; ".join(as_text(rows)), as_latex(rows))
