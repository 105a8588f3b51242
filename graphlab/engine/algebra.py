"""The two kinds of values that the derivative folds run on: arrays, which compute, and nodes, which build a graph.

Both folds, `reverse` and `forward_mode`, are written once over an Algebra.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graphlab.engine.core import Node, Op, Rule, as_node, careful_rules
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.arithmetic import chain, chain_product
from graphlab.engine.ops.reduction import expand, sum_to, sum_to_array


@dataclass(frozen=True)
class Algebra:
    """What a derivative fold asks of its values.

    rules: an elementwise op's partials. lift: a local derivative as a value. multiply: the chain-rule product.
    gather: a contribution in its variable's shape, repeated entries added up. spread: a tangent in its value's shape,
    repeated where the value was. shape: a value's.
    """

    rules: Callable[[Op], tuple[Rule | None, ...] | None]
    lift: Callable[[Any], Any]
    multiply: Callable[[Any, Any], Any]
    gather: Callable[[Any, Any], Any]
    spread: Callable[[Any, Any], Any]
    shape: Callable[[Any], Any]


@cache
def _wants_shapes(rule: Rule) -> bool:
    return "shapes" in inspect.signature(rule).parameters


def shapes_for(rule: Rule, inputs: Sequence[Any], algebra: Algebra) -> dict[str, Any]:
    """The keyword `shapes`, for a rule that asks for its inputs' shapes."""
    return {"shapes": tuple(map(algebra.shape, inputs))} if _wants_shapes(rule) else {}


# ---- arrays --------------------------------------------------------------------------------------------------------
def fit_array(amount: Any, like: Any) -> Any:
    """A contribution in the shape and the type of the value it belongs to: repeated entries are added up."""
    if type(amount) is type(like) and not isinstance(like, np.ndarray):
        return amount
    if np.shape(amount) != np.shape(like):
        amount = sum_to_array(np.broadcast_to(amount, np.broadcast_shapes(np.shape(amount), np.shape(like))), like)
    return _typed(amount, like)


def spread_array(tangent: Any, like: Any) -> Any:
    """A tangent in the shape and the type of the value it belongs to."""
    if np.shape(tangent) != np.shape(like):
        tangent = np.broadcast_to(tangent, np.shape(like))
    return _typed(tangent, like)


def _typed(amount: Any, like: Any) -> Any:
    kind = like.dtype
    return amount if amount.dtype == kind or kind.kind != "f" else amount.astype(kind)


ARRAYS = Algebra(careful_rules, lambda local: local, chain_product, fit_array, spread_array, np.shape)


# ---- nodes ---------------------------------------------------------------------------------------------------------
def graphs(shapes: Shapes) -> Algebra:
    """The algebra of nodes: each operation of the pass is a new node."""

    def multiply(upstream: Node, local: Node) -> Node:
        node: Node = chain(upstream, local)
        return node

    def gather(amount: Any, like: Node) -> Node:
        node = as_node(amount)
        return node if shapes[node] == shapes[like] else sum_to(node, like)

    def spread(tangent: Any, like: Node) -> Node:
        node = as_node(tangent)
        return node if shapes[node] == shapes[like] else expand(node, like)

    return Algebra(lambda op: op.partials, as_node, multiply, gather, spread, shapes.__getitem__)
