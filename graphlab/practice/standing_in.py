"""Smooth functions that stand in for abstract ones: u(x) has no value until somebody says what u computes.

Every abstract function, and every derivative of one, becomes a sine of its own. Formulas that are equal whatever the
functions are stay equal, and others do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from graphlab.engine.core import OPS, Node
from graphlab.engine.dag import Dag
from graphlab.engine.ops.abstract import AbstractOp


def stand_in(outputs: Sequence[Node]) -> list[Node]:
    """The same nodes with every abstract function replaced."""
    dag = Dag(*outputs)
    if not any(isinstance(op, AbstractOp) for op in dag.ops):
        return list(outputs)
    become: dict[Node, Node] = {}
    for node in dag.nodes:
        if isinstance(node.op, AbstractOp):
            become[node] = smooth(node.op.name, become[node.inputs[0]])
        elif node.op is None or all(become[x] is x for x in node.inputs):
            become[node] = node
        else:
            become[node] = node.op.node(*[become[x] for x in node.inputs], **node.attrs)
    return [become[node] for node in outputs]


def smooth(name: str, x: Node) -> Node:
    """A function of x with coefficients that belong to the name."""
    code = crc32(name.encode())
    slope, shift, drift = 0.5 + code % 997 / 997, code // 997 % 991 / 991, 0.1 + code // 997_000 % 983 / 983
    wave: Node = OPS["sin"].node(slope * x + shift) + drift * x
    return wave
