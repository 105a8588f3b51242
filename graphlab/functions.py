"""The ops as functions for Python: on nodes they build the graph, on numbers and arrays they compute.

>>> round(sigmoid(0.0), 3)
0.5
"""

from __future__ import annotations

from typing import Any

from graphlab.engine.core import OPS
from graphlab.engine.shapes import Axis

abs = OPS["abs"]
acos = OPS["acos"]
asin = OPS["asin"]
atan = OPS["atan"]
bce = OPS["bce"]
bce_with_logits = OPS["bce_with_logits"]
causal_mask = OPS["causal_mask"]
clip = OPS["clip"]
concat = OPS["concat"]
cos = OPS["cos"]
cosh = OPS["cosh"]
cross_entropy = OPS["cross_entropy"]
detach = OPS["detach"]
elu = OPS["elu"]
embedding = OPS["embedding"]
erf = OPS["erf"]
erfc = OPS["erfc"]
exp = OPS["exp"]
expm1 = OPS["expm1"]
gelu = OPS["gelu"]
gelu_tanh = OPS["gelu_tanh"]
layer_norm = OPS["layer_norm"]
leaky_relu = OPS["leaky_relu"]
linear = OPS["linear"]
log = OPS["log"]
log1p = OPS["log1p"]
log_softmax = OPS["log_softmax"]
logsumexp = OPS["logsumexp"]
masked = OPS["masked"]
mean = OPS["mean"]
merge_heads = OPS["merge_heads"]
mse = OPS["mse"]
norm = OPS["norm"]
padding_mask = OPS["padding_mask"]
prod = OPS["prod"]
relu = OPS["relu"]
reshape = OPS["reshape"]
scatter_add = OPS["scatter_add"]
sigmoid = OPS["sigmoid"]
sign = OPS["sign"]
silu = OPS["silu"]
sin = OPS["sin"]
sinh = OPS["sinh"]
sinusoids = OPS["sinusoids"]
size = OPS["size"]
softmax = OPS["softmax"]
softplus = OPS["softplus"]
split_heads = OPS["split_heads"]
sqrt = OPS["sqrt"]
sum = OPS["sum"]
sum_to = OPS["sum_to"]
take = OPS["take"]
tan = OPS["tan"]
tanh = OPS["tanh"]
transpose = OPS["transpose"]
var = OPS["var"]
where = OPS["where"]


def max(*inputs: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest entry of one input, along `axis` if given; of several inputs, entry by entry, the largest."""
    return _extreme("max", "maximum", inputs, axis, keepdims)


def min(*inputs: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest entry of one input, along `axis` if given; of several inputs, entry by entry, the smallest."""
    return _extreme("min", "minimum", inputs, axis, keepdims)


def attention(q: Any, k: Any, v: Any, mask: Any = None, *, causal: bool = False) -> Any:
    """softmax(q kᵀ/√d) v for q (…, n, d), k (…, m, d) and v (…, m, c). `mask` (…, n, m): true where one may attend;
    `causal`: position i to j ≤ i only."""
    if mask is None:
        return OPS["attention"](q, k, v, causal=causal)
    return OPS["masked_attention"](q, k, v, mask, causal=causal)


def _extreme(reduction: str, of_two: str, inputs: tuple[Any, ...], axis: Axis, keepdims: bool) -> Any:
    if len(inputs) == 1:
        return OPS[reduction](inputs[0], axis=axis, keepdims=keepdims)
    result = inputs[0]
    for other in inputs[1:]:
        result = OPS[of_two](result, other)
    return result
