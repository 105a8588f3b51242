"""How many operations a backward pass has, counted with composites closed, simplified, and equal expressions merged."""

from __future__ import annotations

import pytest

from graphlab import layers
from graphlab.engine.core import Node, variable
from graphlab.engine.dag import Dag
from graphlab.engine.inference import infer_shapes
from graphlab.engine.merging import merging_rule
from graphlab.engine.reverse import backward_graph
from graphlab.engine.rewriting import Context, rewritten
from graphlab.engine.simplifying import RULES
from tests.layers.test_layers import DECLARED, EVERY_LAYER


def operations(output: Node) -> tuple[int, int]:
    """How many there are in the graph, and how many more in the gradients of all its parameters together."""
    dag = Dag(output)
    shapes = infer_shapes(dag, {name: shape for name, shape in DECLARED.items() if name in dag.inputs})
    seed = variable("seed")
    shapes.declare(seed, shapes[output])
    parameters = [dag.input(name) for name in layers.parameter_shapes(output)]
    totals = {fact.node: fact.total for fact in backward_graph(dag, shapes, seed, parameters)}
    become: dict[Node, Node] = {}
    rules, context = [*RULES, merging_rule()], Context(shapes)
    forward = {rewritten(node, become, rules, context) for node in dag.nodes if node.op}
    gradients = Dag(*[rewritten(totals[parameter], become, rules, context) for parameter in parameters])
    return len(forward), sum(node.op is not None and node not in forward for node in gradients.nodes)


@pytest.mark.parametrize("name", [n for n, y in EVERY_LAYER.items() if layers.parameter_shapes(y)])
def test_a_backward_pass_has_at_most_four_times_the_operations(name: str) -> None:
    forward, more = operations(EVERY_LAYER[name])
    assert 0 < more <= 4 * forward


def test_the_backward_pass_of_bert_grows_linearly_with_its_depth() -> None:
    """From 6 layers to 12 as much is added as from 12 to 18, and twelve are at most 2.3 times six."""
    counts = []
    for depth in (6, 12, 18):
        hidden = layers.bert(layers.Config(num_hidden_layers=depth)).hidden
        counts.append(operations(hidden)[1])
    assert counts[2] - counts[1] == counts[1] - counts[0]
    assert counts[1] <= 2.3 * counts[0]
