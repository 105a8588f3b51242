"""The ops as functions for Python: on nodes they build the graph, on numbers and arrays they compute.

>>> round(sigmoid(0.0), 3)
0.5
"""

from __future__ import annotations

from typing import Any

from graphlab.engine.core import OPS
from graphlab.engine.shapes import Axis

abs = OPS["abs"]
cos = OPS["cos"]
exp = OPS["exp"]
leaky_relu = OPS["leaky_relu"]
log = OPS["log"]
mean = OPS["mean"]
relu = OPS["relu"]
sigmoid = OPS["sigmoid"]
sign = OPS["sign"]
sin = OPS["sin"]
sqrt = OPS["sqrt"]
sum = OPS["sum"]
tanh = OPS["tanh"]
transpose = OPS["transpose"]
where = OPS["where"]


def max(*inputs: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest entry of one input, along `axis` if given; of several inputs, entry by entry, the larger."""
    if len(inputs) == 1:
        return OPS["max"](inputs[0], axis=axis, keepdims=keepdims)
    result = inputs[0]
    for other in inputs[1:]:
        result = OPS["maximum"](result, other)
    return result
