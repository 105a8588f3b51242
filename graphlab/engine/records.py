"""The kinds of op record, each stating what cannot be derived; all else follows from it.

`elementwise` gives its partial derivatives, `primitive` a vjp and how it carries tangents, `composite` a body of other
ops, `variadic` (any number of inputs, put together unchanged) one vjp. What a record lacks is noticed when it is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from graphlab.engine.core import OPS, Node, Op, Rule, Rules
from graphlab.engine.notation import Notation
from graphlab.engine.shapes import Shape, broadcast
from graphlab.errors import ShapeError


def elementwise(
    name: str, forward: Callable[..., Any], *, notation: Notation, why: str, partials: Rules, **fields: Any
) -> Op:
    """An op that works entry by entry and broadcasts: it states its partial derivatives, all else follows."""

    def shape(*shapes: Shape) -> Shape:
        return broadcast(*shapes, op=name)

    return _register(Op(name, forward, shape, notation, why, len(partials), partials=partials, **_named(name, fields)))


def primitive(
    name: str,
    forward: Callable[..., Any],
    *,
    shape: Callable[..., Shape],
    notation: Notation,
    why: str,
    vjp: Rules,
    linear_in: tuple[int, ...] = (),
    jvp: Rules | None = None,
    **fields: Any,
) -> Op:
    """Any other op: it states its vjp, and how it carries tangents (linear in which inputs, or a jvp)."""
    differentiable = tuple(i for i, rule in enumerate(vjp) if rule is not None)
    if (jvp is None) != (tuple(linear_in) == differentiable):
        raise TypeError(f"op {name!r}: give linear_in={differentiable} or jvp=, one of them")
    return _register(
        Op(name, forward, shape, notation, why, len(vjp), vjp=vjp, jvp=jvp, linear_in=linear_in, **_named(name, fields))
    )


def composite(
    name: str,
    body: Callable[..., Node],
    *,
    forward: Callable[..., Any],
    shape: Callable[..., Shape],
    notation: Notation,
    why: str,
    vjp: Rules | None = None,
    **fields: Any,
) -> Op:
    """An op that is made of others: `body` builds it from them, and its tangents come from there.

    `forward` and `vjp` are the careful kernel and the textbook rule; one generic test proves both equal to the body.
    """
    inputs = [p for p in inspect.signature(body).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return _register(Op(name, forward, shape, notation, why, len(inputs), vjp=vjp, body=body, **_named(name, fields)))


def variadic(
    name: str,
    forward: Callable[..., Any],
    *,
    shape: Callable[..., Shape],
    notation: Notation,
    why: str,
    vjp: Rule,
    **fields: Any,
) -> Op:
    """An op that puts any number of inputs together, each unchanged, so it is linear in all of them at once.

    Its one rule is vjp(cotangent, y, *inputs, argument=i, **attrs) → the cotangent of input number i.
    """
    return _register(Op(name, forward, shape, notation, why, None, vjp=vjp, **_named(name, fields)))


def _named(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"call_name": name, **fields}


def _register(op: Op) -> Op:
    if op.name in OPS:
        raise TypeError(f"op {op.name!r} is registered twice")
    OPS[op.name] = op
    return op


def shape_fault(op: str, message: str, *shapes: Shape, hint: str | None = None, differ: Any = None) -> ShapeError:
    """A ShapeError in the op's own words."""
    return ShapeError(f"{op}: {message}", op=op, shapes=shapes, hint=hint, differ=differ)
