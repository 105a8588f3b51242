"""BERT's encoder in a page of torch, with weights under graphlab's names: the judge of the lessons on encoders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional

torch.set_num_threads(1)
EPS = 1e-12


def tensors(weights: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Arrays as leaves in double precision."""
    return {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in weights.items()}


def affine(x: torch.Tensor, weights: Mapping[str, torch.Tensor], path: str) -> torch.Tensor:
    return functional.linear(x, weights[f"{path}_weight"], weights[f"{path}_bias"])


def normalised(x: torch.Tensor, weights: Mapping[str, torch.Tensor], path: str) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], weights[f"{path}_weight"], weights[f"{path}_bias"], EPS)


def block(
    x: torch.Tensor, weights: Mapping[str, torch.Tensor], path: str, heads: int, *, causal: bool = False
) -> torch.Tensor:
    """One post-norm block for x (n, d)."""
    q, k, v = (
        affine(x, weights, f"{path}_attention_self_{name}").reshape(len(x), heads, -1).transpose(0, 1)
        for name in ("query", "key", "value")
    )
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(0, 1).flatten(-2)
    mixed = affine(mixed, weights, f"{path}_attention_output_dense")
    x = normalised(mixed + x, weights, f"{path}_attention_output_LayerNorm")
    made = affine(functional.gelu(affine(x, weights, f"{path}_intermediate_dense")), weights, f"{path}_output_dense")
    return normalised(made + x, weights, f"{path}_output_LayerNorm")


def encoder(
    x: torch.Tensor, weights: Mapping[str, torch.Tensor], heads: int, blocks: int, *, causal: bool = False
) -> list[torch.Tensor]:
    """x, and the rows after every block."""
    states = [x]
    for number in range(blocks):
        states.append(block(states[-1], weights, f"encoder_layer_{number}", heads, causal=causal))
    return states


def embeddings(
    ids: torch.Tensor, weights: Mapping[str, torch.Tensor], types: torch.Tensor | None = None
) -> torch.Tensor:
    """Rows for words, types (all 0 unless given) and positions, added and normalised."""
    kinds = torch.zeros_like(ids) if types is None else types
    rows = weights["embeddings_word_embeddings_weight"][ids] + weights["embeddings_token_type_embeddings_weight"][kinds]
    rows = rows + weights["embeddings_position_embeddings_weight"][: len(ids)]
    return normalised(rows, weights, "embeddings_LayerNorm")
