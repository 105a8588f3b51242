"""The lecture's formula L = c(a+2b): value and three gradients at one point."""

from __future__ import annotations

from typing import Any

from benchmarks.workloads import Contender
from benchmarks.workloads.ours import built_anew, run_again

POINT = {"a": 2.0, "b": -3.0, "c": 10.0}


def formula(a: Any, b: Any, c: Any) -> Any:
    """Written once, for numbers and nodes of any library."""
    return c * (a + 2 * b)


def build() -> Any:
    import graphlab as gl

    return gl.graph(L=formula(*gl.variables("a b c")))


def micrograd() -> Contender:
    from micrograd.engine import Value

    def run() -> Any:
        inputs = {name: Value(value) for name, value in POINT.items()}
        loss = formula(**inputs)
        loss.backward()
        return loss, inputs

    return Contender(run, told)


def told(results: Any) -> dict[str, float]:
    loss, inputs = results
    return {"L": loss.data, **{name: x.grad for name, x in inputs.items()}}


CONTENDERS = {
    "graphlab": lambda: built_anew(build, POINT, POINT),
    "graphlab plan": lambda: run_again(build(), POINT, POINT),
    "micrograd": micrograd,
}
