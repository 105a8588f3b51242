"""How derivatives of arrays are printed: short, in the letters of a textbook, and written out further on request."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab as gl
from graphlab import layers
from graphlab.engine.inference import infer_shapes
from graphlab.engine.writing import FormulaWriter
from graphlab.errors import LimitError, UnknownName
from graphlab.layers import Config, Sight
from tests.api.printed import PASSES, PRINTED, attention, block, composite, layer_norm, printed

FORMS = json.loads(PRINTED.read_text(encoding="utf-8"))
MASK = Sight(mask=gl.variable("mask"))
GRAPHS = {
    "attention": attention,
    "causal": lambda: attention(Sight(causal=True)),
    "masked": lambda: attention(MASK),
    "composite": composite,
    "causal composite": lambda: composite(causal=True),
    "heads": lambda: layers_until_mixed(),
}


def layers_until_mixed() -> gl.Graph:
    """What every head finds, before the heads are put side by side."""
    q, k, v = (gl.split_heads(x, heads=2) for x in gl.variables("Q K V"))
    found = layers.attend(gl.named("Q_h", q), gl.named("K_h", k), gl.named("V_h", v), result="O_h")
    return gl.graph(O=found.y, shapes=dict.fromkeys("QKV", ("n", "d")))


# ---- form ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PASSES)
def test_a_backward_pass_is_printed_as_it_was(name: str) -> None:
    """`python -m tests.api.printed` writes the file anew: look at what has changed."""
    assert printed(PASSES[name]()) == FORMS[name]


def test_every_kept_form_is_one_that_is_checked() -> None:
    assert FORMS.keys() == PASSES.keys()


@pytest.mark.parametrize("name", GRAPHS)
def test_the_gradient_of_the_queries_is_short_and_in_the_letters_of_a_textbook(name: str) -> None:
    """At most 150 characters of LaTeX, in Q, K, V, U, P and d_k only."""
    graph = GRAPHS[name]()
    latex = graph.derivative("Q_h" if name == "heads" else "Q", seed="U").latex
    letters = set(re.findall(r"\\?[A-Za-z]+", re.sub(r"\\(operatorname|mathrm)\{\w+\}|_\{h\}|d_\{k\}|d/2", "", latex)))
    assert len(latex) <= 150
    assert letters <= {"Q", "K", "V", "U", "P", r"\frac", r"\sqrt", r"\odot", r"\top"}, latex


@pytest.mark.parametrize("name", PASSES)
def test_no_line_shows_a_placeholder_or_entries_by_index(name: str) -> None:
    for line in (*FORMS[name]["lines"], *FORMS[name]["latex"]):
        assert not re.search(r"…|\\ldots|None|\?|<|_\{?ij|\\sum", line)


@pytest.mark.parametrize("name", PASSES)
def test_every_bar_is_assigned_once_and_before_it_is_used(name: str) -> None:
    lines = PASSES[name]().lines
    names = [line.split(" = ")[0] for line in lines]
    assert len(set(names)) == len(names)
    for number, line in enumerate(lines):
        words = set(re.findall(r"\w+", line.split(" = ", 1)[1]))
        assert not words & set(names[number:])


def test_a_size_is_written_by_its_name_in_latex_and_as_what_parses_in_text() -> None:
    derivative = composite().derivative("Q", seed="U")
    assert r"\sqrt{d_{k}}" in derivative.latex
    assert "sqrt(size(Q, axis=-1))" in derivative.text
    halves = layers_until_mixed().derivative("Q_h", seed="U")
    assert r"\sqrt{d/2}" in halves.latex


def test_an_entrywise_product_keeps_its_brackets_beside_a_matrix_product() -> None:
    graph = gl.parse("A: (n, n); B: (n, n); C: (n, n); Y = A*B@C; Z = Y*B*A")
    assert graph.latex == (r"\begin{aligned} Y &= (A \odot B) {} C \\ Z &= Y \odot B \odot A \end{aligned}")


def test_rows_and_columns_are_added_up_by_name() -> None:
    graph = gl.parse("A: (n, m); B = A/rowsum(A); y = colsum(B) + rowmax(A).T@B + colmean(A)")
    assert graph.text == "B = A/rowsum(A); y = sum(B, axis=0) + rowmax(A).T@B + mean(A, axis=0)"
    assert r"\operatorname{colsum}(B)" in graph.latex
    value = np.arange(1.0, 7).reshape(2, 3)
    share = value / value.sum(axis=1, keepdims=True)
    expected = share.sum(axis=0) + value.max(axis=1) @ share + value.mean(axis=0)
    np.testing.assert_allclose(np.ravel(graph.evaluate(A=value)), expected)
    again = gl.parse(graph.latex, notation="latex", values={"A": value})
    np.testing.assert_allclose(again.evaluate(A=value), graph.evaluate(A=value))


# ---- towards operations --------------------------------------------------------------------------------------------
def test_an_operation_can_be_asked_for_by_its_name() -> None:
    graph = gl.parse("d = 2b; e = a + d; L = c*e")
    assert graph.derivative("e").text == "c"
    assert graph.derivative("d").lines == ["L_bar = 1", "e_bar = L_bar*c", "d_bar = e_bar"]
    assert graph.derivative("d").evaluate(c=-2) == -2


def test_the_gradient_of_a_named_operation_is_that_of_an_input_in_its_place() -> None:
    values = {name: np.random.default_rng(i).normal(size=(3, 4)) for i, name in enumerate(("X", "W_Q", "W_K", "W_V"))}
    values["X"] = values["X"] @ np.eye(4)
    upstream = np.ones((3, 3))
    graph = attention()
    nodes = {name: values["X"] @ values[f"W_{name}"].T for name in "QKV"}
    found = graph.derivative("Q", seed="U").evaluate(**values, U=upstream)
    expected = composite().gradients(**nodes, seed=upstream)["Q"]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_an_unknown_name_is_answered_with_inputs_and_operations() -> None:
    with pytest.raises(UnknownName, match=r"no input called 'q'[\s\S]*Its inputs: a, b. Its operations: d, L."):
        gl.parse("d = a*b; L = d + a").derivative("q")


def test_the_backward_pass_of_all_inputs_leaves_out_ids_and_masks() -> None:
    graph = gl.parse("E: (v, d); W: (c, d); Z = embedding(E, ids)@W.T; L = cross_entropy(Z, t)")
    assert [line.split(" = ")[0] for line in graph.backward().lines] == ["L_bar", "Z_bar", "W_bar", "E_bar"]


def test_the_scopes_of_layers_tell_their_gradients_apart() -> None:
    """Long names in text, and in LaTeX the number of the layer."""
    config = Config(hidden_size="d", num_attention_heads=1, num_hidden_layers=2, intermediate_size="f")
    backward = gl.graph(Y=layers.encoder(gl.variable("X"), config), shapes={"X": ("n", "d")}).backward(seed="U")
    names = [line.split(" = ")[0] for line in backward.lines]
    assert {"encoder_layer_0_attention_self_S_bar", "encoder_layer_1_attention_self_S_bar"} <= set(names)
    assert r"\bar{S}^{(0)} &=" in backward.latex and r"\bar{S}^{(1)} &=" in backward.latex
    assert r"\hat{R}_{1}^{(0)} &=" in backward.latex


def test_an_encoder_of_twice_the_depth_has_twice_the_lines() -> None:
    counts = []
    for depth in (2, 4, 8):
        config = Config(hidden_size="d", num_attention_heads=2, num_hidden_layers=depth, intermediate_size="f")
        graph = gl.graph(Y=layers.encoder(gl.variable("X"), config), shapes={"X": ("n", "d")})
        counts.append(len(graph.backward(seed="U").lines))
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


# ---- written out further -------------------------------------------------------------------------------------------
def test_one_level_puts_definitions_in_the_place_of_names() -> None:
    derivative = attention().derivative("Q", seed="U")
    one, two = derivative.substituted(), derivative.substituted().substituted()
    assert "P" in derivative.text and r"\operatorname{softmax}(S)" in one.latex and "linear(X, W_V)" in one.text
    assert two.latex == derivative.substituted(2).latex and two.latex != one.latex
    whole = derivative.substituted(None)
    assert set(re.findall(r"\b[A-Z]\w*", whole.text)) == {"X", "W_Q", "W_K", "W_V", "U", "T"}


def test_what_is_written_out_still_evaluates_to_the_same() -> None:
    values = {name: np.random.default_rng(i).normal(size=(3, 3)) for i, name in enumerate(("X", "W_Q", "W_K", "W_V"))}
    values["U"] = np.ones((3, 3))
    derivative = attention().derivative("Q", seed="U")
    text = derivative.substituted(None).text
    np.testing.assert_allclose(gl.parse(text, values=values).evaluate(values), derivative.evaluate(values), atol=1e-12)


@pytest.mark.parametrize("levels", [0, 1, 2, 3, None])
@pytest.mark.parametrize("make", [attention, composite, layer_norm, block])
def test_the_estimate_is_within_a_fifth_of_the_length(make, levels: int | None) -> None:
    graph = make()
    derivative = graph.derivative(graph.inputs[0], seed="U")
    if derivative.estimate(levels) <= 20_000:
        length = len(derivative.substituted(levels).latex)
        assert 0.8 * length <= derivative.estimate(levels) <= 1.2 * length


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 60))
def test_the_estimate_of_what_doubles_at_every_level_needs_no_writing(depth: int) -> None:
    x = gl.variable("x")
    node = x
    for number in range(depth):
        node = gl.named(f"h_{number}", gl.sin(node) * node)
    derivative = gl.graph(y=node * node).derivative("x")
    length = derivative.estimate(None)
    assert length > 2**depth
    if length > 20_000:
        with pytest.raises(LimitError, match=f"about {length:,} characters"):
            derivative.substituted(None)


def test_a_named_operation_is_not_looked_through() -> None:
    """S_bar.T stays, although S_bar is a product whose transpose could be written another way."""
    lines = gl.parse("A: (n, m); S = A@B; Y = S.T@C").backward("B", seed="U").lines
    assert lines == ["S_bar = C@U.T", "B_bar = A.T@S_bar"]


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("f = y*sin(x^2)", "2*y*cos(x^2)*x"),
        ("f = cos(x*y)", "-sin(x*y)*y"),
        ("f = exp(-x^2/2)", "-exp(-x^2/2)*x"),
        ("f = (p - x)^2*w", "-2*w*(p - x)"),
        ("f = x - y*(x + 1)", "1 - y"),
    ],
)
def test_a_product_of_products_is_printed_without_brackets(formula: str, printed: str) -> None:
    """It reads as another order of multiplying, whose value is the same."""
    derivative = gl.parse(formula).derivative("x")
    values = {name: 0.3 + i for i, name in enumerate(derivative.inputs)}
    assert derivative.text == printed
    again = gl.parse(printed, values=values).evaluate({n: v for n, v in values.items() if n in printed})
    assert again == pytest.approx(derivative.evaluate(values), rel=1e-14)


def test_what_was_typed_keeps_its_brackets() -> None:
    assert gl.parse("y = 2*(a*b); z = -(a*b)").text == "y = 2*(a*b); z = -(a*b)"


def test_a_product_with_an_inverse_is_printed_as_a_quotient() -> None:
    backward = gl.parse("r = a*b; L = -log(r)").backward()
    assert backward.lines[1] == "r_bar = -L_bar/r"
    assert r"\bar{r} &= -\frac{\bar{L}}{r}" in backward.latex


def test_a_transpose_is_called_after_what_is_transposed() -> None:
    assert gl.parse("S = Q@K.T").lines == ["K_T = K.T", "S = Q@K_T"]
    assert gl.parse("K_T = 2*K; S = K_T@K.T").lines[1] == "d = K.T"


@pytest.mark.parametrize("factor", ["-", "2*"])
def test_an_entrywise_product_with_a_factor_keeps_its_brackets_beside_a_matrix_product(factor: str) -> None:
    r"""−A ⊙ B C would be read as −A ⊙ (B C)."""
    graph = gl.parse(f"A: (n, n); B: (n, n); C: (n, n); Y = ({factor}(A*B))@C")
    written = FormulaWriter({}, infer_shapes(graph.dag, graph.shapes).get).define(graph.dag.output)
    assert written is not None and written.latex.endswith(r"A \odot B) {} C")
