"""Simplifying: an expression under all rules of numbers and of arrays."""

from __future__ import annotations

from graphlab.engine.core import Node
from graphlab.engine.inference import Shapes
from graphlab.engine.rewriting import Context, rewritten
from graphlab.engine.rules_of_arrays import ARRAYS
from graphlab.engine.rules_of_numbers import NUMBERS

RULES = (*NUMBERS, *ARRAYS)


def simplify(target: Node, shapes: Shapes | None = None) -> Node:
    """`target` with all rules applied; some rules act only where `shapes` are known."""
    return rewritten(target, {}, RULES, Context(shapes))
