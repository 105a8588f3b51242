"""What steps run besides kernels: a record's own functions, and putting gradients together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.engine.algebra import ARRAYS, fit_array
from graphlab.engine.core import Op, careful_rules
from graphlab.engine.kernels.kernel import Array, Number
from graphlab.engine.reverse import pull_through


def value(op: Op, attrs: Any, number: Number, *inputs: Any) -> Any:
    value = op.forward(*inputs, **attrs)
    return number(value) if type(value) is float else value


def contribution(op: Op, argument: int, attrs: Any, like: Array, upstream: Any, output: Any, *inputs: Any) -> Any:
    """What the record's rule sends to an input that has the shape and type of `like`."""
    rules = careful_rules(op)
    if rules is None:
        amount = pull_through(op, argument, upstream, output, list(inputs), attrs, ARRAYS)
    else:
        rule = rules[argument]
        assert rule is not None, "the caller asks for what is sent only"
        amount = ARRAYS.multiply(upstream, rule(output, *inputs))
    return fit_array(np.asarray(amount), like)


def add(out: Array, earlier: Any, sent: Any) -> None:
    np.add(earlier, sent, out=out)


def zero(out: Array) -> None:
    out.fill(0)


def from_zero(run: Callable[..., None], out: Array, *reads: Any) -> None:
    out.fill(0)
    run(out, *reads)


def from_earlier(run: Callable[..., None], out: Array, earlier: Array, *reads: Any) -> None:
    if out is not earlier:
        np.copyto(out, earlier)
    run(out, *reads)
