"""Every layer has the values and gradients of its torch module, and the lecture's numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab import layers
from graphlab.engine.core import Node
from graphlab.layers import Config, Sight
from tests.layers.agreement import Values, assert_equal_to_torch, drawn, weights_of
from tests.requirements import needs

ROWS = np.random.default_rng(7).normal(size=(5, 8))
BATCH = np.random.default_rng(8).normal(size=(3, 5, 8))
INPUTS = pytest.mark.parametrize("x", [ROWS, BATCH], ids=["one text", "a batch"])
SMALL = Config(hidden_size=8, num_attention_heads=2, num_hidden_layers=2, intermediate_size=12, layer_norm_eps=1e-5)


def run_module(module: Any, weights: Mapping[str, Any], x: Any, **more: Any) -> Any:
    """A torch module with other weights, by their names."""
    torch = needs("torch")
    torch.set_num_threads(1)
    return torch.func.functional_call(module, dict(weights), (x,), more)


def without(prefix: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """mlp_0_weight → 0.weight."""
    return {n.removeprefix(prefix).replace("_", "."): v for n, v in given.items() if n.startswith(prefix)}


# ---- networks ------------------------------------------------------------------------------------------------------
def test_an_mlp_is_a_torch_sequential_with_its_names() -> None:
    torch = needs("torch")
    with gl.scope("mlp"):
        y = layers.mlp(gl.variable("x"), (8, 4, 3), "relu")
    module = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3))
    values = {"x": ROWS, **weights_of(y)}
    assert without("mlp_", weights_of(y)).keys() == dict(module.named_parameters()).keys()
    assert_equal_to_torch(y, values, lambda given: run_module(module, without("mlp_", given), given["x"]))


def test_outside_of_scopes_parameters_are_called_as_in_the_lecture() -> None:
    graph = gl.graph(y=layers.mlp(gl.variable("x"), ("a", "b", "c")))
    assert graph.lines == ["a_1 = linear(x, W_1, b_1)", "h_1 = tanh(a_1)", "y = linear(h_1, W_2, b_2)"]
    assert layers.parameter_shapes(graph.dag.output) == {
        "W_1": ("b", "a"),
        "b_1": ("b",),
        "W_2": ("c", "b"),
        "b_2": ("c",),
    }


def test_logistic_regression_has_the_lectures_loss_and_gradient() -> None:
    """x = (−2, −1, 1, 2) with a constant feature: from w = 0 training leads to (0.4196, 0) and a loss of 0.6420."""
    z, p = layers.logistic_regression(gl.variable("X"))
    graph = gl.graph(L=gl.bce_with_logits(z, gl.variable("y")))
    given = {"X": [[-2, 1], [-1, 1], [1, 1], [2, 1]], "y": [0, 1, 0, 1]}
    assert graph.evaluate({**given, "w": [0, 0]}) == pytest.approx(math.log(2))
    assert graph.evaluate({**given, "w": [0.4196, 0]}) == pytest.approx(0.6420, abs=5e-5)
    np.testing.assert_allclose(graph.gradients({**given, "w": [0.4196, 0]})["w"], 0, atol=1e-4)
    assert gl.graph(p=p).evaluate(X=given["X"], w=[0, 0]).tolist() == [0.5] * 4


# ---- attention -----------------------------------------------------------------------------------------------------
def test_basic_self_attention_has_the_lectures_weights() -> None:
    layer = layers.basic_self_attention(gl.variable("X"), Sight(causal=True))
    x = [[1, 0], [0, 1], [1, 1]]
    wanted = [[1, 0, 0], [0.2689, 0.7311, 0], [0.2119, 0.2119, 0.5761]]
    np.testing.assert_allclose(gl.graph(P=layer.p).evaluate(X=x), wanted, atol=5e-5)
    rows = gl.graph(Y=layer.y).evaluate(X=x)
    np.testing.assert_allclose(rows[0], x[0])
    np.testing.assert_allclose(rows[2], [0.788, 0.788], atol=5e-4)


@INPUTS
@pytest.mark.parametrize("causal", [False, True], ids=["everybody", "causal"])
@pytest.mark.parametrize("scaled", [False, True], ids=["raw", "scaled"])
def test_self_attention_has_torchs_values_and_gradients(x: Any, causal: bool, scaled: bool) -> None:
    y = layers.self_attention(gl.variable("X"), Sight(causal=causal), size=8, key_size=6, scaled=scaled).y

    def theirs(given: Mapping[str, Any]) -> Any:
        attend = needs("torch").nn.functional.scaled_dot_product_attention
        q, k, v = (given["X"] @ given[f"W_{letter}"].T for letter in "QKV")
        return attend(q, k, v, is_causal=causal, scale=None if scaled else 1.0)

    assert_equal_to_torch(y, {"X": x, **weights_of(y)}, theirs)


def joined(given: Mapping[str, Any], prefix: str = "") -> Values:
    """The parameters as torch.nn.MultiheadAttention keeps them: those of Q, K and V one below the other."""
    torch = needs("torch")
    return {
        f"{prefix}in_proj_weight": torch.cat([given[f"W_{letter}"] for letter in "QKV"]),
        f"{prefix}in_proj_bias": torch.cat([given[f"b_{letter}"] for letter in "QKV"]),
        f"{prefix}out_proj.weight": given["W_O"],
        f"{prefix}out_proj.bias": given["b_O"],
    }


@INPUTS
@pytest.mark.parametrize("seen", ["everybody", "causal", "padding", "mask"])
def test_multi_head_attention_is_torchs_module(x: Any, seen: str) -> None:
    torch = needs("torch")
    allowed = np.random.default_rng(9).random((5, 5)) > 0.4
    allowed[:, 0] = True
    tokens = np.ones(x.shape[:-1], dtype=bool)
    tokens[..., -2:] = False
    sights = {
        "everybody": (Sight(), {}, {}),
        "causal": (Sight(causal=True), {}, {"attn_mask": ~torch.ones(5, 5).tril().bool()}),
        "padding": (Sight(padding=gl.variable("t")), {"t": tokens}, {"key_padding_mask": torch.as_tensor(~tokens)}),
        "mask": (Sight(mask=gl.variable("M")), {"M": allowed}, {"attn_mask": torch.as_tensor(~allowed)}),
    }
    sight, given_masks, their_masks = sights[seen]
    y = layers.multi_head_attention(gl.variable("X"), 2, sight, size=8).y
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True).double()

    def theirs(given: Mapping[str, Any]) -> Any:
        rows = given["X"]
        return torch.func.functional_call(module, joined(given), (rows, rows, rows), their_masks)[0]

    values = {"X": x, **given_masks, **weights_of(y)}
    values.pop("t" if seen == "mask" else "M", None)
    assert_equal_to_torch(y, values, theirs)


@pytest.mark.parametrize("heads", [1, 12])
def test_one_head_or_twelve_have_equally_many_parameters(heads: int) -> None:
    shapes = layers.parameter_shapes(layers.multi_head_attention(gl.variable("X"), heads, size=768).y)
    assert sum(math.prod(map(int, shape)) for shape in shapes.values()) == 2_362_368


# ---- positions -----------------------------------------------------------------------------------------------------
def test_sinusoidal_positions_are_waves_of_growing_length() -> None:
    rows = gl.graph(E=layers.sinusoidal_positions(gl.variable("X"))).evaluate(X=np.zeros((50, 6)))
    for i, k in ((0, 0), (1, 0), (7, 1), (49, 2)):
        angle = i / 10_000 ** (2 * k / 6)
        np.testing.assert_allclose(rows[i, 2 * k : 2 * k + 2], [math.sin(angle), math.cos(angle)], atol=1e-12)


@INPUTS
def test_learnt_positions_are_the_first_rows_of_a_table(x: Any) -> None:
    rows = gl.variable("X")
    y = rows + layers.learnt_positions(rows, 9, 8)
    values = {"X": x, **weights_of(y)}
    assert_equal_to_torch(y, values, lambda given: given["X"] + given["W_position"][:5])


# ---- blocks --------------------------------------------------------------------------------------------------------
PLACES = {
    "post": {"norm1": "attention_output_LayerNorm", "norm2": "output_LayerNorm"},
    "pre": {"norm1": "layernorm_before", "norm2": "layernorm_after"},
}


def as_torch_layer(given: Mapping[str, Any], norm: str, prefix: str = "") -> Values:
    """A block's parameters under the names of torch.nn.TransformerEncoderLayer."""
    torch = needs("torch")
    modules = {
        "self_attn.out_proj": "attention_output_dense",
        "linear1": "intermediate_dense",
        "linear2": "output_dense",
        **PLACES[norm],
    }
    found = {
        f"{to}.{kind}": given[f"{prefix}{name}_{kind}"] for to, name in modules.items() for kind in ("weight", "bias")
    }
    for kind in ("weight", "bias"):
        parts = [given[f"{prefix}attention_self_{name}_{kind}"] for name in ("query", "key", "value")]
        found[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
    return found


def torch_layer(norm: str) -> Any:
    torch = needs("torch")
    torch.set_num_threads(1)
    return torch.nn.TransformerEncoderLayer(
        8, 2, 12, dropout=0.0, activation="gelu", batch_first=True, norm_first=norm == "pre"
    ).double()


@INPUTS
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_block_is_torchs_encoder_layer(x: Any, norm: Any) -> None:
    with gl.scope("block"):
        y = layers.block(gl.variable("X"), SMALL, norm=norm)
    module = torch_layer(norm)
    values = {"X": x, **weights_of(y)}
    assert_equal_to_torch(
        y, values, lambda given: run_module(module, as_torch_layer(given, norm, "block_"), given["X"])
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_an_encoder_is_blocks_one_after_the_other(norm: Any) -> None:
    torch = needs("torch")
    tokens = np.array([True, True, True, False, False])
    y = layers.encoder(gl.variable("X"), SMALL, Sight(padding=gl.variable("t")), norm=norm)
    module = torch_layer(norm)

    def theirs(given: Mapping[str, Any]) -> Any:
        rows = given["X"]
        for number in range(2):
            weights = as_torch_layer(given, norm, f"encoder_layer_{number}_")
            rows = run_module(module, weights, rows, src_key_padding_mask=torch.as_tensor(~tokens))
        return rows

    assert_equal_to_torch(y, {"X": ROWS, "t": tokens, **weights_of(y)}, theirs)


# ---- all of them ---------------------------------------------------------------------------------------------------
def every_layer() -> dict[str, Node]:
    """One of each, with named sizes."""
    x, padding = gl.variable("X"), gl.variable("t")
    named = Config("V", "d", 2, 2, "m", "longest", "kinds")
    bert = layers.bert(named, ("masked_tokens", "next_sentence"))
    assert bert.pooled is not None and bert.loss is not None
    return {
        "logistic regression": layers.logistic_regression(x).p,
        "mlp": layers.mlp(x, ("d", "m", "k")),
        "basic self-attention": layers.basic_self_attention(x, Sight(causal=True)).y,
        "self-attention": layers.self_attention(x, scaled=False).y,
        "scaled self-attention": layers.self_attention(x, Sight(causal=True)).y,
        "multi-head attention": layers.multi_head_attention(x, 4, Sight(padding=padding)).y,
        "sinusoidal positions": x + layers.sinusoidal_positions(x),
        "learnt positions": x + layers.learnt_positions(x),
        "post-norm block": layers.block(x, named),
        "pre-norm block": layers.block(x, named, norm="pre"),
        "block with another gelu": layers.block(x, Config("V", "d", 1, 2, "m", hidden_act="gelu_new")),
        "encoder": layers.encoder(x, named),
        "BERT": bert.pooled,
        "BERT with heads": bert.loss,
    }


EVERY_LAYER = every_layer()
DECLARED = {"X": ("n", "d"), "t": ("n",)}


@pytest.mark.parametrize("name", EVERY_LAYER)
def test_every_shape_is_inferred_while_sizes_are_names(name: str) -> None:
    graph = gl.graph(L=EVERY_LAYER[name], shapes=DECLARED)
    nodes = graph.outline().nodes
    assert not any(node.fault for node in nodes)
    assert all("?" not in str(size) for node in nodes for size in node.shape)


@pytest.mark.parametrize("name", EVERY_LAYER)
def test_a_layers_program_parses_to_the_same_numbers(name: str) -> None:
    graph = gl.graph(L=EVERY_LAYER[name], shapes=DECLARED)
    sizes = {"n": 4, "d": 4, "m": 5, "k": 3, "longest": 6, "V": 7, "kinds": 2}
    shapes = {n: tuple(sizes.get(s, s) for s in graph.outline().nodes[i].shape) for i, n in ids_of_inputs(graph)}
    whole = {"input_ids", "token_type_ids", "labels", "next_sentence_label"}
    values = {n: value if n not in whole else np.zeros(shapes[n], int) for n, value in drawn(shapes).items()}
    values |= {n: np.ones(shapes[n], bool) for n in ("t", "attention_mask") if n in shapes}
    again = gl.parse("; ".join(graph.lines), values=values)
    np.testing.assert_allclose(again.evaluate(values), graph.evaluate(values), rtol=1e-12)


def ids_of_inputs(graph: gl.Graph) -> list[tuple[int, str]]:
    return [(i, node.name) for i, node in enumerate(graph.outline().nodes) if node.role == "input"]
