"""Compiled graphs: a Plan runs one graph many times, and gives what the Graph gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from graphlab.api.edges import installed
from graphlab.api.seeds import needs_seed, seed_for
from graphlab.engine import values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.plans.choice import PlanName, make_runner
from graphlab.engine.plans.runner import Number, Runner
from graphlab.engine.plans.source import Quick, Source, run_quick
from graphlab.engine.plans.tape import Tape
from graphlab.errors import ValueProblem

if TYPE_CHECKING:
    from graphlab.api.graph import Graph

Backend = Literal["numpy", "torch"]
Signature = tuple[Dag, tuple[Any, ...]]


class Compiled:
    """A graph made ready for inputs of certain shapes and types."""

    def __init__(self, graph: Graph, backend: Backend, plan: PlanName, bound: Mapping[Node, Any]) -> None:
        graph._refuse_size(bound)
        shapes = graph._shapes_of(bound)
        real = {x: value.dtype.type for x, value in bound.items() if values.has_gradient(value)}
        self.shape = shapes[graph.dag.output]
        self.number: Number = values.working_type(bound)
        self.names = [str(x.name) for x in real]
        job = (graph.dag, shapes, self.number, tuple(real))
        if set(real.values()) - {self.number}:
            self.runner: Runner = Tape(*job)
        elif backend == "torch":
            with installed():
                from graphlab.engine.plans.torch_arrays import TorchRunner

            self.runner = TorchRunner(*job)
        else:
            self.runner = make_runner(plan, *job)

    def seed(self, given: Any) -> Any:
        """The output's own gradient."""
        if given is not None:
            return seed_for(np.broadcast_to(self.number(0), tuple(map(int, self.shape))), given)
        if self.shape != ():
            raise needs_seed(self.shape)
        return self.number(1)


class Plan:
    """A graph compiled to run many times; made by `Graph.compile`.

    It takes values as the Graph's methods do and gives the same answers. It is made ready once for all values of the
    same shapes and types. Threads may share it; they run one at a time. Results are copies, unless `borrow=True`: then
    arrays may be overwritten by the next run, or be those that were given.
    """

    def __init__(self, graph: Graph, backend: Backend, plan: PlanName) -> None:
        self._graph = graph
        self._backend = backend
        self._plan = plan
        self._compiled: dict[Signature, Compiled] = {}
        self._quick: Quick | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<Plan of {self._graph!r}>"

    def evaluate(self, given: Mapping[str, Any] | None = None, /, *, borrow: bool = False, **named: Any) -> Any:
        """The output's value: a float for a scalar, else an array. Raises what `Graph.evaluate` raises."""
        compiled, inputs = self._ready(given, named, borrow=borrow or None)
        with self._lock, told_as_value_problem():
            return result(compiled.runner.forward(inputs), borrow)

    def gradients(
        self, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, borrow: bool = False, **named: Any
    ) -> dict[str, Any]:
        """The gradient with respect to every input that has one; see `Graph.gradients`."""
        return self.value_and_gradients(given, seed=seed, borrow=borrow, **named)[1]

    def value_and_gradients(
        self, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, borrow: bool = False, **named: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The output's value and all gradients, in one run."""
        found = run_quick(self._quick, given, named) if seed is None else None
        if found is not None:
            return found
        compiled, inputs = self._ready(given, named, seed=seed, borrow=borrow or None)
        start = compiled.seed(seed)
        with self._lock, told_as_value_problem():
            output, slopes = compiled.runner.both(inputs, start)
            slopes = [result(slope, borrow) for slope in slopes]
            return result(output, borrow), dict(zip(compiled.names, slopes, strict=True))

    def _ready(
        self, given: Mapping[str, Any] | None, named: Mapping[str, Any], **options: Any
    ) -> tuple[Compiled, list[Any]]:
        """The runner for values like these, and the converted values."""
        graph = self._graph
        if graph.is_open:
            graph = graph.settled_by({**(given or {}), **named})
        graph = graph.stabilised
        graph._refuse_options(named, given, **options)
        bound = graph._bind(given, named)
        signature = (graph.dag, tuple([(x.dtype, x.shape) for x in bound.values()]))
        if signature not in self._compiled:
            self._compiled[signature] = compiled = Compiled(graph, self._backend, self._plan, bound)
            if isinstance(compiled.runner, Source):
                self._quick = compiled.runner.quick or self._quick
        return self._compiled[signature], list(bound.values())


def result(value: Any, borrow: bool) -> Any:
    """What a caller gets: a float, or an array, which is a copy unless it is borrowed."""
    return value if borrow and isinstance(value, np.ndarray) and value.ndim else values.public(value)


@contextmanager
def told_as_value_problem() -> Iterator[None]:
    """What NumPy refuses, in graphlab's words."""
    try:
        yield
    except (ValueError, TypeError, IndexError) as fault:
        raise ValueProblem(f"the formula cannot be computed with these values: {fault}") from fault


class Compiling:
    """The method that makes plans; a part of Graph."""

    def compile(self: Graph, *, backend: Backend = "numpy", plan: PlanName = "auto") -> Plan:  # type: ignore[misc]
        """This graph made ready to run many times: a Plan, with `evaluate`, `gradients` and `value_and_gradients`.

        `plan` is how it runs: "groups" (wide graphs of numbers), "source" (small graphs), "tensors" (arrays), "tape"
        (node by node), or "auto", the quickest for the values that come. All give the same answers. `backend` "torch"
        runs graphs of arrays on PyTorch. Raises ValueProblem for other words, and NoRule, at the first run, where the
        plan does not suit the graph.

        >>> import graphlab as gl
        >>> plan = gl.parse("L = c(a+2b)").compile()
        >>> plan.value_and_gradients(a=3, b=1, c=-2)
        (-10.0, {'c': 5.0, 'a': -2.0, 'b': -4.0})
        """
        if backend not in get_args(Backend) or plan not in get_args(PlanName):
            raise ValueProblem(
                f"there is no plan {plan!r} on {backend!r}",
                hint=f"Plans: {', '.join(get_args(PlanName))}. Backends: {', '.join(get_args(Backend))}.",
            )
        if backend == "torch" and plan not in ("auto", "tensors"):
            raise ValueProblem(f"the plan {plan!r} does not run on torch", hint='Write plan="tensors".')
        return Plan(self, backend, plan)
