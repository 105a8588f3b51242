"""A part of a graph by itself: it computes what it computes in the whole, and its backward pass sends on the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab import layers
from graphlab.api.excerpts import excerpts
from graphlab.engine.core import Node
from graphlab.tracing.trace import Trace
from graphlab.ui.catalogue import MODELS


@pytest.fixture(scope="module")
def bert() -> tuple[gl.Graph, Trace]:
    """A small BERT with both losses, and its run."""
    model = MODELS["bert-small"]
    graph, values = model.built({name: setting.first for name, setting in model.settings.items()})
    return graph, graph.trace(values)


def scopes(graph: gl.Graph) -> list[str]:
    """Every scope, and those around it."""
    paths = [node.scope.split(".") for node in graph.dag.nodes if node.op is not None and node.scope]
    return sorted({".".join(path[: k + 1]) for path in paths for k in range(len(path))})


def inside(graph: gl.Graph, scope: str) -> set[Node]:
    return {n for n in graph.dag.nodes if n.op is not None and f"{n.scope}.".startswith(f"{scope}.")}


def sent(trace: Trace, node: str, users: set[str]) -> Any:
    """What these users send to a node, added up."""
    edges = [step for step in trace.steps if step.kind == "edge" and step.node == node and step.user in users]
    return sum(trace.node(str(step.amount)).value for step in edges)


def test_what_every_scope_computes_and_sends_on_is_what_it_does_in_the_whole(bert):
    graph, trace = bert
    nodes = {node.name: node for node in trace.forward_nodes}
    everybody = {node.id for node in trace.forward_nodes}
    for scope in scopes(graph):
        members = {graph.dag.ids[node] for node in inside(graph, scope)}
        found: dict[str, Any] = {}
        for part, _ in excerpts(graph, inside(graph, scope)):
            output = nodes[part.names[part.dag.output]]
            given = {name: nodes[name].value for name in part.inputs}
            assert np.allclose(part.evaluate(given), output.value, rtol=1e-12, atol=1e-12)
            slopes = part.gradients(given, seed=sent(trace, output.id, everybody - members))
            found |= {name: found.get(name, 0) + slope for name, slope in slopes.items()}
        for name, slope in found.items():
            assert np.allclose(slope, sent(trace, nodes[name].id, members), rtol=1e-9, atol=1e-12), (scope, name)


def test_names_and_symbols_are_those_of_the_whole():
    config = layers.Config(9, 4, 2, 2, 8, 3)
    graph = gl.graph(L=gl.sum(layers.bert(config, ids_shape=(3,)).hidden))
    ((part, seed),) = excerpts(graph, inside(graph, "encoder.layer.1.output"))
    assert seed == "Y_bar"
    assert r"\bar{W}_{2}^{(1)} &= \bar{F}^\top {} G^{(1)}" in part.backward(seed=seed).latex
    assert "encoder_layer_1_output_dense_weight" in part.inputs


def test_the_whole_is_an_excerpt_too():
    graph = gl.parse("L = c(a+2b)")
    ((part, seed),) = excerpts(graph, {node for node in graph.dag.nodes if node.op is not None})
    assert part.dag.nodes == graph.dag.nodes and seed == "L_bar"
    assert "c_bar = L_bar*e" in part.backward(seed=seed).lines
