"""Every op on every backend: the same value, or a gap that the record declares; and its slope with many digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphlab.engine.core import OPS, Op
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.reverse import gradients
from graphlab.errors import NoRule
from tests.engine.samples import ALL_CALLS, Call, calls
from tests.engine.test_every_op import DIFFERENTIABLE, differentiable_inputs, graph_of
from tests.requirements import needs


def as_floats(value: Any) -> Any:
    return np.asarray(np.frompyfunc(float, 1, 1)(value), dtype=float)


def on_torch(call: Call) -> Any:
    torch = needs("torch")
    from graphlab.interop import torch as backend

    dag, given, _ = graph_of(call)
    return backend.evaluate(dag, {node: torch.as_tensor(value) for node, value in given.items()}).numpy()


def on_mpmath(call: Call) -> Any:
    needs("mpmath")
    from graphlab.interop import mpmath as backend

    dag, given, _ = graph_of(call)
    return as_floats(backend.evaluate(dag, given))


def on_sympy(call: Call) -> Any:
    """A symbol for every entry, and its number put in at the end."""
    sympy = needs("sympy")
    from graphlab.interop import sympy as backend

    dag, given, _ = graph_of(call)
    numbers: dict[Any, float] = {}
    symbols: dict[Any, Any] = {}
    for node, value in given.items():
        symbols[node] = value
        if np.asarray(value).dtype.kind == "f":
            entries = np.empty(np.shape(value), dtype=object)
            for index in np.ndindex(entries.shape):
                entries[index] = sympy.Symbol(f"{node.name}{index}", real=True)
                numbers[entries[index]] = float(np.asarray(value)[index])
            symbols[node] = entries[()]
    result = backend.BACKEND.evaluate(dag, symbols)[dag.output]
    truth = {sympy.true: 1, sympy.false: 0}

    def number(entry: Any) -> Any:
        found = sympy.sympify(entry).subs(numbers)
        return truth.get(found, found)

    return as_floats(np.frompyfunc(number, 1, 1)(result))


BACKENDS = {"torch": on_torch, "mpmath": on_mpmath, "sympy": on_sympy}


def declared(op: Op, backend: str) -> bool:
    """Whether the record says that the op has no meaning there."""
    return op.spelled.get(backend, "") is None


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("call", ALL_CALLS, ids=str)
def test_an_op_has_the_same_value_on_every_backend(call: Call, backend: str) -> None:
    if declared(call.op, backend):
        with pytest.raises(NoRule, match=call.op.call_name):
            BACKENDS[backend](call)
        return
    dag, given, _ = graph_of(call)
    mine = np.asarray(evaluate(dag, given)[dag.output], dtype=float)
    np.testing.assert_allclose(BACKENDS[backend](call), mine, rtol=1e-12, atol=1e-14)


def test_only_detach_has_no_meaning_somewhere() -> None:
    gaps = {(op.name, backend) for op in OPS.values() for backend in BACKENDS if declared(op, backend)}
    assert gaps == {("detach", "sympy")}
    assert all(calls(op) for op in OPS.values())


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=str)
def test_the_gradient_equals_the_slope_with_many_digits(call: Call) -> None:
    needs("mpmath")
    from graphlab.interop import mpmath as backend

    dag, given, inputs = graph_of(call)
    values = evaluate(dag, given)
    output = values[dag.output]
    if not np.all(np.isfinite(output)):
        return  # masked scores: nothing to add up
    weights = np.random.default_rng(9).normal(size=np.shape(output))[()]
    whole = Dag(OPS["sum"].node(dag.output * weights))
    wrt = differentiable_inputs(call, inputs)
    for node, slopes in gradients(dag, values, weights, wrt).items():
        for index in list(np.ndindex(np.shape(slopes)))[:2]:
            exact = backend.slope(whole, given, node, index)
            assert np.asarray(slopes)[index] == pytest.approx(exact, rel=1e-11, abs=1e-13)
