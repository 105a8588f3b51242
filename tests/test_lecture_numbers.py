"""The numbers of the lecture's bridges, computed by graphs: 5a matrices, 5b softmax, 5c cross-entropy, 6 attention,
8a layer norm. What a learner reads on those pages must come out to the digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab.checking.identities import Identity

SCORES = {"s": np.array([math.log(2), 0, 0])}
SENTENCE = {"X": [[1, 0], [0, 1], [1, 1]]}
ROW = {"x": [1, 1, 5, 5]}


def same(found: Any, expected: Any, digits: int = 12) -> None:
    """Equal to so many decimals; 12 for numbers that are exact."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.6 * 10**-digits)


def holding(found: list[Identity]) -> list[str]:
    assert all(identity.holds for identity in found)
    return [identity.name for identity in found]


# ---- 5a: from numbers to matrices ----------------------------------------------------------------------------------
Q_IS_WX: dict[str, Any] = {"W": [[1, 2, 0], [0, 1, 3]], "x": [1, 2, 3]}
UPSTREAM = [1, -2]


def test_5a_one_matrix_is_many_scalar_edges() -> None:
    graph = gl.parse("q = W @ x")
    same(graph.evaluate(Q_IS_WX), [5, 11])
    tensor = graph.gradients(Q_IS_WX, seed=UPSTREAM)
    scalar = graph.scalar_view(Q_IS_WX, seed=UPSTREAM).gradients()
    for found in (tensor, scalar):
        same(found["W"], [[1, 2, 3], [-2, -4, -6]])
        same(found["x"], [1, 0, -6])


def test_5a_an_entry_of_w_reaches_one_output_and_an_entry_of_x_reaches_both() -> None:
    view = gl.parse("q = W @ x").scalar_view(Q_IS_WX, seed=UPSTREAM)
    (only,) = view.graph.paths("W_1_2", view.values())
    assert "q_1" in only.nodes and only.product == UPSTREAM[0] * Q_IS_WX["x"][1]
    both = view.graph.paths("x_2", view.values())
    assert [{"q_1", "q_2"} & set(path.nodes) for path in both] == [{"q_1"}, {"q_2"}]
    assert sum(path.product for path in both) == 0


def test_5a_the_outer_products_of_two_tokens_add_up() -> None:
    graph, point = gl.parse("Q = X @ W.T"), {"X": [[1, 2, 3], [0, 1, -1]], "W": Q_IS_WX["W"]}
    seed = [[1, -2], [3, 1]]
    tokens = [gl.parse("q = W @ x").gradients(W=point["W"], x=x, seed=q) for x, q in zip(point["X"], seed, strict=True)]
    same(graph.gradients(point, seed=seed)["W"], tokens[0]["W"] + tokens[1]["W"])


# ---- 5b: softmax and its backward ----------------------------------------------------------------------------------
def test_5b_two_scores_are_a_sigmoid_of_their_difference() -> None:
    weights, sigmoid = gl.parse("p = softmax(s)"), gl.parse("p = sigmoid(z)")
    p = sigmoid.evaluate(z=3 - 1.5)
    same(weights.evaluate(s=[3, 1.5]), [p, 1 - p])
    slope = sigmoid.gradients(z=3 - 1.5)["z"]
    same(slope, p * (1 - p))
    same(weights.jacobian("s", s=[3, 1.5]), [[slope, -slope], [-slope, slope]])


def test_5b_an_upstream_of_two_gives_no_gradient_at_all() -> None:
    graph, upstream = gl.parse("p = softmax(s)"), np.array([2, 4, 0])
    p, jacobian = graph.evaluate(SCORES), graph.jacobian("s", SCORES)
    same(p, [1 / 2, 1 / 4, 1 / 4])
    same(graph.gradients(SCORES, seed=upstream)["s"], [0, 1 / 2, -1 / 2])
    same(np.diag(jacobian) * upstream, [1 / 2, 3 / 4, 0])
    same(p * upstream, [1, 1, 0])


def test_5b_the_diagonal_alone_is_the_paths_that_stay_in_their_column() -> None:
    view = gl.parse("p = softmax(s)").scalar_view(SCORES, seed=[2, 4, 0])
    for i, expected in enumerate([1 / 2, 3 / 4, 0], start=1):
        paths = view.graph.paths(f"s_{i}", view.values())
        same(sum(path.product for path in paths if f"p_{i}" in path.nodes), expected)
        assert {f"p_{j}" for path in paths for j in (1, 2, 3) if f"p_{j}" in path.nodes} == {"p_1", "p_2", "p_3"}


# ---- 5c: cross-entropy ---------------------------------------------------------------------------------------------
def test_5c_the_right_class_has_a_quarter() -> None:
    graph, point = gl.parse("L = cross_entropy(s, t)"), {**SCORES, "t": np.array(1)}
    slopes = graph.gradients(point)["s"]
    same(slopes, [1 / 2, -3 / 4, 1 / 4])
    same(np.sum(slopes), 0)
    same(graph.scalar_view(point).gradients()["s"], slopes)
    same(gl.parse("L = -log(p)").gradients(p=1 / 4)["p"], -4)


def test_5c_a_mean_over_rows_divides_by_their_number() -> None:
    rows = {"S": np.array([SCORES["s"], SCORES["s"]]), "t": np.array([1, 1])}
    same(gl.parse("L = cross_entropy(S, t)").gradients(rows)["S"], [[1 / 4, -3 / 8, 1 / 8]] * 2)


# ---- 6: self-attention, basic --------------------------------------------------------------------------------------
def test_6_whom_a_word_looks_at() -> None:
    weights = gl.parse("P = softmax(causal_mask(X @ X.T))").evaluate(SENTENCE)
    same(weights, [[1, 0, 0], [0.2689, 0.7311, 0], [0.2119, 0.2119, 0.5761]], digits=4)
    sigmoid = gl.parse("sigmoid(z)")
    same(weights[1, :2], [sigmoid.evaluate(z=-1), sigmoid.evaluate(z=1)])
    outputs = gl.parse("Y = softmax(causal_mask(X @ X.T)) @ X").evaluate(SENTENCE)
    same(outputs[0], SENTENCE["X"][0])
    same(outputs[2], [0.788, 0.788], digits=3)


def test_6_a_mask_of_zeros_leaks() -> None:
    leaking = gl.parse("P = softmax(lower_triangle(X @ X.T))").evaluate(SENTENCE)
    same(leaking[0, 1:].sum(), 0.42, digits=2)


def test_6_the_first_word_gets_its_gradient_through_the_values_only() -> None:
    graph = gl.parse("Y = softmax(causal_mask(X @ X.T)) @ X")
    view = graph.scalar_view(SENTENCE)
    seed = [[1, 0], [0, 0], [0, 0]]
    same(view.gradients(seed=seed)["X"], seed)
    same(graph.gradients(SENTENCE, seed=seed)["X"], seed)


# ---- 8a: layer norm backward ---------------------------------------------------------------------------------------
NUDGED = [1, 0, 0, 0]
BY_HAND = "y = (x - {mean})/{deviation}"
PARTS = {"mean": "mean(x)", "deviation": "sqrt(mean((x - mean(x))^2))"}


def one_way(*kept: str) -> Any:
    """x̄ when only the named ways are open, and the direct one."""
    closed = {name: text if name in kept else f"detach({text})" for name, text in PARTS.items()}
    return gl.parse(BY_HAND.format(**closed)).gradients(ROW, seed=NUDGED)["x"]


def test_8a_who_moves_when_the_first_output_is_nudged() -> None:
    graph = gl.parse("y = layer_norm(x, eps=0)")
    same(graph.gradients(ROW, seed=NUDGED)["x"], [1 / 4, -1 / 4, 0, 0])
    same(graph.scalar_view(ROW, seed=NUDGED).gradients()["x"], [1 / 4, -1 / 4, 0, 0])
    same(one_way("mean", "deviation"), [1 / 4, -1 / 4, 0, 0])


def test_8a_the_direct_way_alone_and_what_mean_and_variance_add() -> None:
    direct = one_way()
    same(direct, [1 / 2, 0, 0, 0])
    by_mean, by_variance = one_way("mean") - direct, one_way("deviation") - direct
    same(direct + by_mean + by_variance, [1 / 4, -1 / 4, 0, 0])
    h, g = np.array([-1, -1, 1, 1]), np.array(NUDGED)
    same(by_mean, [-g.mean() / 2] * 4)
    same(by_variance, -h * (g * h).mean() / 2)


def test_8a_the_direct_way_is_one_path_of_the_scalar_view() -> None:
    view = gl.parse("y = layer_norm(x, eps=0)").scalar_view(ROW, seed=NUDGED)
    paths = view.graph.paths("x_1", view.values())
    same(sum(path.product for path in paths), 1 / 4)
    shortest = min((path for path in paths if "y_1" in path.nodes), key=lambda path: len(path.nodes))
    assert shortest.product == 1 / 2


@pytest.mark.parametrize("x", [[1, 2], [5, -3], [0.1, 0.7]])
def test_8a_two_entries_get_no_gradient_at_all(x: list[float]) -> None:
    graph = gl.parse("y = layer_norm(x, eps=0)")
    same(graph.gradients(x=x, seed=[1, -3])["x"], [0, 0])
    same(np.abs(graph.evaluate(x=x)), [1, 1])


def test_8a_the_variance_divides_by_d() -> None:
    divided_by_three = gl.parse("sqrt(sum((x - mean(x))^2)/3)").evaluate(ROW)
    same(divided_by_three / gl.parse("sqrt(var(x))").evaluate(ROW), 1.1547, digits=4)


# ---- what holds whatever the numbers are ---------------------------------------------------------------------------
def test_the_identities_of_these_pages_hold_for_random_numbers() -> None:
    random = np.random.default_rng(8)
    x, w, b, upstream = (random.normal(size=shape) for shape in ((5, 4), (4, 4), (4,), (5, 4)))
    attention = gl.parse("K = X @ W.T + b; P = softmax(X @ K.T/2); Y = P @ X")
    found = attention.identities(X=x, W=w, b=b, seed=upstream)
    assert holding(found) == ["gradient of the scores", "gradient of the keys", "bias of the keys"]
    same(attention.gradients(X=x, W=w, b=b, seed=upstream)["b"], np.zeros(4))
    normal = gl.parse("y = layer_norm(x, g, c, eps=0.3)")
    point = {"x": x, "g": b, "c": w[0]}
    assert holding(normal.identities(point, seed=upstream)) == ["gradient of a layer norm", "layer norm along its row"]
    slopes, row = normal.gradients(point, seed=upstream)["x"], x - x.mean(axis=-1, keepdims=True)
    spread = x.var(axis=-1) + 0.3
    row = row / np.sqrt(spread)[:, None]
    same(slopes.sum(axis=-1), np.zeros(5))
    same((row * slopes).sum(axis=-1), 0.3 / spread**1.5 * (upstream * b * row).sum(axis=-1))
