"""Real weights, where somebody has fetched them: MiniLM, a small BERT that was trained on real text.

Nothing here is fetched. Where the weights, or the packages that read them, are missing, `minilm` gives None, and the
lesson says so and goes on with random ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import graphlab as gl
from graphlab import layers
from graphlab.engine.core import Node
from graphlab.lessons.findings import Table

FIRST, LAST = "[CLS]", "[SEP]"
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


def missing(instead: str) -> Table:
    """Real weights are asked for, and are not here."""
    return Table(
        f"MiniLM is not here yet: {instead}", ["To get it"], [[f"Press the button on the page Words, or run: {FETCH}"]]
    )


def read_texts(model: Checkpoint, texts: Iterable[str]) -> tuple[Any, dict[Node, Any]]:
    """The ids of equally long texts, whose every word is an entry of the vocabulary, and the value of every node of
    the encoder that reads them."""
    ids = np.array([[model.ids[token] for token in (FIRST, *text.split(), LAST)] for text in texts])
    graph = gl.graph(L=layers.bert(model.config, ids_shape=ids.shape, padding=False).hidden)
    weights = {name: model.weights[name] for name in graph.inputs if name in model.weights}
    values = graph.node_values({"input_ids": ids, "token_type_ids": np.zeros_like(ids), **weights})
    return ids, {node: values[graph.dag.ids[node]] for node in graph.dag.nodes}


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
