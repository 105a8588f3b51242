"""What a graph is written as is read as the same graph: ops, inputs, constants, options and sharing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlab.api import Graph, parse
from graphlab.engine import ops
from graphlab.engine.core import Node, variable
from graphlab.engine.dag import reachable
from tests.language.structure import table
from tests.language.test_formulas import MEANINGS

CASES = Path(__file__).parents[1] / "cases"
UNARY: list[Callable[..., Node]] = [
    lambda x: -x,
    lambda x: x.T,
    abs,
    ops.elementary.exp,
    ops.elementary.sqrt,
    ops.elementary.sin,
    ops.activation.sigmoid,
    ops.activation.relu,
    ops.reduction.largest,
    lambda x: ops.reduction.total(x, axis=0),
    lambda x: ops.reduction.mean(x, axis=(0, 1), keepdims=True),
    lambda x: ops.reduction.size(x, axis=-1),
]
BINARY: list[Callable[..., Node]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x**y,
    lambda x, y: x @ y,
    lambda x, y: x < y,
    lambda x, y: x >= y,
    ops.comparison.equal,
    ops.comparison.maximum,
    ops.activation.leaky_relu,
    ops.reduction.expand,
    lambda x, y: ops.comparison.where(x > y, x, y),
]
NUMBERS = st.one_of(
    st.integers(-9, 9),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300, allow_subnormal=False),
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Random graphs with sharing; what is used twice has a name, so that text can say it is one node."""
    nodes: list[Node] = [variable(name) for name in ("x", "W_1", "alpha", "c'")]
    for _ in range(draw(st.integers(1, 12))):
        operands = st.one_of(st.sampled_from(nodes), NUMBERS)
        if draw(st.booleans()):
            nodes.append(draw(st.sampled_from(UNARY))(draw(st.sampled_from(nodes))))
        else:
            nodes.append(draw(st.sampled_from(BINARY))(draw(st.sampled_from(nodes)), draw(operands)))
    made = [node for node in reachable([nodes[-1]]) if node.op is not None]
    users = [x for node in made for x in node.inputs]
    names = {node: f"h_{i}" for i, node in enumerate(made) if users.count(node) > 1 or draw(st.booleans())}
    return Graph(made[-1], names=names)


@given(graphs())
@settings(max_examples=400)
def test_a_graph_is_read_back_as_itself(graph: Graph) -> None:
    """Also its names."""
    back = parse(graph.text)
    assert table(back.dag.outputs) == table(graph.dag.outputs)
    assert back.text == graph.text


@pytest.mark.parametrize("text", [text for text in MEANINGS if "T" not in text])
def test_a_formula_is_written_and_read_again(text: str) -> None:
    """After one writing nothing changes any more."""
    first = parse(text)
    again = parse(first.text)
    assert table(again.dag.outputs) == table(first.dag.outputs)
    assert again.text == first.text


def published() -> dict[str, str]:
    """The programs of tests/cases by id."""
    rows = [row for path in sorted(CASES.glob("*.json")) for row in json.loads(path.read_text(encoding="utf-8"))]
    return {row["id"]: row.get("program") or row["input"] for row in rows}


@pytest.mark.parametrize("name, text", published().items())
def test_a_published_case_is_written_and_read_again(name: str, text: str) -> None:
    first = parse(text)
    again = parse(first.text)
    assert table(again.dag.outputs) == table(first.dag.outputs)
    assert again.text == first.text
