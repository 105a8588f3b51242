"""The steps of a folded trace: what happens inside closed boxes is left out, what crosses their borders stays.

Where one edge of the folded graph stands for several of the full one, their contributions are added up, and new nodes
of the backward pass hold the sums. A box's gradient is what arrives from outside: contributions from inside are no part
of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from graphlab.tracing.trace import WORKED_OUT, Step, Trace, TraceNode
from graphlab.tracing.visible import Visible

LONGEST_SUM = 80


def fold_steps(trace: Trace, visible: Visible) -> tuple[list[Step], list[TraceNode]]:
    """The steps between visible nodes, and the nodes of the backward pass that had to be made for them."""
    folding = _Folding(trace, visible)
    steps = folding.forward()
    if trace.kind == "reverse" and trace.steps:
        steps += folding.backward()
    return steps, folding.made


class _Folding:
    """`slots` holds the sum so far, as an id, of every node whose gradient crosses a border; `waiting` counts what is
    still to be added to it; `final` is the whole of it where nothing from inside is in it."""

    def __init__(self, trace: Trace, visible: Visible) -> None:
        self.trace = trace
        self.visible = visible
        self.made: list[TraceNode] = []
        self.slots: dict[str, str] = {}
        self.steps_of: dict[str, list[Step]] = {}
        self.waiting: Counter[str] = Counter()
        self.final: dict[str, str | None] = {}
        self.backward_nodes = sum(node.role == "backward" for node in trace.nodes)
        for step in trace.steps:
            if step.kind in ("edge", "push"):
                self._sort_in(step)

    def _sort_in(self, step: Step) -> None:
        seen, user = self.visible.seen, str(step.user)
        self.steps_of.setdefault(seen[user], []).append(step)
        if step.kind == "edge":
            crosses = seen[user] != seen[step.node]
            self.waiting[step.node] += crosses
            self.final[step.node] = step.total if crosses and self.final.get(step.node, "") is not None else None

    # ---- forward ---------------------------------------------------------------------------------------------------
    def forward(self) -> list[Step]:
        """One `compute` step for every visible operation and box, with its tangents if the trace carries them."""
        worked_out = {self.visible.seen[step.node] for step in self.trace.steps if step.kind == "compute"}
        steps = [s for s in self.trace.steps if s.kind == "tangent" and s.node in self.visible.members]
        for node in self.visible.nodes:
            if node.role in WORKED_OUT and node.id in worked_out:
                steps += [Step("compute", node.id), *self._pushes(node)]
        return steps

    def _pushes(self, node: TraceNode) -> list[Step]:
        """The tangents pushed into an operation; into a box the whole of them, along the first edge that moves."""
        pushes = [step for step in self.steps_of.get(node.id, ()) if step.kind == "push"]
        if all(step.node == node.id for step in pushes):
            return pushes
        for step in pushes:
            source = self.trace.node(step.node).inputs[step.argument or 0]
            if source in node.arriving:
                total = next((s.total for s in reversed(pushes) if s.node in self.visible.leaving[node.id]), None)
                argument = node.arriving.index(source)
                push = Step("push", node.id, node.id, argument, step.upstream, None, total, None, total)
                return [push] if total else []
        return []

    # ---- backward --------------------------------------------------------------------------------------------------
    def backward(self) -> list[Step]:
        """The seed, then the edges out of one visible node after the other, users before inputs."""
        output = self.trace.output
        steps = [replace(s, node=self.visible.seen[output]) for s in self.trace.steps if s.kind == "seed"]
        self.slots[output] = str(steps[0].total)
        for user in reversed(self.visible.nodes):
            for (source, argument), parts in self._crossing(user).items():
                steps.append(self._edge(user, source, argument, parts))
        return steps

    def _crossing(self, user: TraceNode) -> dict[tuple[str, int], list[Step]]:
        """The edges out of `user`: (node that gets a gradient, number of the input) → the steps of the full trace."""
        found: dict[tuple[str, int], list[Step]] = {}
        for step in self.steps_of.get(user.id, ()):
            if self.visible.seen[step.node] != user.id:
                argument = int(step.argument or 0) if step.user == user.id else user.arriving.index(step.node)
                found.setdefault((step.node, argument), []).append(step)
        return found

    def _edge(self, user: TraceNode, node: str, argument: int, parts: Sequence[Step]) -> Step:
        whole = parts[0].user == user.id
        earlier = self.slots.get(node)
        self.waiting[node] -= len(parts)
        if len(parts) == 1 and parts[0].earlier == earlier:
            amount, total = str(parts[0].amount), str(parts[0].total)
        else:
            amount, total = self._added(node, earlier, [str(step.amount) for step in parts])
        self.slots[node] = total
        return Step(
            "edge",
            self.visible.seen[node],
            user.id,
            argument,
            parts[0].upstream if whole else self._upstream(user.id),
            parts[0].local if whole else None,
            amount,
            earlier,
            total,
        )

    def _added(self, node: str, earlier: str | None, amounts: Sequence[str]) -> tuple[str, str]:
        """Contributions as one, and the sum with what was there before."""
        final = None if self.waiting[node] else self.final[node]
        if earlier is None and final:
            return final, final
        amount = self._sum(amounts)
        return amount, final or (amount if earlier is None else self._sum([earlier, amount]))

    def _upstream(self, box: str) -> str | None:
        """The gradient of a box; None if more than one value leaves it."""
        arrived = [self.slots[x] for x in self.visible.leaving[box] if x in self.slots]
        return arrived[0] if len(arrived) == 1 else None

    def _sum(self, ids: Sequence[str]) -> str:
        if len(ids) == 1:
            return ids[0]
        known = {node.id: node for node in self.made}
        terms = [known.get(x) or self.trace.node(x) for x in ids]
        text, latex = (" + ".join(getattr(term, kind) for term in terms) for kind in ("text", "latex"))
        short = len(text) <= LONGEST_SUM
        total = TraceNode(
            id=f"g{self.backward_nodes + len(self.made)}",
            role="backward",
            op="add",
            name="",
            inputs=tuple(ids),
            shape=terms[0].shape,
            text=text if short else "…",
            latex=latex if short else r"\ldots",
            value=reduce(add, [np.asarray(term.value) for term in terms])[()],
        )
        self.made.append(total)
        return total.id
