"""One node with very many users: h = x², multiplied by a weight of its own for each of them, and all added in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.workloads import Contender
from benchmarks.workloads.ours import built_anew


def values(users: int) -> dict[str, float]:
    """x and the weights."""
    return {"x": 1.1, **{f"w_{i}": 1.0 / (i + 1) for i in range(users)}}


def fan_out(x: Any, weights: Sequence[Any]) -> Any:
    """Written once, for nodes of any library."""
    h = x * x
    terms = [h * weight for weight in weights]
    while len(terms) > 1:
        odd = terms[-1:] if len(terms) % 2 else []
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=False)] + odd
    return terms[0]


def graphlab(users: int) -> Contender:
    import graphlab as gl

    given = values(users)
    names = " ".join(given)

    def build() -> Any:
        x, *weights = gl.variables(names)
        return gl.graph(L=fan_out(x, weights))

    return built_anew(build, given, given, large=True)


def torch(users: int) -> Contender:
    from torch import float64, tensor

    given = values(users)

    def run() -> Any:
        inputs = {name: tensor(value, dtype=float64, requires_grad=True) for name, value in given.items()}
        x, *weights = inputs.values()
        loss = fan_out(x, weights)
        loss.backward()
        return loss, inputs

    return Contender(run, told)


def told(results: Any) -> dict[str, float]:
    loss, inputs = results
    return {"L": loss.item(), **{name: x.grad.item() for name, x in inputs.items()}}


CONTENDERS = {"graphlab": graphlab, "torch": torch}
