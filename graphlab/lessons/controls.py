"""What a reader can change in an experiment. A setting is plain data (a number, text or nested list), so that a link
can hold it; `within` brings whatever a link says into what the control allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Setting = float | bool | str | list[Any]
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Slider:
    """A number between `least` and `most`."""

    title: str
    first: float
    least: float
    most: float
    step: float

    def within(self, chosen: Any) -> float:
        """A number in the range; the first one for what is no number."""
        if isinstance(chosen, bool) or not isinstance(chosen, int | float) or chosen != chosen:
            return self.first
        inside = min(max(chosen, self.least), self.most)
        return int(inside) if isinstance(self.step, int) and isinstance(self.first, int) else float(inside)


@dataclass(frozen=True)
class Switch:
    """Something that is on or off."""

    title: str
    first: bool

    def within(self, chosen: Any) -> bool:
        """Whether it is on."""
        return bool(chosen) if isinstance(chosen, bool | int) else self.first


@dataclass(frozen=True)
class Choose:
    """One of a few names."""

    title: str
    first: str
    options: Sequence[str]

    def within(self, chosen: Any) -> str:
        """One of the options."""
        return chosen if chosen in self.options else self.first


@dataclass(frozen=True)
class Numbers:
    """A vector or matrix of the shape of `first`, typed as a list: [1, 2] or [[1, 2], [3, 4]]. With `grows` the number
    of rows is free, up to `most`."""

    title: str
    first: list[Any]
    grows: bool = False
    most: int = 64

    def within(self, chosen: Any) -> list[Any]:
        """A list of finite numbers that fits; else the first one. Always floats: whole numbers would be taken for ids,
        which have no gradient."""
        fits = isinstance(chosen, list) and not self.fault(chosen)
        found: list[Any] = np.asarray(chosen if fits else self.first, dtype=float).tolist()
        return found

    def fault(self, chosen: Any) -> str:
        """What is wrong with a list; "" if nothing is."""
        try:
            array = np.asarray(chosen, dtype=float)
        except (TypeError, ValueError):
            return "every entry is a number, and all rows are equally long"
        wanted = np.shape(self.first)
        same = array.shape[1:] == wanted[1:] and array.ndim == len(wanted)
        if not same or (not self.grows and array.shape != wanted) or not array.size:
            return f"it must have the shape {wanted}" if not self.grows else f"each row has the shape {wanted[1:]}"
        if len(array) > self.most:
            return f"at most {self.most} rows"
        return "" if np.isfinite(array).all() else "every entry is a finite number"


@dataclass(frozen=True)
class Text:
    """A few words."""

    title: str
    first: str
    longest: int

    def within(self, chosen: Any) -> str:
        """The words, cut to their length; the first ones if there are none."""
        return chosen[: self.longest] if isinstance(chosen, str) and chosen.strip() else self.first


@dataclass(frozen=True)
class Points:
    """Points of the plane with a class 0 or 1: rows [x₁, x₂, y]. They are clicked, or come from a CSV file."""

    title: str
    first: list[list[float]]
    reach: float
    most: int

    def within(self, chosen: Any) -> list[list[float]]:
        """Such rows; the first ones for anything else."""
        numbers = Numbers(self.title, self.first, grows=True, most=self.most)
        rows = numbers.within(chosen)
        return rows if all(row[2] in (0, 1) for row in rows) else self.first


Control = Slider | Switch | Choose | Numbers | Text | Points


def first_settings(controls: Mapping[str, Control]) -> dict[str, Any]:
    """Every control as it stands at first."""
    return {name: control.first for name, control in controls.items()}


def settings_within(controls: Mapping[str, Control], chosen: Settings) -> dict[str, Any]:
    """A setting for every control: what is chosen, where that is allowed."""
    return {name: control.within(chosen.get(name, control.first)) for name, control in controls.items()}
