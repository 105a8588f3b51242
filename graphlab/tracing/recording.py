"""Recording: the engine's facts become a Trace.

The backward fold runs twice over the same edges, once on the numbers and once on the nodes. The numbers are those that
`gradients` returns, to the last bit; the nodes give every one of them its formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from graphlab.engine.core import Node, constant, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import Deadline, forward
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import bar_name
from graphlab.engine.reverse import ARRAYS, Contribution, backward_graph, pullback
from graphlab.engine.rewriting import Context, rewrite
from graphlab.engine.values import has_gradient, public
from graphlab.engine.writing import Writer
from graphlab.tracing.trace import Step, Trace, TraceNode

SHORT = 80


class Recorder:
    """Makes one Trace. `names` holds a name for every operation."""

    def __init__(self, dag: Dag, names: Mapping[Node, str], shapes: Shapes, source: str) -> None:
        self.dag = dag
        self.names = names
        self.shapes = shapes
        self.source = source
        self.ids: dict[Node, str] = dict(dag.ids)
        self.nodes: list[TraceNode] = []
        self.steps: list[Step] = []

    def trace(
        self, kind: Literal["forward", "reverse"], values: Mapping[Node, Any], notices: tuple[str, ...] = ()
    ) -> Trace:
        """What was recorded, as data. `values` are the inputs' own."""
        given = {name: public(values[node]) for name, node in self.dag.inputs.items() if node in values}
        return Trace(kind, self.source, self.ids[self.dag.output], given, tuple(self.nodes), tuple(self.steps), notices)

    # ---- forward ---------------------------------------------------------------------------------------------------
    def record_nodes(self, values: Mapping[Node, Any]) -> None:
        """The learner's nodes, with the values that are known."""
        rules = Writer(self.names, self.shapes.rank)
        closed = Writer({}, self.shapes.rank, longest=SHORT)
        for node in self.dag.nodes:
            rule = rules.define(node)
            whole = closed.write(node)
            fault = self.shapes.faults.get(node)
            role: Any = "operation" if node.op else "input" if node.is_input else "constant"
            self.nodes.append(
                TraceNode(
                    id=self.ids[node],
                    role=role,
                    op=node.op.name if node.op else None,
                    name=str(node.name) if node.is_input else self.names.get(node, ""),
                    inputs=tuple(self.ids[x] for x in node.inputs),
                    shape=self.shapes.get(node) or (),
                    text=rule.text if rule else "…",
                    latex=rule.latex if rule else r"\ldots",
                    expression=whole.latex if whole else "",
                    value=public(values[node]) if node in values else None,
                    scope=node.scope,
                    attrs={k: v for k, v in node.attrs.items() if k != "literal"},
                    fault=fault.message if fault else None,
                )
            )

    def run_forward(self, values: dict[Node, Any], deadline: Deadline | None) -> None:
        """Evaluate; each operation is a step."""
        for node in forward(self.dag, values, deadline):
            if node.op is not None:
                self.steps.append(Step("compute", self.ids[node]))

    # ---- backward --------------------------------------------------------------------------------------------------
    def run_backward(self, values: Mapping[Node, Any], deadline: Deadline | None) -> None:
        """The gradients of the output, edge by edge, as numbers and as formulas."""
        output = self.dag.output
        wrt = [node for node in self.dag.inputs.values() if has_gradient(values[node])]
        seed_value = np.ones_like(values[output])
        seed = constant(1.0)
        formulas = list(backward_graph(self.dag, self.shapes, seed, wrt))
        numbers = pullback(self.dag, values, seed_value, ARRAYS, wrt, deadline)
        writing = BackwardWriting(self.dag, self.names, self.shapes, seed, formulas)
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
        return Step(
            "edge",
            self.ids[fact.node],
            self.ids[fact.user],
            fact.argument,
            self.ids[fact.upstream],
            self.ids.get(fact.local),
            self.ids[fact.amount],
            self.ids.get(fact.earlier),
            self.ids[fact.total],
        )

    def _add(self, node: Node, value: Any, inputs: tuple[Any, ...], writing: BackwardWriting, target: Node) -> None:
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
            )
        )


class BackwardWriting:
    """The formulas of a backward pass: each in terms of named nodes and bars, and each written out.

    A bar (e_bar) stands for the finished gradient of a node. Everything is rewritten with one shared memory, so the
    whole pass costs time linear in its size.
    """

    def __init__(
        self, dag: Dag, names: Mapping[Node, str], shapes: Shapes, seed: Node, facts: list[Contribution]
    ) -> None:
        self.names: dict[Node, str] = {}
        self._shapes = shapes
        taken = {*dag.inputs, *names.values()}
        finished = {dag.output: seed} | {fact.node: fact.total for fact in facts}
        for node, total in finished.items():
            self.names[total] = bar_name(str(node.name) if node.is_input else names.get(node, "L"), taken)
        self._rules: dict[Node, Node] = {node: node for node in dag.nodes}
        self._wholes: dict[Node, Node] = dict(self._rules)
        self._write_rule = Writer(names, shapes.rank)
        self._write_whole = Writer({}, shapes.rank, longest=SHORT)
        self._write_named = Writer(names, shapes.rank, longest=10 * SHORT)

    def rule(self, node: Node) -> tuple[str, str]:
        """`node` in terms of named nodes and of finished gradients; ask in the order of the pass."""
        written = self._write_rule.define(self._simplified(node, self._rules))
        if node in self.names:
            self._rules[node] = symbol = variable(self.names[node])
            self._shapes.declare(symbol, self._shapes[node])
        return (written.text, written.latex) if written else ("…", r"\ldots")

    def expression(self, node: Node) -> str:
        """LaTeX written out to the inputs where that is short, else to the named nodes, else empty."""
        whole = self._simplified(node, self._wholes)
        written = self._write_whole.write(whole) or self._write_named.define(whole)
        return written.latex if written else ""

    def _simplified(self, node: Node, become: dict[Node, Node]) -> Node:
        for _ in rewrite(node, become, Context(self._shapes)):
            pass
        return become[node]
