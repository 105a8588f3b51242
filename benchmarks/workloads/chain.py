"""A chain of operations, x·a + b again and again: as deep a graph as there is, and every node is needed."""

from __future__ import annotations

from typing import Any

from benchmarks.workloads import Contender
from benchmarks.workloads.ours import built_anew

POINT = {"x": 1.0, "a": 0.999999, "b": 1e-6}


def chain(operations: int, x: Any, a: Any, b: Any) -> Any:
    """Written once, for nodes of any library."""
    for _ in range(operations // 2):
        x = x * a
        x = x + b
    return x


def graphlab(operations: int) -> Contender:
    import graphlab as gl

    return built_anew(lambda: gl.graph(L=chain(operations, *gl.variables("x a b"))), POINT, POINT, large=True)


def torch(operations: int) -> Contender:
    from torch import float64, tensor

    def run() -> Any:
        inputs = {name: tensor(value, dtype=float64, requires_grad=True) for name, value in POINT.items()}
        loss = chain(operations, *inputs.values())
        loss.backward()
        return loss, inputs

    return Contender(run, told)


def told(results: Any) -> dict[str, float]:
    loss, inputs = results
    return {"L": loss.item(), **{name: x.grad.item() for name, x in inputs.items()}}


CONTENDERS = {"graphlab": graphlab, "torch": torch}
