"""Shape inference: one fold over a finished graph gives every node a shape or a fault, and never stops midway.

So a broken graph still draws, with its fault marked. Without values, an input that is an operand of @, .T, softmax and
the like is taken as a matrix with named sizes, ids as a vector, and every other input as a scalar; sizes that must
agree then share a name.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.places import at_node
from graphlab.engine.shapes import Dim, Shape
from graphlab.errors import GraphLabError, ShapeError

# Which inputs of which ops are matrices, when nothing else is said about them.
MATRIX_INPUTS: dict[str, tuple[int, ...]] = {
    **{"matmul": (0, 1), "linear": (0, 1), "outer": (0, 1), "attention": (0, 1, 2), "masked_attention": (0, 1, 2, 3)},
    **dict.fromkeys(("transpose", "causal_mask", "lower_triangle", "embedding", "cross_entropy"), (0,)),
    **dict.fromkeys(("softmax", "log_softmax", "logsumexp", "layer_norm", "split_heads", "sinusoids"), (0,)),
}
VECTOR_INPUTS: dict[str, tuple[int, ...]] = {"padding_mask": (0,)}
SIZE_NAMES = ("n", "d", "m", "k", "p", "q", "r", "s")


class Shapes:
    """Shapes of nodes, found on demand. `faults` holds the first error of each node that cannot have one. Those of
    the inputs in `guessed` may be others once there are values."""

    def __init__(self, inputs: Mapping[Node, Shape], guessed: Collection[Node] = ()) -> None:
        self.guessed = frozenset(guessed)
        self._known: dict[Node, Shape | None] = dict(inputs)
        self.faults: dict[Node, GraphLabError] = {}

    def __getitem__(self, node: Node) -> Shape:
        """The node's shape; raises the error of the node at fault."""
        shape = self.get(node)
        if shape is None:
            raise self.faults[node] if node in self.faults else next(iter(self.faults.values()))
        return shape

    def size_names(self, nodes: Iterable[Node]) -> set[str]:
        """The names of sizes in the shapes of these nodes."""
        return {dim for node in nodes for dim in self.get(node) or () if isinstance(dim, str)}

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
            self.faults[node] = at_node(fault, node)
            return None


def infer_shapes(dag: Dag, inputs: Mapping[str, Shape]) -> Shapes:
    """The shapes of `dag` when its inputs have these, or else the declared ones; all others are guessed from their
    use."""
    inputs = {**declared_shapes(dag), **inputs}
    guessed = {node: rank for name, node in dag.inputs.items() if name not in inputs and (rank := _rank(node, dag))}
    given: dict[Node, Shape] = {node: inputs.get(name, ()) for name, node in dag.inputs.items() if node not in guessed}
    fresh = (f"?{i}" for i in itertools.count())
    for node, rank in guessed.items():
        given[node] = tuple(itertools.islice(fresh, rank))
    while True:
        shapes = Shapes(given)
        shapes.complete(dag)
        open_dims = {dim for shape in given.values() for dim in shape if _is_open(dim)}
        faults = [fault for fault in shapes.faults.values() if isinstance(fault, ShapeError)]
        found = (_unify(fault.differ, open_dims) for fault in faults if fault.differ)
        clash = next((pair for pair in found if pair), None)
        if clash is None:
            break
        old, new = clash
        given = {node: tuple(new if dim == old else dim for dim in shape) for node, shape in given.items()}
    return _with_size_names(dag, given, [node for name, node in dag.inputs.items() if name not in inputs])


def guessed_arrays(dag: Dag, inputs: Iterable[str]) -> list[str]:
    """The names that inference takes as matrices, or ids as vectors, because nothing is said about them."""
    said = {*declared_shapes(dag), *inputs}
    return [name for name, node in dag.inputs.items() if name not in said and _rank(node, dag)]


def declared_shapes(dag: Dag) -> dict[str, Shape]:
    """The shapes that inputs were built with."""
    return {name: node.attrs["declared"] for name, node in dag.inputs.items() if "declared" in node.attrs}


def shapes_of_values(dag: Dag, values: Mapping[Node, Any]) -> Shapes:
    """The shapes that go with these values of the inputs."""
    shapes = Shapes({node: np.shape(values[node]) for node in dag.inputs.values()})
    shapes.complete(dag)
    return shapes


def _rank(node: Node, dag: Dag) -> int:
    """2 for an operand of an op on matrices, 1 for ids and other vectors, else 0."""
    slots = [(user.op, i) for user in dag.users[node] if user.op for i, x in enumerate(user.inputs) if x is node]
    if any(i in MATRIX_INPUTS.get(op.name, ()) for op, i in slots):
        return 2
    return 1 if any(i in op.ids or i in VECTOR_INPUTS.get(op.name, ()) for op, i in slots) else 0


def _is_open(dim: Dim) -> bool:
    return str(dim).startswith("?")


def _unify(differ: tuple[Dim, Dim], open_dims: Collection[Dim]) -> tuple[Dim, Dim] | None:
    """A working name and the size it must be for these two to agree: ?1/2 and ?3/2 do if ?1 is ?3."""
    (a, _, part_a), (b, _, part_b) = (str(dim).partition("/") for dim in differ)
    one, other = (a, b) if part_a == part_b != "" else differ
    if one in open_dims:
        return one, other
    return (other, one) if other in open_dims else None


def _with_size_names(dag: Dag, given: Mapping[Node, Shape], guessed: Collection[Node]) -> Shapes:
    """Replace the working names ?0, ?1 … by n, d, m, k … in order of appearance."""
    taken = {dim for shape in given.values() for dim in shape if isinstance(dim, str)} | set(dag.inputs)
    free = (name for name in itertools.chain(SIZE_NAMES, (f"n_{i}" for i in itertools.count(1))) if name not in taken)
    names: dict[int | str, str] = {}
    for shape in given.values():
        for dim in shape:
            if _is_open(dim) and dim not in names:
                names[dim] = next(free)
    shapes = Shapes({node: tuple(names.get(dim, dim) for dim in shape) for node, shape in given.items()}, guessed)
    shapes.complete(dag)
    return shapes
