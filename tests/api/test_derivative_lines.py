"""The lines of a backward pass are read again and have torch's gradients: attention, layer norm, losses, a block."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as gl
from graphlab import layers
from graphlab.layers import Config, Sight
from tests.api.printed import layer_norm as layer_norm_graph
from tests.api.textbook import Values, assert_lines_equal_torch
from tests.requirements import needs

SHAPES = pytest.mark.parametrize("seed", range(5))


def sizes(seed: int, count: int) -> tuple[int, ...]:
    return tuple(int(size) for size in np.random.default_rng(seed).integers(2, 7, size=count))


def drawn(seed: int, **shapes: tuple[int, ...]) -> Values:
    random = np.random.default_rng(seed)
    return {name: random.normal(size=shape) for name, shape in shapes.items()}


def attention_values(seed: int, heads: int = 1) -> Values:
    n, d, k = sizes(seed, 3)
    d, k = d * heads, d * heads if heads > 1 else k
    weights = {f"W_{letter}": (k, d) for letter in "QKV"}
    return drawn(seed, X=(n, d), **weights)


@SHAPES
@pytest.mark.parametrize("kind", ["plain", "causal", "masked"])
def test_attention_of_explicit_nodes(kind: str, seed: int) -> None:
    """dX, dW_Q, dW_K and dW_V."""
    mask = gl.variable("mask") if kind == "masked" else None
    layer = layers.self_attention(gl.variable("X"), Sight(causal=kind == "causal", mask=mask))
    values = attention_values(seed)
    n = len(values["X"])
    if mask is not None:
        values["mask"] = (np.random.default_rng(seed).random((n, n)) > 0.4) | np.eye(n, dtype=bool)
    graph = gl.graph(Y=layer.y, shapes={"X": ("n", "d"), "mask": ("n", "n")})

    def theirs(given):
        q, k, v = (given["X"] @ given[f"W_{letter}"].T for letter in "QKV")
        attend = needs("torch").nn.functional.scaled_dot_product_attention
        return attend(q, k, v, attn_mask=given.get("mask"), is_causal=kind == "causal")

    assert_lines_equal_torch(graph, values, theirs)


@SHAPES
@pytest.mark.parametrize("kind", ["plain", "causal", "masked"])
def test_the_attention_composite(kind: str, seed: int) -> None:
    """dQ, dK and dV."""
    n, m, d, c = sizes(seed, 4)
    values = drawn(seed, Q=(n, d), K=(n if kind == "causal" else m, d), V=(n if kind == "causal" else m, c))
    nodes = list(gl.variables("Q K V"))
    if kind == "masked":
        values["mask"] = (np.random.default_rng(seed).random((n, m)) > 0.4) | (np.arange(m) == 0)
        nodes.append(gl.variable("mask"))
    graph = gl.graph(Y=gl.attention(*nodes, causal=kind == "causal"))

    def theirs(given):
        attend = needs("torch").nn.functional.scaled_dot_product_attention
        masks = {"attn_mask": given.get("mask"), "is_causal": kind == "causal"}
        return attend(given["Q"], given["K"], given["V"], **masks)

    assert_lines_equal_torch(graph, values, theirs)


@SHAPES
def test_attention_with_several_heads(seed: int) -> None:
    """Split, attended, put side by side and mixed by W_O."""
    values = attention_values(seed, heads=2)
    d = values["X"].shape[-1]
    values["W_O"] = np.random.default_rng(9).normal(size=(d, d))
    layer = layers.multi_head_attention(gl.variable("X"), 2, Sight(causal=True), bias=False)
    graph = gl.graph(Y=layer.y, shapes={"X": ("n", "d")})

    def theirs(given):
        x = given["X"]
        q, k, v = ((x @ given[f"W_{letter}"].T).reshape(len(x), 2, -1).transpose(0, 1) for letter in "QKV")
        mixed = needs("torch").nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return mixed.transpose(0, 1).reshape(len(x), -1) @ given["W_O"].T

    assert_lines_equal_torch(graph, values, theirs)


@SHAPES
def test_layer_norm(seed: int) -> None:
    """All three gradients."""
    n, d = sizes(seed, 2)
    graph = layer_norm_graph()

    def theirs(given):
        return needs("torch").nn.functional.layer_norm(given["x"], (d,), given["gamma"], given["beta"])

    assert_lines_equal_torch(graph, drawn(seed, x=(n, d), gamma=(d,), beta=(d,)), theirs)


@SHAPES
@pytest.mark.parametrize("form, approximate", [("gelu", "none"), ("gelu_tanh", "tanh")])
def test_gelu_with_a_residual_connection(form: str, approximate: str, seed: int) -> None:
    """The residual connection hands on what arrives."""
    n, d = sizes(seed, 2)
    graph = gl.parse(f"X: (n, d); H = {form}(X); Y = H + X")

    def theirs(given):
        return needs("torch").nn.functional.gelu(given["X"], approximate=approximate) + given["X"]

    assert_lines_equal_torch(graph, drawn(seed, X=(n, d)), theirs)


@SHAPES
def test_an_embedding_whose_ids_repeat(seed: int) -> None:
    n, d = sizes(seed, 2)
    values = drawn(seed, E=(4, d)) | {"ids": np.random.default_rng(seed).integers(2, size=n)}
    graph = gl.parse("X = embedding(E, ids); Y = X*X")
    assert_lines_equal_torch(graph, values, lambda given: given["E"][given["ids"]] ** 2)


@SHAPES
@pytest.mark.parametrize("ignore", [None, -100])
def test_cross_entropy(ignore: int | None, seed: int) -> None:
    """With and without rows that do not count."""
    n, d, c = sizes(seed, 3)
    random = np.random.default_rng(seed)
    values = drawn(seed, X=(n, d), W=(c, d)) | {"t": random.integers(c, size=n)}
    if ignore is not None:
        values["t"][1:] = np.where(random.random(n - 1) > 0.5, ignore, values["t"][1:])
    option = "" if ignore is None else f", ignore={ignore}"
    graph = gl.parse(f"X: (n, d); W: (c, d); t: (n,); Z = X@W.T; loss = cross_entropy(Z, t{option})")

    def theirs(given):
        entropy = needs("torch").nn.functional.cross_entropy
        return entropy(given["X"] @ given["W"].T, given["t"], ignore_index=-100)

    assert_lines_equal_torch(graph, values, theirs, seed=None)


@SHAPES
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_transformer_block(norm: str, seed: int) -> None:
    """With scoped parameters and two heads, towards all its inputs at once."""
    n, d, f = sizes(seed, 3)
    d = 2 * d
    config = Config(hidden_size=d, num_attention_heads=2, intermediate_size=f, layer_norm_eps=1e-5)
    with gl.scope("layer.3"):
        y = layers.block(gl.variable("X"), config, Sight(causal=True), norm=norm)
    graph = gl.graph(Y=y, shapes={"X": ("n", d)})
    values = drawn(seed, X=(n, d), **layers.parameter_shapes(y))

    def theirs(given):
        functional = needs("torch").nn.functional
        after = norm == "post"

        def dense(path, x):
            return functional.linear(x, given[f"layer_3_{path}_weight"], given[f"layer_3_{path}_bias"])

        def normal(path, x):
            return functional.layer_norm(x, (d,), given[f"layer_3_{path}_weight"], given[f"layer_3_{path}_bias"])

        x = given["X"]
        ready = x if after else normal("layernorm_before", x)
        parts = (dense(f"attention_self_{name}", ready) for name in ("query", "key", "value"))
        q, k, v = (part.reshape(n, 2, -1).transpose(0, 1) for part in parts)
        heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(0, 1).reshape(n, d)
        mixed = dense("attention_output_dense", heads) + x
        ready = mixed = normal("attention_output_LayerNorm", mixed) if after else mixed
        ready = ready if after else normal("layernorm_after", ready)
        made = dense("output_dense", functional.gelu(dense("intermediate_dense", ready))) + mixed
        return normal("output_LayerNorm", made) if after else made

    assert_lines_equal_torch(graph, values, theirs)
