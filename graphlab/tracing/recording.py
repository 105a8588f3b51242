"""Recording: the engine's facts become a Trace.

A derivative fold, backward or forward, runs twice over the same edges, once on the numbers and once on the nodes. The
numbers are those that `gradients` or `jvp` returns, to the last bit; the nodes give every one of them its formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from graphlab.engine.algebra import ARRAYS
from graphlab.engine.core import Node, constant
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline
from graphlab.engine.forward_mode import Passed, pushforward, tangent_graph
from graphlab.engine.inference import Shapes
from graphlab.engine.reverse import Contribution, backward_graph, pullback
from graphlab.engine.rewriting import Context, rewritten
from graphlab.engine.simplifying import RULES
from graphlab.engine.textbook import Book
from graphlab.engine.values import has_gradient, public
from graphlab.engine.writing import FormulaWriter, Writer, short_name
from graphlab.tracing.trace import Kind, Step, Trace, TraceNode

SHORT = 80
NONE_CLOSED: Mapping[str, tuple[Node, Node]] = MappingProxyType({})


class Recorder:
    """Makes one Trace. `names` holds a name for every operation, `closed` the composites that were opened (see
    `engine.opening`); they stay in the trace, with role "opened", after the parts that took their place."""

    def __init__(
        self,
        dag: Dag,
        names: Mapping[Node, str],
        shapes: Shapes,
        source: str,
        closed: Mapping[str, tuple[Node, Node]] = NONE_CLOSED,
    ) -> None:
        self.dag = dag
        self.names = names
        self.shapes = shapes
        self.source = source
        self.closed = closed
        self.ids: dict[Node, str] = dict(dag.ids)
        self.nodes: list[TraceNode] = []
        self.steps: list[Step] = []

    def trace(self, kind: Kind, values: Mapping[Node, Any], notices: tuple[str, ...] = ()) -> Trace:
        """What was recorded, as data. `values` are the inputs' own."""
        given = {name: public(values[node]) for name, node in self.dag.inputs.items() if node in values}
        return Trace(kind, self.source, self.ids[self.dag.output], given, tuple(self.nodes), tuple(self.steps), notices)

    # ---- forward ---------------------------------------------------------------------------------------------------
    def record_nodes(self, values: Mapping[Node, Any]) -> None:
        """The learner's nodes, with the values that are known."""
        rules = Writer(self.names, self.shapes.get)
        wholes = Writer({}, self.shapes.get, longest=SHORT)
        opened: dict[Node, list[str]] = {}
        for name, (_, last) in self.closed.items():
            opened.setdefault(last, []).append(name)
        for node in self.dag.nodes:
            role = "operation" if node.op else "input" if node.is_input else "constant"
            name = str(node.name) if node.is_input else self.names.get(node, "")
            value = public(values[node]) if node in values else None
            self._record(node, self.ids[node], role, name, value, rules, wholes)
            for composite in opened.get(node, ()):
                copy = self.closed[composite][0]
                self._record(copy, composite, "opened", name, value_of(copy, values), rules, wholes)

    def _record(
        self, node: Node, node_id: str, role: Any, name: str, value: Any, rules: Writer, wholes: Writer
    ) -> None:
        rule, whole, fault = rules.define(node), wholes.write(node), self.shapes.faults.get(node)
        short = short_name(node, name)
        self.nodes.append(
            TraceNode(
                id=node_id,
                role=role,
                op=node.op.name if node.op else None,
                name=name,
                inputs=tuple(self.ids[x] for x in node.inputs),
                shape=self.shapes.get(node) or (),
                text=rule.text if rule else "…",
                latex=rule.latex if rule else r"\ldots",
                expression=whole.latex if whole else "",
                value=value,
                scope=node.scope,
                symbol=short if short != name else "",
                attrs={k: v for k, v in node.attrs.items() if k not in ("literal", "symbol", "declared")},
                fault=fault.message if fault else None,
            )
        )

    def record_forward(self) -> None:
        """Each operation is a step."""
        self.steps += [Step("compute", self.ids[node]) for node in self.dag.nodes if node.op is not None]

    # ---- backward --------------------------------------------------------------------------------------------------
    def run_backward(self, values: Mapping[Node, Any], deadline: Deadline | None) -> None:
        """The gradients of the output, edge by edge, as numbers and as formulas."""
        output = self.dag.output
        wrt = [node for node in self.dag.inputs.values() if has_gradient(values[node])]
        seed_value = np.ones_like(values[output])
        seed = constant(1.0)
        formulas = list(backward_graph(self.dag, self.shapes, seed, wrt))
        numbers = pullback(self.dag, values, seed_value, ARRAYS, wrt, deadline)
        finished = {output: seed} | {fact.node: fact.total for fact in formulas}
        writing = PassWriting(self.dag, self.names, self.shapes, finished, "bar")
        self._add(seed, seed_value, (), writing, output)
        self.steps.append(Step("seed", self.ids[output], total=self.ids[seed]))
        for formula, value in zip(formulas, numbers, strict=True):
            if formula.local is not None:
                self._add(formula.local, value.local, (), writing, formula.node)
            factors = (formula.upstream, formula.local)
            self._add(formula.amount, value.amount, factors, writing, formula.node)
            self._add(formula.total, value.total, (formula.earlier, formula.amount), writing, formula.node)
            self.steps.append(self._edge(formula))

    def _edge(self, fact: Contribution) -> Step:
        return self._step("edge", fact.node, fact.user, fact.upstream, fact)

    def _step(self, kind: Any, node: Node, user: Node, arriving: Node, fact: Contribution | Passed) -> Step:
        return Step(
            kind,
            self.ids[node],
            self.ids[user],
            fact.argument,
            self.ids[arriving],
            self.ids.get(fact.local),
            self.ids[fact.amount],
            self.ids.get(fact.earlier),
            self.ids[fact.total],
        )

    # ---- forward mode ----------------------------------------------------------------------------------------------
    def run_tangents(self, values: dict[Node, Any], tangents: Mapping[Node, Any], deadline: Deadline | None) -> None:
        """Evaluate, and carry the tangents of the inputs along: each node gets its value, then its tangent's parts."""
        seeds = {node: constant(public(tangent)) for node, tangent in tangents.items()}
        formulas = list(tangent_graph(self.dag, self.shapes, seeds))
        numbers = pushforward(self.dag, values, tangents, deadline=deadline)
        finished = seeds | {fact.node: fact.total for fact in formulas}
        writing = PassWriting(self.dag, self.names, self.shapes, finished, "dot")
        for node, seed in seeds.items():
            self._add(seed, tangents[node], (), writing, node)
            self.steps.append(Step("tangent", self.ids[node], total=self.ids[seed]))
        edges = iter(zip(formulas, numbers, strict=True))
        pair = next(edges, None)
        for node in self.dag.nodes:
            if node.op is not None:
                self.steps.append(Step("compute", self.ids[node]))
            while pair is not None and pair[0].node is node:
                self._pass_on(*pair, writing)
                pair = next(edges, None)

    def _pass_on(self, formula: Passed, value: Passed, writing: PassWriting) -> None:
        if formula.local is not None:
            self._add(formula.local, value.local, (), writing, formula.node)
        self._add(formula.amount, value.amount, (formula.incoming, formula.local), writing, formula.node)
        self._add(formula.total, value.total, (formula.earlier, formula.amount), writing, formula.node)
        self.steps.append(self._step("push", formula.node, formula.node, formula.incoming, formula))

    def _add(self, node: Node, value: Any, inputs: tuple[Any, ...], writing: PassWriting, target: Node) -> None:
        """One node of the backward pass, unless it stands there already."""
        if node in self.ids:
            return
        self.ids[node] = f"g{len(self.ids) - len(self.dag.nodes)}"
        text, latex = writing.rule(node)
        self.nodes.append(
            TraceNode(
                id=self.ids[node],
                role="backward",
                op=node.op.name if node.op else None,
                name=writing.names.get(node, ""),
                inputs=tuple(self.ids[x] for x in inputs if x in self.ids),
                shape=tuple(np.shape(value)),
                text=text,
                latex=latex,
                expression=writing.expression(node),
                value=public(value),
                scope=target.scope,
                symbol=writing.short.get(node, ""),
            )
        )


def value_of(composite: Node, values: Mapping[Node, Any]) -> Any:
    """What an opened composite itself makes of its inputs' values; None where one is missing."""
    if composite.op is None or any(x not in values for x in composite.inputs):
        return None
    return public(composite.op.forward(*[values[x] for x in composite.inputs], **composite.attrs))


class PassWriting:
    """The formulas of a pass: each in terms of named nodes and of finished gradients or tangents, and each written out.

    e_bar stands for the finished gradient of a node, e_dot for its tangent (`finished` maps nodes to them). Everything
    is rewritten with one shared memory, so the whole pass costs time linear in its size.
    """

    def __init__(
        self,
        dag: Dag,
        names: Mapping[Node, str],
        shapes: Shapes,
        finished: Mapping[Node, Node],
        accent: Literal["bar", "dot"],
    ) -> None:
        self._context = Context(shapes)
        self._book = Book(dag, {node: name for node, name in names.items() if node.op}, names, shapes)
        self._symbols = {total: self._book.accented(node, accent, total) for node, total in finished.items()}
        self.names = {total: str(symbol.name) for total, symbol in self._symbols.items()}
        self.short = {total: symbol.attrs.get("symbol", "") for total, symbol in self._symbols.items()}
        self._wholes: dict[Node, Node] = {node: node for node in dag.nodes}
        self._write_rule = FormulaWriter({}, shapes.get)
        self._write_whole = FormulaWriter({}, shapes.get, longest=SHORT)
        self._write_named = FormulaWriter(names, shapes.get, longest=10 * SHORT)

    def rule(self, node: Node) -> tuple[str, str]:
        """`node` in terms of named nodes and of finished gradients; ask in the order of the pass."""
        written = self._write_rule.define(self._book.expression(node))
        if node in self._symbols:
            self._book.settle(node, self._symbols[node])
        return (written.text, written.latex) if written else ("…", r"\ldots")

    def expression(self, node: Node) -> str:
        """LaTeX written out to the inputs where that is short, else to the named nodes, else empty."""
        whole = rewritten(node, self._wholes, RULES, self._context)
        written = self._write_whole.write(whole) or self._write_named.define(whole)
        return written.latex if written else ""
