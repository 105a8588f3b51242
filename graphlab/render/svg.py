"""The graph of a trace as SVG: `draw` for files and notebooks, `Picture` for whoever draws one trace many times.

A picture is measured and laid out once. Writing it after step k fills slots and sets classes; nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from graphlab.engine.shapes import show_shape
from graphlab.render.arrays import Shown
from graphlab.render.boxes import BoxPlan, Contents, has_slots, plan_box
from graphlab.render.drawing import write_box
from graphlab.render.edges import Edge, write_edge
from graphlab.render.frames import (
    Change,
    Frame,
    changes,
    edge_id,
    final_gradients,
    frame,
)
from graphlab.render.framing import groups_of, write_frame
from graphlab.render.labels import SENT_SIZE, SHAPE_SIZE, write_label
from graphlab.render.layout import Curve, Direction, Layout, lay_out
from graphlab.render.mathematics import Formula, glyph_defs, text_width, typeset
from graphlab.render.style import Theme, graph_css
from graphlab.tracing.trace import WORKED_OUT, Trace, TraceNode
from graphlab.tracing.words import Letters, show_formula

MARGIN = 26.0
ABOVE = 14.0  # room for what stands above the topmost box while an input is nudged
FORMULA_SIZE = 22.0
LABELLED_EDGES = 100
LONGEST_IN_BOX = 60


@dataclass(frozen=True)
class Picture:
    """A trace with measured boxes; `gradients` are the finished ones by node, `widest_sent` the longest text that each
    edge sends. Make one with `picture_of`."""

    trace: Trace
    boxes: Mapping[str, BoxPlan]
    edges: tuple[Edge, ...]
    changes: tuple[Change, ...]
    gradients: Mapping[str, TraceNode]
    widest_sent: Mapping[str, str]
    label_width: float

    def layout(self, direction: Direction) -> Layout:
        """Where everything stands."""
        sizes = {name: (box.width, box.height) for name, box in self.boxes.items()}
        pairs = [(edge.source, edge.target) for edge in self.edges]
        across = min(210.0, max(72.0, self.label_width + 40)) if len(self.edges) <= LABELLED_EDGES else 60.0
        room = across if direction == "LR" else 64.0
        return lay_out(sizes, pairs, direction=direction, label_room=room, groups=groups_of(self.trace.opened))

    def write(
        self,
        layout: Layout,
        seen: Frame | None,
        *,
        style: str = "",
        theme: str = "page",
        notation: Letters = "fraction",
    ) -> str:
        """The SVG with what `seen` shows; None leaves every slot empty. The stylesheet is `style` or the page's own."""
        current = seen.last if seen else Change("start")
        left, top = -MARGIN, -MARGIN - ABOVE
        box = f"{left:g} {top:g} {layout.width + 2 * MARGIN:.1f} {layout.height + 2 * MARGIN + ABOVE:.1f}"
        wired = list(zip(self.edges, layout.curves, strict=True))
        edges = [self._write_edge(edge, curve, current) for edge, curve in wired]
        nodes = [self._write_node(name, layout, current, seen) for name in self.boxes]
        labels = self._write_labels(wired, layout, seen) if len(wired) <= LABELLED_EDGES else []
        label = f"Computational graph of {self.trace.source}" if self.trace.source else "Computational graph"
        frames = map(write_frame, self.trace.opened, layout.frames)
        body = (
            f'<g class="frames">{"".join(frames)}</g><g class="edges">{"".join(edges)}</g>'
            f'<g class="nodes">{"".join(nodes)}</g><g class="labels">{"".join(labels)}</g>'
        )
        return (
            f'<svg class="graphlab-{theme}" xmlns="http://www.w3.org/2000/svg" viewBox="{box}" '
            f'data-notation="{notation}" role="img" aria-label="{escape(label)}">'
            f"{glyph_defs([body])}{style}{body}</svg>"
        )

    def _write_labels(self, wired: Sequence[tuple[Edge, Curve]], layout: Layout, seen: Frame | None) -> Iterator[str]:
        plans = [(layout.positions[name], plan.width, plan.height) for name, plan in self.boxes.items()]
        boxes = [(x - width / 2, y - height / 2, width, height) for (x, y), width, height in plans]
        for edge, curve in wired:
            sent = seen.sent.get(edge.id) if seen else None
            yield write_label(edge, curve, sent, self.widest_sent.get(edge.id, ""), boxes)

    def _write_node(self, name: str, layout: Layout, current: Change, seen: Frame | None) -> str:
        marks = ""
        if name == current.node:
            marks = "current" if current.phase == "forward" else "current backward"
        value: Shown = seen.values.get(name, "") if seen else ""
        gradient: Shown = seen.gradients.get(name, "") if seen else ""
        return write_box(self.boxes[name], layout.positions[name], value, gradient, marks)

    def _write_edge(self, edge: Edge, curve: Curve, current: Change) -> str:
        marks = ""
        if edge.id in current.edges:
            marks = " sending backward" if current.phase == "backward" else " sending"
        return write_edge(edge, curve, marks)


def draw(
    trace: Trace,
    *,
    direction: Direction = "LR",
    step: int | None = None,
    theme: Theme | None = "light",
    letters: Letters = "fraction",
    marked: Sequence[str] = (),
) -> str:
    """A standalone SVG of `trace` after `step` steps (None: after all of them), with the edges `marked` standing out.

    `theme` None follows the reader's light or dark setting; `letters` chooses how a gradient is written: "fraction"
    (∂L/∂d), "bar" (d̄) or "dot" (d.grad). Raises TraceError for a step the trace does not have.
    """
    seen_trace = trace if step is None else trace.upto(step)
    picture = picture_of(trace)
    seen = frame(picture.changes, len(seen_trace.steps))
    if step is None:
        seen.last = Change("forward", edges=tuple(marked))
    layout = picture.layout(direction)
    ground = f'<rect class="ground" x="{-MARGIN:g}" y="{-MARGIN - ABOVE:g}" width="100%" height="100%"/>'
    style = f"<style>{graph_css(theme)}</style>{ground}"
    return picture.write(layout, seen, style=style, theme=theme or "auto", notation=letters)


def picture_of(trace: Trace) -> Picture:
    """Measure every box of a trace."""
    steps, folded = tuple(changes(trace)), trace.folded
    final, gradients, widest = frame(steps, len(steps) - 1), final_gradients(trace), _widest_gradients(steps)
    boxes = {}
    for node in trace.forward_nodes:
        total = gradients.get(node.id)
        contents = Contents(
            value=_widest(_texts(final.values.get(node.id, ""))),
            gradient=widest.get(node.id, ""),
            value_formula=_in_letters(node, folded) if has_slots(trace, node) else None,
            gradient_formula=_in_letters(total, folded) if total else None,
        )
        boxes[node.id] = plan_box(trace, node, contents)
    edges = tuple(
        Edge(
            edge_id(source, node.id, i),
            source,
            node.id,
            i,
            _carried(trace.node(arriving)),
            trace.node(source).role in WORKED_OUT,
        )
        for node in trace.forward_nodes
        for i, (source, arriving) in enumerate(zip(node.inputs, node.arriving, strict=True))
    )
    sent = {edge: _widest([one.brief, one.full]) for edge, one in final.sent.items()}
    widths = [text_width(text, SENT_SIZE) for text in sent.values()]
    widths += [text_width(edge.shape, SHAPE_SIZE) for edge in edges if edge.tagged]
    return Picture(trace, boxes, edges, steps, gradients, sent, max(widths, default=0.0))


def _carried(node: TraceNode) -> str:
    return show_shape(node.shape) if node.shape else ""


def _widest_gradients(steps: tuple[Change, ...]) -> dict[str, str]:
    """The widest text that each gradient slot ever shows, sums on the way included."""
    widest: dict[str, str] = {}
    for change in steps:
        for name, content in change.gradients.items():
            widest[name] = _widest([widest.get(name, ""), *_texts(content)])
    return widest


def _in_letters(node: TraceNode, folded: bool) -> Formula | None:
    """A node's value as a formula: written out to the inputs where that fits a box, else (and in a folded trace, where
    inputs may not be seen) by its own rule."""
    if node.box is not None:
        return None
    for latex in (node.latex,) if folded else (node.expression, node.latex):
        if latex and len(latex) <= LONGEST_IN_BOX:
            return typeset(latex, show_formula(node.text), FORMULA_SIZE)
    return typeset(r"\ldots", "…", FORMULA_SIZE)


def _texts(content: Shown) -> list[str]:
    return [content] if isinstance(content, str) else list(content["cells"])


def _widest(texts: list[str]) -> str:
    return max(texts, key=lambda text: text_width(text, 1.0), default="")
