"""Writing nodes as text and LaTeX: a fold in which named nodes stay symbols."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import reachable
from graphlab.engine.notation import Prec, Written, name_latex

LONGEST = 20_000


def write_number(value: float) -> Written:
    """A number as the formula language reads it back, to the last bit."""
    text = repr(float(value))
    if text.endswith(".0") and "e" not in text:
        text = text[:-2]
    mantissa, _, exponent = text.partition("e")
    latex = mantissa
    prec = Prec.PREFIX if text.startswith("-") else Prec.ATOM
    latex_prec = prec
    if exponent:
        latex = rf"{mantissa.removesuffix('.0')} \cdot 10^{{{int(exponent)}}}"
        latex_prec = Prec.PRODUCT
        text = f"{mantissa}e{int(exponent)}"
    return Written(text, latex, prec, latex_prec=latex_prec)


def write_constant(node: Node) -> Written:
    """A literal as it was typed, or the shortest that reads back the same."""
    literal, value = node.attrs.get("literal"), node.value
    if literal is not None:
        if literal[0].isalpha():
            return Written(literal, name_latex(literal))
        if "e" not in literal.lower():
            return Written(literal, literal, Prec.PREFIX if literal.startswith("-") else Prec.ATOM)
        return Written(literal, write_number(value).latex, latex_prec=Prec.PRODUCT)
    if isinstance(value, np.ndarray) and value.shape:
        rows = [write_constant_entry(x) for x in value]
        return Written(f"[{', '.join(r.text for r in rows)}]", array_latex(value), rank=value.ndim)
    if isinstance(value, bool):
        return Written(str(value).lower(), rf"\mathrm{{{str(value).lower()}}}")
    return write_number(float(value))


def write_constant_entry(value: Any) -> Written:
    """One entry of an array constant: a number, or a row again."""
    if isinstance(value, np.ndarray) and value.shape:
        return Written(f"[{', '.join(write_constant_entry(x).text for x in value)}]", "")
    return write_number(float(value))


def array_latex(value: np.ndarray[Any, Any]) -> str:
    """A vector as a row, a matrix as rows; large ones by their shape."""
    if value.size > 64 or value.ndim > 2:
        size = r" \times ".join(map(str, value.shape))
        return rf"[\,{size}\,]"
    rows = value.reshape(-1, value.shape[-1])
    inner = r" \\ ".join(" & ".join(write_number(float(x)).latex for x in row) for row in rows)
    return rf"\begin{{pmatrix}} {inner} \end{{pmatrix}}"


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
