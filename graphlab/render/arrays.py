"""Arrays as pictures: small ones cell by cell with their numbers, larger ones as heat maps of block means."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphlab.tracing.numbers import show_number, show_value, size, tidy

Shown = str | dict[str, list[Any]]
GRID_ROWS, GRID_COLUMNS = 3, 4
HEAT_CELLS, LARGE_HEAT_CELLS = 8, 24
SIZE_DIGITS = 2


def size_of(value: Any) -> str:
    """How large an array is as a whole, "0.03": its Euclidean norm."""
    return show_number(size([value]), SIZE_DIGITS)


def shown(value: Any, *, signed: bool = False) -> Shown:
    """A number as text; an array as cells and shades, row by row.

    Shades are 0 … 1, or −1 … 1 around zero if `signed`.
    """
    if value is None:
        return ""
    array = np.asarray(value)
    if array.ndim == 0:
        return show_value(array)
    matrix = as_matrix(tidy(array))
    if is_grid(matrix):
        return {"cells": [show_number(x) for x in matrix.ravel()], "shades": _shades(matrix, signed)}
    return {"cells": [], "shades": _shades(_coarse(matrix), signed)}


def as_matrix(array: np.ndarray) -> np.ndarray:
    """Any array as rows and columns: leading axes are stacked, a vector is one row."""
    columns = array.shape[-1]
    return array.reshape(-1, columns) if columns else np.zeros((1, 0))


def is_grid(matrix: np.ndarray) -> bool:
    """Small enough to show every number."""
    rows, columns = matrix.shape
    return bool(rows <= GRID_ROWS and 0 < columns <= GRID_COLUMNS)


def heat_shape(matrix: np.ndarray, most: int = HEAT_CELLS) -> tuple[int, int]:
    """Rows and columns of the heat map that stands for a larger array."""
    return min(matrix.shape[0], most), min(matrix.shape[1], most)


def heat(value: Any, *, signed: bool) -> dict[str, Any] | None:
    """A larger heat map with its key, for an array that is looked at by itself; None for a number or nothing."""
    if value is None or not np.ndim(value) or not np.size(value):
        return None
    matrix = as_matrix(tidy(np.asarray(value, dtype=float)))
    means = _coarse(matrix, LARGE_HEAT_CELLS)
    finite = means[np.isfinite(means)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    low, high = (-largest, largest) if signed else (finite.min(initial=np.inf), finite.max(initial=-np.inf))
    return {
        "rows": means.shape[0],
        "columns": means.shape[1],
        "shades": _shades(means, signed),
        "signed": signed,
        "low": show_number(low) if finite.size else "",
        "high": show_number(high) if finite.size else "",
        "means": means.shape != matrix.shape,
        "numbers": [show_number(x) for x in means.ravel()],
    }


def _coarse(matrix: np.ndarray, most: int = HEAT_CELLS) -> np.ndarray:
    """Means over equal blocks, at most `most` × `most` of them."""
    rows, columns = heat_shape(matrix, most)
    if not matrix.size:
        return matrix
    bands = [band.mean(axis=0) for band in np.array_split(matrix.astype(float), rows, axis=0)]
    return np.array([[part.mean() for part in np.array_split(band, columns)] for band in bands])


def _shades(matrix: np.ndarray, signed: bool) -> list[float]:
    numbers = np.asarray(matrix, dtype=float).ravel()
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return [0.0] * numbers.size
    low = 0.0 if signed else float(finite.min())
    span = float(np.abs(finite).max()) if signed else float(finite.max()) - low
    relative = (numbers - low) / span if span > 0 else np.full(numbers.size, 0.0 if signed else 0.5)
    return [round(float(x), 2) if np.isfinite(x) else 0.0 for x in relative]
