"""The scalar view of a graph: every entry of every array a node of its own, and the way there and back for values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphlab.api.seeds import needs_seed, seed_for
from graphlab.engine import values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import name_all, scoped_names
from graphlab.engine.scalars import Opened, open_graph, weighted_sum
from graphlab.engine.shapes import count, show_shape
from graphlab.errors import ShapeError, ValueProblem

if TYPE_CHECKING:
    from graphlab.api.graph import Graph


class Openable(Protocol):
    """What this method needs of the Graph that has it."""

    @property
    def stabilised(self) -> Graph: ...
    def settled_by(self, given: Mapping[str, Any]) -> Openable: ...


@dataclass(frozen=True)
class ScalarView:
    """A graph opened into scalars.

    `graph` has scalar nodes only; its inputs are entries, W_1_2 that of row 1 and column 2 of W. `values` splits arrays
    into entries and `gradients` puts the entries' gradients together again, so that both views can be compared.
    Values may be left out where the view was made with values.
    """

    graph: Graph
    of: Graph
    opened: Opened
    given: Mapping[str, Any]
    constants: frozenset[str]

    def values(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> dict[str, float]:
        """The values of `graph`'s inputs, from arrays by the names of the tensor graph.

        Raises ValueProblem and ShapeError for values that do not fit; ids and masks must be those of the opening.
        """
        bound = self.of._bind({**self.given, **(given or {})}, named)
        found: dict[str, float] = {}
        for name, cells in self.opened.inputs.items():
            value = np.asarray(bound[self.of.dag.inputs[name]])
            if value.shape != cells.shape:
                raise ShapeError(
                    f"{name} has shape {show_shape(value.shape)}, but was opened with {show_shape(cells.shape)}",
                    op="scalar_view",
                    hint="Open the graph again with the new values.",
                )
            if name not in self.constants:
                found |= {cell.name: float(x) for cell, x in zip(cells.flat, value.flat, strict=True)}
            elif not np.array_equal(value, self.given[name]):
                raise ValueProblem(f"the graph was opened with another {name}", hint="Open it again with the new one.")
        return {name: found[name] for name in self.graph.inputs}

    def gradients(self, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, **named: Any) -> dict[str, Any]:
        """The gradients that the scalar graph finds, as arrays shaped like the inputs of the tensor graph.

        A non-scalar output needs a `seed` of its shape, here or when the view is made.
        """
        point = self.values(given, **named)
        running = self.graph
        if seed is not None:
            running = seeded_graph(self.opened, seed)
        elif self.opened.output.shape and self.graph.dag.output in list(self.opened.output.flat):
            raise needs_seed(self.opened.output.shape)
        return self.gather(running.gradients({name: point[name] for name in running.inputs}))

    def gather(self, gradients: Mapping[str, float]) -> dict[str, Any]:
        """Numbers by entry as arrays by input: {"x_1": 1, "x_2": 2} → {"x": array([1, 2])}; 0 where none is given."""
        found = {}
        for name, cells in self.opened.inputs.items():
            if name not in self.constants:
                entries = np.array([gradients.get(str(cell.name), 0.0) for cell in cells.flat])
                found[name] = values.public(entries.reshape(cells.shape))
        return found


class Scalars:
    """The method of Graph that opens it into scalars."""

    def scalar_view(
        self: Openable, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, **named: Any
    ) -> ScalarView:
        """This graph with a node for every entry of every array, and its gradients in both views.

        Sizes are those of the values, or, without values, those declared or known from `parse`; ids must be given. An
        output that is an array stays several outputs, q_1, q_2, …, of which the last is the graph's own; with `seed`,
        the gradient of the output, L is the sum of the entries times their seeds. Masks and ids become constants.
        Raises LimitError, with the size, above 5,000 nodes, and NoRule naming an op that cannot be opened.

        >>> import graphlab as gl
        >>> view = gl.parse("q = W @ x").scalar_view(W=[[1, 2], [0, 1]], x=[1, 2], seed=[1, -2])
        >>> view.graph.lines[:3]
        ['d = W_1_1*x_1', 'e = W_1_2*x_2', 'q_1 = d + e']
        >>> view.gradients()["x"]
        array([1., 0.])
        """
        running = self.settled_by({**(given or {}), **named}).stabilised
        running._refuse_options(named, given, seed=seed)
        return open_view(running, running._bind(given, named) if given or named else {}, seed)


def open_view(graph: Graph, bound: Mapping[Node, Any], seed: Any) -> ScalarView:
    """The scalar view of a graph with these values of its inputs; without values, by the shapes that are known."""
    shapes = graph._shapes_of(bound) if bound else known_shapes(graph)
    known = {node: np.asarray(value) for node, value in bound.items() if not values.has_gradient(value)}
    arrays = {node: graph.names[node] for node in graph.dag.nodes if node.op is not None and shapes[node]}
    names = arrays | scoped_names(graph.dag, graph._given_names)
    if not count(shapes[graph.dag.output]):
        raise ValueProblem("the output has no entries, so there is nothing to open")
    opened = open_graph(graph.dag, shapes, known, names)
    made = entries_graph(opened) if seed is None else seeded_graph(opened, seed)
    given = {str(node.name): value for node, value in bound.items()}
    return ScalarView(made, graph, opened, given, frozenset(str(node.name) for node in known))


def known_shapes(graph: Graph) -> Shapes:
    """The shapes of a graph without values; ValueProblem for a size that is only a name."""
    shapes = graph._sound(graph._symbolic_shapes)
    for name, node in graph.dag.inputs.items():
        for size in shapes[node]:
            if isinstance(size, str):
                raise ValueProblem(f"the size {size} of {name} is not known", hint=f"Give values: {name}=…")
    return shapes


def entries_graph(opened: Opened) -> Graph:
    """The graph of all entries of the output; the last of them is its own output."""
    *others, last = opened.output.flat
    return named_graph(opened, last, *others)


def seeded_graph(opened: Opened, seed: Any) -> Graph:
    """The graph of the one number whose gradient starts with `seed`."""
    start = seed_for(np.zeros(opened.output.shape)[()], seed)
    return named_graph(opened, weighted_sum(opened.output, start), *opened.output.flat)


def named_graph(opened: Opened, *outputs: Node) -> Graph:
    """A graph of entries. What is used more than once has a name, so that the text parses to the same graph; no name is
    that of an array that was opened."""
    from graphlab.api.graph import Graph

    dag = Dag(*dict.fromkeys(outputs))
    present = {node: name for node, name in opened.names.items() if node in dag.ids}
    everything = name_all(dag, present, reserved=opened.arrays)
    uses = Counter(x for node in dag.nodes for x in node.inputs if x.op is not None)
    shared = {node: everything[node] for node in uses if uses[node] > 1}
    made = Graph(*dag.outputs, names=present | shared, stabilise=False)
    made.names = everything
    return made
