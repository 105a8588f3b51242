"""One record per op, by family. Importing this package registers them all in `core.OPS`."""

from graphlab.engine.ops import (
    activation,
    arithmetic,
    comparison,
    elementary,
    heads,
    joining,
    linalg,
    losses,
    moments,
    normalising,
    positions,
    reduction,
    shaping,
    stacking,
)

__all__ = [
    "activation",
    "arithmetic",
    "comparison",
    "elementary",
    "heads",
    "joining",
    "linalg",
    "losses",
    "moments",
    "normalising",
    "positions",
    "reduction",
    "shaping",
    "stacking",
]
