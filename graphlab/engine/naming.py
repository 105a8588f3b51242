"""Names for nodes nobody named: short, without clashes, d and e first as in the lecture."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag

LONGEST_TRANSPOSED = 8
LETTERS = "d e g h k m n p q r s t u v w z".split()


def name_all(dag: Dag, given: Mapping[Node, str], reserved: Iterable[str] = ()) -> dict[Node, str]:
    """`given` completed: every operation gets a name that no input, no other node and no constant e or pi uses, and
    that is not `reserved`."""
    names = {node: name for node, name in given.items() if node.op is not None or node.is_constant}
    taken = {*dag.inputs, *given.values(), *_letters_of_constants(dag), *reserved}
    free = unused(taken)
    for node in dag.nodes:
        if node.op is None or node in names:
            continue
        if node is dag.output:
            names[node] = next(name for name in itertools.chain(["L", "y"], free) if name not in taken)
        else:
            names[node] = transposed_name(node, names, taken) or next(free)
        taken.add(names[node])
    return names


def transposed_name(node: Node, names: Mapping[Node, str], taken: set[str]) -> str | None:
    """K_T for the transpose of K; None for other operations, or where that is taken or a long name of a scope."""
    if node.op is None or node.op.name != "transpose" or node.scope:
        return None
    (x,) = node.inputs
    name = f"{x.name if x.op is None else names.get(x)}_T"
    return name if len(name) <= LONGEST_TRANSPOSED and name[0].isalpha() and name not in taken else None


def scoped_names(dag: Dag, given: Mapping[Node, str]) -> dict[Node, str]:
    """`given`, and the names that other operations were built with, each made the only one of its kind: Q where one
    node is called so, else encoder_layer_0_attention_self_Q, by its scope."""
    labelled = [n for n in dag.nodes if n.name is not None and n.op is not None and n not in given]
    return {**given, **told_apart(labelled, {*dag.inputs, *given.values()})}


def told_apart(labelled: Sequence[Node], taken: set[str]) -> dict[Node, str]:
    """The names that these nodes were built with, each made the only one of its kind: by its scope, else by a number.
    None of them stands in `taken`, to which they are added."""
    uses = Counter(node.name for node in labelled)
    names: dict[Node, str] = {}
    for node in labelled:
        name = str(node.name)
        if node.scope and (uses[name] > 1 or name in taken):
            name = f"{node.scope}.{name}".replace(".", "_")
        if name in taken:
            name = next(other for i in itertools.count(2) if (other := f"{name}_{i}") not in taken)
        taken.add(name)
        names[node] = name
    return names


def entry_name(name: str, index: tuple[int, ...]) -> str:
    """What an entry is called, counted from 1: W_1_2 is in row 1, column 2. Primes go last: x_1'."""
    base = name.rstrip("'")
    return base + "".join(f"_{i + 1}" for i in index) + name[len(base) :]


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
