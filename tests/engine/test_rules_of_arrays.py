"""Every simplifying rule of arrays fits where it should, keeps the value, and leaves alone what only looks alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine.rules_of_arrays import ARRAYS

SIZES = {"n": 3, "m": 4, "k": 2}
MATRICES = "A: (n, m); B: (m, k); C: (n, k); b: (m,); c: (); M: (n, m); ids: (k,); "


def typed(formula: str) -> Callable[[], gl.Graph]:
    return lambda: gl.parse(MATRICES + formula)


def derived(formula: str, name: str) -> Callable[[], gl.Graph]:
    """A derivative as the chain rule builds it."""
    return lambda: gl.parse(MATRICES + formula).derivative(name, simplify=False)


EXAMPLES: dict[str, list[Callable[[], gl.Graph]]] = {
    "drop ·1 repeated": [derived("L = sum(exp(A))", "A")],
    "repeated anyway": [typed("y = expand(b, A)*A"), typed("y = where(A > expand(c, A), A, 0)")],
    "repeated once": [typed("y = expand(expand(c, b), A)*exp(M)")],
    "add up what was repeated": [
        typed("y = sum_to(A, b)"),
        typed("y = sum_to(A, c)"),
        typed("y = sum_to(A, rowsum(A))"),
        typed("y = sum_to(A, M)"),
    ],
    "take the entry": [typed("y = [c, 2*c][1]")],
    "one number": [typed("y = c/size(c)"), typed("y = A/size(sum(A))")],
    "transposed twice": [typed("y = A.T.T"), typed("y = b.T")],
    "transpose of a product": [typed("y = (B.T@A.T).T"), typed("y = (A@B@C.T).T")],
    "scalar in front": [
        typed("y = (A/c)@B"),
        typed("y = A@(c*B)"),
        typed("y = (-A).T"),
        typed("y = sum(A*c)"),
        typed("y = mean(A/c, axis=0)"),
    ],
    "divide instead": [derived("L = sum((A@B/sqrt(size(A, axis=-1)))^2)", "A")],
    "where it is true": [derived("L = sum(relu(A)^2)", "A")],
    "masked already": [
        derived("L = sum(softmax(causal_mask(A))^2)", "A"),
        derived("L = sum(softmax(masked(A, M > 0))^2)", "A"),
        derived("L = sum(softmax(masked(causal_mask(A), M > 0))^2)", "A"),
    ],
}
CASES = [(name, number) for name, examples in EXAMPLES.items() for number in range(len(examples))]


def values_for(graph: gl.Graph) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {name: tuple(SIZES.get(str(dim), dim) for dim in graph.shapes.get(name, ())) for name in graph.inputs}
    return {name: random.normal(size=shape) for name, shape in shapes.items()}


def test_every_rule_has_an_example() -> None:
    assert EXAMPLES.keys() == {rule.name for rule in ARRAYS}


@pytest.mark.parametrize("name, number", CASES)
def test_a_rule_fits_and_keeps_the_value_and_the_shape(name: str, number: int) -> None:
    graph = EXAMPLES[name][number]()
    values = values_for(graph)
    steps = graph.rewrites("simplify").steps
    assert name in {step.rule for step in steps}
    simpler = graph.simplified()
    found = simpler.evaluate({key: values[key] for key in simpler.inputs})
    wanted = graph.evaluate(values)
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "formula, name",
    [
        ("y = (A@B).T", "transpose of a product"),
        ("y = A@B*C", "scalar in front"),
        ("y = (rowsum(A)*A)@B", "scalar in front"),
        ("y = expand(b, A)@B", "repeated anyway"),
        ("y = expand(c, b) + c", "repeated anyway"),
        ("y = expand(expand(b, A), A)", "repeated once"),
        ("y = lower_triangle(softmax(A)*M)", "masked already"),
        ("y = where(M > 0, softmax(masked(A, M > 1))*M, 0)", "masked already"),
    ],
)
def test_a_rule_leaves_alone_what_only_looks_alike(formula: str, name: str) -> None:
    graph = gl.parse(MATRICES + formula)
    assert name not in {step.rule for step in graph.rewrites("simplify").steps}


def test_a_number_that_may_become_an_array_keeps_its_size() -> None:
    """Nobody said that x is a scalar; with an array its mean is over more entries."""
    slope = gl.parse("y = mean(x^2)").derivative("x")
    assert slope.text == "2*x/size(x^2)"
    np.testing.assert_allclose(slope.evaluate(x=np.ones(4)), np.full(4, 0.5))
