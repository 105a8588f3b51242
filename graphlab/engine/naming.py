"""Names for nodes nobody named: short, without clashes, d and e first as in the lecture."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Literal

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag

LETTERS = "d e g h k m n p q r s t u v w z".split()


def name_all(dag: Dag, given: Mapping[Node, str]) -> dict[Node, str]:
    """`given` completed: every operation gets a name that no input, no other node and no constant e or pi uses."""
    names = {node: name for node, name in given.items() if node.op is not None or node.is_constant}
    taken = {*dag.inputs, *given.values(), *_letters_of_constants(dag)}
    free = unused(taken)
    for node in dag.nodes:
        if node.op is None or node in names:
            continue
        if node is dag.output:
            names[node] = next(name for name in itertools.chain(["L", "y"], free) if name not in taken)
        else:
            names[node] = next(free)
        taken.add(names[node])
    return names


def unused(taken: set[str]) -> Iterator[str]:
    """d, e, g, … z, then d_1, e_1, …; none that stands in `taken` (which may grow meanwhile)."""
    for round_number in itertools.count():
        for letter in LETTERS:
            name = f"{letter}_{round_number}" if round_number else letter
            if name not in taken:
                yield name


def accented_name(name: str, accent: Literal["bar", "dot"], taken: set[str]) -> str:
    """The name of a node's gradient, x_bar, or tangent, x_dot; x_bar_2 … if that is taken. Primes go last: x_bar'."""
    base = name.rstrip("'")
    primes = name[len(base) :]
    candidates = itertools.chain(
        [f"{base}_{accent}{primes}"], (f"{base}_{accent}_{number}{primes}" for number in itertools.count(2))
    )
    chosen = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(chosen)
    return chosen


def _letters_of_constants(dag: Dag) -> set[str]:
    literals = {node.attrs.get("literal") for node in dag.nodes if node.is_constant}
    return {literal for literal in literals if literal and literal[0].isalpha()}
