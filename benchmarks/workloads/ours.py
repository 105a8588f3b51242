"""graphlab's side of every workload: a graph that is built and run once, or a plan that runs again and again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from benchmarks.workloads import Contender

Values = Mapping[str, Any]


def built_anew(
    build: Callable[[], Any], values: Values, compared: Collection[str], *, large: bool = False
) -> Contender:
    """Every run makes the graph, evaluates it and takes all gradients; `compared` are those a peer knows as well.

    A `large` graph is made inside `gl.building()`, as graphlab advises: garbage is collected less often there.
    """
    import graphlab as gl

    def run() -> Any:
        g = build()
        return g, g.gradients(values)

    def run_large() -> Any:
        with gl.building():
            return run()

    return Contender(
        run_large if large else run, lambda results: numbers(results[0].evaluate(values), results[1], compared)
    )


def run_again(g: Any, values: Values, compared: Collection[str]) -> Contender:
    """Every run gives the values to a compiled plan."""
    plan = g.compile()
    return Contender(
        lambda: plan.value_and_gradients(values, borrow=True), lambda results: numbers(results[0], results[1], compared)
    )


def numbers(value: float, gradients: Values, compared: Collection[str]) -> dict[str, float]:
    """The value and the gradients by name, each array as the sum of its magnitudes."""
    return {"L": float(value), **{name: magnitude(gradients[name]) for name in compared}}


def dotted(gradients: Values, names: Collection[str]) -> dict[str, Any]:
    """Gradients under the dotted names that checkpoints have; graphlab's own names have underscores there."""
    return {name: gradients[name.replace(".", "_")] for name in names}


def magnitude(gradient: Any) -> float:
    """A scalar as it is, an array as the sum of its magnitudes."""
    return float(np.sum(np.abs(gradient), dtype=float)) if np.ndim(gradient) else float(gradient)
