"""What the words of the language mean: signs, functions (from the op records) and constants.

A function is a name with the ops it may stand for, told apart by the number of inputs: max(x) reduces, max(a, b) picks
the larger. The table is derived from `core.OPS`, so an op that is registered can be typed. A reduction has two further
names: rowsum adds up every row, colsum every column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphlab.engine.axis_notation import COLUMNS, ROWS
from graphlab.engine.core import OPS, Op
from graphlab.engine.notation import GREEK, Prec, Written, operator
from graphlab.engine.ops import arithmetic, comparison, linalg, reduction, stacking
from graphlab.language import limits

INFIX: dict[str, tuple[Op, Prec]] = {
    "<": (comparison.less, Prec.COMPARISON),
    ">": (comparison.greater, Prec.COMPARISON),
    "<=": (comparison.less_equal, Prec.COMPARISON),
    ">=": (comparison.greater_equal, Prec.COMPARISON),
    "==": (comparison.equal, Prec.COMPARISON),
    "!=": (comparison.not_equal, Prec.COMPARISON),
    "+": (arithmetic.add, Prec.SUM),
    "-": (arithmetic.sub, Prec.SUM),
    "*": (arithmetic.mul, Prec.PRODUCT),
    "/": (arithmetic.div, Prec.PRODUCT),
    "@": (linalg.matmul, Prec.PRODUCT),
    "^": (arithmetic.pow, Prec.POWER),
}
WRITTEN_WITH_SIGNS = frozenset(op for op, _ in INFIX.values()) | {arithmetic.neg, arithmetic.chain, stacking.stack}
# Signs of the LaTeX notation: the product whose kind the shapes decide, and the outer product, in text outer(u, v).
INFIX |= {"·": (arithmetic.mul, Prec.PRODUCT), "⊗": (linalg.outer, Prec.PRODUCT)}
NUMBER_LETTERS = {"e": math.e, "pi": math.pi}


@dataclass(frozen=True, slots=True)
class Function:
    """A name that can be called, the ops it stands for, and the options that the name itself says."""

    name: str
    ops: tuple[Op, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def pick(self, count: int) -> Op | None:
        """The op that takes `count` inputs."""
        return next((op for op in self.ops if count in accepted(op)), None)

    @property
    def nests(self) -> bool:
        """Whether f(a, b, c) is f(f(a, b), c): a reduction and the op of two inputs share the name."""
        return {op.arity for op in self.ops} >= {1, 2}

    @property
    def takes(self) -> str:
        """The numbers of inputs, in words."""
        if any(op.arity is None for op in self.ops):
            return "1 input or more"
        counts = sorted({n for op in self.ops for n in accepted(op)})
        return " or ".join(map(str, counts)) + (" input" if counts == [1] else " inputs")


def accepted(op: Op) -> range:
    """The numbers of inputs that may be given to an op."""
    return range(1, limits.TOKENS) if op.arity is None else range(op.arity - len(op.defaults), op.arity + 1)


def function_called(name: str) -> Function | None:
    """The function of that name or alias; underscores in it may be left out."""
    return _functions(tuple(OPS.values())).get(name)


def function_at(text: str, position: int) -> tuple[str, int] | None:
    r"""The function whose LaTeX starts here as its op writes it, \operatorname{Var}, and where that ends."""
    if not text.startswith(r"\operatorname", position):
        return None
    pattern, names = _operators(tuple(OPS.values()))
    found = pattern.match(text, position)
    return (names[found.group()], found.end()) if found else None


def is_function(name: str) -> bool:
    """Whether the word alone means a function, so that it cannot name an input. A Greek letter can."""
    return function_called(name) is not None and not is_letter(name)


def function_names() -> list[str]:
    """All names of functions."""
    return sorted(_functions(tuple(OPS.values())))


def is_letter(name: str) -> bool:
    """A Greek letter, which is a function only before a bracket: sigma is also a deviation."""
    return name in GREEK


def _spellings(name: str) -> tuple[str, str]:
    return name, name.replace("_", "")


@lru_cache(maxsize=4)
def _operators(ops: tuple[Op, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    names = {operator(name): name for name in (*(op.call_name for op in ops), *(f.name for f in _along_axes(ops)))}
    for op in ops:
        head, bracket, _ = op.notation(*[Written("x", "x")] * (op.arity or 1)).latex.partition("(")
        if bracket and head.startswith(r"\operatorname"):
            names.setdefault(head, op.call_name)
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(map(re.escape, longest_first))})(?![_a-z])"), names


@lru_cache(maxsize=4)
def _functions(ops: tuple[Op, ...]) -> dict[str, Function]:
    by_name: dict[str, list[Op]] = {}
    for op in ops:
        if op not in WRITTEN_WITH_SIGNS:
            by_name.setdefault(op.call_name, []).append(op)
    table: dict[str, Function] = {}
    for name, sharing in by_name.items():
        function = Function(name, tuple(sharing))
        for alias in (name, *(alias for op in sharing for alias in op.aliases)):
            for spelling in _spellings(alias):
                table.setdefault(spelling, function)
    return table | {function.name: function for function in _along_axes(ops)}


def _along_axes(ops: tuple[Op, ...]) -> Iterator[Function]:
    """rowsum, colsum, rowmean, …"""
    for op in ops:
        if op.options == reduction.REDUCTION:
            yield Function(f"row{op.call_name}", (op,), ROWS)
            yield Function(f"col{op.call_name}", (op,), COLUMNS)
