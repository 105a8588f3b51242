"""Large graphs on a small screen: composites opened into their parts, and scopes folded into boxes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphlab.api.traces import Trace
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.opening import open_composites
from graphlab.engine.shapes import Shape
from graphlab.language import Notice
from graphlab.tracing.catalogue import FOLDED
from graphlab.tracing.folding import fold, suggested_open
from graphlab.tracing.scopes import is_scope
from graphlab.tracing.trace import TraceNode
from graphlab.tracing.words import label

if TYPE_CHECKING:
    from graphlab.api.graph import Graph

PARTS_DIFFER = 1e-12


class Foldable(Protocol):
    """What these methods need of the Graph that has them."""

    dag: Dag
    shapes: dict[str, Shape]
    _source: str | None
    _notices: tuple[Notice, ...]
    _positions: Mapping[Node, int]

    @property
    def names(self) -> dict[Node, str]: ...
    @property
    def outline(self) -> Callable[..., Trace]: ...
    @property
    def trace(self) -> Callable[..., Trace]: ...


class Folded:
    """The methods of Graph that show it folded."""

    def folded(
        self: Foldable, given: Mapping[str, Any] | None = None, /, *, open: Collection[str] | None = None, **named: Any
    ) -> Trace:
        """The run as a folded trace: scopes as boxes, closed but for those in `open` (ids as in a folded trace:
        "s:encoder", "s:encoder.layer.*", "n5" for a composite). By default the largest are open that leave the picture
        small. Without values it is an outline.

        Raises LimitError if more than 600 boxes would be seen.
        """
        composites = [name for name in open or () if not is_scope(name)]
        record = self.trace if {**(given or {}), **named} or not self.dag.inputs else self.outline
        trace = record(given, open=composites, **named)
        return fold(trace, suggested_open(trace) if open is None else open)


def opened_graph(graph: Foldable, wanted: Collection[str]) -> Graph:
    """`graph` with composites opened: all nodes keep their ids and names."""
    from graphlab.api.graph import Graph

    opened = open_composites(graph.dag, wanted)
    become = opened.become
    made = Graph(
        *opened.dag.outputs,
        names={become[node]: name for node, name in graph.names.items()},
        source=graph._source,
        shapes=graph.shapes,
        notices=graph._notices,
        positions={become[node]: position for node, position in graph._positions.items()},
        stabilise=False,
    )
    made.dag, made._closed = opened.dag, opened.closed
    return made


def where_parts_differ(nodes: Sequence[TraceNode]) -> list[str]:
    """A notice for every opened composite whose parts, worked out one by one, give other digits than it does itself."""
    notices, last = [], nodes[0]
    for node in nodes:
        if node.role != "opened":
            last = node
        elif not _agree(node.value, last.value):
            notices.append(FOLDED["parts_differ"].format(node=label(node), op=node.op))
    return notices


def _agree(own: Any, of_parts: Any) -> bool:
    if own is None or of_parts is None:
        return True
    return np.allclose(of_parts, own, rtol=PARTS_DIFFER, atol=PARTS_DIFFER, equal_nan=True)
