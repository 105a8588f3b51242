"""Kernels of matrix products. A batch of rows times one matrix is one product of two matrices.

Rows of a gradient that are all zero are left out where that pays: a loss over the words of a vocabulary that ignores
most rows sends nothing back from them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from graphlab.engine.kernels.kernel import Array, Kernel, Number, Pull, Sizes, add_up

WIDE: Final = 4096  # from this length of rows on it pays to look for rows of zeros


def flipped(a: Array) -> Array:
    return a.swapaxes(-1, -2)


def rows(a: Array) -> Array:
    """All rows of a batch of matrices, one below the other."""
    return a.reshape(-1, a.shape[-1])


def matmul(number: Number, a: Sizes, b: Sizes) -> Kernel | None:
    if min(len(a), len(b)) < 2:
        return None
    if len(b) == 2 and len(a) > 2:
        return Kernel(product, (Pull(rows_left, (1,), strided=True), Pull(rows_right, (0,))), strided=True)
    if a[:-2] != b[:-2]:
        return None
    left = Pull(lambda out, g, b: np.matmul(g, flipped(b), out=out), (1,), strided=True)
    right = Pull(lambda out, g, a: np.matmul(flipped(a), g, out=out), (0,), strided=True)
    return Kernel(lambda y, a, b: np.matmul(a, b, out=y), (left, right), strided=True)


def rows_left(out: Array, g: Array, b: Array) -> None:
    product(out, g, b.T)


def rows_right(out: Array, g: Array, a: Array) -> None:
    np.matmul(rows(a).T, rows(g), out=out)


def product(out: Array, a: Array, b: Array) -> None:
    """Every row of the batch a times the matrix b."""
    if out.flags.c_contiguous:
        np.matmul(rows(a), b, out=rows(out))
    else:
        np.matmul(a, b, out=out)


def linear(number: Number, x: Sizes, w: Sizes, b: Sizes) -> Kernel:
    def forward(y: Array, x: Array, w: Array, b: Array) -> None:
        product(y, x, w.T)
        y += b

    def pull_x(out: Array, g: Array, w: Array) -> None:
        at = rows_that_count(g) if out.flags.c_contiguous else None
        if at is None:
            product(out, g, w)
        else:
            out.fill(0)
            rows(out)[at] = rows(g)[at] @ w

    def pull_w(out: Array, g: Array, x: Array) -> None:
        at = rows_that_count(g)
        sent, seen = (rows(g), rows(x)) if at is None else (rows(g)[at], rows(x)[at])
        np.matmul(sent.T, seen, out=out)

    return Kernel(forward, (Pull(pull_x, (1,), strided=True), Pull(pull_w, (0,)), Pull(add_up)), strided=True)


def rows_that_count(g: Array) -> Array | None:
    """The numbers of the rows that hold anything; None where it is quicker to take all."""
    if g.shape[-1] < WIDE:
        return None
    at = np.flatnonzero(rows(g).any(axis=-1))
    return at if 2 * len(at) < g.size // g.shape[-1] else None
