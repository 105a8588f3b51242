"""Kernels of ops that work entry by entry: arithmetic, masks, ReLU and GELU.

GELU is computed in blocks that fit the processor's cache. Its forward keeps the slope, in the memory of the input if
that is free; then the backward pass is one product. In float32 the share of the normal distribution below x is
Φ(x) = (1 + tanh u)/2 with u = x·(c₀ + c₁x² + … + c₆x¹²): the familiar tanh formula with five terms more. The fit is off
by 3·10⁻⁸ at most, and by 1·10⁻⁷ with float32's own rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from graphlab.engine.kernels.kernel import OUTPUT, Array, Kernel, Number, Pull, Saved, Sizes, add_up, send
from graphlab.engine.special import erfc

BLOCK: Final = 16384
# Fitted for the smallest error of Φ; beyond END, Φ is 0 or 1 in float32.
SHARE: Final = (
    0.797884941,
    3.63330844e-2,
    -3.25947275e-5,
    -5.53063249e-5,
    3.96477482e-6,
    -1.32266426e-7,
    1.75628194e-9,
)
END: Final = 6.0
DENSITY: Final = (2 * np.pi) ** -0.5


# ---- arithmetic ----------------------------------------------------------------------------------------------------
def broadcast_over(shapes: tuple[Sizes, ...]) -> tuple[Sizes, tuple[int, ...]]:
    """The shape of the output, and the inputs that have it."""
    shape = np.broadcast_shapes(*shapes)
    return shape, tuple(i for i, s in enumerate(shapes) if s == shape and shape)


def passed(whole: bool) -> Pull:
    """The cotangent unchanged, or added up where the input was repeated."""
    return Pull(lambda g: g, alias=True) if whole else Pull(add_up)


def opposite(whole: bool) -> Pull:
    """The cotangent with its sign changed."""
    if whole:
        return Pull(lambda out, g: np.negative(g, out=out), over=True)
    return Pull(lambda out, g: add_up(out, -g))


def times(local: Callable[..., Any], whole: bool, *read: int) -> Pull:
    """The cotangent times `local(*read)`."""
    if whole:
        return Pull(lambda out, g, *values: send(out, g, local(*values)), read, over=True)

    def run(out: Array, g: Array, *values: Any) -> None:
        sent = np.empty_like(g)
        send(sent, g, local(*values))
        add_up(out, sent)

    return Pull(run, read)


def add(number: Number, *shapes: Sizes) -> Kernel:
    _, whole = broadcast_over(shapes)
    return Kernel(lambda y, a, b: np.add(a, b, out=y), (passed(0 in whole), passed(1 in whole)), whole)


def sub(number: Number, *shapes: Sizes) -> Kernel:
    _, whole = broadcast_over(shapes)
    return Kernel(lambda y, a, b: np.subtract(a, b, out=y), (passed(0 in whole), opposite(1 in whole)), whole)


def neg(number: Number, shape: Sizes) -> Kernel:
    return Kernel(lambda y, x: np.negative(x, out=y), (opposite(True),), (0,))


def mul(number: Number, *shapes: Sizes) -> Kernel:
    _, whole = broadcast_over(shapes)
    pulls = times(lambda b: b, 0 in whole, 1), times(lambda a: a, 1 in whole, 0)
    return Kernel(lambda y, a, b: np.multiply(a, b, out=y), pulls, whole)


def div(number: Number, *shapes: Sizes) -> Kernel:
    _, whole = broadcast_over(shapes)
    pulls = times(lambda b: 1 / b, 0 in whole, 1), times(lambda y, b: -y / b, 1 in whole, OUTPUT, 1)
    return Kernel(lambda y, a, b: np.divide(a, b, out=y), pulls, whole)


# ---- masks ---------------------------------------------------------------------------------------------------------
def masked(number: Number, scores: Sizes, mask: Sizes) -> Kernel | None:
    if np.broadcast_shapes(scores, mask) != scores:
        return None

    def forward(y: Array, s: Array, mask: Any) -> None:
        if y is not s:
            np.copyto(y, s)
        np.copyto(y, -np.inf, where=np.logical_not(mask))

    def local(mask: Any) -> Any:
        return np.logical_not(np.logical_not(mask))

    return Kernel(forward, (times(local, True, 1), None), (0,))


def causal_mask(number: Number, shape: Sizes) -> Kernel:
    later = np.triu(np.ones(shape[-2:], np.bool_), 1)

    def replaced(by: float) -> Callable[[Array, Array], None]:
        def run(out: Array, x: Array) -> None:
            if out is not x:
                np.copyto(out, x)
            np.copyto(out, by, where=later)

        return run

    return Kernel(replaced(-np.inf), (Pull(replaced(0), over=True),), (0,))


# ---- activation functions ------------------------------------------------------------------------------------------
def relu(number: Number, shape: Sizes) -> Kernel:
    return Kernel(lambda y, x: np.maximum(x, 0, out=y), (times(lambda y: y > 0, True, OUTPUT),), (0,))


def gelu(number: Number, shape: Sizes) -> Kernel:
    return curve(fast_gelu if number is np.float32 else exact_gelu, shape)


def gelu_tanh(number: Number, shape: Sizes) -> Kernel:
    return curve(tanh_gelu, shape)


def curve(block: Callable[[Array, Array, Array], None], shape: Sizes) -> Kernel:
    """The kernel of a function of one number, from `block(y, slope, x)`; slope may be x itself."""

    def forward(y: Array, slope: Array, x: Array) -> None:
        flat = [a.reshape(-1) for a in (y, slope, x)]
        for start in range(0, flat[0].size, BLOCK):
            block(*[a[start : start + BLOCK] for a in flat])
        for a, entries in zip((y, slope), flat, strict=False):
            if not np.may_share_memory(a, entries):
                np.copyto(a, entries.reshape(a.shape))

    return Kernel(forward, (Pull(lambda out, g, slope: send(out, g, slope), over=True),), saved=(Saved(shape, over=0),))


def fast_gelu(y: Array, slope: Array, x: Array) -> None:
    """x·Φ(x) in float32, and its slope Φ(x) + x·φ(x)."""
    near = np.clip(x, -END, END)
    square = near * near
    share = share_below(near, square)
    square *= -0.5
    bell = np.exp(square, out=square)
    bell *= near
    bell *= DENSITY
    np.multiply(np.maximum(x, near, out=near), share, out=y)
    np.add(share, bell, out=slope)


def share_below(near: Array, square: Array) -> Array:
    """Φ of float32 numbers between −END and END, given their squares too."""
    share = square * SHARE[-1]
    for c in SHARE[-2:0:-1]:
        share += c
        share *= square
    share += SHARE[0]
    share *= near
    np.tanh(share, out=share)
    share *= 0.5
    share += 0.5
    return share


def exact_gelu(y: Array, slope: Array, x: Array) -> None:
    """The same to the last digit, also far on the left."""
    far = np.minimum(np.abs(x), 40.0)
    tail = erfc(far * 0.5**0.5) / 2
    share = np.where(x < 0, tail, 1 - tail)
    bell = np.exp(far * far * -0.5) * (far * DENSITY)
    np.multiply(np.maximum(x, -40.0), share, out=y)
    np.copyto(slope, share + np.copysign(bell, x))


def tanh_gelu(y: Array, slope: Array, x: Array) -> None:
    """x·s with s = (1 + tanh u)/2 for the cubic u, and its slope s + 2xs(1 − s)u′."""
    near = np.clip(x, -40.0, 40.0)
    square = near * near
    scale = (2 / np.pi) ** 0.5
    small = np.exp(-2 * np.abs(scale * near * (1 + 0.044715 * square)))
    share, rest = 1 / (1 + small), small / (1 + small)
    bend = 2 * scale * near * (1 + 0.134145 * square) * share * rest
    share = np.where(near < 0, rest, share)
    np.multiply(np.maximum(x, -40.0), share, out=y)
    np.copyto(slope, share + bend)
