"""What steps of a backward pass say of attention, layer norm and layers in scopes: short, in a textbook's letters."""

from __future__ import annotations

import numpy as np

import graphlab as gl
from graphlab import layers
from graphlab.layers import Config
from graphlab.tracing.explaining import explain

MATRIX = [[1, 2], [3, 4]]


def sentences(graph: gl.Graph, **values: object) -> list[tuple[str, str]]:
    return [(words.sentence, words.formula) for words in explain(graph.trace(values))]


def last_for(found: list[tuple[str, str]], start: str) -> tuple[str, str]:
    return next(pair for pair in reversed(found) if pair[0].startswith(start))


def test_attention_speaks_of_its_weights_by_their_letter() -> None:
    found = sentences(gl.parse("O = attention(Q, K, V); L = sum(O*O)"), Q=MATRIX, K=MATRIX, V=MATRIX)
    sentence, formula = last_for(found, "O → K")
    assert "So K gets (P · (Ō Vᵀ − rowsum(Ō Vᵀ · P)))ᵀ Q / √(size(Q, axis=−1)) =" in sentence
    assert "P = softmax(QKᵀ/√d)" in sentence
    assert formula.startswith(r"\bar{K} = \frac{(P \odot (\bar{O} {} V^\top - \operatorname{rowsum}(")


def test_layer_norm_speaks_of_the_row_it_has_normalised() -> None:
    found = sentences(gl.parse("y = layer_norm(x, gamma); L = sum(y*y)"), x=MATRIX, gamma=[1, 2])
    sentence, formula = last_for(found, "y → x")
    assert "− x̂ · rowmean(ȳ · γ · x̂)) / √(rowvar(x) + 1e−5)" in sentence
    assert r"\hat{x} \odot \operatorname{rowmean}(\bar{y} \odot \gamma \odot \hat{x})" in formula
    assert "So γ gets sum(ȳ · x̂, axis=0)" in last_for(found, "y → γ")[0]


def test_layers_are_spoken_of_by_the_short_names_of_their_scope() -> None:
    with gl.scope("layer.3"):
        y = layers.block(gl.variable("X"), Config(hidden_size=4, num_attention_heads=2, intermediate_size=3))
    random = np.random.default_rng(0)
    values = {name: random.normal(size=shape) for name, shape in layers.parameter_shapes(y).items()}
    found = sentences(gl.graph(L=gl.sum(y * y)), X=random.normal(size=(2, 4)), **values)
    sentence, formula = last_for(found, "F → G")
    assert "F = linear(G, W₂, b₂)." in sentence and "So G gets F̄ W₂ =" in sentence
    assert formula == r"\bar{G} = \bar{F} {} W_{2}^{(3)}"
    assert not any("layer" in text.replace("layer_norm", "") for pair in found for text in pair)


def test_nothing_is_sent_through_a_size() -> None:
    trace = gl.parse("S = Q@K.T/sqrt(size(Q, axis=-1)); L = sum(S*S)").trace(Q=MATRIX, K=MATRIX)
    reached = {trace.node(step.node).op for step in trace.steps if step.kind == "edge"}
    assert "size" not in reached and "sqrt" not in reached
