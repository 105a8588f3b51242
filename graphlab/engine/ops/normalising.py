"""Softmax and its relatives, and layer normalisation: what turns rows of numbers into comparable ones.

The largest entry is taken off before anything is exponentiated. It is detached: it changes no value, so it must not
show up as a path of its own.
"""

from typing import Any

import numpy as np

from graphlab.engine.core import Node, named
from graphlab.engine.kernels import rows
from graphlab.engine.notation import Written, call
from graphlab.engine.ops.comparison import choose
from graphlab.engine.ops.elementary import detach, exp, log, sqrt
from graphlab.engine.ops.moments import var
from graphlab.engine.ops.reduction import largest, mean, reduction_shape, spread, total
from graphlab.engine.records import composite, shape_fault
from graphlab.engine.shapes import Axis, Shape, axes_of, broadcast, show_shape

SHIFTED = "The largest entry is taken off first: that changes nothing and keeps every exponential at most 1."
MASKED = "An entry of −∞ is masked: its weight is 0. A row that is masked out completely becomes all zeros."


def row_shape(op: str) -> Any:
    """The shape rule of an op that keeps the shape and works along `axis`."""

    def shape(x: Shape, axis: Axis = -1) -> Shape:
        axes_of(axis, x, op)
        return x

    return shape


# ---- values --------------------------------------------------------------------------------------------------------
def shifted(x: Any, axis: Axis) -> tuple[Any, Any]:
    """x minus its largest entry, and that entry; a row whose largest is infinite is left as it is."""
    top = np.max(x, axis=axis, keepdims=True)
    top = choose(np.isinf(top), 0, top)
    return x - top, top


def softmax_of(x: Any, axis: Axis = -1) -> Any:
    parts = np.exp(shifted(x, axis)[0])
    whole = np.sum(parts, axis=axis, keepdims=True)
    return parts / choose(whole == 0, 1, whole)


def log_softmax_of(x: Any, axis: Axis = -1) -> Any:
    moved = shifted(x, axis)[0]
    return moved - np.log(np.sum(np.exp(moved), axis=axis, keepdims=True))


def logsumexp_of(x: Any, axis: Axis = -1, keepdims: bool = False) -> Any:
    moved, top = shifted(x, axis)
    result = np.log(np.sum(np.exp(moved), axis=axis, keepdims=True)) + top
    return result if keepdims else np.reshape(result, np.sum(x, axis=axis).shape)[()]


# ---- bodies and rules ----------------------------------------------------------------------------------------------
def softmax_body(x: Node, *, axis: Axis = -1) -> Any:
    parts = exp(x - detach(largest(x, axis=axis, keepdims=True)))
    return parts / total(parts, axis=axis, keepdims=True)


def log_softmax_body(x: Node, *, axis: Axis = -1) -> Any:
    moved = x - detach(largest(x, axis=axis, keepdims=True))
    return moved - log(total(exp(moved), axis=axis, keepdims=True))


def logsumexp_body(x: Node, *, axis: Axis = -1, keepdims: bool = False) -> Any:
    moved = x - detach(largest(x, axis=axis, keepdims=True))
    return log(total(exp(moved), axis=axis, keepdims=keepdims)) + detach(largest(x, axis=axis, keepdims=keepdims))


def softmax_pull(g: Any, p: Any, axis: Axis = -1) -> Any:
    """p ⊙ (p̄ − Σ p̄ ⊙ p): the same back and forth, since the Jacobian of softmax is symmetric."""
    return p * (g - total(g * p, axis=axis, keepdims=True))


def logsumexp_jvp(t: Any, y: Any, x: Any, axis: Axis = -1, keepdims: bool = False) -> Any:
    return total(softmax(x, axis=axis) * t, axis=axis, keepdims=keepdims)


softmax = composite("softmax", softmax_body, forward=softmax_of, shape=row_shape("softmax"),
    kernel=rows.softmax,
    notation=call("softmax"), options={"axis": -1}, kinks=(-np.inf,), caveat=MASKED, care=SHIFTED,
    vjp=(lambda g, p, x, axis=-1: softmax_pull(g, p, axis),), jvp=(lambda t, p, x, axis=-1: softmax_pull(t, p, axis),),
    why="Raising one score takes weight away from all others: the gradient is p ⊙ (p̄ − Σ p̄ ⊙ p), row by row.")
log_softmax = composite("log_softmax", log_softmax_body, forward=log_softmax_of, shape=row_shape("log_softmax"),
    notation=call("log_softmax"), options={"axis": -1}, care=SHIFTED,
    vjp=(lambda g, y, x, axis=-1: g - exp(y) * total(g, axis=axis, keepdims=True),),
    jvp=(lambda t, y, x, axis=-1: t - total(exp(y) * t, axis=axis, keepdims=True),),
    why="log pᵢ is xᵢ minus the log of the sum; the sum hands a share pⱼ of the whole gradient back to every xⱼ.")
logsumexp = composite("logsumexp", logsumexp_body, forward=logsumexp_of, shape=reduction_shape("logsumexp", -1),
    notation=call("logsumexp"), options={"axis": -1, "keepdims": False}, care=SHIFTED,
    vjp=(lambda g, y, x, axis=-1, keepdims=False: spread(g, x, axis, keepdims) * softmax(x, axis=axis),),
    jvp=(logsumexp_jvp,),
    why="Log-sum-exp is a soft maximum; each entry gets the share of the gradient that softmax gives it.")


# ---- layer normalisation -------------------------------------------------------------------------------------------
def layer_norm_of(x: Any, gamma: Any = 1.0, beta: Any = 0.0, axis: Axis = -1, eps: float = 1e-5) -> Any:
    away = x - np.mean(x, axis=axis, keepdims=True)
    return away / np.sqrt(np.mean(away * away, axis=axis, keepdims=True) + eps) * gamma + beta


def layer_norm_shape(x: Shape, gamma: Shape = (), beta: Shape = (), axis: Axis = -1, eps: float = 1e-5) -> Shape:
    axes_of(axis, x, "layer_norm")
    if broadcast(x, gamma, beta, op="layer_norm") != x:
        raise shape_fault("layer_norm", f"gamma {show_shape(gamma)} and beta {show_shape(beta)} must fit into "
            f"{show_shape(x)}", x, gamma, beta, hint="Give them one entry per column, or a single number.")
    return x


def layer_norm_body(x: Node, gamma: Node, beta: Node, *, axis: Axis = -1, eps: float = 1e-5) -> Any:
    away = x - mean(x, axis=axis, keepdims=True)
    return away / sqrt(mean(away * away, axis=axis, keepdims=True) + eps) * gamma + beta


def row_before(x: Any, axis: Axis, eps: float) -> Any:
    """x̂, a row of layer norm before γ and β. That of R_1 is called R_1_hat."""
    return named(f"{name_of(x)}_hat", layer_norm(x, axis=axis, eps=eps))


def name_of(x: Any) -> str:
    """What a formula calls a node that was built with a name; x without one."""
    return str(x.attrs.get("symbol") or x.name or "x").rstrip("'") if isinstance(x, Node) else "x"


def layer_norm_pull(g: Any, y: Any, x: Any, gamma: Any, beta: Any, axis: Axis = -1, eps: float = 1e-5) -> Any:
    """(ḡ − mean ḡ − x̂ ⊙ mean(ḡ ⊙ x̂)) / σ with ḡ = g ⊙ γ."""
    scaled, x_hat = g * gamma, row_before(x, axis, eps)
    own = scaled - mean(scaled, axis=axis, keepdims=True) - x_hat * mean(scaled * x_hat, axis=axis, keepdims=True)
    return own / sqrt(var(x, axis=axis, keepdims=True) + eps)


def write_layer_norm(x: Written, gamma: Written, beta: Written, **attrs: Any) -> Written:
    """Without γ = 1 and β = 0, which are understood."""
    shown = (x,) if (gamma.text, beta.text) == ("1", "0") else (x, gamma, beta)
    return call("layer_norm", r"\operatorname{LayerNorm}")(*shown, **attrs)


layer_norm = composite("layer_norm", layer_norm_body, forward=layer_norm_of, shape=layer_norm_shape,
    kernel=rows.layer_norm,
    notation=write_layer_norm, options={"axis": -1, "eps": 1e-5}, defaults=(1.0, 0.0), aliases=("LayerNorm",),
    vjp=(layer_norm_pull,
         lambda g, y, x, gamma, beta, axis=-1, eps=1e-5: g * row_before(x, axis, eps),
         lambda g, y, x, gamma, beta, axis=-1, eps=1e-5: g),
    why="Every row is centred and scaled to variance 1, which makes it x̂, then multiplied by γ and moved by β. Moving "
        "one entry moves the mean and the variance too, so what arrives loses its mean and its part along x̂.")
