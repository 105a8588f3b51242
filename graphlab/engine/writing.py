"""Writing nodes as text and LaTeX: a fold in which named nodes stay symbols."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import reachable
from graphlab.engine.notation import Prec, Written, array, name_latex

LONGEST = 20_000
LARGEST = 400  # numbers of an array that LaTeX writes out


def write_number(value: float) -> Written:
    """A number as the formula language reads it back, to the last bit."""
    text = repr(float(value))
    if text.endswith(".0") and "e" not in text:
        text = text[:-2]
    mantissa, _, exponent = text.partition("e")
    if exponent:
        text = f"{mantissa}e{int(exponent)}"
    return write_literal(text)


def write_literal(text: str) -> Written:
    r"""A number as typed. The braces of 2{\cdot}10^{3} tell a number from the product 2 \cdot 10^{3}."""
    mantissa, _, exponent = text.lower().partition("e")
    prec = Prec.PREFIX if text.startswith("-") else Prec.ATOM
    if not exponent:
        return Written(text, text, prec)
    return Written(text, rf"{mantissa}{{\cdot}}10^{{{int(exponent)}}}", prec, latex_prec=Prec.PRODUCT)


def write_constant(node: Node) -> Written:
    """A literal as it was typed, or the shortest that reads back the same."""
    literal, value = node.attrs.get("literal"), node.value
    if literal is not None:
        return Written(literal, name_latex(literal)) if literal[0].isalpha() else write_literal(literal)
    if isinstance(value, np.ndarray) and value.shape:
        return write_array(value)
    if isinstance(value, bool):
        return Written(str(value).lower(), rf"\mathrm{{{str(value).lower()}}}")
    return write_number(float(value))


def write_array(value: np.ndarray[Any, Any]) -> Written:
    """An array in brackets; in LaTeX a large one only by its shape, which does not read back."""
    entries = [write_array(x) if isinstance(x, np.ndarray) else write_number(float(x)) for x in value]
    size = r" \times ".join(map(str, value.shape))
    latex = array([entry.latex for entry in entries]) if value.size <= LARGEST else rf"[\,{size}\,]"
    return Written(f"[{', '.join(entry.text for entry in entries)}]", latex, rank=value.ndim)


class Writer:
    """Writes nodes of one graph. `symbols` says which nodes are written by name inside other expressions.

    `rank` gives a node's number of axes (for ⊙). An expression longer than `longest` characters is None.
    """

    def __init__(
        self, symbols: Mapping[Node, str], rank: Callable[[Node], int] = lambda node: 0, longest: int = LONGEST
    ) -> None:
        self.symbols = symbols
        self.rank = rank
        self.longest = longest
        self._done: dict[Node, Written | None] = {}
        self._settled: ChainMap[Node, Any] = ChainMap(self._done, dict(symbols))

    def write(self, node: Node) -> Written | None:
        """`node` as it appears inside another expression: its symbol, or its definition."""
        if node.is_input:
            return Written(str(node.name), name_latex(str(node.name)), rank=self.rank(node))
        if node in self.symbols:
            return Written(self.symbols[node], name_latex(self.symbols[node]), rank=self.rank(node))
        if node not in self._done:
            for needed in reachable([node], stop=self._settled):
                if needed not in self._done and needed not in self.symbols:
                    self._done[needed] = self._compose(needed)
        return self._done[node]

    def define(self, node: Node) -> Written | None:
        """How `node` is computed, even if it has a symbol itself."""
        return self._compose(node)

    def _compose(self, node: Node) -> Written | None:
        if node.is_constant:
            return write_constant(node)
        if node.op is None:
            return self.write(node)
        parts = [self.write(x) for x in node.inputs]
        texts = [part for part in parts if part is not None]
        if len(texts) < len(parts) or sum(len(part.text) for part in texts) > self.longest:
            return None
        made = node.op.notation(*texts, **node.attrs)
        if len(made.text) > self.longest:
            return None
        return Written(made.text, made.latex, made.prec, self.rank(node), made.latex_prec)
