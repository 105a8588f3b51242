"""Real weights, where somebody has fetched them: MiniLM, a small BERT that was trained on real text.

Nothing here is fetched. Where the weights, or the packages that read them, are missing, `minilm` gives None, and the
lesson says so and goes on with random ones.
"""

from __future__ import annotations

import json
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphlab import layers

NAME = "minilm-l6"
FETCH = f"python -m transformer fetch {NAME}"


class Checkpoint(NamedTuple):
    """A BERT with its numbers: `ids` by token, `weights` under the names of `graphlab.layers`."""

    config: layers.Config
    ids: dict[str, int]
    weights: dict[str, Any]


def find_minilm() -> Path | None:
    """The folder of MiniLM; None where it was not fetched, or where PyTorch, which fetches it, is missing."""
    try:
        from transformer.fetch import find_model

        return find_model(NAME)
    except (ImportError, ValueError):
        return None


def minilm() -> Checkpoint | None:
    """MiniLM, or None."""
    folder = find_minilm()
    return None if folder is None else read_checkpoint(folder)


@cache
def read_checkpoint(folder: Path) -> Checkpoint:
    """The three files of a model's folder, with weights in double precision."""
    from safetensors.numpy import load_file

    told = json.loads((folder / "config.json").read_text("utf-8"))
    config = layers.Config(**{field.name: told[field.name] for field in fields(layers.Config)})
    entries = (folder / "vocab.txt").read_text("utf-8").splitlines()
    stored = load_file(folder / "model.safetensors")
    weights = {name.replace(".", "_"): array.astype(np.float64) for name, array in stored.items()}
    return Checkpoint(config, {entry: number for number, entry in enumerate(entries)}, weights)
