"""Identities hold for right rules, whatever the numbers; a wrong rule is found out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab.checking.identities import Identity, identities_of
from graphlab.engine.core import OPS, Op, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.errors import ShapeError

SCORES, KEYS, BIAS = "gradient of the scores", "gradient of the keys", "bias of the keys"
NORM, ALONG = "gradient of a layer norm", "layer norm along its row"
SHAPES = {"X": (3, 4), "W": (4, 4), "U": (4, 4), "b": (4,), "c": (3, 4), "s": (4,)}


def values_for(graph: gl.Graph, size: float = 1.0) -> dict[str, Any]:
    random = np.random.default_rng(3)
    drawn = {name: size * random.normal(size=shape) for name, shape in SHAPES.items()} | {"t": np.array([0, 3, 3])}
    return {name: drawn[name] for name in graph.inputs}


CASES = {
    "L = softmax(s) @ b": [SCORES],
    "L = sum(log_softmax(X)*c)": [SCORES],
    "L = cross_entropy(X @ W, t)": [SCORES],
    "L = sum(softmax(X, axis=0)*c)": [SCORES],
    "L = sum(softmax(X, axis=(0, 1))*c)": [SCORES],
    "L = sum(softmax(X @ W, axis=1) @ U)": [SCORES, KEYS],
    "L = sum(layer_norm(X, axis=0)*c)": [NORM, ALONG],
    "P = softmax(X @ W.T); L = sum(P*c)": [SCORES],
    "P = softmax(X @ W.T); L = sum((P @ U)*c)": [SCORES, KEYS],
    "P = softmax(causal_mask(0.5*(X @ (c @ W + b).T))); L = sum((P @ X)^2)": [SCORES, KEYS, BIAS],
    "K = linear(X, W, b); P = softmax((X @ K.T)/sqrt(4) + 1); L = sum((P @ c)^3)": [SCORES, KEYS, BIAS],
    "K = linear(X, W, b); L = sum(attention(X, K, c)^2)": [KEYS, BIAS, SCORES],
    "Y = attention(X @ U.T, X @ W.T, X, causal=true); L = sum(Y*c)": [KEYS, SCORES],
    "L = sum(layer_norm(X, b, s, eps=0.1)^3)": [NORM, ALONG],
    "L = sum(layer_norm(X)*c)": [NORM, ALONG],
    "L = sum(tanh(X @ W))": [],
}


@pytest.mark.parametrize("size", [1.0, 30.0, 1e-3])
@pytest.mark.parametrize("formula", CASES)
def test_every_identity_that_applies_is_found_and_holds(formula: str, size: float) -> None:
    graph = gl.parse(formula)
    found = graph.identities(values_for(graph, size))
    assert [identity.name for identity in found] == CASES[formula]
    assert all(identity.holds and identity.value <= identity.bound < 1e-6 * max(size, 1) ** 5 for identity in found)


NOT_ALIKE = (
    "P = softmax((X @ W.T)*c); L = sum(P @ W*c)",
    "S = X @ W.T; P = softmax(S); L = sum(P @ W*c) + sum(S^2)",
    "K = X @ W.T + b; P = softmax(X @ K.T, axis=0); L = sum(P @ X*c) + sum(K*c)",
)


@pytest.mark.parametrize("formula", NOT_ALIKE)
def test_keys_that_are_not_treated_alike_or_used_elsewhere_claim_nothing(formula: str) -> None:
    graph = gl.parse(formula)
    assert [found.name for found in graph.identities(values_for(graph))] == [SCORES]


def test_an_identity_names_its_node_and_says_which_part_of_a_gradient_it_means() -> None:
    graph = gl.parse("P = softmax(S); L = sum(P*S)")
    (found,) = graph.identities(S=[[1, 2], [3, 5]])
    assert found.text == "sum(S_bar from P, axis=-1) = 0"
    assert found.latex == r"\bar{S}^{(P)}\,\mathbf{1} = 0"
    assert graph.trace(S=[[1, 2], [3, 5]]).node(found.node).name == "P"
    (alone,) = gl.parse("P = softmax(S); L = sum(P^2)").identities(S=[[1, 2], [3, 5]])
    assert (alone.text, alone.latex) == ("sum(S_bar, axis=-1) = 0", r"\bar{S}\,\mathbf{1} = 0")


def test_keys_in_columns_are_summed_along_rows() -> None:
    found = gl.parse("L = sum((softmax(X @ W) @ V)^2)").identities(
        X=[[1, 2]], W=[[1, 0, 3], [2, 1, 1]], V=[[1], [2], [4]]
    )
    assert [identity.text for identity in found] == ["sum(d_bar, axis=-1) = 0", "sum(W_bar, axis=-1) = 0"]


def test_float32_is_measured_by_its_own_rounding() -> None:
    x = np.random.default_rng(1).normal(size=(4, 50)).astype(np.float32)
    (found,) = gl.parse("L = sum(softmax(X)*C)").identities(X=x, C=x[::-1])
    assert found.holds and found.bound > 1e-6


def test_an_output_that_is_an_array_needs_a_seed() -> None:
    graph = gl.parse("P = softmax(s)")
    with pytest.raises(ShapeError, match="pass seed="):
        graph.identities(s=[1, 2])
    assert graph.identities(s=[1, 2], seed=[1, 0])[0].holds


# ---- wrong rules ---------------------------------------------------------------------------------------------------
def broken(name: str, vjp: Any) -> Op:
    """An op whose vjp of its first inputs is wrong."""
    op = OPS[name]
    assert isinstance(op.vjp, tuple)
    return replace(op, vjp=(*vjp, *op.vjp[len(vjp) :]))


def measured(op: Op, *shapes: tuple[int, ...]) -> list[Identity]:
    random = np.random.default_rng(2)
    inputs = [variable(f"x{i}") for i in range(len(shapes))]
    dag = Dag(op.node(*inputs))
    values = evaluate(dag, {x: random.normal(size=shape) for x, shape in zip(inputs, shapes, strict=True)})
    return identities_of(dag, values, random.normal(size=np.shape(values[dag.output])), {dag.output: "y"})


WRONG = {
    "softmax without what the others take": (broken("softmax", (lambda g, p, x: p * g,)), [(2, 3)], [SCORES]),
    "softmax with the diagonal only": (broken("softmax", (lambda g, p, x: p * (1 - p) * g,)), [(2, 3)], [SCORES]),
    "log-softmax passing on": (broken("log_softmax", (lambda g, y, x: g,)), [(2, 3)], [SCORES]),
    "attention without its softmax": (
        broken("attention", (lambda g, o, q, k, v: q, lambda g, o, q, k, v: np.swapaxes(g @ v.T, 0, 1) @ q)),
        [(3, 2), (4, 2), (4, 2)],
        [KEYS],
    ),
    "layer norm without mean and variance": (
        broken("layer_norm", (lambda g, y, x, a, b: g / np.std(x, axis=-1, keepdims=True),)),
        [(2, 4), (4,), (4,)],
        [NORM, ALONG],
    ),
    "layer norm without the variance": (
        broken("layer_norm", (lambda g, y, x, a, b: g * a - np.mean(g * a, axis=-1, keepdims=True),)),
        [(2, 4), (4,), (4,)],
        [ALONG],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_rule_is_reported_as_not_holding(case: str) -> None:
    op, shapes, failing = WRONG[case]
    assert [found.name for found in measured(op, *shapes) if not found.holds] == failing
    assert all(found.holds for found in measured(OPS[op.name], *shapes)), "the right rule passes"
