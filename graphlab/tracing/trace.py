"""A Trace is one run as plain data: a graph, the numbers in it, and the steps in which they appeared.

The app, the notebook, the command line and the exporters read a Trace and nothing else. Steps hold ids and no prose
(sentences are made by `explaining`). Ids: n0, n1 … are the forward nodes in creation order, g0, g1 … the nodes that the
backward pass built. Inputs and constants are not steps.

The parts of a composite n5 that was opened are n5.0, n5.1 …; it stays in the trace itself, after them, with role
"opened". In a folded trace (see `folding`) a closed box is one node of role "scope"; nodes in it whose values leave it
are kept with role "inside".

kind "forward": one `compute` step per operation. kind "reverse" (the default): the same, then one `seed` step and one
`edge` step for every edge along which a gradient is sent back. kind "tangent" (forward mode): a `tangent` step for
every input that moves, and after the `compute` step of a node a `push` step for every edge that brings it a tangent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from graphlab.errors import TraceError

SCHEMA = 1
SUMMARY_ABOVE = 64
WORKED_OUT = ("operation", "scope")  # the roles of nodes whose value is the work of a step
Value = Any
Kind = Literal["forward", "reverse", "tangent"]
StepKind = Literal["compute", "seed", "edge", "tangent", "push"]
Role = Literal["input", "constant", "operation", "backward", "opened", "scope", "inside"]
SEEN = ("input", "constant", "operation", "scope")


@dataclass(frozen=True, slots=True)
class Box:
    """What a closed box holds: `operations`, and `parameters` entries in its `arrays` inputs (None where a size is a
    name). `repeats` is N of a box ×N, else 1. `results` are the nodes inside whose values leave it.
    """

    operations: int
    arrays: int
    parameters: int | None
    repeats: int
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenBox:
    """An open box around visible `nodes` (those of boxes in it too); `inside` is the open box around it, or "". `path`
    is its scope, `title` the last level of it."""

    id: str
    path: str
    title: str
    repeats: int
    inside: str
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TraceNode:
    """A node as data. `name` is its one name in the graph ("" for constants and unnamed backward nodes), `symbol` what
    it is called among the nodes of its scope where that is shorter (W_Q); `text` and `latex` say how it is computed
    from named nodes ("2*b", in the backward pass "2*d_bar"), or the literal or name itself for a leaf; `expression` is
    LaTeX with all that written out down to the inputs, where it stays short ("2\\,c").
    `value` is None when nothing was evaluated; `fault` says why a node could not be. In a folded trace `box` says what
    a closed box holds, and `sources` which nodes' values arrive, where some come out of a closed box.
    """

    id: str
    role: Role
    op: str | None
    name: str
    inputs: tuple[str, ...]
    shape: tuple[int | str, ...]
    text: str
    latex: str
    expression: str = ""
    value: Value = None
    scope: str = ""
    symbol: str = ""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    fault: str | None = None
    sources: tuple[str, ...] = ()
    box: Box | None = None

    @property
    def arriving(self) -> tuple[str, ...]:
        """The nodes whose values arrive, input by input, though some of them may be inside closed boxes."""
        return self.sources or self.inputs


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `compute`: `node` gets its value. `seed`: the output's gradient `total` is set. `edge`: `user` sends
    `amount` = `upstream` × `local` to its input number `argument`, which is `node`; the slot held `earlier` (None:
    nothing) and holds `total` now. `local` is None where the rule is no product with a partial derivative (matmul).
    `tangent`: an input's tangent `total` is set. `push`: `node` gets `amount` = `upstream` (its input's tangent) ×
    `local` from its input number `argument`; `user` is the node itself. All are node ids.
    """

    kind: StepKind
    node: str
    user: str | None = None
    argument: int | None = None
    upstream: str | None = None
    local: str | None = None
    amount: str | None = None
    earlier: str | None = None
    total: str | None = None


@dataclass(frozen=True, eq=False)
class Trace:
    """One recorded run. `nodes` in topological order, `steps` in the order they happened; `opened` boxes outermost
    first."""

    kind: Kind
    source: str
    output: str
    values: Mapping[str, Value]
    nodes: tuple[TraceNode, ...]
    steps: tuple[Step, ...]
    notices: tuple[str, ...] = ()
    opened: tuple[OpenBox, ...] = ()
    schema: int = SCHEMA

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.to_json())

    @cached_property
    def symbols(self) -> dict[str, str]:
        """What formulas call the nodes whose one name is long, by that name."""
        return {node.name: node.symbol for node in self.nodes if node.symbol}

    @cached_property
    def _by_id(self) -> dict[str, TraceNode]:
        return {node.id: node for node in self.nodes}

    def node(self, node_id: str) -> TraceNode:
        """The node with this id; TraceError if there is none."""
        try:
            return self._by_id[node_id]
        except KeyError:
            raise TraceError(f"the trace has no node {node_id!r}") from None

    @property
    def folded(self) -> bool:
        """Whether it has boxes, open or closed."""
        return bool(self.opened) or any(node.box for node in self.nodes)

    def result(self, node_id: str) -> TraceNode:
        """A node; of a closed box the (last) node inside whose value leaves it."""
        node = self.node(node_id)
        return self.node(node.box.results[-1]) if node.box and node.box.results else node

    def target(self, step: Step) -> TraceNode:
        """The node that a step works on: where that is a closed box, the one inside whose value leaves it."""
        if step.kind == "edge" and step.user is not None and step.argument is not None:
            return self.node(self.node(step.user).arriving[step.argument])
        return self.result(step.node)

    @property
    def forward_nodes(self) -> tuple[TraceNode, ...]:
        """What is drawn: the nodes the learner wrote and closed boxes, but not the backward pass."""
        return tuple(node for node in self.nodes if node.role in SEEN)

    def upto(self, k: int) -> Self:
        """The run after its first `k` steps (0: only the inputs are known)."""
        if not 0 <= k <= len(self.steps):
            raise TraceError(f"step {k} is outside 0 … {len(self.steps)}")
        return replace(self, steps=self.steps[:k])

    @cached_property
    def known_values(self) -> dict[str, Value]:
        """Forward node id → value, for the inputs, the constants and all `compute` steps so far."""
        reached = {step.node for step in self.steps if step.kind == "compute"}
        return {n.id: n.value for n in self.forward_nodes if n.role not in WORKED_OUT or n.id in reached}

    @cached_property
    def known_gradients(self) -> dict[str, Value]:
        """Forward node id → gradient so far; in a trace of tangents, the tangent so far."""
        return {step.node: self.node(step.total).value for step in self.steps if step.total is not None}

    def to_dict(self, *, values: Literal["full", "summary"] = "full") -> dict[str, Any]:
        """Plain lists, numbers and strings. "summary" replaces arrays of more than 64 entries by their statistics."""
        return {
            "schema": self.schema,
            "kind": self.kind,
            "source": self.source,
            "output_id": self.output,
            "values": {name: plain(value, values) for name, value in self.values.items()},
            "notices": list(self.notices),
            "nodes": [_node_data(node, values) for node in self.nodes],
            "steps": [{f.name: v for f in fields(s) if (v := getattr(s, f.name)) is not None} for s in self.steps],
            **({"opened": [_data(asdict(box)) for box in self.opened]} if self.opened else {}),
        }

    def to_json(self, *, values: Literal["full", "summary"] = "full") -> str:
        """The trace as JSON. NaN and infinities become the strings "nan", "inf" and "-inf"."""
        return json.dumps(self.to_dict(values=values), ensure_ascii=False, allow_nan=False)


def plain(value: Value, values: Literal["full", "summary"] = "full") -> Any:
    """A value as JSON holds it: numbers, nested lists, and strings for what JSON has no number for."""
    array = np.asarray(value)
    if values == "summary" and array.size > SUMMARY_ABOVE:
        real = array.astype(float)
        finite = real[np.isfinite(real)]
        return {
            "shape": list(array.shape),
            "min": plain(finite.min()) if finite.size else None,
            "max": plain(finite.max()) if finite.size else None,
            "mean": plain(finite.mean()) if finite.size else None,
            "not_finite": int(array.size - finite.size),
        }
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return _spelled(array.tolist())
    return array.tolist()


OPTIONAL: dict[str, Any] = {
    **dict.fromkeys(("scope", "symbol", "expression"), ""),
    **dict.fromkeys(("value", "fault", "box")),
    "attrs": {},
    "sources": [],
}


def _node_data(node: TraceNode, values: Literal["full", "summary"]) -> dict[str, Any]:
    """A node's fields; optional ones are left out where they say nothing."""
    data = {f.name: _data(getattr(node, f.name)) for f in fields(node) if f.name != "value"}
    data["value"] = None if node.value is None else plain(node.value, values)
    return {name: v for name, v in data.items() if name not in OPTIONAL or v != OPTIONAL[name]}


def _spelled(value: Any) -> Any:
    if isinstance(value, list):
        return [_spelled(v) for v in value]
    return value if math.isfinite(value) else str(value)


def _data(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_data(v) for v in value]
    if isinstance(value, Box):
        return _data(asdict(value))
    if isinstance(value, Mapping):
        return {str(k): _data(v) for k, v in value.items()}
    return value
