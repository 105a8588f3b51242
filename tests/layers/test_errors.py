"""What does not fit is said at the node and in the scope where it happens, and drawn there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab import layers
from graphlab.errors import DomainError, GraphLabError, ShapeError, ValueProblem
from graphlab.layers.bert import HEADS

SELF = "in bert.encoder.layer.0.attention.self: "
WEIGHT = "bert.encoder.layer.0.attention.self.query.weight"


@pytest.fixture(scope="module")
def bert() -> gl.Graph:
    loss = layers.bert(layers.Config(20, 8, 2, 2, 12, 10, 2), HEADS, ids_shape=("batch", "n")).loss
    assert loss is not None
    return gl.graph(L=loss)


def values_for(graph: gl.Graph, **changed: Any) -> dict[str, Any]:
    shapes = layers.parameter_shapes(graph.dag.output)
    ids = {"input_ids": np.ones((2, 6), int), "token_type_ids": np.zeros((2, 6), int)}
    labels = {"labels": np.full((2, 6), 3), "next_sentence_label": np.array([0, 1])}
    weights = {name: np.full(shape, 0.1) for name, shape in shapes.items()}
    return {**weights, **ids, **labels, "attention_mask": np.ones((2, 6), bool), **changed}


WRONG = {
    "weight": (
        {WEIGHT: np.ones((8, 7))},
        ShapeError,
        SELF + "linear for Q: every row of x must be as long as a row of W, but x is (2, 6, 8) and W is (8, 7)",
    ),
    "heads": (
        {WEIGHT: np.ones((7, 8)), WEIGHT.replace("weight", "bias"): np.ones(7)},
        ShapeError,
        SELF + "split_heads for Q_h: rows of 7 entries cannot be split among 2 heads evenly",
    ),
    "mask of another length": (
        {"attention_mask": np.ones((2, 5), bool)},
        ShapeError,
        SELF + "padding_mask for M: needs one entry per key, but the mask is (2, 5) and the scores are (2, 2, 6, 6)",
    ),
    "mask to be added": (
        {"attention_mask": np.full((2, 6), -1e9)},
        DomainError,
        SELF + "padding_mask for M: attention_mask must be true or false, for it is a mask, but it holds -1e+09",
    ),
    "mask of whole numbers": (
        {"attention_mask": np.full((2, 6), 2)},
        DomainError,
        SELF + "padding_mask for M: attention_mask must be true or false, for it is a mask, but it holds 2",
    ),
    "id": (
        {"input_ids": np.full((2, 6), 20)},
        DomainError,
        "in bert.embeddings: embedding for E_word: there is no row 20: ids are whole numbers from 0 to 19",
    ),
    "ids that are no numbers of rows": (
        {"input_ids": np.full((2, 6), 0.5)},
        DomainError,
        "in bert.embeddings: embedding for E_word: input_ids must be whole numbers, for they are ids",
    ),
    "too many tokens": (
        {
            **{name: np.ones((2, 11), int) for name in ("input_ids", "token_type_ids", "labels")},
            "attention_mask": np.ones((2, 11), bool),
        },
        ShapeError,
        "in bert.embeddings: part_of for E_position: (10, 8) has only 10 entries along axis -2, but 11 are needed",
    ),
    "label": (
        {"labels": np.full((2, 6), -1)},
        DomainError,
        "cross_entropy for L_tokens: there is no row -1: ids are whole numbers from 0 to 19",
    ),
    "types": (
        {WEIGHT: np.full((8, 8), 0.1, np.float32)},
        ValueProblem,
        SELF + f"linear for Q: X is float64 but {WEIGHT.replace('.', '_')} is float32",
    ),
}


@pytest.mark.parametrize(("changed", "kind", "message"), WRONG.values(), ids=WRONG)
def test_an_error_names_node_and_scope(
    bert: gl.Graph, changed: dict[str, Any], kind: type[GraphLabError], message: str
) -> None:
    with pytest.raises(kind) as found:
        bert.evaluate(values_for(bert, **{name.replace(".", "_"): value for name, value in changed.items()}))
    assert found.value.message.startswith(message) or found.value.message == message
    assert found.value.hint is None or found.value.hint[-1] in ".)"


@pytest.mark.parametrize(("changed", "kind", "message"), WRONG.values(), ids=WRONG)
def test_the_graph_is_drawn_with_the_node_marked(
    bert: gl.Graph, changed: dict[str, Any], kind: type[GraphLabError], message: str
) -> None:
    drawn = bert.outline(values_for(bert, **{name.replace(".", "_"): value for name, value in changed.items()}))
    marked = [node for node in drawn.nodes if node.fault]
    assert len(drawn.nodes) == len(bert.dag.nodes)
    assert message in marked[0].fault
    assert marked[0].scope == (message.partition(": ")[0].removeprefix("in ") if message.startswith("in ") else "")


def test_all_that_does_not_need_the_fault_has_its_value_in_the_drawing(bert: gl.Graph) -> None:
    drawn = bert.outline(values_for(bert, input_ids=np.full((2, 6), 20)))
    by_name = {node.symbol or node.name: node for node in drawn.nodes}
    assert by_name["E_type"].value is not None and by_name["E_word"].value is None and by_name["E"].value is None


def test_outside_of_scopes_types_mix_as_in_numpy() -> None:
    x, w = gl.variables("x w")
    given = {"x": np.ones(2, np.float32), "w": np.ones(2)}
    assert gl.graph(L=gl.sum(x * w)).gradients(given)["x"].dtype == np.float32
    with gl.scope("layer"):
        scoped = gl.sum(gl.named("y", x * w))
    with pytest.raises(ValueProblem, match="in layer: mul for y: x is float32 but w is float64"):
        gl.graph(L=scoped).evaluate(given)


def test_what_is_wrong_with_a_layer_is_said_when_it_is_built() -> None:
    x = gl.variable("x")
    with pytest.raises(
        ValueProblem, match=r"in encoder\.layer\.0\.attention\.self: rows of 10 entries cannot be split"
    ):
        layers.encoder(x, layers.Config(hidden_size=10, num_attention_heads=3))
    with pytest.raises(ValueProblem, match="no activation called 'softly'"):
        layers.encoder(x, layers.Config(hidden_act="softly"))
    with pytest.raises(ValueProblem, match="no head called 'tail'"):
        layers.bert(layers.Config(), ["tail"])
    with pytest.raises(ValueProblem, match="post or pre"):
        layers.block(x, layers.Config(), norm="none")  # type: ignore[arg-type]
    with pytest.raises(ValueProblem, match="at least two sizes"):
        layers.mlp(x, [3])
