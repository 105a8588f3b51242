"""What the words of the language mean: signs, functions (from the op records) and constants.

A function is a name with the ops it may stand for, told apart by the number of inputs: max(x) reduces, max(a, b) picks
the larger. The table is derived from `core.OPS`, so an op that is registered can be typed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from graphlab.engine.core import OPS, Op
from graphlab.engine.notation import GREEK, Prec
from graphlab.engine.ops import arithmetic, comparison, linalg

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
WRITTEN_WITH_SIGNS = frozenset(op for op, _ in INFIX.values()) | {arithmetic.neg, arithmetic.chain}
NUMBER_LETTERS = {"e": math.e, "pi": math.pi}

# Functions of the language whose ops are still to come. Registering an op takes it off this list.
PLANNED = frozenset(
    "expm1 log1p tan asin acos atan sinh cosh elu softplus silu gelu erf softmax log_softmax logsumexp min prod var "
    "norm clip concat reshape causal_mask attention layer_norm embedding cross_entropy CE bce BCE bce_with_logits mse "
    "MSE scatter_add".split()
)


@dataclass(frozen=True, slots=True)
class Function:
    """A name that can be called, and the ops it stands for."""

    name: str
    ops: tuple[Op, ...]

    def pick(self, count: int) -> Op | None:
        """The op that takes `count` inputs."""
        for op in self.ops:
            if op.arity - len(op.defaults) <= count <= op.arity:
                return op
        return None

    @property
    def nests(self) -> bool:
        """Whether f(a, b, c) is f(f(a, b), c): a reduction and the op of two inputs share the name."""
        return {op.arity for op in self.ops} >= {1, 2}

    @property
    def takes(self) -> str:
        """The numbers of inputs, in words."""
        counts = sorted({n for op in self.ops for n in range(op.arity - len(op.defaults), op.arity + 1)})
        return " or ".join(map(str, counts)) + (" input" if counts == [1] else " inputs")


def function_called(name: str) -> Function | None:
    """The function of that name or alias; underscores in it may be left out."""
    return _functions(tuple(OPS.values())).get(name)


def is_function(name: str) -> bool:
    """Whether the word alone means a function, so that it cannot name an input. A Greek letter can."""
    return function_called(name) is not None and not is_letter(name)


def is_planned(name: str) -> bool:
    """Whether the language has this function but graphlab cannot compute it yet."""
    return name in _planned_spellings and function_called(name) is None


def function_names() -> list[str]:
    """All names of functions, those still to come among them."""
    return sorted({*_functions(tuple(OPS.values())), *PLANNED})


def is_letter(name: str) -> bool:
    """A Greek letter, which is a function only before a bracket: sigma is also a deviation."""
    return name in GREEK


def _spellings(name: str) -> tuple[str, str]:
    return name, name.replace("_", "")


_planned_spellings = frozenset(spelling for name in PLANNED for spelling in _spellings(name))


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
    return table
