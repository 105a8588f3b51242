"""graphlab graphs on PyTorch: the same nodes evaluated with torch, and the gradients of torch's own autograd.

Imported only when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np
import torch

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.plans.torch_spelling import spelling


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
