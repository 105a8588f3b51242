"""Does a graph have torch's values and gradients?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import graphlab as gl
from graphlab.engine.core import Node
from graphlab.engine.shapes import Shape
from graphlab.layers import parameter_shapes
from tests.requirements import needs

Values = dict[str, Any]


def drawn(shapes: Mapping[str, Shape], seed: int = 0) -> Values:
    """Random weights; those that scale a layer norm lie around 1."""
    random = np.random.default_rng(seed)
    return {name: random.normal(0, 0.5, shape) + ("LayerNorm_weight" in name) for name, shape in shapes.items()}


def weights_of(output: Node, seed: int = 0) -> Values:
    """Random values for every parameter of a graph whose sizes are numbers."""
    return drawn(parameter_shapes(output), seed)


def assert_equal_to_torch(output: Node, values: Values, theirs: Callable[[Mapping[str, Any]], Any]) -> None:
    """The output, to 1e-12, and the gradient of Σ U ⊙ output for a seeded U in every real value, to 1e-10 of its
    largest entry. `theirs` computes the output from tensors under the same names."""
    torch = needs("torch")
    tensors = {name: torch.as_tensor(value) for name, value in values.items()}
    for tensor in tensors.values():
        tensor.requires_grad_(tensor.is_floating_point())
    wanted = theirs(tensors)
    graph = gl.graph(L=output)
    found = np.asarray(graph.evaluate(values))
    np.testing.assert_allclose(found, wanted.numpy(force=True), rtol=0, atol=1e-12 * np.abs(found).max())
    seed = np.random.default_rng(1).normal(size=found.shape)
    wanted.backward(torch.as_tensor(seed))
    for name, slope in graph.gradients(values, seed=seed).items():
        largest = max(1e-3, np.abs(slope).max())
        np.testing.assert_allclose(slope, tensors[name].grad.numpy(), rtol=0, atol=1e-10 * largest, err_msg=name)
