"""Random programs, every op and the published ones: written as text and as LaTeX, each is read as the same program."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from graphlab.api import Graph, parse
from graphlab.engine import ops
from graphlab.engine.core import OPS, Node, constant, variable
from graphlab.engine.dag import reachable
from graphlab.engine.ops.abstract import abstract_function
from graphlab.engine.ops.stacking import stack
from graphlab.language import limits
from tests.engine.samples import ALL_CALLS, Call
from tests.language.structure import table
from tests.language.test_formulas import MEANINGS
from tests.language.test_latex import MEANINGS as LATEX_MEANINGS
from tests.language.test_round_trip import BINARY, UNARY, published

# Ops of backward passes: a product of the chain rule is written as any product, and the shape that an expansion or a
# sum takes from its second input is left out of LaTeX. A linear layer is written as the product and sum that it is.
ONE_WAY = {"chain", "expand", "sum_to", "linear"}
CALLS = [call for call in ALL_CALLS if call.op.name not in ONE_WAY]

NAMES = ["x", "W_1", "alpha", "c'", "S_bar", "x_1_bar", "loss", "A", "B", "d_model", "y_1_2", "T"]
ABSTRACT: list[Callable[..., Node]] = [
    abstract_function(name, order) for name in ("f", "g", "phi") for order in (0, 1, 2)
]
MORE_UNARY = [op for name in ("norm", "softmax", "erf", "log1p", "tan", "min", "var") if (op := OPS.get(name))]
MORE_BINARY: list[Callable[..., Node]] = [
    lambda x, y: stack(x, y),
    lambda x, y: stack(stack(x, y), stack(y, x)),
    lambda x, y: stack(-x),
    ops.linalg.outer,
    lambda x, y: ops.shaping.embedding(-x, y),
    ops.comparison.not_equal,
]
NUMBERS = st.one_of(
    st.integers(-9, 9).map(float),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300, allow_subnormal=False),
)
CONSTANTS = st.one_of(
    NUMBERS.map(constant),
    st.sampled_from(["2e3", "1.50", ".5", "-2.5e-7"]).map(lambda text: constant(float(text), text)),
    st.lists(NUMBERS, min_size=1, max_size=3).map(constant),
    st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=1, max_size=3).map(constant),
    st.lists(NUMBERS, min_size=1, max_size=3).map(lambda column: constant([[x] for x in column])),
)


@st.composite
def programs(draw: st.DrawFn) -> Graph:
    """Random graphs over all kinds of ops, with sharing; what is used twice has a name."""
    nodes: list[Node] = [variable(name) for name in NAMES]
    unary = [*UNARY, *ABSTRACT, *MORE_UNARY]
    binary = [op for op in [*BINARY, *MORE_BINARY] if op is not ops.reduction.expand]
    for _ in range(draw(st.integers(1, 10))):
        first = draw(st.sampled_from(nodes))
        if draw(st.booleans()):
            nodes.append(draw(st.sampled_from(unary))(first))
        else:
            second = draw(st.one_of(st.sampled_from(nodes), CONSTANTS))
            pair = (first, second) if draw(st.booleans()) else (second, first)
            nodes.append(draw(st.sampled_from(binary))(*pair))
    made = [node for node in reachable([nodes[-1]]) if node.op is not None]
    assume(all(len({row_length(x) for x in node.inputs} - {None}) <= 1 for node in made if node.op is stack))
    users = [x for node in made for x in node.inputs]
    names = {node: f"h_{i}" for i, node in enumerate(made) if users.count(node) > 1 or draw(st.booleans())}
    return Graph(made[-1], names=names)


def row_length(node: Node) -> int | None:
    """How many entries a row of a stack has, where that shows in its writing."""
    return len(node.inputs) if node.op is stack else len(node.value) if np.ndim(node.value) else None


def assert_reads_back(graph: Graph, written: str, notation: str) -> None:
    back = parse(written, notation="latex" if notation == "latex" else "plain")
    assert unshared(back) == unshared(graph), written
    assert back.text == graph.text, written


def unshared(graph: Graph) -> list[tuple[object, ...]]:
    """The table of a graph in which every use of a constant is a constant of its own, as in text."""
    copies: dict[Node, Node] = {}
    for node in graph.dag.nodes:
        inputs = tuple([Node(None, attrs=x.attrs, value=x.value) if x.is_constant else copies[x] for x in node.inputs])
        copies[node] = Node(node.op, inputs, node.attrs) if node.op else node
    return table([copies[node] for node in graph.dag.outputs])


@given(programs())
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_random_program_is_read_back_from_text_and_from_latex(graph: Graph) -> None:
    """Ops, inputs, constants, options, names and sharing."""
    assert_reads_back(graph, graph.text, "plain")
    assert_reads_back(graph, graph.latex, "latex")


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_every_op_is_read_back(call: Call) -> None:
    """In both notations; a new op too."""
    inputs = [variable(f"x_{i}") for i in range(len(call.inputs))]
    options = {k: v for k, v in call.attrs.items() if v is not None and v != call.op.options[k]}
    graph = Graph(call.op.node(*inputs, **options))
    assert_reads_back(graph, graph.text, "plain")
    assert_reads_back(graph, graph.latex, "latex")


@pytest.mark.parametrize("text", MEANINGS)
def test_a_plain_formula_is_written_in_latex_and_read_again(text: str) -> None:
    """Every construct of the plain notation."""
    first = parse(text)
    assert_reads_back(first, first.latex, "latex")


@pytest.mark.parametrize("text", LATEX_MEANINGS)
def test_a_latex_formula_is_written_and_read_again(text: str) -> None:
    """In both notations."""
    first = parse(text, notation="latex")
    assert_reads_back(first, first.latex, "latex")
    assert_reads_back(first, first.text, "plain")


@pytest.mark.parametrize("name, text", published().items())
def test_a_published_case_is_written_in_latex_and_read_again(name: str, text: str) -> None:
    """All that are not too long."""
    first = parse(text)
    if len(first.latex) <= limits.CHARACTERS:
        assert_reads_back(first, first.latex, "latex")
