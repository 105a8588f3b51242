"""Forward mode and second order of what textbook rules differentiate: composites and layers, against torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import graphlab as gl
from graphlab import layers
from graphlab.layers import Config, Sight
from tests.requirements import needs

# torch's own forward mode compiles its rules at first use, with what torch calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
Values = dict[str, Any]
WEIGHT = {"Y": (3, 4), "loss": ()}  # the shapes of the outputs


def functional() -> Any:
    return needs("torch").nn.functional


def attended(given: Mapping[str, Any], **masks: Any) -> Any:
    """Scaled dot products in torch's elementary functions, whose second derivative torch knows."""
    torch = needs("torch")
    scores = given["Q"] @ given["K"].transpose(-1, -2) / given["Q"].shape[-1] ** 0.5
    if masks.get("causal"):
        scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(), -torch.inf)
    if "mask" in given:
        scores = scores.masked_fill(~given["mask"], -torch.inf)
    return torch.softmax(scores, -1) @ given["V"]


def block_of_torch(given: Mapping[str, Any]) -> Any:
    x = given["X"]
    q, k, v = (
        functional().linear(x, given[f"s_attention_self_{name}_weight"], given[f"s_attention_self_{name}_bias"])
        for name in ("query", "key", "value")
    )
    parts = {letter: part.reshape(3, 2, 2).transpose(0, 1) for letter, part in zip("QKV", (q, k, v), strict=True)}

    def dense(path, x):
        return functional().linear(x, given[f"s_{path}_weight"], given[f"s_{path}_bias"])

    def normal(path, x):
        return functional().layer_norm(x, (4,), given[f"s_{path}_weight"], given[f"s_{path}_bias"])

    mixed = dense("attention_output_dense", attended(parts).transpose(0, 1).reshape(3, 4))
    mixed = normal("attention_output_LayerNorm", mixed + x)
    made = dense("output_dense", functional().gelu(dense("intermediate_dense", mixed)))
    return normal("output_LayerNorm", made + mixed)


def block() -> gl.Graph:
    config = Config(hidden_size=4, num_attention_heads=2, intermediate_size=5, layer_norm_eps=1e-5)
    with gl.scope("s"):
        y = layers.block(gl.variable("X"), config)
    return gl.graph(Y=y)


def real(seed: int = 0, **shapes: tuple[int, ...]) -> Values:
    random = np.random.default_rng(seed)
    return {name: random.normal(size=shape) for name, shape in shapes.items()}


QKV = real(Q=(3, 2), K=(3, 2), V=(3, 4))
IDS = np.array([2, 0, 2])
MASK = np.array([[True, False, True], [True, True, False], [False, True, True]])
Case = tuple[Callable[[], gl.Graph], Values, Callable[[Mapping[str, Any]], Any]]
CASES: dict[str, Case] = {
    "softmax": (
        lambda: gl.parse("Y = softmax(x)"),
        real(x=(3, 4)),
        lambda given: functional().softmax(given["x"], -1),
    ),
    "log_softmax": (
        lambda: gl.parse("Y = log_softmax(x)"),
        real(x=(3, 4)),
        lambda given: functional().log_softmax(given["x"], -1),
    ),
    "layer norm": (
        lambda: gl.parse("Y = layer_norm(x, gamma, beta)"),
        real(x=(3, 4), gamma=(4,), beta=(4,)),
        lambda given: functional().layer_norm(given["x"], (4,), given["gamma"], given["beta"]),
    ),
    "gelu": (lambda: gl.parse("Y = gelu(x)"), real(x=(3, 4)), lambda given: functional().gelu(given["x"])),
    "gelu_tanh": (
        lambda: gl.parse("Y = gelu_tanh(x)"),
        real(x=(3, 4)),
        lambda given: functional().gelu(given["x"], approximate="tanh"),
    ),
    "linear": (
        lambda: gl.parse("Y = linear(x, W, b)"),
        real(x=(3, 2), W=(4, 2), b=(4,)),
        lambda given: functional().linear(given["x"], given["W"], given["b"]),
    ),
    "attention": (lambda: gl.graph(Y=gl.attention(*gl.variables("Q K V"))), QKV, attended),
    "causal attention": (
        lambda: gl.graph(Y=gl.attention(*gl.variables("Q K V"), causal=True)),
        QKV,
        lambda given: attended(given, causal=True),
    ),
    "masked attention": (lambda: gl.graph(Y=gl.attention(*gl.variables("Q K V mask"))), QKV | {"mask": MASK}, attended),
    "explicit attention": (
        lambda: gl.graph(Y=layers.attend(*gl.variables("Q K V"), Sight(causal=True), result="O").y),
        QKV,
        lambda given: attended(given, causal=True),
    ),
    "embedding": (
        lambda: gl.parse("H = embedding(E, ids); Y = H*H"),
        real(E=(3, 4)) | {"ids": IDS},
        lambda given: given["E"][given["ids"]] ** 2,
    ),
    "cross-entropy": (
        lambda: gl.parse("loss = cross_entropy(z, ids)"),
        real(z=(3, 4)) | {"ids": IDS},
        lambda given: functional().cross_entropy(given["z"], given["ids"]),
    ),
    "ignored rows": (
        lambda: gl.parse("loss = cross_entropy(z, ids, ignore=-100)"),
        real(z=(3, 4)) | {"ids": np.array([2, -100, 1])},
        lambda given: functional().cross_entropy(given["z"], given["ids"]),
    ),
    "bce_with_logits": (
        lambda: gl.parse("loss = bce_with_logits(z, y)"),
        real(z=(3, 4)) | {"y": np.random.default_rng(5).random((3, 4))},
        lambda given: functional().binary_cross_entropy_with_logits(given["z"], given["y"]),
    ),
    "block": (block, real(X=(3, 4), **layers.parameter_shapes(block().dag.output)), block_of_torch),
}


def is_real(value: Any) -> bool:
    return bool(np.asarray(value).dtype.kind == "f")


def directions(values: Values) -> Values:
    return {name: np.random.default_rng(7).normal(size=np.shape(v)) for name, v in values.items() if is_real(v)}


def in_torch(values: Values) -> tuple[tuple[Any, ...], Callable[..., Any]]:
    """The real values as tensors, and all of them by name from those."""
    torch = needs("torch")
    torch.set_num_threads(1)
    fixed = {name: torch.as_tensor(value) for name, value in values.items() if not is_real(value)}
    names = [name for name in values if name not in fixed]
    return tuple(torch.as_tensor(values[n]) for n in names), lambda *xs: fixed | dict(zip(names, xs, strict=True))


def assert_close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("name", CASES)
def test_forward_mode_is_that_of_torch(name: str) -> None:
    """The output's tangent along a random direction of all inputs at once."""
    make, values, theirs = CASES[name]
    primals, by_name = in_torch(values)
    moves = directions(values)
    _, wanted = needs("torch").func.jvp(
        lambda *xs: theirs(by_name(*xs)), primals, tuple(needs("torch").as_tensor(move) for move in moves.values())
    )
    assert_close(make().jvp(moves, values), wanted.numpy())


@pytest.mark.parametrize("name", CASES)
def test_the_hessian_along_a_direction_is_that_of_torch(name: str) -> None:
    """Of the weighted sum of the output, towards all inputs."""
    torch = needs("torch")
    make, values, theirs = CASES[name]
    primals, by_name = in_torch(values)
    moves = directions(values)
    graph = make()
    weight = np.random.default_rng(3).normal(size=WEIGHT[graph.names[graph.dag.output]])

    def loss(*xs):
        return (theirs(by_name(*xs)) * torch.as_tensor(weight)).sum()

    arguments = tuple(range(len(primals)))
    _, wanted = torch.func.jvp(
        torch.func.grad(loss, argnums=arguments), primals, tuple(torch.as_tensor(move) for move in moves.values())
    )
    weighted = gl.graph(L=gl.sum(graph.dag.output * weight))
    found = weighted.hvp(moves, values)
    for (name_of, _), expected in zip(moves.items(), wanted, strict=True):
        assert_close(found[name_of], expected.numpy())


@pytest.mark.parametrize("name", ["attention", "layer norm", "gelu", "cross-entropy"])
def test_a_derivative_can_be_derived_again_as_a_graph(name: str) -> None:
    """Symbolically twice: the derivative of ⟨gradient, direction⟩ is the Hessian along it."""
    make, values, _ = CASES[name]
    graph = make()
    first = graph.inputs[0]
    weight = np.ones(WEIGHT[graph.names[graph.dag.output]])
    weighted = gl.graph(L=gl.sum(graph.dag.output * weight)).with_shapes(values)
    move = directions(values)[first]
    gradient = weighted.derivative(first)
    again = gl.graph(L=gl.sum(gradient.dag.output * move)).with_shapes(values).derivative(first)
    still = {name: np.zeros_like(value) for name, value in directions(values).items()} | {first: move}
    expected = weighted.hvp(still, values)[first]
    needed = {name: values[name] for name in again.inputs}
    assert_close(again.evaluate(needed), expected)
