"""The ways out of graphlab: a graph as an object of SymPy, NetworkX or graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from graphlab.api.traces import Trace
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.errors import NoRule

if TYPE_CHECKING:
    import graphviz
    import networkx

PACKAGES = ("sympy", "networkx", "graphviz")


class Convertible(Protocol):
    """What these methods need of the Graph that has them."""

    dag: Dag

    @property
    def lines(self) -> list[str]: ...
    @property
    def _symbolic_shapes(self) -> Shapes: ...
    def outline(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> Trace: ...


class Edges:
    """The methods of Graph that lead to other packages, which the extra `graphlab[symbolic]` installs.

    Each raises NoRule where its package is missing.
    """

    def to_sympy(self: Convertible, *, simplify: bool = False, timeout: float = 2.0) -> Any:
        """The output as a SymPy expression, in symbols called like the inputs, which must be scalars.

        `simplify=True` lets SymPy simplify it, in a process of its own that is ended after `timeout` seconds of work.
        Raises NoRule for what has no meaning in SymPy, LimitError for what is too long or takes too long.
        """
        with installed():
            from graphlab.interop import simplifying, sympy

        arrays = [name for name, node in self.dag.inputs.items() if self._symbolic_shapes[node] != ()]
        if arrays:
            raise NoRule(f"only scalars go to SymPy, but {arrays[0]} is an array", hint="Write its entries out.")
        return simplifying.simplify("\n".join(self.lines), timeout) if simplify else sympy.to_sympy(self.dag)

    def to_networkx(
        self: Convertible, given: Mapping[str, Any] | None = None, /, **named: Any
    ) -> networkx.MultiDiGraph[str]:
        """The graph that is run, as a networkx.MultiDiGraph: a DiGraph in which x*x has two edges from x.

        Nodes are called n0, n1 … as in traces and pictures, and have role ("input", "constant" or "operation"), op,
        name, text and, if values are given, value. An edge goes from an input to its user; its key and `argument` is
        the input's number. Without values all of this is strings and numbers, so every NetworkX writer takes it.
        """
        with installed():
            from graphlab.interop import graphs

        return graphs.to_networkx(self.outline(given, **named))

    def to_graphviz(self: Convertible, given: Mapping[str, Any] | None = None, /, **named: Any) -> graphviz.Digraph:
        """The graph that is run, as a graphviz.Digraph from left to right; given values stand at its nodes.

        `.source` is DOT text. Drawing it (`.render()`, `.pipe()`, or in a notebook) needs Graphviz's program dot.
        """
        with installed():
            from graphlab.interop import graphs

        return graphs.to_graphviz(self.outline(given, **named))


@contextmanager
def installed() -> Iterator[None]:
    """Says which package is missing, and how to get it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name not in PACKAGES:
            raise
        raise NoRule(
            f"the package {missing.name} is not installed", hint='Get it with pip install "graphlab[symbolic]".'
        ) from missing
