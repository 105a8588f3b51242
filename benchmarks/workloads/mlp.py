"""One step of micrograd's own demonstration: an MLP 2-16-16-1 with ReLU, max-margin loss and L2 penalty.

Every number is a node of its own: about 66,000 of them for a batch of 100. The batch plan has the same model once, on
arrays that hold the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.workloads import Contender
from benchmarks.workloads.ours import built_anew, numbers, run_again

SIZES = (2, 16, 16, 1)
Nodes = Mapping[str, Any]
Function = Callable[[Any], Any]


# ---- values --------------------------------------------------------------------------------------------------------
@cache
def data(batch: int) -> tuple[Any, Any]:
    """Two half moons: points (batch, 2) and their labels ±1 (batch,)."""
    random = np.random.default_rng(0)
    angle = random.uniform(0, np.pi, batch)
    label = np.where(np.arange(batch) % 2, -1.0, 1.0)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.where(label[:, None] > 0, upper, [1.0, 0.5] - upper)
    return points + random.normal(0, 0.1, points.shape), label


@cache
def weights() -> dict[str, float]:
    """Every weight and bias by name: w_0_3_1 is in the first layer, in neuron 3, for input 1."""
    random = np.random.default_rng(1)
    found: dict[str, float] = {}
    for layer, (width, neurons) in enumerate(pairwise(SIZES)):
        for neuron in range(neurons):
            found |= {f"w_{layer}_{neuron}_{i}": float(random.uniform(-1, 1)) for i in range(width)}
            found[f"b_{layer}_{neuron}"] = 0.1
    return found


def values(batch: int) -> dict[str, float]:
    """The weights, and x_17_0 and x_17_1 for the point number 17."""
    points = data(batch)[0].tolist()
    return weights() | {f"x_{n}_{i}": value for n, point in enumerate(points) for i, value in enumerate(point)}


# ---- the model, written once for numbers and nodes of any library --------------------------------------------------
def score(parameters: Nodes, x: Sequence[Any], relu: Function) -> Any:
    """The network's answer to one point, whose coordinates may also be whole batches."""
    for layer, neurons in enumerate(SIZES[1:]):
        sums = [weighted(parameters, f"{layer}_{neuron}", x) for neuron in range(neurons)]
        x = [relu(s) for s in sums] if layer < 2 else sums
    return x[0]


def weighted(parameters: Nodes, neuron: str, x: Sequence[Any]) -> Any:
    """w·x + b"""
    result = parameters[f"b_{neuron}"]
    for i, value in enumerate(x):
        result = result + parameters[f"w_{neuron}_{i}"] * value
    return result


def added(terms: Sequence[Any]) -> Any:
    """The sum, one term after the other."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def penalty(nodes: Nodes) -> Any:
    """Small weights are preferred."""
    return 1e-4 * added([nodes[name] * nodes[name] for name in weights()])


def loss(nodes: Nodes, relu: Function, batch: int) -> Any:
    """Mean margin over the batch, every point with nodes of its own, and the penalty."""
    margins = [
        relu(1.0 + -label * score(nodes, [nodes[f"x_{n}_{i}"] for i in range(SIZES[0])], relu))
        for n, label in enumerate(data(batch)[1].tolist())
    ]
    return added(margins) * (1.0 / batch) + penalty(nodes)


# ---- contenders ----------------------------------------------------------------------------------------------------
def variables(names: Sequence[str]) -> dict[str, Any]:
    """graphlab's inputs by name."""
    import graphlab as gl

    return dict(zip(names, gl.variables(" ".join(names)), strict=True))


def build(batch: int) -> Any:
    """graphlab's graph of scalars."""
    import graphlab as gl

    return gl.graph(L=loss(variables(list(values(batch))), gl.relu, batch))


def batch_plan(batch: int) -> Contender:
    """The same model on three arrays, x_0, x_1 and y, of all coordinates and all labels."""
    import graphlab as gl

    nodes = variables([*weights(), "x_0", "x_1", "y"])
    margin = gl.relu(1.0 + -nodes["y"] * score(nodes, [nodes["x_0"], nodes["x_1"]], gl.relu))
    points, labels = data(batch)
    arrays = {"x_0": points[:, 0].copy(), "x_1": points[:, 1].copy(), "y": labels}
    return run_again(gl.graph(L=gl.mean(margin) + penalty(nodes)), weights() | arrays, weights())


def micrograd(batch: int) -> Contender:
    from micrograd.engine import Value

    given = values(batch)

    def run() -> Any:
        nodes = {name: Value(value) for name, value in given.items()}
        result = loss(nodes, Value.relu, batch)
        result.backward()
        return nodes, result

    def told(results: Any) -> dict[str, float]:
        nodes, result = results
        return numbers(result.data, {name: node.grad for name, node in nodes.items()}, weights())

    return Contender(run, told)


CONTENDERS = {
    "graphlab": lambda batch: built_anew(lambda: build(batch), values(batch), weights(), large=True),
    "graphlab plan": lambda batch: run_again(build(batch), values(batch), weights()),
    "graphlab batch plan": batch_plan,
    "micrograd": micrograd,
}
