"""Wide graphs of single numbers: all nodes of one level and op at once, as arrays (see `wiring`).

Forward, the record of an op is called once a group; backward, its partials are, and what they send is added up at the
numbers of the inputs.

Backward, 0 · ∞ may give nan where nothing should be sent (see `chain`). A nan is never lost on its way to the inputs;
so if none arrives the answer stands, else the pass runs again with the chain rule's own product.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphlab.engine.core import Node, Rule, careful_rules
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.arithmetic import add, chain_product
from graphlab.engine.plans.runner import Number
from graphlab.engine.plans.wiring import Group, Integers, Wiring, wiring

Vector = np.ndarray[Any, Any]
Product = Callable[[Any, Any], Any]
DENSE = 4


class Target(NamedTuple):
    """Where what a group sends along one argument goes: the numbers `where`, each of them once and from here alone if
    `alone`, else from `first` to before `last`, close together if those are given."""

    where: Any
    alone: bool
    first: int
    last: int

    def receive(self, slots: Vector, amount: Any) -> None:
        """Put `amount` into the slots, or add it where there are several."""
        if self.alone:
            slots[self.where] = amount
            return
        amount = np.broadcast_to(amount, self.where.shape)
        if self.last - self.first > DENSE * self.where.size:
            np.add.at(slots, self.where, amount)
        else:
            near = np.bincount((self.where - self.first).ravel(), amount.ravel(), self.last - self.first)
            slots[self.first : self.last] += near


class Step(NamedTuple):
    """A group ready to run. `sends`: the rule and the target of each argument that gets a gradient; a sum's terms have
    no rule, for each gets what arrives."""

    group: Group
    inputs: list[Any]
    sends: list[tuple[Rule | None, Target]]

    def compute(self, values: Vector) -> Any:
        """The values of the group's nodes."""
        if self.group.op is add:
            return in_turn(values[self.group.inputs])
        return self.group.op.forward(*[values[x] for x in self.inputs])

    def send(self, values: Vector, slots: Vector, product: Product) -> None:
        """What goes back from the group to its inputs."""
        here = slice(self.group.start, self.group.stop)
        upstream, inputs = slots[here], [values[x] for x in self.inputs]
        for rule, target in self.sends:
            amount = upstream if rule is None else product(upstream, rule(values[here], *inputs))
            target.receive(slots, amount)


class Groups:
    """The Runner of a graph whose nodes are all single real numbers."""

    def __init__(
        self, dag: Dag, shapes: Shapes | None, number: Number, wrt: Sequence[Node], wires: Wiring | None = None
    ) -> None:
        wires = wires or wiring(dag)
        assert wires is not None
        self._template = np.zeros(len(wires.uses), number)
        self._template[len(dag.inputs) : len(wires.leaves)] = [node.value for node in wires.leaves[len(dag.inputs) :]]
        self._output = wires.output
        place = {node: number for number, node in enumerate(dag.inputs.values())}
        self._wrt = np.array([place[node] for node in wrt], np.int64)
        uses = wires.uses.copy()
        uses[self._output] += 1
        active = np.zeros(len(uses), np.bool_)
        active[self._wrt] = True
        self._steps = [step_of(group, uses, active) for group in wires.groups]

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The output's value."""
        return self._values(inputs)[self._output]

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """The output's value and the gradient for each node of `wrt`."""
        values = self._values(inputs)
        found = self._gradients(values, seed, operator.mul)
        if np.isnan(found).any():
            found = self._gradients(values, seed, chain_product)
        return values[self._output], found.tolist() if found.dtype == np.float64 else list(found)

    def _values(self, inputs: Sequence[Any]) -> Vector:
        values = self._template.copy()
        values[: len(inputs)] = inputs
        with np.errstate(all="ignore"):
            for step in self._steps:
                values[step.group.start : step.group.stop] = step.compute(values)
        return values

    def _gradients(self, values: Vector, seed: Any, product: Product) -> Vector:
        slots = np.zeros_like(values)
        slots[self._output] = seed
        with np.errstate(all="ignore"):
            for step in reversed(self._steps):
                if step.sends:
                    step.send(values, slots, product)
        return slots[self._wrt]


def step_of(group: Group, uses: Integers, active: Any) -> Step:
    """The group with its targets; marks in `active` which of its nodes depend on what is differentiated."""
    rules = careful_rules(group.op)
    assert rules is not None
    wanted = [bool(active[row].any()) for row in group.inputs]
    if group.op is add:
        alone = (uses[group.inputs] == 1).all(axis=1)
        parts = [group.inputs[alone & wanted], group.inputs[~alone & wanted]]
        sends: list[tuple[Rule | None, Target]] = [(None, target_of(part, uses)) for part in parts if part.size]
    else:
        sends = [
            (rule, target_of(row, uses))
            for rule, row, wants in zip(rules, group.inputs, wanted, strict=True)
            if wants and rule is not None
        ]
    active[group.start : group.stop] = bool(sends)
    return Step(group, [stretch(row) for row in group.inputs], sends)


def target_of(where: Integers, uses: Integers) -> Target:
    """How to add up at these numbers."""
    alone = bool((uses[where] == 1).all())
    return Target(stretch(where) if alone else where, alone, int(where.min()), int(where.max()) + 1)


def stretch(where: Integers) -> Any:
    """A slice, if the numbers are one after the other."""
    if where.ndim == 1 and where[-1] - where[0] == len(where) - 1 and (np.diff(where) == 1).all():
        return slice(int(where[0]), int(where[-1]) + 1)
    return where


def in_turn(terms: Vector) -> Any:
    """The sum of the rows, one after the other; NumPy adds up a single column in another order."""
    return np.add.reduce(terms, axis=0) if terms.shape[1] > 1 else np.add.accumulate(terms[:, 0])[-1:]
