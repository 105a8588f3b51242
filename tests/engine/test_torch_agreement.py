"""PyTorch as the oracle: every op with a counterpart, and random graphs in which nodes are shared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from graphlab.engine.core import OPS, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.inference import shapes_of_values
from graphlab.engine.reverse import backward_graph, gradients
from tests.engine.samples import ALL_CALLS, Call
from tests.engine.test_every_op import differentiable_inputs, direction, graph_of
from tests.requirements import needs
from tests.strategies import Sample, scalar_graphs

needs("torch").set_num_threads(1)
from graphlab.interop import torch as on_torch  # noqa: E402 - torch may be missing

USED: set[str] = set()


def has_second_order(call: Call) -> bool:
    """Whether anything flows back through the op at all."""
    return bool(differentiable_inputs(call, graph_of(call)[2]))


@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_every_op_agrees_with_its_torch_spelling(call: Call) -> None:
    dag, point, inputs = graph_of(call)
    values = evaluate(dag, point)
    seed = np.ones_like(values[dag.output])
    theirs, slopes = on_torch.gradients(dag, point)
    np.testing.assert_allclose(theirs, values[dag.output], rtol=1e-12, atol=1e-14)
    wrt = differentiable_inputs(call, inputs)
    for node, slope in gradients(dag, values, seed, wrt).items():
        np.testing.assert_allclose(slope, slopes[node], rtol=1e-10, atol=1e-12)


@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(scalar_graphs())
def test_random_graphs_with_sharing_equal_torch(sample: Sample) -> None:
    values = evaluate(sample.dag, sample.point)
    output = values[sample.dag.output]
    mine = gradients(sample.dag, values, np.float64(1), list(sample.point))
    theirs_value, theirs = on_torch.gradients(sample.dag, sample.point)
    assert abs(theirs_value - output) <= 1e-10 * max(1.0, abs(output))
    for node, slope in mine.items():
        assert abs(slope - theirs[node]) <= 1e-10 * max(1.0, abs(theirs[node])), str(node)
    USED.update(node.op.name for node in sample.dag.nodes if node.op)


def test_the_random_graphs_covered_every_scalar_op() -> None:
    if not USED:
        test_random_graphs_with_sharing_equal_torch()
    scalar = {op.name for op in OPS.values() if op.partials is not None} - {"equal", "not_equal"}
    assert scalar <= USED, scalar - USED


@pytest.mark.parametrize("call", [c for c in ALL_CALLS if has_second_order(c)], ids=str)
def test_the_second_order_of_every_op_agrees_with_torch_differentiated_twice(call: Call) -> None:
    torch = needs("torch")
    dag, point, inputs = graph_of(call)
    wrt = differentiable_inputs(call, inputs)
    values = evaluate(dag, point)
    seed = direction(values[dag.output], 1)
    weights = {x: direction(point[x], 2 + i) for i, x in enumerate(wrt)}

    tensors = {node: torch.tensor(value) for node, value in point.items()}
    for x in wrt:
        tensors[x].requires_grad_()
    leaves = [tensors[x] for x in wrt]
    start = torch.as_tensor(seed)
    output = on_torch.evaluate(dag, tensors)
    moves = output.requires_grad
    first = (
        torch.autograd.grad(output, leaves, start, create_graph=True, allow_unused=True) if moves else [None] * len(wrt)
    )
    pairs = [(g * torch.as_tensor(weights[x])).sum() for g, x in zip(first, wrt, strict=True) if g is not None]
    along = sum(pairs)
    second = torch.autograd.grad(along, leaves, allow_unused=True) if getattr(along, "requires_grad", False) else []

    shapes = shapes_of_values(dag, point)
    cotangent = variable("seed")
    shapes.declare(cotangent, np.shape(seed))
    totals = {fact.node: fact.total for fact in backward_graph(dag, shapes, cotangent, wrt)}
    mine = {x: np.zeros(np.shape(point[x])) for x in wrt}
    for x in (x for x in wrt if x in totals):
        slope = Dag(totals[x])
        known = evaluate(slope, {**point, cotangent: np.asarray(seed)[()]})
        for y, bend in gradients(slope, known, weights[x], [n for n in wrt if n in slope.ids]).items():
            mine[y] = mine[y] + bend
    for i, x in enumerate(wrt):
        theirs = (
            second[i].numpy(force=True) if i < len(second) and second[i] is not None else np.zeros(np.shape(point[x]))
        )
        np.testing.assert_allclose(mine[x], theirs, rtol=1e-8, atol=1e-9)
