"""Numbers for encoders that have learnt nothing: seeded vectors for words, and seeded weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.engine.shapes import Shape

Array = np.ndarray[Any, np.dtype[np.float64]]


def word_rows(words: Sequence[str], size: int, seed: int) -> Array:
    """A row of `size` normal numbers for each word, (n, size); the same word has the same row in every sentence."""
    rows = [np.random.default_rng([seed, *word.encode()]).normal(size=size) for word in words]
    return np.asarray(np.round(rows, 2), dtype=np.float64)


def seeded_weights(shapes: Mapping[str, Shape], seed: int, spread: float) -> dict[str, Array]:
    """Weights as a network begins: normal with this deviation; biases are 0, and layer norms change nothing."""
    numbers = np.random.default_rng(seed)
    weights: dict[str, Array] = {}
    for name, shape in shapes.items():
        sizes = tuple(int(size) for size in shape)
        if len(sizes) == 1:
            weights[name] = np.ones(sizes) if name.endswith("LayerNorm_weight") else np.zeros(sizes)
        else:
            weights[name] = spread * numbers.normal(size=sizes)
    return weights


def distance(one: Any, other: Any) -> float:
    """How far two arrays lie apart, all entries taken together."""
    return float(np.linalg.norm(np.asarray(one) - np.asarray(other)))
