"""The public Graph: a DAG with names, a source and notices. Methods are short ways into the rooms below."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from graphlab.api.definitions import refuse_abstract
from graphlab.api.edges import Edges
from graphlab.api.folded import Folded, opened_graph, where_parts_differ
from graphlab.api.identities import Identities
from graphlab.api.modes import Modes
from graphlab.api.plans import Compiling
from graphlab.api.products import by_values
from graphlab.api.programs import as_latex, as_text, write_statements
from graphlab.api.remaking import Remaking, running_graph
from graphlab.api.scalars import Scalars
from graphlab.api.seeds import directions, seed_for
from graphlab.api.traces import Trace, public_trace
from graphlab.engine import evaluation, inference, reverse, values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import name_all, scoped_names
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.engine.plans.choice import runner_for_scalars
from graphlab.engine.plans.recurring import Recurring, recurring
from graphlab.engine.plans.runner import Runner
from graphlab.engine.plans.source import run_quick
from graphlab.engine.shapes import Shape, count, show_shape
from graphlab.engine.stabilising import may_lose_digits, stabilise
from graphlab.errors import GraphLabError, LimitError, ValueProblem
from graphlab.language import Notice, canonical_name
from graphlab.tracing.recording import Recorder
from graphlab.tracing.trace import Kind

if TYPE_CHECKING:
    from graphlab.api.backward import Backward
    from graphlab.api.derivative import Derivative
    from graphlab.checking.witnesses import Comparison

TEXT_CELLS = 10_000_000
TEXT_SECONDS = 10.0
KINDS = {1: "vector", 2: "matrix"}


class Graph(Modes, Remaking, Compiling, Scalars, Identities, Folded, Edges):
    """A computational graph with one output.

    Made by `parse`, `graph` or `derivative`. A value is a number, a (nested) list of numbers or a NumPy array; every
    method takes values as keywords or as one positional mapping: `g.evaluate(a=3)`, `g.evaluate({"a": 3})`.
    """

    def __init__(
        self,
        *outputs: Node,
        names: Mapping[Node, str] | None = None,
        source: str | None = None,
        shapes: Mapping[str, Shape] | None = None,
        notices: Iterable[Notice] = (),
        positions: Mapping[Node, int] | None = None,
        open_products: Collection[Node] = (),
        stabilise: bool = True,
    ) -> None:
        self.dag = Dag(*outputs)
        self.shapes: dict[str, Shape] = dict(shapes or {})
        self._names = names or {}
        self._source = source
        self._notices = tuple(notices)
        self._positions = positions or {}
        self._open_products = open_products
        self._stabilise = stabilise
        self._typed: Graph | None = None
        self._closed: Mapping[str, tuple[Node, Node]] = {}
        self._by_signature: dict[tuple[Shape, ...], Shapes] = {}
        self._settled: dict[tuple[Shape, ...], Graph] = {}
        self._recurring: Recurring | None = None
        self._scalar_runners: dict[type | None, Runner | None] = {}

    # ---- what it is ------------------------------------------------------------------------------------------------
    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in order of first appearance."""
        return list(self.dag.inputs)

    @cached_property
    def _given_names(self) -> dict[Node, str]:
        present = set(self.dag.nodes)
        return scoped_names(self.dag, {node: name for node, name in self._names.items() if node in present})

    @cached_property
    def names(self) -> dict[Node, str]:
        """A name for every operation: the learner's, else a short one (d, e, … and L for the output)."""
        has_sizes = any(op.name == "size" for op in self.dag.ops)  # they are written by their names
        reserved = self._symbolic_shapes.size_names(self.dag.inputs.values()) if has_sizes else ()
        return name_all(self.dag, self._given_names, reserved)

    @property
    def source(self) -> str:
        """The text it was parsed from, else its own writing; "" where that would be too long."""
        if self._source is not None:
            return self._source
        try:
            return (self._typed or self).text
        except LimitError:
            return ""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """How the text was read where it could be read otherwise, what is computed another way than typed, and which
        inputs were taken as matrices."""
        guessed = inference.guessed_arrays(self.dag, self.shapes)
        return self.stabilised._notices + tuple(
            Notice(f"{name} taken as a {KINDS[len(shape)]} {show_shape(shape)}", 0, name, None)
            for name in guessed
            if (shape := self._symbolic_shapes[self.dag.input(name)])
        )

    @property
    def text(self) -> str:
        """The program in one line, statements separated by ";". It parses to the same graph."""
        return "; ".join(as_text(write_statements(self.dag, self._given_names, self._symbolic_shapes)))

    @property
    def lines(self) -> list[str]:
        """The program with one named operation a line."""
        return as_text(write_statements(self.dag, self.names, self._symbolic_shapes))

    @property
    def latex(self) -> str:
        """The program in LaTeX."""
        return as_latex(write_statements(self.dag, self._given_names, self._symbolic_shapes))

    def __repr__(self) -> str:
        try:
            shown = self.text
        except LimitError:
            shown = f"of {len(self.dag.nodes):,} nodes"
        return f"<{type(self).__name__} {shown if len(shown) <= 100 else shown[:99] + '…'}>"

    def _repr_svg_(self) -> str:
        from graphlab.render.svg import draw

        return draw(self.outline())

    @property
    def is_elementwise(self) -> bool:
        """Whether every operation works entry by entry, so that scalars may become whole batches."""
        return all(node.op is None or node.op.partials is not None for node in self.dag.nodes)

    @property
    def is_open(self) -> bool:
        """Whether shapes still decide what some product of its LaTeX text is."""
        return bool(self._open_products)

    def settled_by(self, given: Mapping[str, Any]) -> Graph:
        """This graph, or what it becomes when a LaTeX product turns out to be one of matrices with these values."""
        if not self.is_open:
            return self
        named = {canonical_name(name): value for name, value in given.items()}
        known = {name: named[name] for name in self.dag.inputs if name in named}
        try:
            signature = tuple(np.shape(values.convert(value, name)) for name, value in known.items())
        except ValueProblem:  # said again, with all its details, where the values are used
            return self
        if any(signature) and signature not in self._settled:
            settled = self.with_shapes(known)
            self._settled[signature] = self if settled.dag.outputs == self.dag.outputs else settled
        return self._settled.get(signature, self)

    @property
    def stabilised(self) -> Graph:
        """The graph that is run: this one, with whatever would lose its digits computed another way.

        Its nodes keep their names, and its notices say what was replaced and why. With `stabilise=False` it is the
        typed graph itself.
        """
        return self._replacement or self if self._stabilise and may_lose_digits(self.dag.ops) else self

    @cached_property
    def _replacement(self) -> Graph | None:
        """The stabilised graph, where it is another one; a graph that held itself would be freed late."""
        stable = stabilise(self.dag, self._given_names)
        return running_graph(self, stable) if stable.rewrites else None

    # ---- running it ------------------------------------------------------------------------------------------------
    def evaluate(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """The output's value: a float for a scalar, else an array.

        Raises ValueProblem (missing, superfluous or malformed value), ShapeError, LimitError.
        """
        found = self._run_on_floats(given, named)
        return found[0] if found else self._value(given, **named)

    @by_values
    def node_values(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> dict[str, Any]:
        """Every node's value, by the ids that traces use (n0, n1 …)."""
        computed = self._evaluate(self._bind(given, named))
        return {self.dag.ids[node]: values.public(value) for node, value in computed.items()}

    def gradients(self, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, **named: Any) -> dict[str, Any]:
        """The gradient of the output with respect to every input, shaped like the input, in order of appearance.

        `seed` is the output's own gradient: 1 unless given; needed when the output is not a scalar. Ids (integer
        arrays) and masks have no gradient and are left out.
        """
        found = self._run_on_floats(given, named) if seed is None else None
        return found[1] if found else self._gradients(given, seed=seed, **named)

    @by_values
    def trace(
        self,
        given: Mapping[str, Any] | None = None,
        /,
        *,
        kind: Kind = "reverse",
        tangents: Mapping[str, Any] | None = None,
        open: Collection[str] = (),
        **named: Any,
    ) -> Trace:
        """The run as steps: forward, and for kind "reverse" (the default) backward, one step per edge.

        kind "tangent" is forward mode: values and tangents side by side, for inputs that move as `tangents` say.
        `open` names composites by their ids ("n5"); the run then goes through their parts, n5.0, n5.1 ….
        """
        self._refuse_options(
            named, given, kind=None if kind == "reverse" else kind, tangents=tangents, open=open or None
        )
        if open:
            return opened_graph(self, open).trace(given, kind=kind, tangents=tangents, **named)
        if kind not in get_args(Kind):
            raise ValueProblem(f"a trace is of kind {', '.join(get_args(Kind))}, not {kind!r}")
        if (kind == "tangent") != (tangents is not None):
            raise ValueProblem(
                'tangents go with kind="tangent"', hint='Write trace(…, kind="tangent", tangents={"x": 1}).'
            )
        bound = self._bind(given, named)
        shapes = self._shapes_of(bound)
        recorder = Recorder(self.dag, self.names, shapes, self.source, self._closed)
        deadline = self._deadline()
        with np.errstate(all="ignore"):
            computed = self._evaluate(bound)
            recorder.record_nodes(computed)
            if tangents is not None:
                recorder.run_tangents(computed, directions(self.dag, tangents, bound), deadline)
            else:
                recorder.record_forward()
            if kind == "reverse":
                seed_for(computed[self.dag.output], None)
                recorder.run_backward(computed, deadline)
        return self._recorded(recorder, kind, bound)

    @by_values
    def outline(self, given: Mapping[str, Any] | None = None, /, *, open: Collection[str] = (), **named: Any) -> Trace:
        """The graph as a trace without steps: what can be drawn even when a shape is wrong; faults stand at their node.

        Values are optional here; with them, every node that can be computed has its value. `open` names composites
        to be shown as their parts, by their ids.
        """
        self._refuse_options(named, given, open=open or None)
        if open:
            return opened_graph(self, open).outline(given, **named)
        everything = {canonical_name(name): value for name, value in {**(given or {}), **named}.items()}
        known = bool(everything) or not self.dag.inputs
        shapes, computed = self._evaluate_sound_part(everything) if known else (self._symbolic_shapes, {})
        recorder = Recorder(self.dag, self.names, shapes, self.source, self._closed)
        recorder.record_nodes(computed)
        return self._recorded(recorder, "forward", computed)

    @by_values
    def check(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> list[Comparison]:
        """Every gradient beside those of independent witnesses, which look at the graph as it was typed: central
        differences, the complex step and, where installed, torch, SymPy and mpmath."""
        from graphlab.checking.witnesses import check_gradients

        bound = self._bind(given, named)
        seed_for(self._evaluate(bound)[self.dag.output], None)
        return check_gradients((self._typed or self).dag, bound, self.dag)

    # ---- differentiating it ----------------------------------------------------------------------------------------
    def derivative(self, name: str, /, *, simplify: bool = True, seed: str | float | None = None) -> Derivative:
        """The derivative of the output with respect to an input, or to an operation by its name, as a graph of its own.

        Sizes are those declared, or those of the values given to `parse`; a non-scalar output needs `seed`: a number,
        or a name for the output's gradient ("Y_bar"). `simplify=False` keeps the graph as the chain rule builds it.
        """
        from graphlab.api.derivative import derive

        return derive(self, name, simplify=simplify, seed=seed)

    def backward(self, *wrt: str, seed: str | float | None = None) -> Backward:
        """The whole backward pass as a program, `.lines` in text and `.latex`: one assignment per bar.

        `wrt` names the inputs and operations whose gradients are wanted: all inputs unless given. `seed` as in
        `derivative`.
        """
        from graphlab.api.backward import backward_of, node_called

        return backward_of(self, [node_called(self, name) for name in wrt] or None, seed)

    # ---- inside ----------------------------------------------------------------------------------------------------
    @by_values
    def _value(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        bound = self._bind(given, named)
        runner = self._scalar_runner(bound)
        if runner is not None:
            return values.public(runner.forward(list(bound.values())))
        return values.public(self._evaluate(bound)[self.dag.output])

    @by_values
    def _gradients(
        self, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, **named: Any
    ) -> dict[str, Any]:
        if seed is not None:
            self._refuse_options(named, given, seed=seed)
        bound = self._bind(given, named)
        runner = self._scalar_runner(bound)
        if runner is not None:
            _, slopes = runner.both(list(bound.values()), 1.0 if seed is None else seed_for(np.float64(1), seed))
            return dict(zip(self.dag.inputs, map(values.public, slopes), strict=True))
        computed = self._evaluate(bound)
        wrt = [node for node in self.dag.inputs.values() if values.has_gradient(bound[node])]
        start = seed_for(computed[self.dag.output], seed)
        found = reverse.gradients(self.dag, computed, start, wrt, self._deadline())
        return {str(node.name): values.public(found[node]) for node in wrt}

    def _run_on_floats(
        self, given: Mapping[str, Any] | None, named: Mapping[str, Any]
    ) -> tuple[float, dict[str, float]] | None:
        """Value and gradients of a small graph that comes again, if all values are floats."""
        if self._recurring is None:
            self._recurring = recurring(self.dag)
        return run_quick(self._recurring.ask(self.dag), given, named)

    @cached_property
    def _symbolic_shapes(self) -> Shapes:
        return inference.infer_shapes(self.dag, self.shapes)

    def _bind(self, given: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[Node, Any]:
        refuse_abstract(self.dag)
        everything = {**(given or {}), **named}
        if everything.keys() != self.dag.inputs.keys():
            everything = {canonical_name(name): value for name, value in everything.items()}
        return values.bind(self.dag, everything)

    def _scalar_runner(self, bound: Mapping[Node, Any]) -> Runner | None:
        """What runs the graph on these values if all are single numbers, many times faster than on arrays."""
        types = set(map(type, bound.values()))
        number = types.pop() if len(types) == 1 else None
        if number not in self._scalar_runners:
            self._scalar_runners[number] = runner_for_scalars(self.dag, number)
        return self._scalar_runners[number]

    def _evaluate(self, bound: dict[Node, Any]) -> dict[Node, Any]:
        self._refuse_size(bound)
        try:
            return evaluation.evaluate(self.dag, bound, self._deadline())
        except GraphLabError:
            raise
        except (ValueError, TypeError, IndexError) as fault:
            self._shapes_of(bound)
            raise ValueProblem(f"the formula cannot be computed with these values: {fault}") from fault

    def _refuse_size(self, bound: Mapping[Node, Any]) -> None:
        """LimitError for a typed formula with too large arrays."""
        if self._source is not None:
            shapes = self._shapes_of(bound)
            cells = sum(count(shapes[node]) for node in self.dag.nodes)
            if cells > TEXT_CELLS:
                raise LimitError(
                    f"this needs {cells:,} numbers in all, but a typed formula may use {TEXT_CELLS:,}",
                    hint="Use smaller arrays, or build the graph with gl.variables.",
                )

    def _evaluate_sound_part(self, given: Mapping[str, Any]) -> tuple[Shapes, dict[Node, Any]]:
        """The shapes that go with these values, with every fault, and the values of all nodes that have one."""
        computed: dict[Node, Any] = {}
        wrong = None
        try:
            computed = values.bind(self.dag, given)
        except GraphLabError as fault:
            if fault.node is None:
                raise
            wrong = fault
        shapes = inference.infer_shapes(self.dag, {name: np.shape(value) for name, value in given.items()})
        if wrong is not None:
            shapes.faults[wrong.node] = wrong
            return shapes, computed
        lost = self.dag.depending_on([node for node in self.dag.nodes if isinstance(node.op, AbstractOp)])
        lost |= {node for node in self.dag.nodes if shapes.get(node) is None}
        deadline = self._deadline()
        while wrong := evaluation.first_fault(Dag(*[n for n in self.dag.nodes if n not in lost]), computed, deadline):
            shapes.faults[wrong.node] = wrong
            lost |= self.dag.depending_on([wrong.node])
        return shapes, computed

    def _shapes_of(self, bound: Mapping[Node, Any]) -> Shapes:
        signature = tuple(np.shape(bound[node]) for node in self.dag.inputs.values())
        if signature not in self._by_signature:
            self._by_signature[signature] = inference.shapes_of_values(self.dag, bound)
        return self._sound(self._by_signature[signature])

    def _sound(self, shapes: Shapes) -> Shapes:
        """`shapes`, if nothing is wrong with them; else the first fault, with its place in the typed text."""
        for node, fault in shapes.faults.items():
            if node in self._positions:
                fault.source, fault.position = self._source, self._positions[node]
            raise fault
        return shapes

    def _deadline(self) -> evaluation.Deadline | None:
        return evaluation.Deadline(TEXT_SECONDS) if self._source is not None else None

    def _refuse_options(self, named: Mapping[str, Any], given: Mapping[str, Any] | None, **options: Any) -> None:
        """An option that is also an input's name is ambiguous as a keyword."""
        for option, value in options.items():
            if value is not None and option in self.dag.inputs and option not in (given or {}):
                raise ValueProblem(
                    f"{option!r} is both an option here and an input of this graph",
                    hint=f"Pass the values as a mapping: {{{option!r}: …}}.",
                )

    def _recorded(self, recorder: Recorder, kind: Kind, bound: Mapping[Node, Any]) -> Trace:
        messages = (*(notice.message for notice in self._notices), *where_parts_differ(recorder.nodes))
        return public_trace(recorder.trace(kind, bound, messages))
