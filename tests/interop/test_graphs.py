"""Graphs as NetworkX graphs and graphviz drawings."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

import graphlab as gl
from graphlab.errors import NoRule, ValueProblem
from tests.requirements import needs

networkx = needs("networkx")
needs("graphviz")

LECTURE = {"a": 3, "b": 1, "c": -2}


def test_a_networkx_graph_has_our_ids_names_and_numbered_edges() -> None:
    graph = gl.parse("L = c(a+2b)").to_networkx()
    assert isinstance(graph, networkx.DiGraph) and networkx.is_directed_acyclic_graph(graph)
    assert list(graph.nodes) == [node.id for node in gl.parse("L = c(a+2b)").outline().nodes]
    by_name = {data["name"]: (data["role"], data["op"], data["text"]) for _, data in graph.nodes(data=True)}
    assert by_name["e"] == ("operation", "add", "a + d") and by_name["c"] == ("input", "", "c")
    assert by_name[""] == ("constant", "", "2")
    assert all("value" not in data for _, data in graph.nodes(data=True))
    ids = {data["name"]: node for node, data in graph.nodes(data=True)}
    assert graph.edges[ids["c"], ids["L"], 0]["argument"] == 0 and graph.edges[ids["e"], ids["L"], 1]["argument"] == 1


def test_with_values_every_node_has_its_value() -> None:
    graph = gl.parse("L = c(a+2b)").to_networkx(LECTURE)
    assert {data["name"]: data["value"] for _, data in graph.nodes(data=True)} == {
        "c": -2.0, "a": 3.0, "": 2.0, "b": 1.0, "d": 2.0, "e": 5.0, "L": -10.0,
    }  # fmt: skip
    assert gl.parse("L = c(a+2b)").to_networkx(**LECTURE).nodes["n0"] == graph.nodes["n0"]


def test_two_uses_of_one_node_are_two_edges_so_paths_are_counted_right() -> None:
    graph = gl.parse("d = x*x; L = d*d")
    converted = graph.to_networkx()
    assert converted.number_of_edges("n0", "n1") == 2
    assert len(list(networkx.all_simple_edge_paths(converted, "n0", "n2"))) == graph.count_paths("x") == 4


def test_networkx_can_write_it() -> None:
    buffer = io.BytesIO()
    networkx.write_graphml(gl.parse("L = sum(tanh(W@x))").to_networkx(), buffer)
    again = networkx.read_graphml(io.BytesIO(buffer.getvalue()), force_multigraph=True)
    assert [data["op"] for _, data in again.nodes(data=True)][-1] == "sum"


def test_a_drawing_shows_rules_and_values() -> None:
    source = gl.parse("L = c(a+2b)").to_graphviz(LECTURE).source
    assert r'n4 [label="d = 2 · b\n2"]' in source and r'n6 [label="L = c · e\n−10"]' in source
    assert "n3 -> n4" in source and "n2 [label=2 shape=plaintext]" in source
    assert gl.parse("x*x").to_graphviz().source.count("n0 -> n1") == 2


def test_a_fault_is_drawn_dashed() -> None:
    drawing = gl.parse("L = sum(A@B)").to_graphviz(A=[[1, 2]], B=[[1, 2]])
    assert "rounded,dashed" in drawing.source


def test_wrong_values_are_refused_as_elsewhere() -> None:
    with pytest.raises(ValueProblem, match="no value given for b, c"):
        gl.parse("L = a*b*c").to_networkx(a=1)


def test_graphviz_reads_the_drawing() -> None:
    needs("dot")
    svg = gl.parse("L = a < b").to_graphviz(a=1, b=2).pipe(format="svg", encoding="utf-8")
    assert "a &lt; b" in svg


@pytest.mark.parametrize(
    ("package", "method"), [("networkx", "to_networkx"), ("graphviz", "to_graphviz"), ("sympy", "to_sympy")]
)
def test_a_missing_package_is_named_with_its_remedy(package: str, method: str) -> None:
    """In a new interpreter, so that no module stays half imported."""
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import graphlab as gl\n"
        "try:\n"
        f"    gl.parse('x*x').{method}()\n"
        "except gl.errors.NoRule as fault:\n"
        "    print(fault)\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown == f'the package {package} is not installed\nGet it with pip install "graphlab[symbolic]".\n'


def test_no_rule_is_what_is_raised_for_arrays_in_sympy() -> None:
    with pytest.raises(NoRule, match="only scalars go to SymPy"):
        gl.parse("L = sum(W@x)").to_sympy()
