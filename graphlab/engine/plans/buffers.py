"""Memory for steps, chosen before anything runs: when the last reader of an array is done, the next result gets it.

The list of steps says when each cell is read last. So a result may take over an input's memory that nobody needs any
more (softmax in place of the scores), and freed memory goes to the next result of the same size. All arrays are made
once and kept, so a run allocates nothing but what ops without kernels make; and what a run returns is overwritten by
the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.kernels.kernel import Array
from graphlab.engine.plans.steps import Result, Step, Steps


class Action(NamedTuple):
    """A step with its memory: `run(*arrays, *reads)`, what it makes goes to a cell, then some cells are let go."""

    run: Callable[..., Any]
    arrays: tuple[Array, ...]
    reads: tuple[int, ...]
    makes: int | None
    drops: tuple[int, ...]


class Buffers:
    """Binds the steps to memory: `cells` holds the arrays known beforehand, `forward` and `backward` what to do."""

    def __init__(self, steps: Steps) -> None:
        self.number = steps.number
        self.cells: list[Any] = [steps.given.get(cell) for cell in range(steps.count)]
        self.free: dict[int, list[Array]] = {}
        self.memory: dict[int, Array] = {}
        everything = [*steps.forward, *steps.backward]
        self.source = _sources(everything, steps.count)
        self.last = self._last_reads(everything, [steps.output, *steps.gradients])
        actions = [self._bind(i, step) for i, step in enumerate(everything)]
        self.forward = [a for a in actions[: len(steps.forward)] if a is not None]
        self.backward = [a for a in actions[len(steps.forward) :] if a is not None]

    def _last_reads(self, steps: list[Step], kept: Iterable[int]) -> dict[int, int]:
        """For each source the number of the step after which nothing reads it or a view of it."""
        last: dict[int, int] = {}
        for i, step in enumerate(steps):
            last |= dict.fromkeys((self.source[cell] for cell in _touched(step)), i)
        return last | {self.source[cell]: len(steps) for cell in kept}

    def _bind(self, i: int, step: Step) -> Action | None:
        """The step with its memory; None for a view that is known now and stays the same."""
        arrays = tuple(self._place(i, step, result) for result in step.results)
        for result, array in zip(step.results, arrays, strict=True):
            self.cells[result.cell] = array
        known = [self.cells[cell] for cell in step.reads if isinstance(self.cells[cell], np.ndarray)]
        if step.view and step.makes is not None and known:
            shown = step.run(known[0])
            self.cells[step.makes] = shown if np.may_share_memory(shown, known[0]) else None
        run = step.run if step.makes is None or step.view else _apart(step.run, known)
        drops = self._let_go(i, step)
        if step.makes is not None and self.cells[step.makes] is not None:
            return None
        return Action(run, arrays, step.reads, step.makes, drops)

    def _place(self, i: int, step: Step, result: Result) -> Array:
        """Memory for a result: that of a cell that dies here, else freed memory of the same size, else new memory."""
        for cell in result.over:
            array: Array = self.cells[cell]
            if self._may_take(i, step, cell) and array.shape == result.shape:
                self.memory[self.source[result.cell]] = self.memory.pop(self.source[cell])
                return array
        shape, view = result.layout or (result.shape, lambda array: array)
        size = math.prod(shape)
        freed = self.free.get(size)
        array = freed.pop() if freed else np.empty(size, self.number)
        self.memory[self.source[result.cell]] = array
        return view(array.reshape(shape))

    def _may_take(self, i: int, step: Step, cell: int) -> bool:
        """Whether the cell's memory is ours, and this step, by reading this one cell, is the last to need it."""
        source = self.source[cell]
        readers = [c for c in step.reads if self.source[c] == source]
        return source in self.memory and self.last[source] == i and readers == [cell] and self.cells[cell] is not None

    def _let_go(self, i: int, step: Step) -> tuple[int, ...]:
        """Frees the memory that nobody needs after this step; the cells to be emptied, which hold arrays of the run."""
        drops = []
        for cell in _touched(step):
            source = self.source[cell]
            if self.last[source] == i:
                if source in self.memory:
                    array = self.memory.pop(source)
                    self.free.setdefault(array.size, []).append(array)
                if self.cells[cell] is None:
                    drops.append(cell)
        return tuple(drops)


def _sources(steps: list[Step], count: int) -> list[int]:
    """For each cell the one whose entries it shows: its own but for views."""
    source = list(range(count))
    for step in steps:
        if step.view and step.makes is not None:
            source[step.makes] = source[step.reads[0]]
    return source


def _touched(step: Step) -> set[int]:
    """The cells that a step reads or writes."""
    made = () if step.makes is None else (step.makes,)
    return {*step.reads, *made, *(result.cell for result in step.results)}


def _apart(run: Callable[..., Any], kept: list[Array]) -> Callable[..., Any]:
    """The same function, but what it returns does not lie in memory that is used again."""
    if not kept:
        return run

    def apart(*reads: Any) -> Any:
        made = run(*reads)
        return made.copy() if any(np.may_share_memory(made, array) for array in kept) else made

    return apart
