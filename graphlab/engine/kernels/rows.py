"""Kernels of ops that work row by row: softmax, layer normalisation, cross-entropy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.engine.kernels.kernel import OUTPUT, Array, Kernel, Maker, Number, Pull, Saved, Sizes, add_up, is_last


# ---- softmax -------------------------------------------------------------------------------------------------------
def softmax(number: Number, shape: Sizes, axis: Any = -1) -> Kernel | None:
    return Kernel(weigh, (Pull(pull_weights, (OUTPUT,), over=True),), (0,)) if is_last(axis, shape) else None


def weigh(p: Array, x: Array) -> None:
    np.exp(np.subtract(x, largest(x), out=p), out=p)
    whole = np.sum(p, axis=-1, keepdims=True)
    whole[whole == 0] = 1
    p /= whole


def largest(x: Array) -> Array:
    """Every row's largest entry; 0 where that is infinite."""
    top: Array = np.max(x, axis=-1, keepdims=True)
    top[np.isinf(top)] = 0
    return top


def pull_weights(out: Array, g: Array, p: Array) -> None:
    along = np.vecdot(g, p)[..., np.newaxis]
    np.subtract(g, along, out=out)
    out *= p


# ---- layer normalisation -------------------------------------------------------------------------------------------
def layer_norm(number: Number, x: Sizes, gamma: Sizes, beta: Sizes, axis: Any = -1, eps: float = 1e-5) -> Kernel | None:
    """It keeps the row before γ and β, in the memory of x if that is free, and 1/σ."""
    if not is_last(axis, x) or any(len(s) > 1 for s in (gamma, beta)):
        return None
    count = x[-1]

    def forward(y: Array, h: Array, scale: Array, x: Array, gamma: Any, beta: Any) -> None:
        np.subtract(x, np.mean(x, axis=-1, keepdims=True), out=h)
        np.divide(1, np.sqrt(np.vecdot(h, h)[..., np.newaxis] / count + eps), out=scale)
        h *= scale
        np.multiply(h, gamma, out=y)
        y += beta

    def pull_x(out: Array, g: Array, h: Array, scale: Array, gamma: Any) -> None:
        np.multiply(g, gamma, out=out)
        along = np.vecdot(out, h)[..., np.newaxis] / count
        out -= np.mean(out, axis=-1, keepdims=True)
        out -= h * along
        out *= scale

    def pull_gamma(out: Array, g: Array, h: Array, scale: Array) -> None:
        if out.ndim:
            np.einsum("ij,ij->j", g.reshape(-1, count), h.reshape(-1, count), out=out)
        else:
            np.copyto(out, np.vdot(g, h))

    saved = Saved(x, over=0), Saved((*x[:-1], 1))
    return Kernel(
        forward, (Pull(pull_x, (1,), over=True), Pull(pull_gamma), Pull(lambda out, g, *_: add_up(out, g))), saved=saved
    )


# ---- cross-entropy -------------------------------------------------------------------------------------------------
def cross_entropy(row_numbers: Callable[..., Array], is_counted: Callable[..., Array]) -> Maker:
    """The maker, told how ids are read. Only rows that count are computed; the log of each row's sum is kept."""

    def maker(number: Number, logits: Sizes, ids: Sizes, ignore: int | None = None) -> Kernel:
        classes = logits[-1]

        def labels(ids: Any) -> tuple[Array, Array]:
            """The rows that count, and the right class of each."""
            counted = is_counted(ids, ignore)
            numbers = row_numbers(np.where(counted, ids, 0), classes, "cross_entropy")
            return np.flatnonzero(counted), np.ravel(numbers)[np.ravel(counted)]

        def forward(y: Array, logs: Array, z: Array, ids: Any) -> None:
            at, right = labels(ids)
            scores = z.reshape(-1, classes)[at]
            hit = scores[np.arange(len(at)), right]
            top = largest(scores) if len(at) else scores[:, :1]
            np.exp(np.subtract(scores, top, out=scores), out=scores)
            logs[at] = np.log(np.sum(scores, axis=-1)) + top[:, 0]
            np.copyto(y, np.sum(logs[at] - hit) / number(len(at)))

        def pull(out: Array, g: Array, logs: Array, z: Array, ids: Any) -> None:
            at, right = labels(ids)
            p = z.reshape(-1, classes)[at]
            np.exp(np.subtract(p, logs[at, np.newaxis], out=p), out=p)
            p[np.arange(len(at)), right] -= 1
            p *= g / number(len(at))
            flat = out.reshape(-1, classes)
            flat.fill(0)
            flat[at] = p

        return Kernel(forward, (Pull(pull, (0, 1)), None), saved=(Saved((int(np.prod(ids)),)),))

    return maker
