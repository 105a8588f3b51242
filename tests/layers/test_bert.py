"""BERT as a graph: the reference's names and numbers of parameters, and torch's values and gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab import layers
from graphlab.engine.core import Node
from graphlab.layers.bert import HEADS
from tests.layers.agreement import Values, assert_equal_to_torch, weights_of
from tests.requirements import needs

SMALL = layers.Config(20, 8, 2, 2, 12, 10, 2)
WITH_UNDERSCORES = (
    *("input_ids", "token_type_ids", "attention_mask", "next_sentence_label"),
    *("word_embeddings", "token_type_embeddings", "position_embeddings", "seq_relationship"),
)
SHAPES = pytest.mark.parametrize("shape", [(6,), (3, 6)], ids=["one text", "a batch"])


def dotted(name: str) -> str:
    """bert_encoder_layer_0_output_dense_weight → the reference's bert.encoder.layer.0.output.dense.weight."""
    for kept in WITH_UNDERSCORES:
        name = name.replace(kept, kept.replace("_", " "))
    return name.replace("_", ".").replace(" ", "_")


def texts(shape: tuple[int, ...]) -> Values:
    """Some words come twice, the last tokens of the first text are padding, and most labels are ignored."""
    random = np.random.default_rng(1)
    mask = np.ones(shape, dtype=bool)
    mask.reshape(-1, shape[-1])[0, -2:] = False
    labels = np.where(random.random(shape) < 0.3, random.integers(20, size=shape), -100)
    labels.flat[0] = 3
    return {
        "input_ids": random.integers(5, size=shape),
        "token_type_ids": random.integers(2, size=shape),
        "attention_mask": mask,
        "labels": labels,
        "next_sentence_label": np.asarray(random.integers(2, size=shape[:-1])),
    }


def given_for(output: Node, shape: tuple[int, ...]) -> Values:
    inputs = gl.graph(L=output).inputs
    return weights_of(output) | {name: value for name, value in texts(shape).items() if name in inputs}


def hidden_by_torch(given: Mapping[str, Any], config: layers.BertConfig, prefix: str = "") -> Any:
    needs("torch").set_num_threads(1)
    from tests.layers.reference import encode

    weights = {dotted(name): value for name, value in given.items()}
    ids = [given[name] for name in ("input_ids", "token_type_ids", "attention_mask")]
    return encode(*ids, weights, config, prefix), weights


@SHAPES
@pytest.mark.parametrize("activation", ["gelu", "gelu_new"])
def test_the_encoder_has_torchs_hidden_states_and_gradients(shape: tuple[int, ...], activation: str) -> None:
    config = layers.Config(20, 8, 2, 2, 12, 10, 2, hidden_act=activation)
    hidden = layers.bert(config).hidden
    assert_equal_to_torch(hidden, given_for(hidden, shape), lambda given: hidden_by_torch(given, config)[0])


@SHAPES
def test_the_pooler_has_torchs_values_and_gradients(shape: tuple[int, ...]) -> None:
    pooled = layers.bert(SMALL).pooled
    assert pooled is not None

    def theirs(given: Mapping[str, Any]) -> Any:
        from tests.layers.reference import pool

        return pool(*hidden_by_torch(given, SMALL))

    assert_equal_to_torch(pooled, given_for(pooled, shape), theirs)


@SHAPES
def test_pretraining_has_torchs_loss_and_gradients(shape: tuple[int, ...]) -> None:
    """With padding, ignored labels, repeated ids, and the tied matrix, which gets two contributions."""
    loss = layers.bert(SMALL, HEADS).loss
    assert loss is not None

    def theirs(given: Mapping[str, Any]) -> Any:
        from tests.layers.reference import pretraining_loss

        hidden, weights = hidden_by_torch(given, SMALL, "bert.")
        return pretraining_loss(hidden, weights, SMALL)

    assert_equal_to_torch(loss, given_for(loss, shape), theirs)


# Counted once more by hand: embeddings 23,837,184, each layer 7,087,872, pooler 590,592, and the heads.
COUNTS = {
    (): (199, 109_482_240),
    ("masked_tokens",): (202, 109_514_298),
    HEADS: (206, 110_106_428),
}


@pytest.mark.parametrize("heads", COUNTS, ids=str)
def test_base_has_exactly_the_published_number_of_parameters(heads: tuple[str, ...]) -> None:
    made = layers.bert(layers.Config(), heads)
    shapes = layers.parameter_shapes(*[node for node in made if node is not None])
    assert (len(shapes), sum(math.prod(map(int, shape)) for shape in shapes.values())) == COUNTS[heads]


def test_parameters_have_the_references_names() -> None:
    loss = layers.bert(layers.Config(num_hidden_layers=1), HEADS).loss
    assert loss is not None
    block = "attention.self.query attention.self.key attention.self.value attention.output.dense "
    block += "attention.output.LayerNorm intermediate.dense output.dense output.LayerNorm"
    modules = [f"bert.encoder.layer.0.{name}" for name in block.split()]
    modules += ["bert.embeddings.LayerNorm", "bert.pooler.dense", "cls.seq_relationship"]
    modules += [f"cls.predictions.transform.{name}" for name in ("dense", "LayerNorm")]
    names = {f"{module}.{kind}" for module in modules for kind in ("weight", "bias")} | {"cls.predictions.bias"}
    names |= {f"bert.embeddings.{table}_embeddings.weight" for table in ("word", "token_type", "position")}
    assert {dotted(name) for name in layers.parameter_shapes(loss)} == names


def test_every_parameter_stands_in_the_scope_of_its_module() -> None:
    loss = layers.bert(layers.Config(num_hidden_layers=2), HEADS).loss
    graph = gl.graph(L=loss)
    for name in layers.parameter_shapes(graph.dag.output):
        assert dotted(name).startswith(graph.dag.input(name).scope + ".")


def test_a_layer_has_more_than_twenty_named_intermediates() -> None:
    graph = gl.graph(Y=layers.bert(layers.Config()).hidden)
    for number in range(12):
        inside = [n for n in graph.dag.nodes if n.op and f"{n.scope}.".startswith(f"encoder.layer.{number}.")]
        names = [n.name for n in inside if n.name]
        assert len(names) > 20 and len(set(names)) == len(names)


def test_sizes_may_stay_names() -> None:
    config = layers.Config("V", "d", 1, 2, "m", "longest", "kinds")
    made = layers.bert(config, HEADS, ids_shape=("B", "n"))
    graph = gl.graph(L=made.loss, Y=made.hidden, Z=made.token_scores)
    nodes = graph.outline().nodes
    assert not any(node.fault for node in nodes) and not graph.notices
    encoder = {node.symbol or node.name: node.shape for node in nodes if node.scope.startswith("bert.encoder")}
    assert (encoder["Q_h"], encoder["P"]) == (("B", 2, "n", "d/2"), ("B", 2, "n", "n"))
    assert (encoder["O"], encoder["G"]) == (("B", "n", "d"), ("B", "n", "m"))
    assert {node.name: node.shape for node in nodes}["Z"] == ("B", "n", "V")


def test_any_object_with_the_fields_will_do_and_padding_may_be_left_out() -> None:
    fields = {name: getattr(SMALL, name) for name in SMALL.__dataclass_fields__}
    made = layers.bert(SimpleNamespace(**fields), padding=False)
    assert "attention_mask" not in gl.graph(Y=made.hidden).inputs


def test_the_padding_of_a_text_changes_nothing_in_its_tokens() -> None:
    graph = gl.graph(Y=layers.bert(SMALL).hidden)
    weights = weights_of(graph.dag.output)
    alone = {"input_ids": np.array([3, 4, 3]), "token_type_ids": np.zeros(3, int), "attention_mask": np.ones(3, bool)}
    padded = {name: np.pad(value, (0, 2)) for name, value in alone.items()}
    rows = graph.evaluate({**weights, **padded})[:3]
    np.testing.assert_allclose(rows, graph.evaluate({**weights, **alone}), rtol=1e-12)
