"""Folding: a large trace becomes a small one in which closed boxes stand for scopes, and opened ones are frames.

`fold(trace, open)` gives a Trace again, so that words, pictures, tables and steps work on it as on any other. `open`
holds the ids of the boxes that are open; a box is seen if everything around it is open. The ids:

    s:encoder              a scope
    s:encoder.layer.*      equal siblings encoder.layer.0 … 11 as one box ×12 ("s:encoder.layer.0-4" if only those are
                           equal); opening it shows 12 closed boxes
    s:encoder.layer.3      one of them
    n5                     a composite that `Graph.trace(values, open=["n5"])` has opened: its parts are n5.0, n5.1 …
    s2:encoder             a box that would need its own output is seen as several; "s:encoder" opens them all

A closed box is one node of role "scope" (see trace.Box), one `compute` step, and one `edge` step for every edge that
leads out of it and along which a gradient goes (`folded_steps`). Nodes inside a box whose values leave it are kept with
role "inside": `TraceNode.sources` names them where an input of a visible node is a box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TypeVar

from graphlab.errors import LimitError
from graphlab.tracing.folded_steps import fold_steps
from graphlab.tracing.repeats import boxes_of
from graphlab.tracing.trace import Step, Trace, TraceNode
from graphlab.tracing.visible import Visible, box_of, open_boxes, see

T = TypeVar("T", bound=Trace)
MOST_BOXES = 600
FEW_BOXES = 25


def fold(trace: T, open: Collection[str] = ()) -> T:
    """`trace` with every scope that is not in `open` as a closed box, and the open ones as `opened`.

    Ids in `open` that the trace does not have are ignored. Raises LimitError above 600 visible boxes.
    """
    places = boxes_of(trace)
    seen = see(trace, places, open)
    count = len(set(seen.values()))
    if count > MOST_BOXES:
        raise LimitError(
            f"{count:,} boxes would be seen, but at most {MOST_BOXES} can be drawn",
            hint="Close some boxes, or look for a node by its name.",
        )
    visible = Visible(trace, places, seen)
    steps, made = fold_steps(trace, visible)
    return replace(
        trace,
        output=seen[trace.output],
        nodes=tuple(_kept(trace, visible, steps, made)),
        steps=tuple(steps),
        opened=open_boxes(places, seen),
    )


def _kept(trace: Trace, visible: Visible, steps: Iterable[Step], made: Iterable[TraceNode]) -> Iterable[TraceNode]:
    """The visible nodes, each after what leaves it, and what the steps need."""
    shown = {node.id for node in visible.nodes}
    kept = set(shown)
    for node in visible.nodes:
        leaving = [trace.node(x) for x in visible.leaving[node.id] if x not in shown]
        yield from (replace(x, role="inside", inputs=()) for x in leaving)
        yield node
    needed = {x for s in steps for x in (s.upstream, s.local, s.amount, s.earlier, s.total)}
    for node in (*(n for n in trace.nodes if n.role == "backward"), *made):
        if node.id in needed:
            kept.add(node.id)
            yield replace(node, inputs=tuple(x for x in node.inputs if x in kept))


def suggested_open(trace: Trace, most: int = FEW_BOXES) -> list[str]:
    """What to open at first: the largest boxes, as long as at most `most` boxes are seen. A box ×N stays closed."""
    places, open = boxes_of(trace), set[str]()
    while True:
        seen = see(trace, places, open)
        closed = Counter(box_of(name) for node, name in seen.items() if name != node)
        for box, _ in closed.most_common():
            if places.boxes[box].repeats == 1 and len(set(see(trace, places, {*open, box}).values())) <= most:
                open.add(box)
                break
        else:
            return sorted(open)
