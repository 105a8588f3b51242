"""BERT with the loss for masked words: loss and the gradients of all parameters, float32, no dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import Contender
from benchmarks.workloads.bert_model import word_scores
from benchmarks.workloads.bert_peers import Autograd, Jax, Torch
from benchmarks.workloads.bert_values import CONFIGS, Arrays, drawn, shapes, words
from benchmarks.workloads.matrix_products import matrix_products
from benchmarks.workloads.ours import dotted, numbers


def graphlab_plan(size: str, batch: int) -> Contender:
    import graphlab as gl
    from graphlab import layers

    config = CONFIGS[size]
    parameters = drawn(shapes(config))
    ids, labels = words(config, batch)
    model = layers.bert(config, ("masked_tokens",), ids_shape=("batch", "n"), padding=False)
    assert model.loss is not None
    plan = gl.graph(L=model.loss).compile()
    values = {"input_ids": ids, "token_type_ids": np.zeros_like(ids), "labels": labels, **parameters}

    def run() -> Any:
        return plan.value_and_gradients(values, borrow=True)

    return Contender(run, lambda results: numbers(results[0], dotted(results[1], parameters), parameters))


def torch(size: str, batch: int) -> Contender:
    from torch import from_numpy

    config, library = CONFIGS[size], Torch()
    parameters: Arrays = {name: from_numpy(array).requires_grad_() for name, array in drawn(shapes(config)).items()}
    ids, labels = map(from_numpy, words(config, batch))

    def run() -> Any:
        for parameter in parameters.values():
            parameter.grad = None
        loss = library.cross_entropy(word_scores(library, config, parameters, ids), labels)
        loss.backward()
        return loss

    def told(loss: Any) -> dict[str, float]:
        return numbers(loss.item(), {name: p.grad.numpy() for name, p in parameters.items()}, parameters)

    return Contender(run, told)


def autograd(size: str, batch: int) -> Contender:
    from autograd import value_and_grad

    return functional(Autograd(), value_and_grad, size, batch)


def jax(size: str, batch: int) -> Contender:
    import jax

    def transform(loss: Callable[[Any], Any]) -> Callable[[Any], Any]:
        compiled = jax.jit(jax.value_and_grad(loss))
        return lambda parameters: jax.block_until_ready(compiled(parameters))

    return functional(Jax(), transform, size, batch)


Transform = Callable[[Callable[[Any], Any]], Callable[[Any], Any]]


def functional(library: Jax | Autograd, transform: Transform, size: str, batch: int) -> Contender:
    """A library that makes the loss and its gradients out of the loss as a function of the parameters."""
    config = CONFIGS[size]
    parameters = {name: library.numpy.asarray(array) for name, array in drawn(shapes(config)).items()}
    ids, labels = words(config, batch)
    step = transform(lambda p: library.cross_entropy(word_scores(library, config, p, ids), labels))
    return Contender(lambda: step(parameters), lambda results: numbers(results[0], results[1], parameters))


CONTENDERS = {
    "graphlab plan": graphlab_plan,
    "torch": torch,
    "autograd": autograd,
    "jax": jax,
    "numpy matrix products": matrix_products,
}
