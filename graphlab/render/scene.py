"""The viewer's data: `scene(trace, …)` turns one Trace into plain JSON, drawn once and stepped by deltas.

    {
      "schema": 1,
      "id": str                       changes only when the static part does: the browser re-parses the SVG then
      "source": str                   the learner's text
      "output": node id
      "kind": "forward" | "reverse" | "tangent"         what the second slot of a box holds
      "glyphs": svg                   the letters that the formulas of nodes and steps use
      "svg": {"LR": str, "TB": str}   the whole graph left to right and top to bottom, every slot still empty
      "nodes": [node, …]              in step order (also the focus order)
      "edges": [{"id": "n3-n4-1", "source": "n3", "target": "n4", "argument": 1, "shape": "(n, d)" | "",
                 "norm": "‖L̄‖ = 0.03" | ""}, …]         shape of the value that passes, size of the whole gradient
      "opened": [opened, …]           boxes that are open, outermost first (folded traces: tracing/folding.py)
      "steps": [step, …]              steps[0]: before the first step; steps[k]: what step k changed
      "grain": "edge" | "node" | "layer"                what one press shows, unless the reader chooses
      "keyframes": {"200": frame, …}  everything visible after that step, so that a jump never replays more than 200
      "table": [row, …]               the pass as on paper
      "tour": tour | None             the first sixty seconds
      "nudges": {input id: nudge}
      "notices": [str, …]             one sentence each, about the picture (a fallback layout …)
    }
    node    {"id", "role", "name": "d", "label": "d equals 2b" (spoken), "names": {"fraction": "∂L/∂d", "bar": "d̄",
             "dot": "d.grad"}, "slot": "gradient" | "tangent", "title": svg, "shape": "(2, 3)" | "", "inputs": [id],
             "users": [id], "why": str,
             "fault": str, "value": {"short": shown, "digits": str, "formula": svg},
             "gradient": {…the same…} | None, "locals": [{"node": id, "formula": svg, "digits": str}]}
             (a gradient's formula is its right side only: the name before it is the reader's choice)
             and further "scope": "encoder.layer.3", "heat": {"value": heat | None, "gradient": heat | None},
             "opens": id | "", "box": box | None
             ("opens" is what to add to the set of open boxes when the reader opens this node: a closed box's id, or
             the node's own id where it is a composite; "" if there is nothing to open)
    box     {"path": "encoder.layer.3", "title": "layer.3", "repeats": 12 | 1, "operations": 27,
             "parameters": 7087872 | None, "counts": "27 operations, 7,087,872 parameters",
             "results": [{"node": id, "name": "y", "shape": "(n, d)", "size": "3.2" | "", "gradient": "0.03" | ""}]}
             (of a node of role "scope". results: what leaves it, with the norms of value and gradient. With one result,
             those are the node's own)
    opened  {"id": what to take out of the set of open boxes to close it, "path", "title": "layer.3", "repeats": 12 | 1,
             "inside": id of the open box around it | "", "nodes": [id of every visible node in it]}
             (drawn as <g class="opened" data-id=…>, a <rect class="surround"> and its title)
    heat    {"rows": 12, "columns": 16, "shades": [0 … 1, or −1 … 1 if signed, row by row], "signed": bool,
             "low": "−1.2", "high": "3", "means": bool, "numbers": ["−1.2", …]}     one number per cell; means: it is
             the mean of a block of entries
    step    {"phase": "start" | "forward" | "seed" | "backward" | "tangent", "node": id | None, "user": id | None,
             "edges": [edge id], "values": {id: shown}, "gradients": {id: shown},
             "sent": {edge id: {"brief": "−2", "full": "∂L/∂c = e = 5"}}, "spoken": str,
             "words": {"fraction": {"sentence": str, "formula": svg | ""}, "bar": {…}, "dot": {…}},
             "numbers": "= −2 · 2 = −4",              what continues the formula
             "groups": {"edge": int, "node": int, "layer": int},      equal numbers: one press in that grain
             "answer": float | None}                  the number this step reveals (None: an array, or not finite)
    frame   {"values": {id: shown}, "gradients": {id: shown}, "sent": {edge id: {…}}}
    shown   "−0.4" for a number, {"cells": ["1", …], "shades": [0.5, …]} for an array; no cells: a heat map
    row     {"step": k, "node": id, "user": id | None, "source": id | None, "rule": "d = 2·b", "value": str,
             "upstream": str, "local": str,
             "contribution": str, "gradient": str}      step 0: the inputs; numbers without names
    tour    {"question": {"after": 3, "text": str, "choices": [str, str, str], "answer": 0, "replies": [str, str, str]},
             "nudge": input id, "notes": {"8": {"fraction": str, "bar": str, "dot": str}}, "start": str, "end": str}
    nudge   {"name": "b", "deltas": [str × 41], "values": {node id: [str × 41]}, "lines": [str × 41]}

All texts are plain text (the browser sets them with textContent); everything called svg was written by
`graphlab.render` with escaping. Ids are ours (n0 …); those of boxes hold names of scopes (s:encoder.layer.3), so they
are data too, never markup or a selector.

`tour` is passed through as the caller computed it. A nudge is passed in as numbers, {"deltas": 41 floats, "values":
{node id: 41 floats}}, and written here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import accumulate, pairwise
from typing import Any, Literal

import numpy as np

from graphlab.render.frames import (
    LETTERS,
    Change,
    Frame,
    Sent,
    frame,
)
from graphlab.render.layout import Direction
from graphlab.render.mathematics import glyph_defs, typeset
from graphlab.render.nudges import written_nudge
from graphlab.render.scene_nodes import edge_data, node_data
from graphlab.render.svg import Picture, picture_of
from graphlab.render.tables import table_rows
from graphlab.tracing.explaining import Explanation, explain
from graphlab.tracing.trace import WORKED_OUT, Step, Trace
from graphlab.tracing.words import Letters

Grain = Literal["edge", "node", "layer"]
SCENE_SCHEMA = 1
DIRECTIONS: tuple[Direction, ...] = ("LR", "TB")
KEYFRAME_EVERY = 200
MOST_FORMULAS = 120
SENTENCE_SIZE = 23.0


def scene(
    trace: Trace,
    *,
    tour: Mapping[str, Any] | None = None,
    nudges: Mapping[str, Mapping[str, Any]] | None = None,
    formulas: Letters | None = None,
) -> dict[str, Any]:
    """Everything the viewer needs, as JSON. `tour` and `nudges` as described above; without them the viewer leaves
    those parts out. `formulas` names the notation in which the steps' formulas are typeset; that takes about 10 ms
    each, so they are left out until a reader wants them.
    """
    picture = picture_of(trace)
    with ThreadPoolExecutor() as side_by_side:  # each waits for a program
        layouts = dict(zip(DIRECTIONS, side_by_side.map(picture.layout, DIRECTIONS), strict=True))
    drawings = {name: picture.write(layout, None) for name, layout in layouts.items()}
    notices = list(dict.fromkeys(layout.notice for layout in layouts.values() if layout.notice))
    nodes, steps = [node_data(picture, node) for node in trace.forward_nodes], _steps(picture, formulas)
    letters = glyph_defs([json.dumps(nodes), json.dumps(steps)])
    return {
        "schema": SCENE_SCHEMA,
        "id": hashlib.sha256(json.dumps(drawings).encode()).hexdigest()[:16],
        "source": trace.source,
        "output": trace.output,
        "kind": trace.kind,
        "glyphs": f'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0">{letters}</svg>',
        "svg": drawings,
        "nodes": nodes,
        "edges": edge_data(picture),
        "opened": [asdict(box) | {"nodes": list(box.nodes)} for box in trace.opened],
        "steps": steps,
        "grain": _suitable_grain(trace),
        "keyframes": _keyframes(picture.changes),
        "table": table_rows(trace),
        "tour": dict(tour) if tour else None,
        "nudges": {node_id: written_nudge(trace, node_id, nudge) for node_id, nudge in (nudges or {}).items()},
        "notices": notices,
    }


# ---- steps -----------------------------------------------------------------------------------------------------------
def _steps(picture: Picture, formulas: Letters | None) -> list[dict[str, Any]]:
    trace = picture.trace
    wanted = formulas if len(trace.steps) <= MOST_FORMULAS else None
    explained = {letters: explain(trace, letters) for letters in LETTERS}
    groups = _groups(picture)
    return [
        {
            "phase": change.phase,
            "node": change.node,
            "user": change.user,
            "edges": list(change.edges),
            "values": change.values,
            "gradients": change.gradients,
            "sent": _sent(change.sent),
            "words": {letters: _words(explained[letters][k], letters == wanted) for letters in LETTERS},
            "numbers": explained["fraction"][k].numbers,
            "spoken": explained["fraction"][k].spoken,
            "groups": {grain: numbers[k] for grain, numbers in groups.items()},
            "answer": _answer(trace, trace.steps[k - 1]) if k else None,
        }
        for k, change in enumerate(picture.changes)
    ]


def _words(words: Explanation, with_formula: bool) -> dict[str, str]:
    formula = ""
    if with_formula and words.formula:
        formula = typeset(words.formula, "", SENTENCE_SIZE).standalone(words.spoken)
    return {"sentence": words.sentence, "formula": formula}


def _answer(trace: Trace, step: Step) -> float | None:
    value = trace.node(step.total or step.node).value
    if value is None or np.ndim(value):
        return None
    return float(value) if math.isfinite(value) else None


def _groups(picture: Picture) -> dict[Grain, list[int]]:
    """For every grain a number per step; steps that stay equal in it are shown by one press."""
    changes = picture.changes
    depths = _depths(picture.trace)
    marks: dict[Grain, list[Any]] = {
        "edge": list(range(len(changes))),
        "node": [c.user or c.node if c.phase in ("backward", "tangent") else k for k, c in enumerate(changes)],
        "layer": [(c.phase, depths.get(c.user or c.node or "")) for c in changes],
    }
    return {grain: [0, *accumulate(int(a != b) for a, b in pairwise(m))] for grain, m in marks.items()}


def _depths(trace: Trace) -> dict[str, int]:
    """How many operations lie between a node and the farthest input."""
    depths: dict[str, int] = {}
    for node in trace.forward_nodes:
        depths[node.id] = 1 + max((depths[x] for x in node.inputs), default=-1)
    return depths


def _suitable_grain(trace: Trace) -> Grain:
    """What one press shows at first: an edge in a small graph, a whole layer in a large one."""
    operations = sum(node.role in WORKED_OUT for node in trace.forward_nodes)
    return "edge" if operations <= 12 else "node" if operations <= 60 else "layer"


def _keyframes(changes: Sequence[Change]) -> dict[str, Any]:
    return {str(k): _frame(frame(changes, k)) for k in range(KEYFRAME_EVERY, len(changes), KEYFRAME_EVERY)}


def _frame(seen: Frame) -> dict[str, Any]:
    return {"values": seen.values, "gradients": seen.gradients, "sent": _sent(seen.sent)}


def _sent(sent: Mapping[str, Sent]) -> dict[str, dict[str, str]]:
    return {edge: {"brief": one.brief, "full": one.full} for edge, one in sent.items()}
