"""What a graph can tell beyond its gradients: forward mode, whole Jacobians and Hessians, and the paths of an input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from graphlab.api.seeds import directions, needs_seed, real_input
from graphlab.engine import values
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.forward_mode import tangent_of
from graphlab.engine.inference import Shapes
from graphlab.engine.jacobians import Curvature, jacobian
from graphlab.engine.paths import Multiplications, NodePath, count_multiplications, count_paths, list_paths
from graphlab.errors import NoRule
from graphlab.language import canonical_name


@dataclass(frozen=True, slots=True)
class Path:
    """One way from an input to the output: the names on it, the local derivative of every edge, and their product.

    `edges` are their ids in pictures and traces: source, user and number of the input ("n3-n4-1").
    """

    nodes: tuple[str, ...]
    factors: tuple[float, ...]
    product: float
    edges: tuple[str, ...]


class Runnable(Protocol):
    """What these methods need of the Graph that has them."""

    dag: Dag

    @property
    def names(self) -> dict[Node, str]: ...
    @property
    def stabilised(self) -> Runnable: ...
    @property
    def is_elementwise(self) -> bool: ...
    def settled_by(self, given: Mapping[str, Any]) -> Runnable: ...
    def _bind(self, given: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[Node, Any]: ...
    def _evaluate(self, bound: dict[Node, Any]) -> dict[Node, Any]: ...
    def _shapes_of(self, bound: Mapping[Node, Any]) -> Shapes: ...
    def _refuse_options(self, named: Mapping[str, Any], given: Mapping[str, Any] | None, **options: Any) -> None: ...


@dataclass(frozen=True)
class Run:
    """A graph with its values: what is run (stabilised, products settled), the inputs, and every node's value."""

    graph: Runnable
    bound: dict[Node, Any]
    values: dict[Node, Any]

    @property
    def dag(self) -> Dag:
        return self.graph.dag

    @classmethod
    def of(cls, graph: Runnable, given: Mapping[str, Any] | None, named: Mapping[str, Any]) -> Run:
        running = graph.settled_by({**(given or {}), **named}).stabilised
        bound = running._bind(given, named)
        return cls(running, bound, running._evaluate(bound))

    def curvature(self) -> Curvature:
        """The second order of a scalar output."""
        shape = np.shape(self.values[self.dag.output])
        if shape != ():
            raise needs_seed(shape)
        wrt = [x for x in self.dag.inputs.values() if values.has_gradient(self.bound[x])]
        return Curvature(self.dag, self.values, self.graph._shapes_of(self.bound), wrt)

    def path(self, path: NodePath) -> Path:
        """A path by names and edge ids."""
        ids = self.dag.ids
        names = tuple(str(n.name) if n.is_input else self.graph.names[n] for n in path.nodes)
        edges = tuple(f"{ids[user.inputs[i]]}-{ids[user]}-{i}" for user, i in path.edges)
        return Path(names, path.factors, path.product, edges)


class Modes:
    """The methods of Graph for forward mode, second order and paths."""

    def jvp(
        self: Runnable, tangents: Mapping[str, Any], given: Mapping[str, Any] | None = None, /, **named: Any
    ) -> Any:
        """How fast the output moves when the inputs move as `tangents` say: a float, or an array of its shape.

        One forward pass, whatever the number of inputs: `g.jvp({"a": 1}, a=3, b=1, c=-2)`. Inputs without a tangent
        stand still. Raises ShapeError for a tangent not shaped like its input.
        """
        run = Run.of(self, given, named)
        return values.public(tangent_of(run.dag, run.values, directions(run.dag, tangents, run.bound)))

    def jacobian(self: Runnable, name: str, given: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """∂output/∂input as an array of shape output.shape + input.shape; a float if both are scalars."""
        run = Run.of(self, given, named)
        return values.public(jacobian(run.dag, run.values, real_input(run.dag, name, run.bound)))

    def hessian(self: Runnable, given: Mapping[str, Any] | None = None, /, **named: Any) -> dict[str, dict[str, Any]]:
        """The second derivatives of a scalar output: `hessian(…)["a"]["b"]` has the shape of a, then that of b."""
        blocks = Run.of(self, given, named).curvature().hessian()
        return {
            str(a.name): {str(b.name): values.public(block) for b, block in row.items()} for a, row in blocks.items()
        }

    def hvp(
        self: Runnable, direction: Mapping[str, Any], given: Mapping[str, Any] | None = None, /, **named: Any
    ) -> dict[str, Any]:
        """The Hessian of a scalar output times a direction, by input, without ever building the Hessian."""
        run = Run.of(self, given, named)
        moved = run.curvature().along(directions(run.dag, direction, run.bound))
        return {str(x.name): values.public(value) for x, value in moved.items()}

    def paths(self: Runnable, name: str, given: Mapping[str, Any] | None = None, /, **named: Any) -> list[Path]:
        """Every path from an input to the output of a scalar graph; the products add up to the gradient.

        Above 10,000 paths a LimitError says the exact count, which `count_paths` finds without listing them.
        """
        run = Run.of(self, given, named)
        found = list_paths(run.dag, run.values, run.dag.input(canonical_name(name)))
        return [run.path(path) for path in found]

    def count_paths(self: Runnable, name: str, /) -> int:
        """How many paths lead from an input to the output."""
        dag = self.stabilised.dag
        return count_paths(dag, dag.input(canonical_name(name)))

    def multiplications(self: Runnable) -> Multiplications:
        """How many chain-rule products one backward pass makes, and one forward pass per input.

        Raises NoRule if an operation does not work entry by entry.
        """
        running = self.stabilised
        if not running.is_elementwise:
            raise NoRule("products are counted for graphs of scalar, elementwise operations only")
        return count_multiplications(running.dag)
