"""One encoder layer of BERT: the gradients of x and of all parameters for a given gradient U of what leaves it.

Float32, no dropout.
"""

from __future__ import annotations

from typing import Any

from benchmarks.workloads import Contender
from benchmarks.workloads.bert_model import Module, layer
from benchmarks.workloads.bert_peers import Torch
from benchmarks.workloads.bert_values import CONFIGS, Arrays, block_arrays, drawn, layer_shapes
from benchmarks.workloads.ours import dotted, magnitude, numbers


def graphlab_plan(size: str, batch: int) -> Contender:
    import graphlab as gl
    from graphlab import layers

    config = CONFIGS[size]
    x, U = block_arrays(config, batch)
    plan = gl.graph(Y=layers.block(gl.variable("x"), config)).compile()
    values = {"x": x, **drawn(layer_shapes(config))}

    def run() -> Any:
        return plan.value_and_gradients(values, seed=U, borrow=True)

    return Contender(run, lambda results: numbers(magnitude(results[0]), dotted(results[1], values), values))


def torch(size: str, batch: int) -> Contender:
    from torch import from_numpy

    config, library = CONFIGS[size], Torch()
    x, U = block_arrays(config, batch)
    leaves: Arrays = {"x": x, **drawn(layer_shapes(config))}
    leaves = {name: from_numpy(array).requires_grad_() for name, array in leaves.items()}
    upstream = from_numpy(U)

    def run() -> Any:
        for leaf in leaves.values():
            leaf.grad = None
        y = layer(Module(library, config, leaves), leaves["x"])
        y.backward(upstream)
        return y

    def told(y: Any) -> dict[str, float]:
        gradients = {name: leaf.grad.numpy() for name, leaf in leaves.items()}
        return numbers(magnitude(y.detach().numpy()), gradients, leaves)

    return Contender(run, told)


CONTENDERS = {"graphlab plan": graphlab_plan, "torch": torch}
