"""The sizes, weights and inputs of BERT: drawn once with a seed, in float32, and the same for every contender.

Parameters have the names they have in published checkpoints, and weights are (out, in).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = dict[str, Any]
TOKENS = 128
IGNORED = -100


@dataclass(frozen=True)
class Config:
    """The fields of a published config.json that a BERT without dropout needs."""

    vocab_size: int = 30_522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3_072
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"


CONFIGS = {
    "base": Config(),
    "tiny": Config(300, 16, 2, 4, 32, TOKENS),  # for tests of this package
}


def layer_shapes(config: Config, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """The parameters of one encoder layer."""
    d, wide = config.hidden_size, config.intermediate_size
    dense: dict[str, tuple[int, ...]] = {f"attention.self.{name}": (d, d) for name in ("query", "key", "value")}
    dense |= {"attention.output.dense": (d, d), "intermediate.dense": (wide, d), "output.dense": (d, wide)}
    shapes = {f"{prefix}{name}.weight": shape for name, shape in dense.items()}
    shapes |= {f"{prefix}{name}.bias": shape[:1] for name, shape in dense.items()}
    norms = ("attention.output.LayerNorm", "output.LayerNorm")
    return shapes | {f"{prefix}{norm}.{part}": (d,) for norm in norms for part in ("weight", "bias")}


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """The parameters of the encoder with its embeddings and its head for masked words, tied to the embeddings."""
    d, vocabulary = config.hidden_size, config.vocab_size
    rows = {
        "word": vocabulary,
        "position": config.max_position_embeddings,
        "token_type": config.type_vocab_size,
    }
    found: dict[str, tuple[int, ...]] = {f"bert.embeddings.{k}_embeddings.weight": (n, d) for k, n in rows.items()}
    for layer in range(config.num_hidden_layers):
        found |= layer_shapes(config, f"bert.encoder.layer.{layer}.")
    head = "cls.predictions."
    found |= {f"{head}transform.dense.weight": (d, d), f"{head}transform.dense.bias": (d,)}
    for norm in ("bert.embeddings.LayerNorm", f"{head}transform.LayerNorm"):
        found |= {f"{norm}.weight": (d,), f"{norm}.bias": (d,)}
    return found | {f"{head}bias": (vocabulary,)}


def drawn(shapes: dict[str, tuple[int, ...]]) -> Arrays:
    """Normal with standard deviation 0.02, around 1 for the scale of a layer norm and around 0 for all else."""
    random = np.random.default_rng(1)
    arrays = {name: random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}
    for name, array in arrays.items():
        array *= np.float32(0.02)
        array += np.float32(name.endswith("LayerNorm.weight"))
    return arrays


def words(config: Config, batch: int) -> tuple[Any, Any]:
    """Token ids and labels, (batch, 128): 15 % of the labels count, the others are −100."""
    random = np.random.default_rng(2)
    ids, labels = random.integers(0, config.vocab_size, (2, batch, TOKENS))
    counts = random.random((batch, TOKENS)) < 0.15
    counts[:, 0] = True
    return ids, np.where(counts, labels, IGNORED)


def block_arrays(config: Config, batch: int) -> tuple[Any, Any]:
    """x that enters a block, and the gradient U of what leaves it: (batch, 128, hidden) each."""
    random = np.random.default_rng(3)
    shape = (batch, TOKENS, config.hidden_size)
    return random.standard_normal(shape, dtype=np.float32), random.standard_normal(shape, dtype=np.float32)
