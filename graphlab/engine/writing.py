"""Writing nodes as text and LaTeX: a fold in which named nodes stay symbols. `measure` says how long that would be."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.engine.core import OPS, Node
from graphlab.engine.dag import reachable
from graphlab.engine.notation import Prec, Written, array, literal_latex, name_latex
from graphlab.engine.shapes import Shape

LONGEST = 20_000
LARGEST = 400  # numbers of an array that LaTeX writes out
TALL = (r"\frac", r"\begin")  # what makes brackets grow
PRODUCTS = ("mul", "chain")
FIRST_SIGN = 0xF0000  # of those that Unicode leaves free


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
    """A number as typed."""
    latex = literal_latex(text)
    prec = Prec.PREFIX if text.startswith("-") else Prec.ATOM
    return Written(text, latex, prec, latex_prec=None if latex == text else Prec.PRODUCT)


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
    return Written(f"[{', '.join(entry.text for entry in entries)}]", latex, shape=value.shape)


def short_name(node: Node, name: str) -> str:
    """What `node`, whose one name in the graph is `name`, is called among the nodes of its scope."""
    return str(node.attrs.get("symbol") or name) if node.op is None else str(node.name or name)


def symbol_latex(node: Node, name: str) -> str:
    r"""A node's name in LaTeX: the short one, with the number of its layer where that tells it apart: W_Q^{(3)}."""
    return short_latex(short_name(node, name), name, node.scope)


def short_latex(short: str, name: str, scope: str) -> str:
    """`symbol_latex` of the node in `scope` whose one name is `name`, and which is called `short` there."""
    if short == name or not scope:
        return name_latex(name)
    layers = [part for part in scope.split(".") if part.isdigit()]
    return name_latex(short) + (f"^{{({layers[-1]})}}" if layers else "")


class Writer:
    """Writes nodes of one graph. `symbols` says which nodes are written by name inside other expressions.

    `shape` gives a node's shape, where it is known. An expression longer than `longest` characters is None.
    """

    def __init__(
        self,
        symbols: Mapping[Node, str],
        shape: Callable[[Node], Shape | None] = lambda node: None,
        longest: int = LONGEST,
    ) -> None:
        self.symbols = symbols
        self.shape = shape
        self.longest = longest
        self._done: dict[Node, Written | None] = {}
        self._settled: ChainMap[Node, Any] = ChainMap(self._done, dict(symbols))

    def write(self, node: Node) -> Written | None:
        """`node` as it appears inside another expression: its symbol, or its definition."""
        if node.is_input:
            return self._symbol(node, str(node.name))
        if node in self.symbols:
            return self._symbol(node, self.symbols[node])
        if node not in self._done:
            for needed in reachable([node], stop=self._settled):
                if needed not in self._done and needed not in self.symbols:
                    self._done[needed] = self._compose(needed)
        return self._done[node]

    def _symbol(self, node: Node, name: str) -> Written:
        return Written(name, symbol_latex(node, name), shape=self.shape(node) or ())

    def define(self, node: Node) -> Written | None:
        """How `node` is computed, even if it has a symbol itself."""
        return self._compose(node)

    def shown(self, node: Node) -> Node:
        """What is written for `node`: itself, or another operation on nodes under it that has its value."""
        return node

    def _compose(self, node: Node) -> Written | None:
        node = self.shown(node)
        parts = [self.write(x) for x in node.inputs]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or sum(len(part.text) for part in known) > self.longest:
            return None
        made = self.compose(node, known)
        return made if len(made.text) <= self.longest or node.op is None else None

    def compose(self, node: Node, parts: Sequence[Written]) -> Written:
        """`node` on inputs that are written so."""
        if node.op is None:
            return write_constant(node) if node.is_constant else self._symbol(node, str(node.name))
        return replace(node.op.notation(*parts, **node.attrs), shape=self.shape(node) or ())


class FormulaWriter(Writer):
    """Writes formulas to be read, where the value counts and not the order of the products: 2*a*b stands for 2*(a*b),
    -a*b for -(a*b), and a/b for a*(1/b)."""

    def shown(self, node: Node) -> Node:
        if node.op is None or node.op.name not in PRODUCTS:
            return node
        a, inverse = node.inputs
        if inverse.op is not OPS["div"] or inverse in self.symbols or not is_one(inverse.inputs[0]):
            return node
        return inverse.op.node(a, inverse.inputs[1])

    def compose(self, node: Node, parts: Sequence[Written]) -> Written:
        last = parts[-1] if parts else None
        if last is None or last.prec is not Prec.PRODUCT or not self._is_joined(node):
            return super().compose(node, parts)
        made = super().compose(node, [*parts[:-1], replace(last, prec=Prec.PREFIX, latex_prec=Prec.PREFIX)])
        return replace(made, latex_prec=last.latex_prec) if last.latex_prec is Prec.ENTRYWISE else made

    def _is_joined(self, node: Node) -> bool:
        """Whether a product in the last place needs no brackets."""
        if node.op is None or node.op.name not in (*PRODUCTS, "neg"):
            return False
        first, last = node.inputs[0], node.inputs[-1].op
        is_number = first.is_constant and np.ndim(first.value) == 0
        return node.op.name == "neg" or is_number or (last is not None and last.name in (*PRODUCTS, "neg"))


def is_one(node: Node) -> bool:
    return node.is_constant and np.ndim(node.value) == 0 and bool(node.value == 1)


def measure(node: Node, shape: Callable[[Node], Shape | None]) -> int:
    """How many characters the LaTeX of `node` takes, written out, found without writing it: time linear in the graph.

    Every operation is written once, on inputs that stand there as one sign each.
    """
    writer = FormulaWriter({}, shape)
    signs: dict[Node, Written] = {}
    more: dict[Node, int] = {}  # how much longer than its sign a node is
    length = 0
    for needed in reachable([node]):
        shown = writer.shown(needed)
        made = writer.compose(shown, [signs[x] for x in shown.inputs])
        length = len(made.latex) + sum(made.latex.count(signs[x].latex) * more[x] for x in set(shown.inputs))
        signs[needed] = made if needed.op is None else sign_for(made, chr(FIRST_SIGN + len(signs)))
        more[needed] = length - len(signs[needed].latex)
    return length


def sign_for(whole: Written, sign: str) -> Written:
    """A sign that is bracketed as the whole would be: as tall as it, and as negative."""
    start = whole.latex[:1] if whole.latex[:1] in "-0123456789" else ""
    tall = next((word for word in TALL if word in whole.latex), "")
    return replace(whole, text=start + sign, latex=start + sign + tall)
