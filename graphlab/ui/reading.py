"""A formula with the readings of its ambiguous names: plain text that makes a graph, and a key for caches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from graphlab.api import Graph, parse
from graphlab.ui.state import PageState


@dataclass(frozen=True)
class Reading:
    """A formula and how its ambiguous names are read: what makes a graph, as plain text."""

    formula: str
    products: tuple[str, ...]
    functions: tuple[str, ...]
    notation: Literal["plain", "latex"]
    stabilise: bool

    @classmethod
    def of(cls, state: PageState) -> Reading:
        notation: Literal["plain", "latex"] = "latex" if state.notation == "latex" else "plain"
        return cls(state.formula, tuple(state.products), tuple(state.functions), notation, state.stabilise)

    def parse(self, names: Collection[str]) -> Graph:
        return parse(
            self.formula,
            notation=self.notation,
            products=self.products,
            functions=self.functions,
            values=names,
            stabilise=self.stabilise,
        )
