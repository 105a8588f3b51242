"""Shape inference: one fold over a finished graph gives every node a shape or a fault, and never stops midway.

So a broken graph still draws, with its fault marked. Without values, an input that is an operand of @, .T, softmax and
the like is taken as a matrix with named sizes, ids as a vector, and every other input as a scalar; sizes that must
agree then share a name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.shapes import Shape
from graphlab.errors import ShapeError

# Which inputs of which ops are matrices, when nothing else is said about them.
MATRIX_INPUTS: dict[str, tuple[int, ...]] = {
    **{"matmul": (0, 1), "outer": (0, 1), "attention": (0, 1, 2), "masked_attention": (0, 1, 2, 3)},
    **dict.fromkeys(("transpose", "causal_mask", "lower_triangle", "embedding", "cross_entropy"), (0,)),
    **dict.fromkeys(("softmax", "log_softmax", "logsumexp", "layer_norm"), (0,)),
}
SIZE_NAMES = ("n", "d", "m", "k", "p", "q", "r", "s")


class Shapes:
    """Shapes of nodes, found on demand. `faults` holds the first error of each node that cannot have one."""

    def __init__(self, inputs: Mapping[Node, Shape]) -> None:
        self._known: dict[Node, Shape | None] = dict(inputs)
        self.faults: dict[Node, ShapeError] = {}

    def __getitem__(self, node: Node) -> Shape:
        """The node's shape; raises the ShapeError of the node at fault."""
        shape = self.get(node)
        if shape is None:
            raise self.faults[node] if node in self.faults else next(iter(self.faults.values()))
        return shape

    def declare(self, node: Node, shape: Shape) -> None:
        """Say what shape an input made later has."""
        self._known[node] = shape

    def complete(self, dag: Dag) -> None:
        """Infer every node of `dag` now, so that `faults` is complete."""
        for node in dag.nodes:
            self.get(node)

    def rank(self, node: Node) -> int:
        """How many axes the node has; 0 where that is unknown."""
        return len(self.get(node) or ())

    def get(self, node: Node) -> Shape | None:
        """The node's shape, or None if it, or something it needs, is at fault."""
        if node not in self._known:
            for needed in reachable([node], stop=self._known):
                if needed not in self._known:
                    self._known[needed] = self._infer(needed)
        return self._known[node]

    def _infer(self, node: Node) -> Shape | None:
        if node.op is None:
            return np.shape(node.value) if node.is_constant else ()
        shapes = [self._known[x] for x in node.inputs]
        if any(shape is None for shape in shapes):
            return None
        try:
            return node.op.shape(*shapes, **node.attrs)
        except ShapeError as fault:
            self.faults[node] = fault
            return None


def infer_shapes(dag: Dag, inputs: Mapping[str, Shape]) -> Shapes:
    """The shapes of `dag` when its inputs have these; inputs not named are guessed from their use."""
    guessed = {node: rank for name, node in dag.inputs.items() if name not in inputs and (rank := _rank(node, dag))}
    given: dict[Node, Shape] = {node: inputs.get(name, ()) for name, node in dag.inputs.items() if node not in guessed}
    fresh = (f"?{i}" for i in itertools.count())
    for node, rank in guessed.items():
        given[node] = tuple(itertools.islice(fresh, rank))
    while True:
        shapes = Shapes(given)
        shapes.complete(dag)
        clash = next((f.differ for f in shapes.faults.values() if f.differ and _is_open(f.differ)), None)
        if clash is None:
            break
        old, new = clash if str(clash[0]).startswith("?") else clash[::-1]
        given = {node: tuple(new if dim == old else dim for dim in shape) for node, shape in given.items()}
    return _with_size_names(dag, given)


def guessed_arrays(dag: Dag, inputs: Iterable[str]) -> list[str]:
    """The names that inference takes as matrices, or ids as vectors, because nothing is said about them."""
    said = set(inputs)
    return [name for name, node in dag.inputs.items() if name not in said and _rank(node, dag)]


def shapes_of_values(dag: Dag, values: Mapping[Node, Any]) -> Shapes:
    """The shapes that go with these values of the inputs."""
    shapes = Shapes({node: np.shape(values[node]) for node in dag.inputs.values()})
    shapes.complete(dag)
    return shapes


def _rank(node: Node, dag: Dag) -> int:
    """2 for an operand of an op on matrices, 1 for ids, else 0."""
    slots = [(user.op, i) for user in dag.users[node] if user.op for i, x in enumerate(user.inputs) if x is node]
    if any(i in MATRIX_INPUTS.get(op.name, ()) for op, i in slots):
        return 2
    return 1 if any(i in op.ids for op, i in slots) else 0


def _is_open(pair: tuple[int | str, int | str]) -> bool:
    return any(str(dim).startswith("?") for dim in pair)


def _with_size_names(dag: Dag, given: Mapping[Node, Shape]) -> Shapes:
    """Replace the working names ?0, ?1 … by n, d, m, k … in order of appearance."""
    taken = {dim for shape in given.values() for dim in shape if isinstance(dim, str)} | set(dag.inputs)
    free = (name for name in itertools.chain(SIZE_NAMES, (f"n_{i}" for i in itertools.count(1))) if name not in taken)
    names: dict[int | str, str] = {}
    for shape in given.values():
        for dim in shape:
            if str(dim).startswith("?") and dim not in names:
                names[dim] = next(free)
    shapes = Shapes({node: tuple(names.get(dim, dim) for dim in shape) for node, shape in given.items()})
    shapes.complete(dag)
    return shapes
