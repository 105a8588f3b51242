"""Ops that torch has fused functions for, both ways, and those whose torch spelling breaks a convention of the engine.

A maker is told the inputs' shapes and the options, as those of `engine.kernels`, and may decline.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from graphlab.engine.kernels.kernel import Sizes, is_last
from graphlab.engine.kernels.products import WIDE
from graphlab.engine.ops.shaping import is_counted, row_numbers

Tensor = torch.Tensor
aten = torch.ops.aten
FAR: Final = 40.0  # where GELU is 0 or x, and no product is ∞ · 0


class TorchKernel(NamedTuple):
    """forward(*inputs) → (y, what is saved). back(wanted, g, y, saved, *inputs) → the inputs' cotangents, None if not
    wanted. onto(earlier, g, *inputs) → the first input's cotangent added to what it had before."""

    forward: Callable[..., tuple[Tensor, Any]]
    back: Callable[..., Sequence[Tensor | None]]
    onto: Callable[..., Tensor] | None = None


def repeated(x: Tensor, shape: Sizes) -> Tensor:
    """x added up over the axes along which an array of that shape was repeated."""
    return x if x.shape == shape else x.sum_to_size(shape)


# ---- arithmetic ----------------------------------------------------------------------------------------------------
def add(a: Sizes, b: Sizes) -> TorchKernel:
    return TorchKernel(lambda x, y: (x + y, None), lambda w, g, *_: (repeated(g, a), repeated(g, b)))


def sub(a: Sizes, b: Sizes) -> TorchKernel:
    return TorchKernel(lambda x, y: (x - y, None), lambda w, g, *_: (repeated(g, a), repeated(-g, b)))


def send(g: Tensor, local: Tensor) -> Tensor:
    """The chain-rule product, which is 0 wherever g is 0, even against an infinite slope."""
    if not torch.isfinite(local).all():
        local = torch.where(g == 0, 0, local)
    return g * local


def masked(scores: Sizes, mask: Sizes) -> TorchKernel | None:
    if np.broadcast_shapes(scores, mask) != scores:
        return None

    def forward(s: Tensor, mask: Tensor) -> tuple[Tensor, None]:
        return s.masked_fill(mask == 0, -torch.inf), None

    def back(wanted: Any, g: Tensor, y: Tensor, saved: None, s: Tensor, mask: Tensor) -> list[Tensor | None]:
        return [g.masked_fill(mask == 0, 0), None]

    return TorchKernel(forward, back)


# ---- activation functions ------------------------------------------------------------------------------------------
def gelu(x: Sizes) -> TorchKernel:
    return bent("none")


def gelu_tanh(x: Sizes) -> TorchKernel:
    return bent("tanh")


def bent(kind: str) -> TorchKernel:
    def forward(x: Tensor) -> tuple[Tensor, None]:
        return functional.gelu(x.clamp(min=-FAR), approximate=kind), None

    def back(wanted: Any, g: Tensor, y: Tensor, saved: None, x: Tensor) -> list[Tensor]:
        return [aten.gelu_backward(g, x.clamp(-FAR, FAR), approximate=kind)]

    return TorchKernel(forward, back)


def by_slope(
    value: Callable[[Tensor], Tensor], slope: Callable[[Tensor, Tensor], Tensor]
) -> Callable[..., TorchKernel]:
    """A function of one number with the slope(y, x) that does not cancel: the record's `careful`, in torch."""
    kernel = TorchKernel(lambda x: (value(x), None), lambda w, g, y, _, x: [send(g, slope(y, x))])
    return lambda x: kernel


CAREFUL: Final = {
    "tanh": by_slope(torch.tanh, lambda y, x: 1 / torch.cosh(x) ** 2),
    "sigmoid": by_slope(torch.sigmoid, lambda y, x: y * torch.sigmoid(-x)),
    "asin": by_slope(torch.asin, lambda y, x: 1 / torch.sqrt((1 - x) * (1 + x))),
    "acos": by_slope(torch.acos, lambda y, x: -1 / torch.sqrt((1 - x) * (1 + x))),
}


# ---- matrix products -----------------------------------------------------------------------------------------------
def linear(x: Sizes, w: Sizes, b: Sizes) -> TorchKernel:
    def forward(x: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, None]:
        return (functional.linear(x, w, b) if b.ndim == 1 else functional.linear(x, w) + b), None

    def back(wanted: Any, g: Tensor, y: Tensor, saved: None, x: Tensor, w: Tensor, b: Tensor) -> list[Tensor | None]:
        sent, seen = g.reshape(-1, g.shape[-1]), x.reshape(-1, x.shape[-1])
        at = rows_that_count(sent)
        if at is None:
            pulled = sent @ w if wanted[0] else None
        else:
            sent, seen = sent[at], seen[at]
            pulled = (
                g.new_zeros(x.numel() // x.shape[-1], x.shape[-1]).index_copy_(0, at, sent @ w) if wanted[0] else None
            )
        return [
            None if pulled is None else pulled.reshape(x.shape),
            sent.T @ seen if wanted[1] else None,
            repeated(g, tuple(b.shape)) if wanted[2] else None,
        ]

    return TorchKernel(forward, back)


def rows_that_count(g: Tensor) -> Tensor | None:
    """The numbers of the rows that hold anything; None where it is quicker to take all."""
    if g.shape[-1] < WIDE:
        return None
    at = torch.count_nonzero(g, -1).nonzero()[:, 0]
    return at if 2 * len(at) < len(g) else None


# ---- rows ----------------------------------------------------------------------------------------------------------
def softmax(x: Sizes, axis: Any = -1) -> TorchKernel | None:
    """Rows that are masked out completely become zeros, where torch says nan."""
    if not isinstance(axis, int) or not x:
        return None

    def forward(x: Tensor) -> tuple[Tensor, None]:
        p = torch.softmax(x, axis)
        return torch.where(x.amax(axis, keepdim=True) == -torch.inf, 0, p) if torch.isnan(p).any() else p, None

    def back(wanted: Any, g: Tensor, p: Tensor, saved: None, x: Tensor) -> list[Tensor]:
        return [aten._softmax_backward_data(g, p, axis, p.dtype)]

    return TorchKernel(forward, back)


def layer_norm(x: Sizes, gamma: Sizes, beta: Sizes, axis: Any = -1, eps: float = 1e-5) -> TorchKernel | None:
    if not is_last(axis, x) or gamma != x[-1:] or beta != x[-1:]:
        return None

    def forward(x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Any]:
        y, mean, scale = torch.native_layer_norm(x, gamma.shape, gamma, beta, eps)
        return y, (mean, scale)

    def back(wanted: Any, g: Tensor, y: Tensor, saved: Any, x: Tensor, gamma: Tensor, beta: Tensor) -> Any:
        return aten.native_layer_norm_backward(g, x, gamma.shape, *saved, gamma, beta, wanted)

    return TorchKernel(forward, back)


def bce(p: Sizes, y: Sizes) -> TorchKernel:
    """Without the clamp of torch's own, which stops the loss at 100."""
    count = math.prod(np.broadcast_shapes(p, y))

    def forward(p: Tensor, y: Tensor) -> tuple[Tensor, None]:
        return -(torch.xlogy(y, p) + torch.special.xlog1py(1 - y, -p)).mean(), None

    def back(wanted: Any, g: Tensor, _: Tensor, saved: None, p: Tensor, y: Tensor) -> list[Tensor]:
        share = g / count
        slope = send(1 - y, 1 / (1 - p)) - send(y, 1 / p)
        return [
            repeated(share * slope, tuple(p.shape)),
            repeated(share * (torch.log1p(-p) - torch.log(p)), tuple(y.shape)),
        ]

    return TorchKernel(forward, back)


def cross_entropy(logits: Sizes, ids: Sizes, ignore: int | None = None) -> TorchKernel:
    """Only the rows that count are computed."""
    classes = logits[-1]

    def forward(z: Tensor, ids: Tensor) -> tuple[Tensor, Any]:
        given = ids.numpy(force=True)
        counted = is_counted(given, ignore)
        numbers = row_numbers(np.where(counted, given, 0), classes, "cross_entropy")
        at = torch.as_tensor(np.flatnonzero(counted))
        right = torch.as_tensor(np.ravel(numbers)[np.ravel(counted)])
        scores = z.reshape(-1, classes)[at]
        logs = torch.logsumexp(scores, -1)
        return (logs - scores.gather(-1, right[:, None])[:, 0]).sum() / len(at), (at, right, logs)

    def back(wanted: Any, g: Tensor, y: Tensor, saved: Any, z: Tensor, ids: Tensor) -> list[Tensor | None]:
        at, right, logs = saved
        p = torch.exp(z.reshape(-1, classes)[at] - logs[:, None])
        p[torch.arange(len(at)), right] -= 1
        sent = torch.zeros_like(z).reshape(-1, classes).index_copy_(0, at, p.mul_(g / len(at)))
        return [sent.reshape(z.shape), None]

    return TorchKernel(forward, back)


def embedding(table: Sizes, ids: Sizes) -> TorchKernel:
    def numbers(ids: Tensor) -> Tensor:
        return torch.as_tensor(row_numbers(ids.numpy(force=True), table[0], "embedding"))

    def onto(earlier: Tensor, g: Tensor, y: Tensor, saved: Tensor, *_: Any) -> Tensor:
        return earlier.index_add(0, saved.reshape(-1), g.reshape(-1, *table[1:]))

    def forward(table: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
        at = numbers(ids)
        return table[at], at

    def back(wanted: Any, g: Tensor, y: Tensor, saved: Tensor, table: Tensor, ids: Tensor) -> list[Tensor | None]:
        return [torch.zeros_like(table).index_add_(0, saved.reshape(-1), g.reshape(-1, *table.shape[1:])), None]

    return TorchKernel(forward, back, onto)


MAKERS: Final[dict[str, Callable[..., TorchKernel | None]]] = CAREFUL | {
    maker.__name__: maker
    for maker in (add, sub, masked, gelu, gelu_tanh, linear, softmax, layer_norm, bce, cross_entropy, embedding)
}
