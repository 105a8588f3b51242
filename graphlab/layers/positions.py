"""Positions, as rows to be added to those of x: waves of different lengths, or learnt."""

from __future__ import annotations

from graphlab.engine.core import Node, named
from graphlab.engine.ops import positions
from graphlab.engine.ops.joining import part_of
from graphlab.engine.shapes import Dim
from graphlab.layers.parameters import parameter


def sinusoidal_positions(x: Node) -> Node:
    """One row for each of x (…, n, d): sines and cosines, from fast to slow."""
    return named("E_position", positions.sinusoids.node(x))


def learnt_positions(x: Node, longest: Dim = "longest", size: Dim = "d") -> Node:
    """One row for each of x (…, n, size): the first n of a table with `longest` rows."""
    table = parameter("position_embeddings.weight", "W_position", longest, size)
    return named("E_position", part_of.node(table, x, axis=-2))
