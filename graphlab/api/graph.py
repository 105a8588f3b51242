"""The public Graph: a DAG with names, a source and notices. Methods are short ways into the rooms below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphlab.api.programs import as_latex, as_text, write_statements
from graphlab.api.seeds import needs_seed, seed_for
from graphlab.api.traces import Trace, public_trace
from graphlab.engine import core, evaluation, inference, reverse, rewriting, values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import name_all
from graphlab.engine.shapes import Shape, count, show_shape
from graphlab.errors import GraphLabError, LimitError, ValueProblem
from graphlab.language import Notice, canonical_name
from graphlab.tracing.recording import Recorder

if TYPE_CHECKING:
    from graphlab.api.derivative import Derivative
    from graphlab.checking.witnesses import Comparison

TEXT_CELLS = 10_000_000
TEXT_SECONDS = 10.0


class Graph:
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
    ) -> None:
        self.dag = Dag(*outputs)
        self.shapes: dict[str, Shape] = dict(shapes or {})
        self._given_names = {node: name for node, name in (names or {}).items() if node in self.dag.ids}
        self._source = source
        self._notices = tuple(notices)
        self._positions = positions or {}
        self._by_signature: dict[tuple[Shape, ...], Shapes] = {}

    # ---- what it is ------------------------------------------------------------------------------------------------
    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in order of first appearance."""
        return list(self.dag.inputs)

    @cached_property
    def names(self) -> dict[Node, str]:
        """A name for every operation: the learner's, else a short one (d, e, … and L for the output)."""
        return name_all(self.dag, self._given_names)

    @property
    def source(self) -> str:
        """The text it was parsed from, else its own writing."""
        return self.text if self._source is None else self._source

    @property
    def notices(self) -> tuple[Notice, ...]:
        """How the text was read where it could be read otherwise, and which inputs were taken as matrices."""
        guessed = inference.guessed_matrices(self.dag, self.shapes)
        return self._notices + tuple(
            Notice(f"{name} taken as a matrix {show_shape(self._symbolic_shapes[self.dag.input(name)])}", 0, name, None)
            for name in guessed
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

    def with_shapes(self, given: Mapping[str, Any]) -> Graph:
        """The same graph with its inputs declared to have the shapes of these values, for symbolic work."""
        known = {canonical_name(name): np.shape(values.convert(value, name)) for name, value in given.items()}
        return Graph(
            *self.dag.outputs,
            names=self._given_names,
            source=self._source,
            shapes=self.shapes | known,
            notices=self._notices,
            positions=self._positions,
        )

    # ---- running it ------------------------------------------------------------------------------------------------
    def evaluate(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """The output's value: a float for a scalar, else an array.

        Raises ValueProblem (missing, superfluous or malformed value), ShapeError, LimitError.
        """
        bound = self._bind(given, named)
        return values.public(self._evaluate(bound)[self.dag.output])

    def node_values(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> dict[str, Any]:
        """Every node's value, by the ids that traces use (n0, n1 …)."""
        computed = self._evaluate(self._bind(given, named))
        return {self.dag.ids[node]: values.public(value) for node, value in computed.items()}

    def gradients(self, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, **named: Any) -> dict[str, Any]:
        """The gradient of the output with respect to every input, shaped like the input, in order of appearance.

        `seed` is the output's own gradient: 1 unless given; needed when the output is not a scalar. Ids (integer
        arrays) and masks have no gradient and are left out.
        """
        self._refuse_options(named, given, seed=seed)
        bound = self._bind(given, named)
        computed = self._evaluate(bound)
        wrt = [node for node in self.dag.inputs.values() if values.has_gradient(bound[node])]
        start = seed_for(computed[self.dag.output], seed)
        found = reverse.gradients(self.dag, computed, start, wrt, self._deadline())
        return {str(node.name): values.public(found[node]) for node in wrt}

    def trace(
        self,
        given: Mapping[str, Any] | None = None,
        /,
        *,
        kind: Literal["reverse", "forward"] = "reverse",
        **named: Any,
    ) -> Trace:
        """The run as steps: forward, and for kind "reverse" (the default) backward, one step per edge."""
        self._refuse_options(named, given, kind=None if kind == "reverse" else kind)
        if kind not in ("reverse", "forward"):
            raise ValueProblem(f"a trace is of kind 'reverse' or 'forward', not {kind!r}")
        bound = self._bind(given, named)
        shapes = self._shapes_of(bound)
        recorder = Recorder(self.dag, self.names, shapes, self.source)
        computed = dict(bound)
        deadline = self._deadline()
        with np.errstate(all="ignore"):
            recorder.run_forward(computed, deadline)
            recorder.record_nodes(computed)
            if kind == "reverse":
                seed_for(computed[self.dag.output], None)
                recorder.run_backward(computed, deadline)
        return public_trace(recorder.trace(kind, bound, self._messages()))

    def outline(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> Trace:
        """The graph as a trace without steps: what can be drawn even when a shape is wrong; faults stand at their node.

        Values are optional here; with them, every node that can be computed has its value.
        """
        everything = {**(given or {}), **named}
        if not everything and self.dag.inputs:
            shapes, computed = self._symbolic_shapes, {}
        else:
            bound = values.bind(self.dag, everything)
            shapes = inference.infer_shapes(self.dag, {name: np.shape(bound[n]) for name, n in self.dag.inputs.items()})
            computed = self._evaluate_sound_part(bound, shapes)
        recorder = Recorder(self.dag, self.names, shapes, self.source)
        recorder.record_nodes(computed)
        return public_trace(recorder.trace("forward", computed, self._messages()))

    def check(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> list[Comparison]:
        """Every gradient beside those of independent witnesses: central differences and, where installed, torch."""
        from graphlab.checking.witnesses import check_gradients

        bound = self._bind(given, named)
        seed_for(self._evaluate(bound)[self.dag.output], None)
        return check_gradients(self.dag, bound)

    # ---- differentiating it ----------------------------------------------------------------------------------------
    def derivative(self, name: str, /, *, simplify: bool = True, seed: str | float | None = None) -> Derivative:
        """The derivative of the output with respect to an input, as a graph of its own.

        Sizes are those declared, or those of the values given to `parse`; a non-scalar output needs `seed`: a number,
        or a name for the output's gradient ("Y_bar"). `simplify=False` keeps the graph as the chain rule builds it.
        """
        from graphlab.api.derivative import Derivative

        target = self.dag.input(canonical_name(name))
        shapes = self._sound(self._symbolic_shapes)
        shape = shapes[self.dag.output]
        if shape != () and seed is None:
            raise needs_seed(shape)
        if isinstance(seed, str):
            start = core.variable(canonical_name(seed))
        else:
            start = core.constant(1.0 if seed is None else seed)
        shapes.declare(start, shape)
        facts = list(reverse.backward_graph(self.dag, shapes, start, [target]))
        slots = {self.dag.output: start} | {fact.node: fact.total for fact in facts}
        if target not in slots:
            nothing = core.constant(0.0)
            slots[target] = nothing if shapes[target] == () else core.OPS["expand"].node(nothing, target)
        result = rewriting.simplify(slots[target], shapes) if simplify else slots[target]
        return Derivative(result, self, slots)

    # ---- inside ----------------------------------------------------------------------------------------------------
    @cached_property
    def _symbolic_shapes(self) -> Shapes:
        return inference.infer_shapes(self.dag, self.shapes)

    def _bind(self, given: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[Node, Any]:
        everything = {canonical_name(name): value for name, value in (given or {}).items()} | {
            canonical_name(name): value for name, value in named.items()
        }
        return values.bind(self.dag, everything)

    def _evaluate(self, bound: dict[Node, Any]) -> dict[Node, Any]:
        if self._source is not None:
            shapes = self._shapes_of(bound)
            cells = sum(count(shapes[node]) for node in self.dag.nodes)
            if cells > TEXT_CELLS:
                raise LimitError(
                    f"this needs {cells:,} numbers in all, but a typed formula may use {TEXT_CELLS:,}",
                    hint="Use smaller arrays, or build the graph with gl.variables.",
                )
        try:
            return evaluation.evaluate(self.dag, bound, self._deadline())
        except GraphLabError:
            raise
        except (ValueError, TypeError, IndexError) as fault:
            self._shapes_of(bound)
            raise ValueProblem(f"the formula cannot be computed with these values: {fault}") from fault

    def _evaluate_sound_part(self, bound: Mapping[Node, Any], shapes: Shapes) -> dict[Node, Any]:
        sound = [node for node in self.dag.nodes if shapes.get(node) is not None]
        return evaluation.evaluate(Dag(*sound), bound, self._deadline())

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

    def _messages(self) -> tuple[str, ...]:
        return tuple(notice.message for notice in self._notices)
