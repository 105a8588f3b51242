"""Parameters: how a layer's weights are called and shaped, and the two small layers that all others share.

A parameter has one name. Outside every scope it is the lecture's symbol: W_Q. Inside scopes it is the path that
PyTorch gives it, encoder_layer_0_attention_self_query_weight, and formulas write the symbol with the layer's number.
A weight is stored (out, in). Sizes are numbers or names.
"""

from __future__ import annotations

from graphlab.engine import core
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import declared_shapes
from graphlab.engine.ops.linalg import linear
from graphlab.engine.ops.normalising import layer_norm
from graphlab.engine.shapes import Dim, Shape

EPS = 1e-12


def parameter(path: str, symbol: str, *shape: Dim) -> Node:
    """An input for a weight: called by `path` inside the present scope, by `symbol` where there is none."""
    name = core.scoped(path) if core.present_scope() else symbol
    return core.variable(name, symbol, shape)


def dense(x: Node, path: str, letter: str, outputs: Dim, inputs: Dim, *, bias: bool = True) -> Node:
    """x Wᵀ + b for x (…, inputs): (…, outputs). The parameters are `path`.weight and `path`.bias, W_… and b_…"""
    weight = parameter(f"{path}.weight", f"W_{letter}", outputs, inputs)
    return linear.node(x, weight, parameter(f"{path}.bias", f"b_{letter}", outputs)) if bias else linear.node(x, weight)


def normalised(x: Node, path: str, letter: str, size: Dim, eps: float = EPS) -> Node:
    """Layer norm of the rows of x (…, size). The parameters are `path`.weight and `path`.bias, gamma_… and beta_…"""
    gamma = parameter(f"{path}.weight", f"gamma_{letter}", size)
    return layer_norm.node(x, gamma, parameter(f"{path}.bias", f"beta_{letter}", size), eps=eps)


def parameter_shapes(*outputs: Node) -> dict[str, Shape]:
    """The shape of every parameter that these nodes need, by name, in the order in which they were built."""
    dag = Dag(*outputs)
    return {name: shape for name, shape in declared_shapes(dag).items() if not _is_data(dag, dag.input(name))}


def _is_data(dag: Dag, node: Node) -> bool:
    """Whether an input serves as ids or as a mask."""
    return any(i in (*op.ids, *op.masks) for op, i in dag.input_slots[node])
