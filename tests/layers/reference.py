"""BERT once more, in plain torch functions over a dictionary of weights with the reference's names: an oracle.

The formulas are those of the paper and of the published configuration: post-norm, learnt positions, one mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional

from graphlab.layers import BertConfig

Weights = Mapping[str, torch.Tensor]
BEND = {
    "gelu": functional.gelu,
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": torch.relu,
    "silu": functional.silu,
}


def affine(x: torch.Tensor, weights: Weights, path: str) -> torch.Tensor:
    return functional.linear(x, weights[f"{path}.weight"], weights[f"{path}.bias"])


def norm(x: torch.Tensor, weights: Weights, path: str, config: BertConfig) -> torch.Tensor:
    size = (x.shape[-1],)
    return functional.layer_norm(x, size, weights[f"{path}.weight"], weights[f"{path}.bias"], config.layer_norm_eps)


def attention(x: torch.Tensor, mask: Any, weights: Weights, path: str, config: BertConfig) -> torch.Tensor:
    heads = config.num_attention_heads
    q, k, v = (
        affine(x, weights, f"{path}.self.{name}").unflatten(-1, (heads, -1)).transpose(-2, -3)  # (B, h, n, d/h)
        for name in ("query", "key", "value")
    )
    scores = q @ k.mT / q.shape[-1] ** 0.5
    scores = scores if mask is None else scores.masked_fill(~mask[..., None, None, :], torch.finfo(x.dtype).min)
    mixed = (scores.softmax(-1) @ v).transpose(-2, -3).flatten(-2)
    return norm(affine(mixed, weights, f"{path}.output.dense") + x, weights, f"{path}.output.LayerNorm", config)


def encode(ids: Any, types: Any, mask: Any, weights: Weights, config: BertConfig, prefix: str = "") -> torch.Tensor:
    """The last hidden state."""
    tables = {
        name: weights[f"{prefix}embeddings.{name}_embeddings.weight"] for name in ("word", "token_type", "position")
    }
    x = tables["word"][ids] + tables["token_type"][types] + tables["position"][: ids.shape[-1]]
    x = norm(x, weights, f"{prefix}embeddings.LayerNorm", config)
    for layer in range(config.num_hidden_layers):
        path = f"{prefix}encoder.layer.{layer}"
        x = attention(x, mask, weights, f"{path}.attention", config)
        bent = BEND[config.hidden_act](affine(x, weights, f"{path}.intermediate.dense"))
        x = norm(affine(bent, weights, f"{path}.output.dense") + x, weights, f"{path}.output.LayerNorm", config)
    return x


def pool(hidden: torch.Tensor, weights: Weights, prefix: str = "") -> torch.Tensor:
    return torch.tanh(affine(hidden[..., 0, :], weights, f"{prefix}pooler.dense"))


def pretraining_loss(hidden: torch.Tensor, weights: Weights, config: BertConfig) -> torch.Tensor:
    """Masked tokens and next sentence, with the decoder tied to the word embeddings; the labels are among `weights`."""
    bent = BEND[config.hidden_act](affine(hidden, weights, "cls.predictions.transform.dense"))
    bent = norm(bent, weights, "cls.predictions.transform.LayerNorm", config)
    scores = bent @ weights["bert.embeddings.word_embeddings.weight"].T + weights["cls.predictions.bias"]
    tokens = functional.cross_entropy(scores.flatten(0, -2), weights["labels"].flatten(), ignore_index=-100)
    sentence = affine(pool(hidden, weights, "bert."), weights, "cls.seq_relationship").reshape(-1, 2)
    return tokens + functional.cross_entropy(sentence, weights["next_sentence_label"].reshape(-1))
