"""The gradient that a backward pass starts from."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphlab.engine import values
from graphlab.engine.shapes import Shape, show_shape
from graphlab.errors import ShapeError


def seed_for(output: Any, seed: Any) -> Any:
    """The output's own gradient: `seed` in its type, or 1 for a scalar; ShapeError if it does not fit."""
    if seed is None:
        if np.shape(output) != ():
            raise needs_seed(np.shape(output))
        return np.ones_like(output)[()]
    start = values.convert(seed, "seed")
    if np.shape(start) != np.shape(output):
        raise ShapeError(
            f"the seed has shape {show_shape(np.shape(start))}, but the output {show_shape(np.shape(output))}",
            op="seed",
            hint="A gradient has the shape of its variable.",
        )
    return start.astype(output.dtype) if output.dtype.kind == "f" else start


def needs_seed(shape: Shape) -> ShapeError:
    return ShapeError(
        f"the output has shape {show_shape(shape)}, but a gradient starts from one number",
        op="output",
        shapes=[shape],
        hint="Sum it (L = sum(…)), or pass seed=: the gradient of the output, of the same shape.",
    )
