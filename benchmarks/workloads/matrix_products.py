"""The floor under BERT: its matrix products alone, in NumPy, forward and backward.

Every product of the loss and of its gradients is made once, with the sizes it has there. There is one buffer per shape,
which stays in the cache longer than weights of their own would, and results are written where they stand already; so no
engine on the same NumPy can expect to get below it by much.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.workloads import Contender
from benchmarks.workloads.bert_values import CONFIGS, TOKENS, Config

Shape = tuple[int, ...]


def products(config: Config, batch: int) -> Iterator[tuple[Shape, Shape]]:
    """The shapes (…, n, k) and (…, k, m) of every product of the forward pass."""
    rows, d, wide, heads = batch * TOKENS, config.hidden_size, config.intermediate_size, config.num_attention_heads
    one_head = (batch, heads, TOKENS, d // heads)
    for _ in range(config.num_hidden_layers):
        yield from [((rows, d), (d, d))] * 4
        yield (rows, d), (d, wide)
        yield (rows, wide), (wide, d)
        yield one_head, (*one_head[:-2], d // heads, TOKENS)
        yield (*one_head[:-1], TOKENS), one_head
    yield (rows, d), (d, d)
    yield (rows, d), (d, config.vocab_size)


def floating_point_operations(config: Config, batch: int) -> int:
    """Multiplications and additions of both passes: each product makes two more on the way back."""
    return sum(3 * 2 * int(np.prod(a)) * b[-1] for a, b in products(config, batch))


def matrix_products(size: str, batch: int) -> Contender:
    config = CONFIGS[size]
    pairs = list(products(config, batch))

    @cache
    def factor(shape: Shape) -> Any:
        return np.ones(shape, np.float32)

    @cache
    def result(shape: Shape) -> Any:
        return np.empty(shape, np.float32)

    def run() -> None:
        for left, right in pairs:
            a, b = factor(left), factor((*right[:-2], right[-1], right[-2])).swapaxes(-1, -2)
            out = result((*left[:-1], right[-1]))
            np.matmul(a, b, out=out)
            np.matmul(out, b.swapaxes(-1, -2), out=result(left))
            np.matmul(out.swapaxes(-1, -2), a, out=result((*right[:-2], right[-1], right[-2])))

    def told(_: None) -> dict[str, float]:
        return {"floating-point operations": float(floating_point_operations(config, batch))}

    return Contender(run, told)
