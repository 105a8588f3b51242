"""Graphs of arrays for the tests of runners: calls of single ops, random graphs, and a small transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from graphlab.engine.core import OPS, Node, variable
from graphlab.engine.dag import Dag
from graphlab.engine.evaluation import evaluate
from graphlab.engine.inference import shapes_of_values
from graphlab.engine.reverse import gradients
from graphlab.engine.values import convert
from tests.engine.samples import Call

Point = Mapping[Node, Any]
Answer = tuple[Any, list[Any]]
op = OPS.__getitem__


@dataclass(frozen=True)
class Case:
    """A graph, values for its inputs in their order, and the nodes whose gradients are asked for."""

    dag: Dag
    point: dict[Node, Any]
    wrt: list[Node]

    def seed(self, number: Any = np.float64) -> Any:
        shape = tuple(map(int, shapes_of_values(self.dag, self.point)[self.dag.output]))
        return np.asarray(np.random.default_rng(5).normal(size=shape), number)[()]

    def values(self, number: Any = np.float64) -> list[Any]:
        found = [self.point[node] for node in self.dag.inputs.values()]
        return [x.astype(number) if x.dtype.kind == "f" else x for x in found]

    def expected(self, number: Any = np.float64) -> Answer:
        """What the plain passes give."""
        given = dict(zip(self.dag.inputs.values(), self.values(number), strict=True))
        values = evaluate(self.dag, given)
        return values[self.dag.output], list(gradients(self.dag, values, self.seed(number), self.wrt).values())

    def runner(self, kind: Any, number: Any = np.float64) -> Any:
        return kind(self.dag, shapes_of_values(self.dag, self.point), number, self.wrt)


def case(output: Node, given: Mapping[str, Any], wrt: Sequence[Node] | None = None) -> Case:
    dag = Dag(output)
    point = {node: convert(given[name], name) for name, node in dag.inputs.items()}
    real = [node for node, value in point.items() if value.dtype.kind == "f"]
    return Case(dag, point, real if wrt is None else list(wrt))


def case_of(call: Call) -> Case:
    """A call of one op."""
    inputs = [variable(f"x_{i}") for i in range(len(call.inputs))]
    wrt = [x for i, x in enumerate(inputs) if call.op.sends_to(i)]
    return case(call.op.node(*inputs, **call.attrs), dict(zip([x.name for x in inputs], call.inputs, strict=True)), wrt)


def assert_same(found: Answer, expected: Answer, rtol: float) -> None:
    """Same numbers, shapes and types. `rtol` is relative to each array's largest entry."""
    for mine, theirs in zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True):
        size = np.max(np.abs(theirs), where=np.isfinite(theirs), initial=1.0)
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * size)
        assert np.shape(mine) == np.shape(theirs)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype


# ---- random graphs -------------------------------------------------------------------------------------------------
SQUARE = ("add", "sub", "mul", "matmul", "maximum")
SINGLE = ("neg", "transpose", "softmax", "gelu", "gelu_tanh", "relu", "tanh", "detach", "causal", "normal", "heads")
SIZE = 4


@st.composite
def square_graphs(draw: st.DrawFn) -> Case:
    """Graphs of 4 × 4 matrices whose nodes are shared, seen in other shapes, and passed on unchanged."""
    inputs = [variable(name) for name in "abc"]
    nodes: list[Node] = list(inputs)
    for _ in range(draw(st.integers(1, 14))):
        name = draw(st.sampled_from(SQUARE + SINGLE))
        a, b = (draw(st.sampled_from(nodes)) for _ in range(2))
        nodes.append(op(name)(a, b) if name in SQUARE else single(name, a))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    output = draw(st.sampled_from([nodes[-1], op("sum")(nodes[-1]), op("mean")(nodes[-1], axis=0)]))
    wrt = sorted({draw(st.sampled_from(Dag(output).nodes)) for _ in range(4)}, key=lambda node: node.index)
    given = {str(x.name): random.normal(size=(SIZE, SIZE)) for x in inputs}
    return case(output, given, [node for node in wrt if node.op is not None or node.is_input])


def single(name: str, a: Node) -> Node:
    if name == "causal":
        return op("softmax")(op("causal_mask")(a / SIZE))
    if name == "normal":
        return op("layer_norm")(a, 1.5, 0.5, eps=0.1)
    if name == "heads":
        apart = op("split_heads")(a, heads=2)
        return op("merge_heads")(op("softmax")(apart @ apart.T / 3.0) @ apart)
    return op(name)(a)


# ---- a small transformer -------------------------------------------------------------------------------------------
WIDTH, HEADS, ROWS, WORDS = 6, 3, 5, 11


class Parameters(dict[str, Any]):
    """Values of parameters, drawn as they are asked for; calling it makes the node."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.random = np.random.default_rng(seed)
        self.nodes: dict[str, Node] = {}

    def __call__(self, name: str, *shape: int) -> Node:
        self[name] = self.random.normal(size=shape) / 2
        self.nodes[name] = variable(name)
        return self.nodes[name]


def dense(p: Parameters, name: str, x: Node, width: int, into: int) -> Node:
    return op("linear")(x, p(f"{name}_w", into, width), p(f"{name}_b", into))


def block(p: Parameters, x: Node, mask: Node) -> Node:
    """One encoder block, after the norm, with several heads and a padding mask."""
    q, k, v = (op("split_heads")(dense(p, name, x, WIDTH, WIDTH), heads=HEADS) for name in "qkv")
    scores = op("masked")(q @ k.T / op("sqrt")(op("size")(q, axis=-1)), mask)
    mixed = dense(p, "o", op("merge_heads")(op("softmax")(scores) @ v), WIDTH, WIDTH)
    x = op("layer_norm")(mixed + x, p("g1", WIDTH), p("h1", WIDTH), eps=1e-12)
    bent = dense(p, "down", op("gelu")(dense(p, "up", x, WIDTH, 4 * WIDTH)), 4 * WIDTH, WIDTH)
    return op("layer_norm")(bent + x, p("g2", WIDTH), p("h2", WIDTH), eps=1e-12)


def masked_language_model(batch: int = 2, extra: Sequence[str] = ()) -> Case:
    """Repeated ids, ignored labels, padding, and one table for reading words and for scoring them."""
    p = Parameters()
    random = p.random
    ids, labels, mask = variable("ids"), variable("labels"), variable("mask")
    words = p("words", WORDS, WIDTH)
    x = op("embedding")(words, ids) + op("embedding")(p("places", ROWS, WIDTH), np.arange(ROWS))
    x = block(p, x, mask)
    loss = op("cross_entropy")(op("linear")(x, words, p("bias", WORDS)), labels, ignore=-100)
    chosen = random.integers(WORDS, size=(batch, ROWS))
    right = np.where(random.random((batch, ROWS)) < 0.5, -100, chosen)
    right[0, 0] = 3
    allowed = np.arange(ROWS) < random.integers(2, ROWS + 1, size=(batch, 1, 1, 1))
    return case(loss, {**p, "ids": chosen, "labels": right, "mask": allowed}, [*p.nodes.values(), x])
