"""PyTorch as the oracle: every op with a counterpart, and random graphs in which nodes are shared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from graphlab.engine.core import OPS
from graphlab.engine.evaluation import evaluate
from graphlab.engine.reverse import gradients
from tests.engine.samples import ALL_CALLS, Call
from tests.engine.test_every_op import differentiable_inputs, graph_of
from tests.requirements import needs
from tests.strategies import Sample, scalar_graphs

needs("torch").set_num_threads(1)
from graphlab.interop import torch as on_torch  # noqa: E402 - torch may be missing

USED: set[str] = set()


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
