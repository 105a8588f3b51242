"""Kernels of ops that move entries, look rows up, or add entries up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from graphlab.engine.kernels.kernel import Array, Kernel, Maker, Number, Pull, Sizes, View

# From this length on, adding rows one by one is faster than np.add.at.
LONG_ROW: Final = 32


# ---- views ---------------------------------------------------------------------------------------------------------
def transpose(number: Number, a: Sizes) -> View | None:
    return View(lambda a: a.swapaxes(-1, -2), lambda g: g.swapaxes(-1, -2)) if len(a) > 1 else None


def reshape(number: Number, x: Sizes, shape: Any = (-1,)) -> View:
    return View(lambda x: x.reshape(shape), lambda g: g.reshape(x))


def reshape_like(number: Number, x: Sizes, like: Sizes) -> View:
    return reshape(number, x, like)


def split_heads(number: Number, x: Sizes, heads: int = 1) -> View:
    apart = *x[:-1], heads, x[-1] // heads
    return View(lambda x: x.reshape(apart).swapaxes(-2, -3), lambda g: g.swapaxes(-2, -3).reshape(x))


def merge_heads(number: Number, x: Sizes) -> View:
    split = split_heads(number, (*x[:-3], x[-2], x[-3] * x[-1]), heads=x[-3])
    return View(split.back, split.there)


# ---- rows by number ------------------------------------------------------------------------------------------------
def embedding(row_numbers: Callable[..., Array]) -> Maker:
    """The maker, told how ids are read."""

    def maker(number: Number, table: Sizes, ids: Sizes) -> Kernel:
        def forward(y: Array, table: Array, ids: Any) -> None:
            numbers = row_numbers(ids, len(table), "embedding")
            np.take(table, numbers, axis=0, out=y, mode="clip")

        def pull(out: Array, g: Array, ids: Any) -> None:
            numbers = row_numbers(ids, len(out), "embedding").reshape(-1)
            entries = g.reshape(len(numbers), *out.shape[1:])
            if out[0].size < LONG_ROW:
                np.add.at(out, numbers, entries)
            else:
                for i, row in zip(numbers.tolist(), entries, strict=True):
                    out[i] += row

        return Kernel(forward, (Pull(pull, (1,), adds=True), None))

    return maker


# ---- sums and means ------------------------------------------------------------------------------------------------
def total(number: Number, x: Sizes, axis: Any = None, keepdims: bool = False) -> Kernel:
    def forward(y: Array, x: Array) -> None:
        np.sum(x, axis=axis, keepdims=keepdims, out=y)

    return Kernel(forward, (Pull(lambda out, g: np.copyto(out, put_back(g, axis, keepdims))),))


def mean(number: Number, x: Sizes, axis: Any = None, keepdims: bool = False) -> Kernel:
    def forward(y: Array, x: Array) -> None:
        np.mean(x, axis=axis, keepdims=keepdims, out=y)

    def pull(out: Array, g: Array) -> None:
        np.copyto(out, put_back(g / number(out.size / max(g.size, 1)), axis, keepdims))

    return Kernel(forward, (Pull(pull),))


def put_back(g: Any, axis: Any, keepdims: bool) -> Any:
    """g with the axes that a reduction took away."""
    return g if axis is None or keepdims else np.expand_dims(g, axis)
