"""Terms: the parts of a formula as typed, names and calls not yet resolved. `in_order` walks them without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from graphlab.engine.core import Op
from graphlab.language.literals import Rows


@dataclass(slots=True, eq=False)
class Number:
    """A literal as typed, with the minus that belongs to it; or e or pi."""

    position: int
    text: str
    inputs: tuple[Term, ...] = ()


@dataclass(slots=True, eq=False)
class Array:
    """A vector or matrix of literals."""

    position: int
    rows: Rows
    inputs: tuple[Term, ...] = ()


@dataclass(slots=True, eq=False)
class Name:
    """A name that stands for a value."""

    position: int
    text: str
    inputs: tuple[Term, ...] = ()


@dataclass(slots=True, eq=False)
class Operation:
    """An op written with a sign, which stands at `position`. `is_open`: a product whose kind the shapes decide."""

    position: int
    op: Op
    inputs: tuple[Term, ...]
    is_open: bool = False


@dataclass(slots=True, eq=False)
class Call:
    """A call of a function, known or the learner's. Options have a value and a position each."""

    position: int
    name: str
    inputs: tuple[Term, ...]
    options: dict[str, tuple[object, int]] = field(default_factory=dict)


Term = Number | Array | Name | Operation | Call


def in_order(root: Term) -> Iterator[Term]:
    """Every term below `root`, each after its inputs, from left to right."""
    stack = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if ready or not term.inputs:
            yield term
        else:
            stack.append((term, True))
            stack.extend((x, False) for x in reversed(term.inputs))
