"""A graph of arrays as steps over cells: what is computed in which order, what reads what. No memory is chosen yet.

A cell holds one array and is written once, by one step; so a gradient that a second contribution is added to is a new
cell, which may be given the memory of the old one. Values and gradients alike are cells, and the backward steps simply
follow the forward ones: what may share memory is then one question about one list (see `buffers`).

An op with a kernel becomes a step that fills cells; for any other the record's own functions make an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import typed_constant
from graphlab.engine.inference import Shapes
from graphlab.engine.kernels.kernel import OUTPUT, Array, Kernel, Number, Pull, Sizes, View
from graphlab.engine.plans import calls

Layout = tuple[Sizes, Callable[[Array], Array]]


@dataclass(frozen=True, slots=True)
class Result:
    """A cell that a step fills, and the cells whose memory it may be given if nobody reads them later.

    layout: how it lies in memory, if not in order: a shape, and the view of an array of that shape.
    """

    cell: int
    shape: Sizes
    over: tuple[int, ...] = ()
    layout: Layout | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """`run(*results, *reads)` fills the results; or, if it `makes` a cell, `run(*reads)` returns that cell's array.

    view: what it makes shows the entries of the cell it reads.
    """

    run: Callable[..., Any]
    reads: tuple[int, ...] = ()
    results: tuple[Result, ...] = ()
    makes: int | None = None
    view: bool = False


class Steps:
    """The steps of a graph's forward pass, and those of the backward pass towards the nodes of `wrt`.

    inputs, output, seed, gradients: their cells. given: the cells that no step writes, with the values of constants.
    """

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None:
        self.number = number
        self.shapes = shapes
        self.users = dag.users
        self.count = 0
        self.cells = {node: self._cell() for node in dag.nodes}
        self.kernels = {node: self._kernel(node, node.op) for node in dag.nodes if node.op is not None}
        self.layouts = self._layouts(dag)
        self.saved: dict[Node, tuple[int, ...]] = {}
        self.inputs = [self.cells[node] for node in dag.inputs.values()]
        self.output = self.cells[dag.output]
        self.seed = self._cell()
        self.given: dict[int, Any] = dict.fromkeys([*self.inputs, self.seed])
        self.given |= {self.cells[n]: typed_constant(n.value, number) for n in dag.nodes if n.is_constant}
        self.forward = [self._compute(node, node.op) for node in dag.nodes if node.op is not None]
        self.backward: list[Step] = []
        self.gradients = self._owned(self._pull_back(dag, wrt), wrt)

    def _cell(self) -> int:
        self.count += 1
        return self.count - 1

    def _shape(self, node: Node) -> Sizes:
        return tuple(int(size) for size in self.shapes[node])

    def _kernel(self, node: Node, op: Op) -> Kernel | View | None:
        return op.kernel(self.number, *map(self._shape, node.inputs), **node.attrs) if op.kernel else None

    def _layouts(self, dag: Dag) -> dict[Node, Layout]:
        """For a node that is a view of another: its gradient as the same view of the other's gradient."""
        found: dict[Node, Layout] = {}
        for node in dag.nodes:
            kernel = self.kernels.get(node)
            if isinstance(kernel, View):
                base, inner = found.get(node.inputs[0], (self._shape(node.inputs[0]), _same))
                if _is_view(kernel.there, base, inner):
                    found[node] = base, partial(_after, kernel.there, inner)
        return found

    # ---- forward ---------------------------------------------------------------------------------------------------
    def _compute(self, node: Node, op: Op) -> Step:
        kernel, cell = self.kernels[node], self.cells[node]
        reads = tuple(self.cells[x] for x in node.inputs)
        if isinstance(kernel, View):
            return Step(kernel.there, reads[:1], makes=cell, view=True)
        if kernel is None:
            return Step(partial(calls.value, op, node.attrs, self.number), reads, makes=cell)
        layout = self._layout_for_users(node) if kernel.strided else None
        results = [Result(cell, self._shape(node), tuple(reads[i] for i in kernel.over), layout)]
        for kept in kernel.saved:
            over = () if kept.over is None else (reads[kept.over],)
            results.append(Result(self._cell(), kept.shape, over))
        self.saved[node] = tuple(result.cell for result in results[1:])
        return Step(kernel.forward, reads, tuple(results))

    def _layout_for_users(self, node: Node) -> Layout | None:
        """The layout in which a user's view of this node is one, where it would have to copy otherwise."""
        for user in self.users[node]:
            kernel = self.kernels[user]
            if isinstance(kernel, View) and not _is_view(kernel.there, self._shape(node), _same):
                return self._shape(user), kernel.back
        return None

    # ---- backward --------------------------------------------------------------------------------------------------
    def _pull_back(self, dag: Dag, wrt: Sequence[Node]) -> dict[Node, int]:
        """Appends the backward steps; returns the cells of the gradients, as in `engine.reverse.pullback`."""
        active = reaching(dag, wrt)
        slots = {dag.output: self.seed}
        for user in reversed(dag.nodes):
            if user.op is None or user not in slots or user not in active:
                continue
            for argument in self._arguments(user, user.op):
                if user.inputs[argument] in active:
                    self._send(user, user.op, argument, slots)
        return slots

    def _arguments(self, user: Node, op: Op) -> Iterator[int]:
        """Where gradients go, those last that may take over the memory of what arrived."""
        order = sorted(_positions(user), key=lambda i: (pull := self._pull(user, i)) is not None and pull.over)
        return (i for i in order if op.sends_to(i))

    def _pull(self, user: Node, argument: int) -> Pull | None:
        kernel = self.kernels[user]
        return kernel.pulls[argument] if isinstance(kernel, Kernel) else None

    def _send(self, user: Node, op: Op, argument: int, slots: dict[Node, int]) -> None:
        """One edge: a contribution to the input's slot."""
        kernel, node, g = self.kernels[user], user.inputs[argument], slots[user]
        pull = self._pull(user, argument)
        earlier = slots.get(node)
        if pull is not None and pull.adds:
            slots[node] = self._add_into(earlier, user, node, pull, g)
            return
        if isinstance(kernel, View):
            sent = self._make(kernel.back, (g,), view=True)
        elif pull is None:
            sent = self._make(self._rule(user, op, argument), (g, *self._cells_of(user, (OUTPUT, *_positions(user)))))
        elif pull.alias:
            sent = g
        else:
            over = (g,) if pull.over else ()
            sent = self._fill(pull.run, (g, *self._asked(user, pull)), node, over, pull.strided)
        slots[node] = sent if earlier is None else self._fill(calls.add, (earlier, sent), node, (earlier, sent), True)

    def _add_into(self, earlier: int | None, user: Node, node: Node, pull: Pull, g: int) -> int:
        reads = (g, *self._asked(user, pull))
        if earlier is None:
            return self._fill(partial(calls.from_zero, pull.run), reads, node)
        return self._fill(partial(calls.from_earlier, pull.run), (earlier, *reads), node, (earlier,))

    def _asked(self, user: Node, pull: Pull) -> tuple[int, ...]:
        return (*self.saved[user], *self._cells_of(user, pull.read))

    def _cells_of(self, user: Node, read: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.cells[user if i == OUTPUT else user.inputs[i]] for i in read)

    def _rule(self, user: Node, op: Op, argument: int) -> Callable[..., Any]:
        like = np.broadcast_to(self.number(0), self._shape(user.inputs[argument]))
        return partial(calls.contribution, op, argument, user.attrs, like)

    def _fill(
        self, run: Any, reads: tuple[int, ...], node: Node, over: tuple[int, ...] = (), strided: bool = False
    ) -> int:
        """A step that fills a gradient of `node`; its cell."""
        layout = self.layouts.get(node) if strided else None
        result = Result(self._cell(), self._shape(node), over, layout)
        self.backward.append(Step(run, reads, (result,)))
        return result.cell

    def _make(self, run: Any, reads: tuple[int, ...], view: bool = False) -> int:
        cell = self._cell()
        self.backward.append(Step(run, reads, makes=cell, view=view))
        return cell

    def _owned(self, slots: dict[Node, int], wrt: Sequence[Node]) -> list[int]:
        """The cells of the gradients asked for: memory of their own each, zeros where nothing arrived."""
        filled = {result.cell for step in self.backward for result in step.results}
        cells: list[int] = []
        for node in wrt:
            cell = slots.get(node)
            if cell is None:
                cell = self._fill(calls.zero, (), node)
            elif cell not in filled or cell in cells:
                cell = self._fill(np.copyto, (cell,), node)
            cells.append(cell)
        return cells


def reaching(dag: Dag, wrt: Sequence[Node]) -> set[Node]:
    """`wrt` and the nodes from which a gradient flows there."""
    active = set(wrt)
    for node in dag.nodes:
        if node.op is not None and any(x in active and node.op.sends_to(i) for i, x in enumerate(node.inputs)):
            active.add(node)
    return active


# ---- layouts -------------------------------------------------------------------------------------------------------
def _positions(user: Node) -> range:
    return range(len(user.inputs))


def _same(array: Array) -> Array:
    return array


def _after(there: Callable[[Array], Array], inner: Callable[[Array], Array], array: Array) -> Array:
    return there(inner(array))


def _is_view(there: Callable[[Array], Array], base: Sizes, inner: Callable[[Array], Array]) -> bool:
    """Whether `there` of an array that lies so copies nothing."""
    probe = np.empty(base, np.bool_)
    return np.may_share_memory(there(inner(probe)), probe)
