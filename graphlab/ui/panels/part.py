"""The backward pass of one box as in a textbook: what arrives at it, line by line to what it sends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import streamlit as st

from graphlab.api import Graph
from graphlab.api.excerpts import excerpts
from graphlab.api.folded import opened_graph
from graphlab.engine.core import Node
from graphlab.engine.shapes import show_shape
from graphlab.errors import GraphLabError
from graphlab.tracing.repeats import boxes_of
from graphlab.tracing.trace import Trace, TraceNode
from graphlab.tracing.visible import box_of
from graphlab.tracing.words import accented_latex, label
from graphlab.ui.drawing import BY_KEY, Source, built, composites_in, whole_trace
from graphlab.ui.plain import plain, with_hint
from graphlab.ui.state import ShownGraph

MOST_OPERATIONS = 30  # a whole layer of BERT
LONGEST = 8_000  # characters of LaTeX


class Way(NamedTuple):
    """One value that leaves the box, in LaTeX: how it is computed, and back. `arrives` and `leaves` are gradients with
    their shapes."""

    arrives: str
    leaves: str
    forward: str
    backward: str


class Part(NamedTuple):
    """A box or node: what it is called, how many equal ones there are, how many operations are in it, and the ways
    through it; none where those are too many."""

    title: str
    repeats: int
    operations: int
    ways: tuple[Way, ...]


def part_panel(source: Source, state: ShownGraph) -> None:
    """The backward pass of the chosen box."""
    st.markdown("**Backward, as in a textbook**")
    if state.selected is None:
        st.caption("Choose a box in the graph: its own backward pass is written here.")
        return
    try:
        part = written(source, composites_in(state.opened or ()), state.selected)
    except GraphLabError as fault:
        st.caption(with_hint(fault))
        return
    write(part)


def write(part: Part) -> None:
    equal = f", one of {part.repeats} equal ones" if part.repeats > 1 else ""
    if part.operations > MOST_OPERATIONS:
        st.caption(
            f"{plain(part.title)} holds {part.operations} operations; at most {MOST_OPERATIONS} are written out. "
            "Open it, and choose a part."
        )
    elif not part.ways:
        st.caption(f"{plain(part.title)}: no gradient passes here.")
    for way in part.ways:
        st.markdown(f"{plain(part.title)}{equal}. Arrives: {way.arrives}. Leaves: {way.leaves}.")
        if max(len(way.forward), len(way.backward)) > LONGEST:
            st.caption("Written out, this is too long. Open the box, and choose a part.")
            continue
        left, right = st.columns([2, 3], gap="medium")
        with left:
            st.caption("Forward")
            st.latex(way.forward)
        with right:
            st.caption("Backward")
            st.latex(way.backward)
    if len(part.ways) > 1:
        st.caption("Several values lead on from here; what they send back to the same input is added up.")


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_KEY)
def written(source: Source, composites: tuple[str, ...], selected: str) -> Part:
    """The chosen box or node of a graph in which these composites are open. Raises NoRule, LimitError, TraceError."""
    graph, trace = built(source).graph, whole_trace(source, composites)
    if composites:
        graph = opened_graph(graph, composites)
    title, repeats, inside = members(trace, selected)
    nodes = {node: name for node, name in graph.dag.ids.items() if name in inside}
    if len(nodes) > MOST_OPERATIONS:
        return Part(title, repeats, len(nodes), ())
    wanted = next((name for name, node in graph.dag.inputs.items() if graph.dag.ids[node] == selected), None)
    return Part(title, repeats, len(nodes), tuple(ways(graph, trace, set(nodes), wanted)))


def members(trace: Trace, selected: str) -> tuple[str, int, set[str]]:
    """What a box is called, how many equal ones there are, and the operations in (one of) it by id. For an input those
    are the operations that use it."""
    places = boxes_of(trace)
    box = places.boxes.get(box_of(selected))
    if box is None:
        node = trace.node(selected)
        users = {one.id for one in trace.forward_nodes if selected in one.inputs}
        return label(node), 1, {selected} if node.role == "operation" else users
    around = {node.id: places.around[node.id] for node in trace.forward_nodes if node.role == "operation"}
    paths = {node: path for node, path in around.items() if box.id in path}
    first = next(iter(paths.values()))
    one = first[first.index(box.id) + (box.repeats > 1)]
    return places.boxes[one].title, box.repeats, {node for node, path in paths.items() if one in path}


def ways(graph: Graph, trace: Trace, inside: set[Node], wanted: str | None) -> Iterator[Way]:
    """The ways through a part along which a gradient passes; with `wanted` only to that input."""
    called = {node.name: node for node in trace.forward_nodes}
    for part, seed in excerpts(graph, inside):
        backward = part.backward(seed=seed)
        reached = {str(node.name) for node in backward.wrt}
        if wanted in reached:
            backward = part.backward(wanted, seed=seed)
        if wanted in reached or (wanted is None and reached):
            entering = [called[str(node.name)] for node in backward.wrt]
            leaves = ", ".join(map(gradient, sorted(entering, key=lambda node: node.role == "input")))
            name = part.names[part.dag.output]
            yield Way(gradient(called[name]), leaves, part.latex, backward.latex)


def gradient(node: TraceNode) -> str:
    """A node's gradient with its shape, for Markdown."""
    return f"${accented_latex(node, 'bar')}$ {show_shape(node.shape)}"
