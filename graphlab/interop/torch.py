"""graphlab graphs on PyTorch: the same nodes evaluated with torch, and the gradients of torch's own autograd.

Imported only when asked for. An op's torch spelling is found by its name; a record says otherwise in
`spelled["torch"]`, naming a torch function or one of the few below whose signature differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any, cast

import numpy as np
import torch
from torch.nn import functional

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
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


# ---- shapes --------------------------------------------------------------------------------------------------------
def expand(x: torch.Tensor, like: torch.Tensor, axis: Any = None) -> torch.Tensor:
    for a in sorted(() if axis is None else (axis,) if isinstance(axis, int) else axis):
        x = x.unsqueeze(a)
    return x.expand(like.shape)


def sum_to(x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return x.sum_to_size(like.shape)


def size(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return torch.tensor(float(np.prod([x.shape[a] for a in axes])), dtype=x.dtype)


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


# ---- rows by number ------------------------------------------------------------------------------------------------
def embedding(table: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return table[ids.long()]


def scatter_add(like: torch.Tensor, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(like).index_put((ids.long(),), x, accumulate=True)


def one_hot(ids: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return functional.one_hot(ids.long(), like.shape[-1]).to(like.dtype)


# ---- moments -------------------------------------------------------------------------------------------------------
def var(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    return torch.var(x, dim=axis, correction=0, keepdim=keepdims)


def norm(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    length: torch.Tensor = torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims)
    return length


def prod(x: torch.Tensor, axis: Any = None, keepdims: bool = False) -> torch.Tensor:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    for a in axes:
        x = torch.prod(x, dim=a, keepdim=True)
    return x if keepdims else x.squeeze(tuple(axes))


def prod_others(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    slopes: torch.Tensor = torch.func.grad(lambda z: prod(z, axis).sum())(x)
    return slopes


def prod_others_slope(t: torch.Tensor, x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    """The Jacobian of prod_others is symmetric, so pulling t back is pushing it forward."""
    pulled: torch.Tensor = torch.func.vjp(lambda z: prod_others(z, axis), x)[1](t)[0]
    return pulled


# ---- rows of weights -----------------------------------------------------------------------------------------------
def along(x: torch.Tensor, axis: Any, function: Callable[..., torch.Tensor]) -> torch.Tensor:
    """A function of torch that takes one `dim`, along one axis or, for None, over everything."""
    return function(x.flatten(), dim=0).reshape(x.shape) if axis is None else function(x, dim=axis)


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


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(q, k, v)


def masked_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask.bool())


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


def cross_entropy(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids.long().reshape(-1))


OURS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(transpose, outer, where, masked, leaky_relu, elu),
        *(expand, sum_to, size, reshape, reshape_like, stack, concat, part_of, pad_to),
        *(embedding, scatter_add, one_hot, var, norm, prod, prod_others, prod_others_slope),
        *(softmax, log_softmax, logsumexp, layer_norm, causal_mask, attention, masked_attention),
        *(mse, bce, bce_with_logits, cross_entropy),
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


def evaluate(dag: Dag, inputs: Mapping[Node, torch.Tensor]) -> torch.Tensor:
    """The output of `dag` on tensors; constants take the first input's type."""
    kind = next((x.dtype for x in inputs.values() if x.is_floating_point()), torch.float64)
    values: dict[Node, torch.Tensor] = dict(inputs)
    for node in dag.nodes:
        if node.op is not None:
            values[node] = spelling(node.op)(*[values[x] for x in node.inputs], **node.attrs)
        elif node not in values:
            constant = torch.as_tensor(node.value)
            values[node] = constant.to(kind) if constant.is_floating_point() else constant
    return values[dag.output]


def gradients(
    dag: Dag, given: Mapping[Node, Any], seed: Any = 1.0
) -> tuple[np.ndarray[Any, Any], dict[Node, np.ndarray[Any, Any]]]:
    """The output's value and, by torch's autograd, the gradient of every real input."""
    tensors = {node: torch.tensor(value) for node, value in given.items()}
    leaves = {node: t.requires_grad_() for node, t in tensors.items() if t.is_floating_point()}
    output = evaluate(dag, tensors)
    if output.requires_grad:
        start = torch.ones_like(output) * torch.as_tensor(seed)
        found = torch.autograd.grad(output, list(leaves.values()), start, allow_unused=True)
    else:
        found = ()
    slopes = [torch.zeros_like(leaf) if g is None else g for leaf, g in zip_longest(leaves.values(), found)]
    return output.detach().numpy(), {node: g.numpy() for node, g in zip(leaves, slopes, strict=True)}
