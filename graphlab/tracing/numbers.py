"""Numbers as a reader sees them: at most 4 significant digits, a true minus sign, no trailing zeros.

>>> show_number(-10.400000000000002), show_number(1.3e-13), show_number(2.0)
('−10.4', '1.3·10⁻¹³', '2')
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ROUNDING = 1e-12


def show_number(value: Any, digits: int = 4) -> str:
    """A scalar in at most `digits` significant digits; whole numbers below 10,000 stand whole; nan, ∞, −∞ by name."""
    number = float(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if number == 0:
        return "0"
    mantissa, _, power = f"{number:.{digits - 1}e}".partition("e")
    rounded, exponent = float(f"{mantissa}e{power}"), int(power)
    if -4 <= exponent < digits:
        text = _trimmed(f"{rounded:.{max(0, digits - 1 - exponent)}f}")
    else:
        text = f"{_trimmed(mantissa)}·10{str(exponent).translate(SUPERSCRIPTS)}"
    return text.replace("-", "−")


def _trimmed(text: str) -> str:
    """Without trailing zeros behind the point."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_rounded(value: Any, digits: int = 4) -> bool:
    """Whether `show_number` leaves digits out (beyond the last few bits of a double)."""
    number = float(value)
    if not math.isfinite(number) or number == 0:
        return False
    return abs(float(f"{number:.{digits - 1}e}") - number) > 1e-12 * abs(number)


def approximately(value: Any, digits: int = 4) -> str:
    """The number with "≈" in front where it is rounded."""
    return ("≈ " if is_rounded(value, digits) else "") + show_number(value, digits)


def full_digits(value: Any) -> str:
    """All digits, as Python writes them, for copying: "-10.4", "nan", "[1.0, 2.0]"."""
    array = np.asarray(value)
    return str(array.tolist()) if array.shape else repr(float(array)).removesuffix(".0")


def show_value(value: Any, digits: int = 4, longest: int = 12) -> str:
    """A scalar, or an array of at most `longest` entries in brackets; a larger one by its shape and range."""
    array = np.asarray(value)
    if array.dtype.kind == "b":
        return "true" if array.shape == () and array else "false" if array.shape == () else _rows(array, digits)
    if array.shape == ():
        return show_number(array, digits)
    if array.size == 0:
        return f"({' × '.join(map(str, array.shape))}) empty"
    if array.size <= longest:
        return _rows(tidy(array), digits)
    low, high = np.nanmin(array), np.nanmax(array)
    return f"{' × '.join(map(str, array.shape))} numbers from {show_number(low, digits)} to {show_number(high, digits)}"


def size(values: Iterable[Any]) -> float:
    """The Euclidean norm of all entries of some arrays together."""
    return math.sqrt(sum(float(np.sum(np.square(np.asarray(value, dtype=float)))) for value in values))


def tidy(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Entries below 10⁻¹² of the largest are rounding errors and become 0."""
    finite = np.abs(array[np.isfinite(array)])
    if not finite.size:
        return array
    return np.where(np.abs(array) < ROUNDING * finite.max(), 0.0, array)


def _rows(array: np.ndarray[Any, Any], digits: int) -> str:
    if array.ndim > 1:
        return f"[{', '.join(_rows(row, digits) for row in array)}]"
    return f"[{', '.join(show_number(x, digits) for x in array)}]"
