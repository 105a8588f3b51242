"""What an experiment finds: named quantities, and views of them. Every view can also be read as a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlab.tracing.numbers import show_value

if TYPE_CHECKING:
    from graphlab.lessons.lesson import Walk

Cell = tuple[int, int]
SLOT = re.compile(r"\[\[(\w+)\]\]")
LONGEST_TABLE = 64


@dataclass(frozen=True)
class Quantity:
    """A number or array with the words that stand above it. `in_view`: it stands in a view, and is not shown again."""

    label: str
    value: Any
    in_view: bool = False

    @property
    def shown(self) -> str:
        """As the page writes it, in at most 4 significant digits."""
        return self.value if isinstance(self.value, str) else show_value(self.value)


@dataclass(frozen=True)
class Table:
    """Rows of texts, numbers and arrays under titles. `marked`: cells (row, column) that stand out; `coloured`: cells
    with a colour behind them, by its name ("orange").
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    marked: frozenset[Cell] = frozenset()
    coloured: Mapping[Cell, str] = field(default_factory=dict)

    def as_table(self) -> Table:
        """Itself."""
        return self

    @property
    def texts(self) -> list[list[str]]:
        """The cells as they are shown."""
        return [[cell if isinstance(cell, str) else show_value(cell) for cell in row] for row in self.rows]


@dataclass(frozen=True)
class Lines:
    """Curves over the same x, each under a name; `marks` are named points (x, y) on them."""

    title: str
    x: Any
    lines: Mapping[str, Any]
    x_title: str = ""
    y_title: str = ""
    marks: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    logarithmic: bool = False

    def as_table(self) -> Table:
        """A row per x, thinned out where there are many; the marks first."""
        picked = np.unique(np.linspace(0, len(self.x) - 1, min(len(self.x), LONGEST_TABLE)).astype(int))
        rows = [[self.x[i], *(line[i] for line in self.lines.values())] for i in picked]
        marked = [[name, *point] for name, point in self.marks.items()]
        if marked:
            return Table(self.title, ["Point", self.x_title or "x", self.y_title or "y"], marked)
        return Table(self.title, [self.x_title or "x", *self.lines], rows)


@dataclass(frozen=True)
class Bars:
    """A group of bars for every label; `heights` holds a series of them under each name."""

    title: str
    labels: Sequence[str]
    heights: Mapping[str, Any]

    def as_table(self) -> Table:
        """A row per label."""
        rows = [[label, *(series[i] for series in self.heights.values())] for i, label in enumerate(self.labels)]
        return Table(self.title, ["", *self.heights], rows)


@dataclass(frozen=True)
class Heat:
    """A matrix as coloured cells with their numbers. `signed`: two colours around 0, for gradients."""

    title: str
    numbers: Any
    rows: Sequence[str]
    columns: Sequence[str]
    signed: bool = False

    def as_table(self) -> Table:
        """The matrix with its titles."""
        rows = [[name, *row] for name, row in zip(self.rows, self.numbers, strict=True)]
        return Table(self.title, ["", *self.columns], rows)


@dataclass(frozen=True)
class Plane:
    """Points (n, 2) of the plane with classes (n,); the probability of class 1 on a grid (xs, ys, p), whose ½ is the
    boundary; arrows (m, 4) from (x₁, x₂) along (dx₁, dx₂).
    """

    title: str
    points: Any
    classes: Any
    grid: tuple[Any, Any, Any] | None = None
    arrows: Any = ()

    def as_table(self) -> Table:
        """A row per point."""
        rows = [[x1, x2, str(int(y))] for (x1, x2), y in zip(self.points, self.classes, strict=True)]
        return Table(self.title, ["x₁", "x₂", "class"], rows[:LONGEST_TABLE])


@dataclass(frozen=True)
class Formula:
    """A line of LaTeX that the engine wrote."""

    title: str
    latex: str

    def as_table(self) -> Table:
        """One cell."""
        return Table(self.title, [""], [[self.latex]])


@dataclass(frozen=True)
class Drawing:
    """A graph with all its numbers, as a picture that is not stepped."""

    title: str
    walk: Walk

    def as_table(self) -> Table:
        """Value and gradient of every node."""
        trace = self.walk.trace
        nodes = [node for node in trace.forward_nodes if node.name]
        rows = [[n.name, trace.known_values[n.id], trace.known_gradients.get(n.id, "")] for n in nodes]
        return Table(self.title, ["Node", "Value", "Gradient"], rows)


View = Table | Lines | Bars | Heat | Plane | Formula | Drawing


@dataclass(frozen=True)
class Findings:
    """Quantities by name, in the order in which they are shown, and views."""

    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    views: tuple[View, ...] = ()

    def fill(self, text: str) -> str:
        """The text with every `[[name]]` replaced by that quantity. Raises KeyError for a name that is none."""
        return SLOT.sub(lambda found: self.quantities[found[1]].shown, text)


def slots(*texts: str) -> set[str]:
    """The names of the quantities that texts mention."""
    return set(chain.from_iterable(SLOT.findall(text) for text in texts))
