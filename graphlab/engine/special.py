"""SciPy's error functions, loaded when the first one is computed.

Loading scipy.special takes longer than all of graphlab, and most formulas need none of it; so this is the one module of
the engine that imports late.
"""

from functools import cache
from importlib import import_module
from typing import Any


@cache
def _scipy() -> Any:
    return import_module("scipy.special")


def erf(x: Any) -> Any:
    """2/√π ∫₀ˣ e^(−t²) dt, to the last digit."""
    return _scipy().erf(x)


def erfc(x: Any) -> Any:
    """1 − erf x without the cancellation."""
    return _scipy().erfc(x)
