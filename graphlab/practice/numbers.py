"""Numbers and shapes as learners write them, and when they count as right.

A number is right to three significant digits, or to half a unit of the last decimal that was typed, whichever is
looser. A whole number claims no decimals, and 0 no digits at all: for these only the three digits count.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from graphlab.engine.shapes import Shape

DIGITS = 3
NEARLY_ZERO = 1e-12
_comma = re.compile(r"\s*([-+−–]?\s*\d+),(\d+)\s*")
_plain = re.compile(r"[-+−–\[\]\s,;\d.()eE]*")
_number = re.compile(r"\d*\.?\d+(?:[eE][-+−–]?\d+)?|\d+\.")
_apart = re.compile(r"\s*(?:[,;×*·⋅]|\bby\b|(?<=[\d\s])x(?=[\d\s]))\s*|\s+")
_dim = r"(?:[1-9]\d{0,8}|[^\W\d]\w{0,20})"
_shape = re.compile(rf"[(\[]?\s*({_dim}(?:(?:{_apart.pattern}){_dim}){{0,7}}\s*,?)?\s*[)\]]?")


def with_point(typed: str) -> str:
    """A number with a decimal comma, −4,0, with a point; any other text as it is."""
    return _comma.sub(r"\1.\2", typed) if _comma.fullmatch(typed) else typed


def is_close(found: Any, wanted: Any, typed: str) -> bool:
    """Whether every entry is right; `typed` is the text that `found` was read from."""
    away = np.abs(np.asarray(found, dtype=float) - wanted)
    room = 0.5 * 10.0 ** (1 - DIGITS) * np.maximum(np.abs(wanted), NEARLY_ZERO)
    same = np.asarray(found) == wanted  # infinities
    return bool(np.all(same | (away <= np.maximum(room, half_units(typed, np.asarray(found))) * (1 + 1e-9))))


def half_units(typed: str, found: Any) -> Any:
    """Half a unit of the last decimal of each number of a text; 0 for whole numbers, zeros and formulas."""
    numbers = _number.findall(typed) if _plain.fullmatch(typed) else []
    if len(numbers) != found.size:
        return 0.0
    return np.reshape([_half_unit(number) for number in numbers], found.shape)


def _half_unit(number: str) -> float:
    mantissa, _, exponent = number.lower().replace("−", "-").replace("–", "-").partition("e")
    decimals = mantissa.partition(".")[2]
    if not decimals or float(mantissa) == 0:
        return 0.0
    return 0.5 * 10.0 ** (int(exponent or 0) - len(decimals))


def read_shape(typed: str) -> Shape | None:
    """The shape that a text says: (2, 3), 2×3, 2 by 3, n×d, scalar; None for anything else."""
    text = typed.strip()
    if text.lower() in ("scalar", "a scalar", "a number"):
        return ()
    found = _shape.fullmatch(text)
    if found is None or not text:
        return None
    parts = _apart.split(found.group(1).strip(" ,")) if found.group(1) else []
    return tuple(int(part) if part.isdecimal() else part for part in parts)
