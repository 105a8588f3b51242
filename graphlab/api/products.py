r"""Products in LaTeX: what W x and a \cdot b multiply is decided by shapes, which are often known only with the values.

Until then such a product is an elementwise one, marked as open. Two scalars, or a scalar and anything, leave it so; two
vectors make it their dot product, x x^\top their outer product, a matrix beside a matrix or vector a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from graphlab.engine.core import OPS, Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes, infer_shapes
from graphlab.engine.shapes import Shape

if TYPE_CHECKING:
    from graphlab.api.graph import Graph

P = ParamSpec("P")
T = TypeVar("T")


def settle(dag: Dag, products: Collection[Node], known: Mapping[str, Shape]) -> dict[Node, Node]:
    """What every node of `dag` becomes when its open products are settled by the shapes of inputs that are `known`.

    A capital letter of unknown shape beside a matrix is taken as a matrix: the Q of Q K^\\top.
    """
    if not products:
        return {node: node for node in dag.nodes}
    guessed = infer_shapes(dag, known)
    shapes = Shapes({node: guessed[node] for node in dag.inputs.values()})
    become: dict[Node, Node] = {}
    for node in dag.nodes:
        inputs = tuple([become[x] for x in node.inputs])
        op = node.op
        if node in products:
            letters = [x for x in inputs if x.is_input and str(x.name)[0].isupper() and x.name not in known]
            declare_letters(letters, inputs, shapes)
            op = kind_of_product(inputs, shapes) or op
        changed = op is not None and (op is not node.op or inputs != node.inputs)
        become[node] = op.node(*inputs, **node.attrs) if op and changed else node
    return become


def declare_letters(letters: Collection[Node], factors: tuple[Node, ...], shapes: Shapes) -> None:
    """Take a letter beside a matrix as a matrix that fits."""
    left, right = factors
    if left in letters and shapes.rank(left) == 0 and shapes.rank(right) > 1:
        shapes.declare(left, (f"rows of {left.name}", shapes[right][-2]))
    elif right in letters and shapes.rank(right) == 0 and shapes.rank(left) > 1:
        shapes.declare(right, (shapes[left][-1], f"columns of {right.name}"))


def kind_of_product(factors: tuple[Node, ...], shapes: Shapes) -> Op | None:
    """The op of a product of two arrays; None if a factor is a scalar."""
    ranks = [shapes.rank(x) for x in factors]
    if 0 in ranks:
        return None
    transposed = [x.op is OPS["transpose"] for x in factors]
    return OPS["outer"] if ranks == [1, 1] and transposed == [False, True] else OPS["matmul"]


def by_values(method: Callable[Concatenate[Graph, P], T]) -> Callable[Concatenate[Graph, P], T]:
    """Let a method run on the stabilised graph, after the shapes of its values have settled open products."""

    @wraps(method)
    def run(graph: Graph, /, *args: P.args, **named: P.kwargs) -> T:
        if graph.is_open:
            mappings = [arg for arg in args if isinstance(arg, Mapping)]
            graph = graph.settled_by({**(mappings[0] if mappings else {}), **named})
        return method(graph.stabilised, *args, **named)

    return run
