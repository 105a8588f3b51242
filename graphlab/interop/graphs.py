"""A trace's forward nodes as a NetworkX graph or a graphviz drawing. Ids are ours, n0, n1 …, and labels are escaped."""

from __future__ import annotations

import graphviz
import networkx

from graphlab.render.frames import brief, rule_of
from graphlab.tracing.trace import Trace, TraceNode


def to_networkx(trace: Trace) -> networkx.MultiDiGraph[str]:
    """Nodes with role, op ("" for a leaf), name, text and, where it is known, value; edges with `argument`, which is
    their key too."""
    graph = networkx.MultiDiGraph(name=trace.source)
    for node in trace.forward_nodes:
        graph.add_node(node.id, role=node.role, op=node.op or "", name=node.name, text=node.text)
        if node.value is not None:
            graph.nodes[node.id]["value"] = node.value
        for argument, source in enumerate(node.inputs):
            graph.add_edge(source, node.id, key=argument, argument=argument)
    return graph


def to_graphviz(trace: Trace) -> graphviz.Digraph:
    """Boxes with rules and known values; constants are bare, and what cannot be computed is dashed."""
    drawing = graphviz.Digraph("graphlab", graph_attr={"rankdir": "LR"}, node_attr={"shape": "box", "style": "rounded"})
    for node in trace.forward_nodes:
        drawing.node(node.id, label(node), **marks(node))
        for source in node.inputs:
            drawing.edge(source, node.id)
    return drawing


def label(node: TraceNode) -> str:
    """The rule and, below it, the value. Escaped, so that no text is read as DOT or as HTML."""
    lines = [rule_of(node)]
    if node.role != "constant" and node.value is not None:
        lines.append(brief(node.value))
    return r"\n".join(graphviz.escape(line) for line in lines)


def marks(node: TraceNode) -> dict[str, str]:
    if node.fault:
        return {"style": "rounded,dashed", "color": "red"}
    return {"shape": "plaintext"} if node.role == "constant" else {}
