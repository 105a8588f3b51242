"""graphlab graphs on PyTorch: the same nodes evaluated with torch, and the gradients of torch's own autograd.

Imported only when asked for. An op's torch spelling is found by its name; a record says otherwise in
`spelled["torch"]`, naming a torch function or one of the few below whose signature differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

import numpy as np
import torch

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.errors import NoRule


def transpose(a: torch.Tensor) -> torch.Tensor:
    return a.mT if a.ndim > 1 else a


def leaky_relu(x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * x)


def where(condition: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(condition != 0, a, b)


def expand(x: torch.Tensor, like: torch.Tensor, axis: Any = None) -> torch.Tensor:
    for a in sorted(() if axis is None else (axis,) if isinstance(axis, int) else axis):
        x = x.unsqueeze(a)
    return x.expand(like.shape)


def sum_to(x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return x.sum_to_size(like.shape)


def size(x: torch.Tensor, axis: Any = None) -> torch.Tensor:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return torch.tensor(float(np.prod([x.shape[a] for a in axes])), dtype=x.dtype)


def outer(u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return u.unsqueeze(-1) * v.unsqueeze(-2)


OURS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (transpose, leaky_relu, where, expand, sum_to, size, outer)
}


def spelling(op: Op) -> Callable[..., Any]:
    """The torch function that means `op`; NoRule if there is none."""
    name = op.spelled.get("torch", op.name)
    found = OURS.get(name or "") or getattr(torch, name or "", None) or getattr(torch.special, name or "", None)
    if found is None:
        raise NoRule(f"{op.call_name} has no counterpart in torch")
    return found


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
