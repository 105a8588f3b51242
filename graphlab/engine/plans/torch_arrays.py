"""The runner on PyTorch tensors, without torch's autograd: the same nodes, the same rules.

Forward, an op is its torch spelling; back, it is the record's rule, traced once on nodes and spelled in torch as well.
Where torch has a fused function for both, `torch_kernels` has it. A composite that torch cannot spell is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from graphlab.engine.algebra import graphs
from graphlab.engine.core import Node, Op, variable
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.evaluation import typed_constant
from graphlab.engine.inference import Shapes
from graphlab.engine.kernels.kernel import Sizes, as_body
from graphlab.engine.plans.runner import Number
from graphlab.engine.plans.steps import reaching
from graphlab.engine.plans.tensors import opened
from graphlab.engine.plans.torch_kernels import MAKERS, Tensor, TorchKernel, send
from graphlab.engine.plans.torch_spelling import spelling
from graphlab.engine.reverse import pullback
from graphlab.errors import NoRule

Values = dict[Node, Tensor]


class TorchRunner:
    """See `runner.Runner`. Raises NoRule for an op that torch cannot spell and that is not made of others."""

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None:
        self._dag, self._shapes, self._number, self._wrt = opened(dag, shapes, number, wrt, is_opened)
        self._active = reaching(self._dag, self._wrt)
        self._constants = {n: tensor(typed_constant(n.value, number)) for n in self._dag.nodes if n.is_constant}
        self._kernels = {node: self._kernel(node, node.op) for node in self._dag.nodes if node.op is not None}

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The output's value."""
        with torch.no_grad():
            return array(self._evaluate(inputs)[0][self._dag.output])

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """The output's value, and its gradient with respect to each node of `wrt`."""
        with torch.no_grad():
            values, saved = self._evaluate(inputs)
            output = values[self._dag.output]
            wanted = self._pull_back(values, saved, tensor(seed))
            return array(output), [array(slope) for slope in wanted]

    def _shape(self, node: Node) -> Sizes:
        return tuple(int(size) for size in self._shapes[node])

    def _kernel(self, node: Node, op: Op) -> TorchKernel:
        maker = MAKERS.get(op.name)
        kernel = maker(*map(self._shape, node.inputs), **node.attrs) if maker else None
        return kernel or traced(op, tuple(map(self._shape, node.inputs)), node.attrs, self._number)

    def _evaluate(self, inputs: Sequence[Any]) -> tuple[Values, dict[Node, Any]]:
        """Every node's value, and what its kernel keeps for the way back."""
        values = self._constants | {x: tensor(v) for x, v in zip(self._dag.inputs.values(), inputs, strict=True)}
        saved: dict[Node, Any] = {}
        for node, kernel in self._kernels.items():
            values[node], saved[node] = kernel.forward(*[values[x] for x in node.inputs])
        return values, saved

    def _pull_back(self, values: Values, saved: dict[Node, Any], seed: Tensor) -> list[Tensor]:
        """The gradients of `wrt`, as in `engine.reverse.pullback`. What nobody needs any more is let go."""
        slots: Values = {self._dag.output: seed}
        kept = set(self._wrt)
        for user in reversed(self._kernels):
            if user in slots and user in self._active:
                self._send(user, slots, values, saved.pop(user))
                if user not in kept:
                    del slots[user]
        return [slots[node] if node in slots else torch.zeros_like(values[node]) for node in self._wrt]

    def _send(self, user: Node, slots: Values, values: Values, saved: Any) -> None:
        """What one node sends to its inputs."""
        kernel, g, y = self._kernels[user], slots[user], values[user]
        inputs = [values[x] for x in user.inputs]
        if kernel.onto is not None and user.inputs[0] in slots:
            slots[user.inputs[0]] = kernel.onto(slots[user.inputs[0]], g, y, saved, *inputs)
            return
        wanted = [x in self._active and user.op is not None and user.op.sends_to(i) for i, x in enumerate(user.inputs)]
        sent = kernel.back(wanted, g, y, saved, *inputs)
        for x, want, amount in zip(user.inputs, wanted, sent, strict=True):
            if want and amount is not None:
                slots[x] = slots[x] + amount if x in slots else amount


# ---- records in torch ----------------------------------------------------------------------------------------------
def is_opened(op: Op) -> bool:
    """Whether plans on torch compute a composite by its parts."""
    return op.kernel is as_body or (op.body is not None and op.name not in MAKERS and not is_spelled(op))


def is_spelled(op: Op) -> bool:
    try:
        spelling(op)
    except NoRule:
        return False
    return True


def traced(op: Op, shapes: tuple[Sizes, ...], attrs: Mapping[str, Any], number: Number) -> TorchKernel:
    """A record as a kernel: its spelling, and its rules as graphs of spelled ops."""
    value = spelled(op, attrs)
    inputs = [variable(f"x_{i}") for i in range(len(shapes))]
    y, g = op.node(*inputs, **attrs), variable("g")
    known = Shapes(dict(zip(inputs, shapes, strict=True)))
    known.declare(g, known[y])
    rules = [rule_of(i, x, y, g, known) if op.sends_to(i) else None for i, x in enumerate(inputs)]
    pulls = [None if rule is None else straight(rule, [g, y, *inputs], number) for rule in rules]

    def back(wanted: Sequence[bool], g: Tensor, y: Tensor, saved: None, *xs: Tensor) -> list[Tensor | None]:
        return [pull(g, y, *xs) if pull and want else None for pull, want in zip(pulls, wanted, strict=True)]

    return TorchKernel(lambda *xs: (value(*xs), None), back)


def rule_of(argument: int, x: Node, y: Node, g: Node, shapes: Shapes) -> Node | None:
    """What y sends to its input number `argument`, as a graph."""
    dag = Dag(y)
    total = None
    for fact in pullback(dag, {node: node for node in dag.nodes}, g, graphs(shapes), [x]):
        total = fact.total
    return total


def straight(result: Node, given: Sequence[Node], number: Number) -> Callable[..., Tensor]:
    """A graph as a function of tensors for the nodes of `given`."""
    nodes = [node for node in reachable([result], stop=given) if node not in given]
    calls = {node: spelled(node.op, node.attrs) for node in nodes if node.op is not None}
    constants = {n: tensor(typed_constant(n.value, number)) for n in nodes if n.is_constant}

    def run(*tensors: Tensor) -> Tensor:
        values = constants | dict(zip(given, tensors, strict=True))
        for node, call in calls.items():
            values[node] = call(*[values[x] for x in node.inputs])
        return values[result]

    return run


def spelled(op: Op, attrs: Mapping[str, Any]) -> Callable[..., Tensor]:
    """The torch function of an op with its options."""
    return send if op.name == "chain" else partial(spelling(op), **attrs)


# ---- between NumPy and torch ---------------------------------------------------------------------------------------
def tensor(value: Any) -> Tensor:
    """A NumPy value as a tensor, which shares the memory of an array where torch can."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.require(value, requirements=["C", "W"]))
    return torch.as_tensor(value)


def array(value: Tensor) -> Any:
    """A tensor as a NumPy array or scalar."""
    return value.numpy(force=True)[()]
