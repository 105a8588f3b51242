"""Composites, beyond what holds for every op: options, masks, ignored rows, named sizes, single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import OPS, variable
from graphlab.engine.dag import Dag
from graphlab.engine.inference import infer_shapes
from graphlab.errors import ShapeError
from tests.engine.samples import ALL_CALLS, Call

RANDOM = np.random.default_rng(3)


def small(value: Any) -> Any:
    return value.astype(np.float32) if np.asarray(value).dtype.kind == "f" else value


@pytest.mark.parametrize("call", [c for c in ALL_CALLS if c.op.body], ids=str)
def test_a_composite_equals_its_body_in_single_precision(call: Call) -> None:
    inputs = [small(np.asarray(x)[()]) for x in call.inputs]
    dag, slots = body_of(call.op, call.attrs)
    value = call.op.forward(*inputs, **call.attrs)
    assert value.dtype == np.float32 or not any(np.shape(x) for x in inputs)
    np.testing.assert_allclose(value, run(dag, slots, inputs)[dag.output], rtol=3e-6, atol=3e-7)


def test_the_issues_composites_all_open() -> None:
    closed = (
        "softmax log_softmax logsumexp cross_entropy bce bce_with_logits layer_norm gelu gelu_tanh attention linear"
    )
    assert all(OPS[name].body is not None for name in (*closed.split(), "masked_attention"))


# ---- ignored rows --------------------------------------------------------------------------------------------------
def test_ignored_rows_count_neither_in_the_loss_nor_in_the_gradient() -> None:
    z, ids = RANDOM.normal(size=(4, 3)), [2, -100, 0, -100]
    some, kept = gl.parse("L = cross_entropy(z, y, ignore=-100)", values={"z": z, "y": ids}), [0, 2]
    few = gl.parse("L = cross_entropy(z, y)", values={"z": z, "y": ids})
    assert some.evaluate(z=z, y=ids) == pytest.approx(few.evaluate(z=z[kept], y=[2, 0]), rel=1e-15)
    slope = some.gradients(z=z, y=ids)["z"]
    np.testing.assert_array_equal(slope[[1, 3]], 0)
    np.testing.assert_allclose(slope[kept], few.gradients(z=z[kept], y=[2, 0])["z"], rtol=1e-15)


def test_a_loss_of_ignored_rows_only_is_nan_and_sends_nothing() -> None:
    graph, z = gl.parse("L = cross_entropy(z, y, ignore=1)", values={"z": [[1, 2]], "y": [1]}), [[1.0, 2.0]] * 2
    assert np.isnan(graph.evaluate(z=z, y=[1, 1]))
    np.testing.assert_array_equal(graph.gradients(z=z, y=[1, 1])["z"], np.zeros((2, 2)))
    assert "nan" in OPS["cross_entropy"].caveat


# ---- masks ---------------------------------------------------------------------------------------------------------
def test_causal_attention_is_attention_under_a_triangular_mask() -> None:
    q, k, v = RANDOM.normal(size=(3, 2, 4, 3))
    np.testing.assert_array_equal(
        gl.attention(q, k, v, causal=True), gl.attention(q, k, v, np.tri(4, dtype=bool)), strict=True
    )
    last = np.array([True, True, True, False])
    both = gl.attention(q, k, v, last, causal=True)
    np.testing.assert_array_equal(both, gl.attention(q, k, v, np.tri(4, dtype=bool) & last))
    graph = gl.parse("Y = attention(Q, K, V, causal=true)", values={"Q": q, "K": k, "V": v})
    assert graph.text == "Y = attention(Q, K, V, causal=true)"
    np.testing.assert_array_equal(graph.evaluate(Q=q, K=k, V=v), gl.attention(q, k, v, causal=True))


def test_a_mask_of_tokens_serves_every_query_of_every_head() -> None:
    tokens, scores = np.array([[True, False, True], [False, True, True]]), RANDOM.normal(size=(2, 4, 5, 3))
    mask = gl.padding_mask(tokens, scores)
    assert mask.shape == scores.shape and mask.dtype == bool
    for text in range(2):
        np.testing.assert_array_equal(mask[text], np.broadcast_to(tokens[text], (4, 5, 3)))


@pytest.mark.parametrize("wrong", [[1.0, 0.5], [-1e9, 0.0], [2, 0], [float("nan"), 1.0]])
def test_what_is_added_to_scores_is_no_mask(wrong: list[float]) -> None:
    graph = gl.parse("Y = masked(s, m)", values={"s": [1, 2], "m": [1, 0]})
    with pytest.raises(gl.errors.DomainError, match="masked: m must be true or false, for it is a mask"):
        graph.evaluate(s=[1, 2], m=np.array(wrong))
    assert graph.evaluate(s=[1, 2], m=np.array([1, 0])).tolist() == [1, -np.inf]


# ---- linear --------------------------------------------------------------------------------------------------------
def test_a_linear_layers_gradients_are_the_textbooks() -> None:
    graph = gl.parse("Y = linear(X, W, b)", values={"X": np.ones((4, 3)), "W": np.ones((2, 3)), "b": np.ones(2)})
    assert graph.derivative("X", seed="Y_bar").text == "Y_bar@W"
    assert graph.derivative("W", seed="Y_bar").text == "Y_bar.T@X"
    assert graph.latex == r"Y = X {} W^\top + b"
    assert gl.parse("Y = linear(X, W)").latex == r"Y = X {} W^\top"


def test_one_row_goes_through_a_linear_layer_as_a_vector() -> None:
    values = {"W": [[1, 2, 0], [0, 1, 3]], "x": [1, 2, 3]}
    graph = gl.parse("q = linear(x, W)", values=values)
    assert graph.evaluate(values).tolist() == [5, 11]
    slopes = graph.gradients(values, seed=[1, -2])
    assert slopes["W"].tolist() == [[1, 2, 3], [-2, -4, -6]] and slopes["x"].tolist() == [1, 0, -6]


# ---- heads ---------------------------------------------------------------------------------------------------------
def test_heads_are_split_and_merged_without_changing_an_entry() -> None:
    x = RANDOM.normal(size=(2, 5, 12))
    heads = gl.split_heads(x, heads=3)
    assert heads.shape == (2, 3, 5, 4)
    np.testing.assert_array_equal(heads[:, 1], x[..., 4:8])
    np.testing.assert_array_equal(gl.merge_heads(heads), x)


def test_named_sizes_are_divided_among_heads_and_put_together_again() -> None:
    x = variable("x", shape=("n", "d"))
    heads = gl.split_heads(x, heads=4)
    shapes = infer_shapes(Dag(gl.merge_heads(heads)), {})
    assert shapes[heads] == (4, "n", "d/4") and shapes[gl.merge_heads(heads)] == ("n", "d")
    k = variable("k", shape=(4, "n", "k"))
    whole = gl.merge_heads(k)
    again = gl.split_heads(whole, heads=4)
    shapes = infer_shapes(Dag(again), {})
    assert shapes[whole] == ("n", "4·k") and shapes[again] == (4, "n", "k")


def test_sizes_nobody_named_fit_each_other_behind_split_heads() -> None:
    graph = gl.parse("Y = attention(split_heads(Q@A, heads=2), split_heads(K, heads=2), split_heads(V, heads=2))")
    shapes = {node.name: node.shape for node in graph.outline().nodes if node.role == "input"}
    assert shapes["A"][1] == shapes["K"][1] != shapes["V"][1]
    assert not any(node.fault for node in graph.outline().nodes)


@pytest.mark.parametrize(
    ("formula", "values", "message"),
    [
        ("linear(x, W)", {"x": [[1, 2]], "W": [[1, 2, 3]]}, "every row of x must be as long as a row of W"),
        ("linear(x, W)", {"x": [[1, 2]], "W": [1, 2]}, r"needs rows x and a matrix W \(out, in\)"),
        (
            "linear(x, W, b)",
            {"x": [[1, 2]], "W": [[1, 2]], "b": [[1], [2]]},
            r"the bias \(2, 1\) must fit into \(1, 1\)",
        ),
        ("split_heads(x, heads=3)", {"x": [[1, 2]]}, "rows of 2 entries cannot be split among 3 heads evenly"),
        ("split_heads(x, heads=0)", {"x": [[1, 2]]}, "the number of heads is a whole number from 1, not 0"),
        ("merge_heads(x)", {"x": [[1, 2]]}, "needs .heads, rows, columns."),
        ("take(x, index=2)", {"x": [1, 2]}, "there is no entry 2 along axis 0"),
        ("padding_mask(m, s)", {"m": [1, 0, 1], "s": [[1, 2]]}, "needs one entry per key"),
        ("part_of(x, y)", {"x": [1], "y": [1, 2]}, "has only 1 entries along axis 0, but 2 are needed"),
    ],
)
def test_shapes_that_do_not_fit_are_said_in_the_words_of_the_op(
    formula: str, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ShapeError, match=message):
        gl.parse(formula, values=values).evaluate(values)
