"""Reading a trace back. Links and files come from anywhere, so everything in it is checked."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any, TypeVar, get_args

import numpy as np

from graphlab.errors import TraceError
from graphlab.tracing.trace import SCHEMA, Box, Kind, OpenBox, Step, StepKind, Trace, TraceNode, Value

LONGEST_JSON = 50_000_000
NODE_ID, BOX_ID = re.compile(r"[ng]\d+(\.\d+)*"), re.compile(r"s\d*:.*", re.DOTALL)
T = TypeVar("T", bound=Trace)
B = TypeVar("B", Box, OpenBox)


def read_trace(kind: type[T], text: str) -> T:
    """A trace from JSON; everything in it is checked, because links and files come from anywhere."""
    if len(text) > LONGEST_JSON:
        raise TraceError(f"the trace is too large: {len(text):,} characters, at most {LONGEST_JSON:,} are read")
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        raise TraceError(f"this is not JSON: {fault}") from None
    if not isinstance(data, dict) or "schema" not in data:
        raise TraceError("this is JSON, but not a graphlab trace", hint="A trace is what Trace.to_json() wrote.")
    if data["schema"] != SCHEMA:
        raise TraceError(
            f"the trace has schema {data['schema']!r:.20}, but this graphlab reads schema {SCHEMA}",
            hint="A newer graphlab may read it.",
        )
    try:
        nodes = tuple(_read_node(entry) for entry in data["nodes"])
        steps = tuple(Step(**_only(Step, entry)) for entry in data["steps"])
        trace = kind(
            kind=data["kind"],
            source=data["source"],
            output=data["output_id"],
            values={str(name): _read_value(value) for name, value in data["values"].items()},
            nodes=nodes,
            steps=steps,
            notices=tuple(map(str, data.get("notices", ()))),
            opened=tuple(_read_box(OpenBox, entry, "nodes") for entry in data.get("opened", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as fault:
        raise TraceError(f"the trace is damaged: {fault!r:.200}") from None
    _check(trace)
    return trace


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


def _only(kind: type, entry: Any) -> dict[str, Any]:
    """The entry, if it holds only the fields of `kind`."""
    known = {f.name for f in fields(kind)}
    extra = set(entry) - known
    if extra:
        raise ValueError(f"unknown fields {sorted(extra)!r:.80}")
    return dict(entry)


def _read_node(entry: Any) -> TraceNode:
    data = _only(TraceNode, entry)
    data["inputs"] = tuple(data.get("inputs", ()))
    data["sources"] = tuple(data.get("sources", ()))
    if data.get("box") is not None:
        data["box"] = _read_box(Box, data["box"], "results")
    data["shape"] = tuple(data.get("shape", ()))
    if "value" in data:
        data["value"] = _read_value(data["value"])
    data["attrs"] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.get("attrs", {}).items()}
    return TraceNode(**data)


def _read_box(kind: type[B], entry: Any, members: str) -> B:
    data = _only(kind, entry)
    return kind(**data | {members: tuple(data[members])})


def _read_value(value: Any) -> Value:
    if isinstance(value, dict):
        return value
    array = np.asarray(value)
    if array.dtype.kind in "OU":
        array = np.asarray(array, dtype=float)
    return array.tolist() if array.shape == () else array


def _check(trace: Trace) -> None:
    """Every id a node or step mentions exists, inputs stand before their users, and texts are texts."""
    seen: set[str] = set()
    for node in trace.nodes:
        texts = (node.id, node.role, node.name, node.symbol, node.text, node.latex, node.expression, node.scope)
        well_named = isinstance(node.id, str) and (BOX_ID if node.role == "scope" else NODE_ID).fullmatch(node.id)
        if not all(isinstance(t, str) for t in texts) or not well_named:
            raise TraceError(f"the trace is damaged: the node {node.id!r:.40} is not well formed")
        if node.id in seen or not seen.issuperset(node.inputs):
            raise TraceError(f"the trace is damaged: node {node.id} comes twice or before its inputs")
        seen.add(node.id)
    if trace.kind not in get_args(Kind) or trace.output not in seen or not isinstance(trace.source, str):
        raise TraceError("the trace is damaged: its kind, source or output is not valid")
    _check_boxes(trace, seen)
    for number, step in enumerate(trace.steps, start=1):
        mentioned = {step.node, step.user, step.upstream, step.local, step.amount, step.earlier, step.total} - {None}
        if step.kind not in get_args(StepKind) or not mentioned <= seen:
            raise TraceError(f"the trace is damaged: step {number} mentions a node that is not there")
        given = (step.user, step.argument, step.amount, step.total)
        if step.kind in ("edge", "push"):
            if None in given or (step.upstream is None and trace.node(str(step.user)).role != "scope"):
                raise TraceError(f"the trace is damaged: step {number} is incomplete")
            _check_argument(trace, step, number)


def _check_argument(trace: Trace, step: Step, number: int) -> None:
    if step.argument not in range(len(trace.node(str(step.user)).inputs)):
        raise TraceError(f"the trace is damaged: step {number} goes to an input that is not there")


def _check_boxes(trace: Trace, seen: set[str]) -> None:
    """Every id that a box mentions exists, and the counts are numbers."""
    for node in trace.nodes:
        counts = (node.box.operations, node.box.arrays, node.box.repeats, node.box.parameters or 0) if node.box else ()
        results = node.box.results if node.box else ()
        if (node.role == "scope") != (node.box is not None) or not all(isinstance(count, int) for count in counts):
            raise TraceError(f"the trace is damaged: the box {node.id!r:.40} is not well formed")
        if not seen.issuperset((*node.sources, *results)) or len(node.sources) not in (0, len(node.inputs)):
            raise TraceError(f"the trace is damaged: the sources of {node.id!r:.40} are not there")
    for box in trace.opened:
        if not all(isinstance(text, str) for text in (box.id, box.path, box.title, box.inside)):
            raise TraceError("the trace is damaged: an open box is not well formed")
        if not isinstance(box.repeats, int) or not seen.issuperset(box.nodes):
            raise TraceError(f"the trace is damaged: the open box {box.id!r:.40} is not well formed")
