"""What a comparison found, in words and numbers: the counterexample, and how much of an answer is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.practice.comparing import Finding

SHOWN = 6  # entries of an array


@dataclass(frozen=True)
class Counterexample:
    """Values of the inputs at which an answer and what was asked differ, with both results."""

    values: Mapping[str, Any]
    yours: Any
    wanted: Any


def agreement(found: Finding) -> str:
    """On how much both agree, where that is something."""
    if 0 < found.agreeing < found.compared:
        return f"It agrees on {found.agreeing} of {found.compared} inputs tried. "
    return ""


def convention(kink: Node | None) -> str:
    return kink.op.caveat if kink is not None and kink.op is not None else ""


def counterexample(found: Finding) -> Counterexample:
    values = {str(node.name): public(value) for node, value in found.point.items()}
    return Counterexample(values, public(found.yours), public(found.wanted))


def place(example: Counterexample) -> str:
    """At which inputs, as far as they can be written down."""
    short = all(np.size(value) <= SHOWN for value in example.values.values())
    point = ", ".join(f"{name} = {show(value)}" for name, value in example.values.items())
    return f"For {point} " if short and point else "For some inputs " if point else "Here "


def worst_entry(example: Counterexample) -> tuple[Any, Any]:
    """Both results; of larger arrays the entry in which they differ most."""
    yours, wanted = np.asarray(example.yours), np.asarray(example.wanted)
    if wanted.size <= SHOWN:
        return yours, wanted
    worst = np.unravel_index(np.nanargmax(np.abs(yours - wanted)), wanted.shape)
    return yours[worst], wanted[worst]


def public(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def show(value: Any, digits: int = 4) -> str:
    """A number to four digits, an array with its entries so."""
    if np.ndim(value) == 0:
        return f"{float(value):.{digits}g}".replace("-", "−")
    rows = ", ".join(show(row, digits) for row in value)
    return f"[{rows}]"


def show_apart(a: Any, b: Any) -> tuple[str, str]:
    """Both with so many digits that one sees where they differ, if a double has so many."""
    shown = ((show(a, digits), show(b, digits)) for digits in (4, 8, 12, 17))
    pairs = list(shown)
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])
