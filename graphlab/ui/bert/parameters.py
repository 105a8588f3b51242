"""How many parameters a BERT has, part by part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from graphlab.api import Graph
from graphlab.layers import parameter_shapes

TITLES = {
    "embeddings": "embeddings",
    "pooler": "pooler",
    "cls.predictions": "head: masked tokens",
    "cls": "head: next sentence",
}


class Row(NamedTuple):
    """A part of the model: its weight tensors, and the numbers in them."""

    part: str
    tensors: int
    parameters: int


def counted(graph: Graph) -> list[Row]:
    """The parts in the order of the pass, then all together. A weight that two parts share counts where it stands
    first."""
    found: dict[str, list[int]] = {}
    for name, shape in parameter_shapes(graph.dag.output).items():
        scope = graph.dag.input(name).scope
        if scope:
            found.setdefault(part_of(scope), []).append(math.prod(map(int, shape)))
    rows = [Row(part, len(sizes), sum(sizes)) for part, sizes in found.items()]
    return [*rows, Row("all", sum(row.tensors for row in rows), sum(row.parameters for row in rows))]


def part_of(scope: str) -> str:
    """What the graph calls it: bert.encoder.layer.3.attention.self → layer.3."""
    levels = scope.removeprefix("bert.").split(".")
    if levels[0] == "encoder":
        return f"layer.{levels[2]}"
    return next(title for path, title in TITLES.items() if ".".join(levels).startswith(path))


def parameter_table(graph: Graph) -> None:
    rows = counted(graph)
    st.markdown(f"**{rows[-1].parameters:,} parameters**")
    columns: Mapping[str, str] = {"part": "Part", "tensors": "Tensors", "parameters": "Parameters"}
    table = [{columns[name]: f"{value:,}" if isinstance(value, int) else value for name, value in row._asdict().items()}
             for row in rows]  # fmt: skip
    st.table(table)
