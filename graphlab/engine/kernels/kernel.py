"""What a kernel is: the value and the cotangents of one op, computed into arrays that the caller owns.

A record's `kernel` is a Maker: told the number type, the inputs' shapes and the op's options, it returns the Kernel (or
View) for exactly these, or None where it has none; then plans call the record's own functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
Number = type[np.floating[Any]]
Sizes = tuple[int, ...]

OUTPUT: Final = -1


@dataclass(frozen=True, slots=True)
class Saved:
    """An array of this shape that forward fills for the backward pass.

    Where nobody else needs input number `over` any more, it may be given that input's memory.
    """

    shape: Sizes
    over: int | None = None


@dataclass(frozen=True, slots=True)
class Pull:
    """The cotangent of one input: `run(out, g, *saved, *read)` fills `out`, given the cotangent `g` of the output.

    read: the values asked for, by the input's number or OUTPUT. over: `out` may be `g` itself. adds: it adds to what
    `out` holds instead. alias: `run(g)` returns a view of `g`, or `g`, and fills nothing. strided: the entries of `out`
    need not lie side by side.
    """

    run: Callable[..., Any]
    read: tuple[int, ...] = ()
    over: bool = False
    adds: bool = False
    alias: bool = False
    strided: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """`forward(y, *saved, *inputs)` fills y and what is saved; one Pull per input, None where no gradient flows.

    over: inputs whose memory y may be, where nobody needs them any more. strided: as for a Pull.
    """

    forward: Callable[..., Any]
    pulls: tuple[Pull | None, ...]
    over: tuple[int, ...] = ()
    saved: tuple[Saved, ...] = ()
    strided: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """An op that shows the entries of its first input in another shape: `there` makes a view, `back` undoes it."""

    there: Callable[[Array], Array]
    back: Callable[[Array], Array]


Maker = Callable[..., Kernel | View | None]


def as_body(number: Number, *shapes: Sizes, **attrs: Any) -> None:
    """The maker of a composite that plans open: its body keeps every digit, and its parts have kernels."""


# ---- what several kernels need -------------------------------------------------------------------------------------
def add_up(out: Array, x: Array) -> None:
    """x added up over the axes along which an array of out's shape was repeated to give x's."""
    if x.shape == out.shape:
        np.copyto(out, x)
    elif out.ndim == 1 and x.ndim > 1 and x.shape[-1] == out.shape[0]:
        rows = x.reshape(-1, out.shape[0])
        np.matmul(np.ones(rows.shape[0], x.dtype), rows, out=out)
    else:
        lead = x.ndim - out.ndim
        single = tuple(i + lead for i, n in enumerate(out.shape) if n == 1 and x.shape[i + lead] != 1)
        whole = np.sum(x, axis=(*range(lead), *single), keepdims=True)
        np.copyto(out, whole.reshape(out.shape))


def send(out: Array, g: Array, local: Any) -> None:
    """g times a local derivative, and exactly 0 wherever g is 0, even against an infinite slope."""
    if not np.isfinite(np.sum(local)):
        local = np.where(g == 0, 0, local)
    np.multiply(g, local, out=out)


def is_last(axis: Any, shape: Sizes) -> bool:
    """Whether `axis` is the last of these axes."""
    return bool(shape) and isinstance(axis, int) and axis % len(shape) == len(shape) - 1
