"""How ops are spelled in torch: the function of torch that means the same, or one of ours where the signature differs.

An op's spelling is found by its name; a record says otherwise in `spelled["torch"]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch
from torch.nn import functional

from graphlab.engine.core import Op
from graphlab.engine.ops.heads import aligned
from graphlab.engine.ops.positions import sinusoids_of
from graphlab.errors import NoRule


def transpose(a: torch.Tensor) -> torch.Tensor:
    return a.mT if a.ndim > 1 else a


def outer(u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return u.unsqueeze(-1) * v.unsqueeze(-2)


def where(condition: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(condition != 0, a, b)


def masked(s: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.where(mask != 0, s, -torch.inf)


# ---- activations ---------------------------------------------------------------------------------------------------
def leaky_relu(x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * x)


def elu(x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=0)))


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    return functional.gelu(x, approximate="tanh")


# ---- shapes --------------------------------------------------------------------------------------------------------
def expand(x: torch.Tensor, like: torch.Tensor, axis: Any = None) -> torch.Tensor:
    for a in sorted(() if axis is None else (axis,) if isinstance(axis, int) else axis):
        x = x.unsqueeze(a)
    return x.expand(like.shape)


def sum_to(x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return x.sum_to_size(like.shape)


def size(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    return torch.tensor(float(np.prod([x.shape[a] for a in axes_of(axis, x)])), dtype=x.dtype)


def reshape(x: torch.Tensor, shape: Any = (-1,)) -> torch.Tensor:
    return x.reshape(shape)


def reshape_like(x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return x.reshape(like.shape)


def stack(*entries: torch.Tensor) -> torch.Tensor:
    return torch.stack(entries)


def concat(*parts: torch.Tensor, axis: int = 0) -> torch.Tensor:
    return torch.cat(parts, dim=axis)


def part_of(x: torch.Tensor, like: torch.Tensor, axis: int = 0, last: bool = False) -> torch.Tensor:
    length = like.shape[axis]
    return x.narrow(axis, x.shape[axis] - length if last else 0, length)


def pad_to(x: torch.Tensor, like: torch.Tensor, axis: int = 0, last: bool = False) -> torch.Tensor:
    zeros = torch.zeros_like(like.narrow(axis, 0, like.shape[axis] - x.shape[axis]))
    return torch.cat((zeros, x) if last else (x, zeros), dim=axis)


def take(x: torch.Tensor, index: int = 0, axis: int = 0) -> torch.Tensor:
    return x.select(axis, index)


def put_back(g: torch.Tensor, like: torch.Tensor, index: int = 0, axis: int = 0) -> torch.Tensor:
    return torch.select_scatter(torch.zeros_like(like), g, axis, index)


# ---- rows by number ------------------------------------------------------------------------------------------------
def embedding(table: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return table[ids.long()]


def scatter_add(like: torch.Tensor, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(like).index_put((ids.long(),), x, accumulate=True)


def one_hot(ids: torch.Tensor, like: torch.Tensor, ignore: int | None = None) -> torch.Tensor:
    counted = torch.ones_like(ids, dtype=torch.bool) if ignore is None else ids != ignore
    return functional.one_hot(torch.where(counted, ids, 0).long(), like.shape[-1]).to(like.dtype) * counted[..., None]


# ---- sums and moments ----------------------------------------------------------------------------------------------
def axes_of(axis: Any, x: torch.Tensor) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


def total(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    return torch.sum(x, axes_of(axis, x), keepdim=keepdims)


def mean(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    return torch.mean(x, axes_of(axis, x), keepdim=keepdims)


def var(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    return torch.var(x, dim=axis, correction=0, keepdim=keepdims)


def norm(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    """Divided by the largest entry first, so that no square overflows or vanishes."""
    axes = axes_of(axis, x)
    top = x.detach().abs().amax(axes, keepdim=True)
    top = torch.where((top == 0) | top.isinf(), 1, top)
    length: torch.Tensor = torch.linalg.vector_norm(x / top, dim=axes, keepdim=True) * top
    return length if keepdims else length.squeeze(axes)


def prod(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    axes = axes_of(axis, x)
    for a in axes:
        x = torch.prod(x, dim=a, keepdim=True)
    return x if keepdims else x.squeeze(axes)


def prod_others(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    slopes: torch.Tensor = torch.func.grad(lambda z: prod(z, axis).sum())(x)
    return slopes


def prod_others_slope(t: torch.Tensor, x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """The Jacobian of prod_others is symmetric, so pulling t back is pushing it forward."""
    pulled: torch.Tensor = torch.func.vjp(lambda z: prod_others(z, axis), x)[1](t)[0]
    return pulled


# ---- rows of weights -----------------------------------------------------------------------------------------------
def along(x: torch.Tensor, axis: Any, function: Callable[..., torch.Tensor]) -> torch.Tensor:
    """A function of torch that takes one `dim`, along one axis, over several, or, for None, over everything."""
    if isinstance(axis, int):
        return function(x, dim=axis)
    axes = axes_of(axis, x)
    last = tuple(range(-len(axes), 0))
    moved = x.movedim(axes, last)
    result: torch.Tensor = function(moved.flatten(-len(axes)), dim=-1).reshape(moved.shape).movedim(last, axes)
    return result


def softmax(x: torch.Tensor, axis: Any = -1) -> torch.Tensor:
    return along(x, axis, torch.softmax)


def log_softmax(x: torch.Tensor, axis: Any = -1) -> torch.Tensor:
    return along(x, axis, torch.log_softmax)


def logsumexp(x: torch.Tensor, axis: Any = -1, keepdims: bool = False) -> torch.Tensor:
    return torch.logsumexp(x, tuple(range(x.ndim)) if axis is None else axis, keepdims)


def layer_norm(
    x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, axis: Any = -1, eps: float = 1e-5
) -> torch.Tensor:
    away = x - x.mean(axis, keepdim=True)
    return away / torch.sqrt(var(x, axis, keepdims=True) + eps) * gamma + beta


def causal_mask(s: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.ones(s.shape[-2:]).tril() > 0, s, -torch.inf)


def padding_mask(mask: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return mask.reshape(aligned(tuple(mask.shape), tuple(like.shape))).expand(like.shape)


def sinusoids(like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(sinusoids_of(like.numpy(force=True)))


def split_heads(x: torch.Tensor, heads: int = 1) -> torch.Tensor:
    return x.reshape(*x.shape[:-1], heads, -1).transpose(-2, -3)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(-2, -3).flatten(-2)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def masked_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor, causal: bool = False
) -> torch.Tensor:
    allowed = mask.bool() & torch.ones(q.shape[-2], k.shape[-2]).bool().tril() if causal else mask.bool()
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)


# ---- losses --------------------------------------------------------------------------------------------------------
def mse(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return ((a - b) ** 2).mean()


def alike(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Both repeated to their common shape."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    return a.expand(shape), b.expand(shape)


def bce(p: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return functional.binary_cross_entropy(*alike(p, y))


def bce_with_logits(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return functional.binary_cross_entropy_with_logits(*alike(z, y))


def cross_entropy(logits: torch.Tensor, ids: torch.Tensor, ignore: int | None = None) -> torch.Tensor:
    rows, left_out = logits.reshape(-1, logits.shape[-1]), -100 if ignore is None else ignore
    return functional.cross_entropy(rows, ids.long().reshape(-1), ignore_index=left_out)


# ---- linear layers -------------------------------------------------------------------------------------------------
def linear(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return functional.linear(x, w) + b


OURS: dict[str, Callable[..., Any]] = {"sum": total} | {
    f.__name__: f
    for f in (
        *(transpose, outer, where, masked, leaky_relu, elu, gelu_tanh),
        *(expand, sum_to, size, reshape, reshape_like, stack, concat, part_of, pad_to),
        *(embedding, scatter_add, one_hot, mean, var, norm, prod, prod_others, prod_others_slope),
        *(softmax, log_softmax, logsumexp, layer_norm, causal_mask, attention, masked_attention),
        *(padding_mask, sinusoids, split_heads, merge_heads, take, put_back),
        *(linear, mse, bce, bce_with_logits, cross_entropy),
    )
}


def spelling(op: Op) -> Callable[..., Any]:
    """The torch function that means `op`; NoRule if there is none."""
    name = op.spelled.get("torch", op.name) or ""
    if name in OURS:
        return OURS[name]
    for place in (torch, torch.special, functional):
        if hasattr(place, name):
            return cast(Callable[..., Any], getattr(place, name))
    raise NoRule(f"{op.call_name} has no counterpart in torch")
