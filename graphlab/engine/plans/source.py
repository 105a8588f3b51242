"""Small graphs as straight-line Python: one assignment for each value, one for each contribution.

The source is made of ids and numbers: v3 is the value of node number 3, g3 its gradient, f3 a function of an op record
or a constant. Nodes hold floats, or arrays of which some are repeated along the others: then a contribution is added up
over what was repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphlab.engine.algebra import ARRAYS as ARRAYS_ALGEBRA
from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import typed_constant
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.reduction import sum_to_array
from graphlab.engine.plans.expressions import ARRAYS, FLOATS, Writer, contribution, number_text, product
from graphlab.engine.plans.floats import is_real, silence, traits
from graphlab.engine.plans.runner import Number
from graphlab.engine.plans.tape import Tape
from graphlab.engine.reverse import pull_through
from graphlab.engine.shapes import Shape

Quick = Callable[[Mapping[str, Any]], tuple[float, dict[str, float]] | None]
total = partial(np.add.reduce, axis=None)


class Script:
    """The lines of the two passes, in one dialect."""

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None:
        self.dag, self.shapes, self.number, self.wrt = dag, shapes, number, wrt
        self.on_floats = on_floats(dag, shapes, number)
        self.writer = Writer(FLOATS if self.on_floats else ARRAYS)
        self.name = self.writer.namespace.name
        self.ids = {node: i for i, node in enumerate(dag.nodes)}
        self.values = {node: f"v{i}" for node, i in self.ids.items()}
        self.values |= {node: self.constant(node.value) for node in dag.nodes if node.is_constant}
        self.known = {text: shapes[node] for node, text in self.values.items()}

    def constant(self, value: Any) -> str:
        """A constant: a number as it is, for arrays in their type."""
        if self.on_floats and np.isfinite(value):
            return number_text(value)
        return self.name(value if self.on_floats else typed_constant(value, self.number))

    def forward(self) -> list[str]:
        """One line for every operation."""
        nodes = self.dag.nodes
        return [f"{self.values[node]} = {self.computed(node, node.op)}" for node in nodes if node.op is not None]

    def computed(self, node: Node, op: Op) -> str:
        """The value of an operation."""
        if op.partials is not None:
            return self.writer.value(op, self.inputs_of(node))
        return f"{self.name(value_of(op, node.attrs, self.number))}({', '.join(self.inputs_of(node))})"

    def inputs_of(self, node: Node) -> list[str]:
        return [self.values[x] for x in node.inputs]

    def backward(self) -> list[str]:
        """One line for every contribution, in the order of `reverse`; the output's gradient is called seed."""
        active = self.dag.depending_on(self.wrt)
        slot = f"g{self.ids[self.dag.output]}"
        lines, filled = [f"{slot} = seed"], {self.dag.output}
        for user in reversed(self.dag.nodes):
            op = user.op
            if op is None or user not in filled:
                continue
            for argument, x in enumerate(user.inputs):
                if x in active and op.sends_to(argument):
                    slot, amount = f"g{self.ids[x]}", self.sent(user, op, argument)
                    lines.append(f"{slot} = {slot} + {amount}" if x in filled else f"{slot} = {amount}")
                    filled.add(x)
        nothing = {x: "0.0" if self.on_floats else self.name(zeros(self.shapes[x], self.number)) for x in self.wrt}
        return lines + [f"g{self.ids[x]} = {zero}" for x, zero in nothing.items() if x not in filled]

    def sent(self, user: Node, op: Op, argument: int) -> str:
        """What `user` sends to its input of that number."""
        x, upstream = user.inputs[argument], f"g{self.ids[user]}"
        names = [self.values[user], *self.inputs_of(user)]
        if op.partials is None:
            return f"{self.name(pull_of(op, argument, user.attrs))}({', '.join([upstream, *names])})"
        local = self.writer.local(op, argument, names)
        if self.on_floats:
            return contribution(upstream, local)
        fitting = self.shapes[x] == self.shapes[user]
        if not fitting and self.shapes[x] == () and self.known.get(local) == self.shapes[user]:
            return f"{self.name(np.vdot)}({upstream}, {local})"
        amount = product(upstream, local)
        if self.number is np.float32 and "(" in local:
            amount = f"{self.name(self.number)}({amount})"
        return amount if fitting else self.added_up(amount, self.shapes[x])

    def added_up(self, amount: str, shape: Shape) -> str:
        if shape == ():
            return f"{self.name(total)}({amount})"
        return f"{self.name(partial(sum_to_array, like=np.empty(shape)))}({amount})"


def on_floats(dag: Dag, shapes: Shapes, number: Number) -> bool:
    """Whether the graph runs on Python floats."""
    return number is np.float64 and is_real(dag) and all(shapes[x] == () for x in dag.inputs.values())


def value_of(op: Op, attrs: Mapping[str, Any], number: Number) -> Callable[..., Any]:
    """The op's function, with its options; a Python number becomes one of the graph's."""

    def compute(*inputs: Any) -> Any:
        value = op.forward(*inputs, **attrs)
        return number(value) if type(value) is float else value

    return compute


def pull_of(op: Op, argument: int, attrs: Mapping[str, Any]) -> Callable[..., Any]:
    """The op's vjp: pull(cotangent, output, *inputs), in the shape and type of the input."""

    def pull(cotangent: Any, output: Any, *inputs: Any) -> Any:
        amount = pull_through(op, argument, cotangent, output, list(inputs), attrs, ARRAYS_ALGEBRA)
        return ARRAYS_ALGEBRA.gather(amount, inputs[argument])

    return pull


def zeros(shape: Shape, number: Number) -> Any:
    return np.zeros([int(d) for d in shape], number)[()]


class Source:
    """The Runner of any graph that is not too long.

    `quick`, on floats, goes from the values of all inputs by name to the output and the gradients by name, for the seed
    1; it is None on arrays. It returns None for values that are no floats, and raises KeyError for one that is missing.
    """

    def __init__(self, dag: Dag, shapes: Shapes, number: Number, wrt: Sequence[Node]) -> None:
        script = Script(dag, shapes, number, wrt)
        made = script.writer.namespace.run("\n".join(functions(script)))
        self._warns = not script.on_floats or traits(dag.ops).calls
        self.quick: Quick | None = made.get("quick")
        if self.quick and self._warns:
            self.quick = np.errstate(all="ignore")(self.quick)
        self._forward, self._both = made["forward"], made["both"]
        self._on_floats = script.on_floats
        self._tape = Tape(dag, shapes, number, wrt)

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The output's value."""
        with silence(self._warns):
            return self._forward(*self._given(inputs))

    def both(self, inputs: Sequence[Any], seed: Any) -> tuple[Any, list[Any]]:
        """The output's value and the gradient for each node of `wrt`.

        On arrays 0 · ∞ gives nan where nothing should be sent; a nan is never lost on its way to the inputs, so where
        one arrives the tape, with the chain rule's own product, has the last word.
        """
        with silence(self._warns):
            output, slopes = self._both(float(seed) if self._on_floats else seed, *self._given(inputs))
            if not self._on_floats and np.isnan(sum([x if x.ndim == 0 else x.sum() for x in slopes])):
                return self._tape.both(inputs, seed)
        return output, slopes

    def _given(self, inputs: Sequence[Any]) -> Sequence[Any]:
        return [float(x) for x in inputs] if self._on_floats else inputs


def run_quick(
    quick: Quick | None, given: Mapping[str, Any] | None, named: Mapping[str, Any]
) -> tuple[float, dict[str, float]] | None:
    """What `quick` gives for these values; None where there is none, or it does not take them."""
    if quick is None or (given and named):
        return None
    try:
        return quick(given or named)
    except KeyError:  # a value is missing, or another spelling of its name was used
        return None


def functions(script: Script) -> Iterator[str]:
    """The source of the runner's functions."""
    inputs = [script.values[x] for x in script.dag.inputs.values()]
    output, slopes = script.values[script.dag.output], [f"g{script.ids[x]}" for x in script.wrt]
    forward, backward = script.forward(), script.backward()
    yield define(f"forward({', '.join(inputs)})", [*forward, f"return {output}"])
    both = [*forward, *backward, f"return {output}, [{', '.join(slopes)}]"]
    yield define(f"both({', '.join(['seed', *inputs])})", both)
    if script.on_floats and inputs:
        keys = [script.name(name) for name in script.dag.inputs]
        taken = [f"{x} = given[{key}]" for x, key in zip(inputs, keys, strict=True)]
        types = " is ".join([*[f"type({x})" for x in inputs], "float"])
        check = [f"if len(given) != {len(inputs)} or not ({types}):", "    return None", "seed = 1.0"]
        entries = ", ".join([f"{script.name(x.name)}: g{script.ids[x]}" for x in script.wrt])
        yield define("quick(given)", [*taken, *check, *forward, *backward, f"return {output}, {{{entries}}}"])


def define(head: str, lines: Sequence[str]) -> str:
    """A function of these lines."""
    return "\n    ".join([f"def {head}:", *lines, ""])
