"""From what a caller gives to what an op computes with.

Python numbers and lists become float64; float arrays keep their type; integer arrays are ids and boolean arrays masks
(neither has a gradient). An input that serves only as ids, or only as a mask, becomes one. Scalars are NumPy scalars,
because 1/0 must give inf and not an exception.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from graphlab.engine.core import Node, Op
from graphlab.engine.dag import Dag
from graphlab.engine.places import at_node, refuse_mixed_types, user_of
from graphlab.errors import DomainError, GraphLabError, ValueProblem


def convert(value: Any, name: str) -> Any:
    """One given value as a NumPy scalar or array. Raises ValueProblem naming the input."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
    elif isinstance(value, (bool, int, float)):
        try:
            return np.float64(value)
        except OverflowError:
            raise ValueProblem(f"{name}: the whole number given is too large (above 1.8·10³⁰⁸)") from None
    elif isinstance(value, (list, tuple)):
        try:
            array = np.asarray(value)
        except ValueError:
            raise ValueProblem(
                f"{name}: the rows of the list have different lengths", hint="A matrix looks like [[1, 2], [3, 4]]."
            ) from None
        if array.dtype.kind in "biu":
            array = array.astype(np.float64)
    else:
        raise ValueProblem(
            f"{name} = {value!r:.60} is not a number", hint="Give a number, a list of numbers or a NumPy array."
        )
    if array.dtype.kind not in "biuf":
        raise ValueProblem(
            f"{name} = {value!r:.60} is not made of numbers", hint="Give a number, a list of numbers or a NumPy array."
        )
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    return array[()]


def bind(dag: Dag, given: Mapping[str, Any]) -> dict[Node, Any]:
    """Every input with its converted value. Raises ValueProblem for a missing, superfluous or malformed one, and inside
    scopes for float32 beside float64; DomainError for what are no ids or no mask."""
    if given.keys() != dag.inputs.keys():
        raise _wrong_names(dag, given)
    number = np.float64
    bound = {
        node: number(value) if type(value := given[name]) is float else convert(value, name)
        for name, node in dag.inputs.items()
    }
    if _take_roles(dag.ops):
        bound = {node: _in_role(value, node, dag) for node, value in bound.items()}
    if dag.is_scoped:
        refuse_mixed_types(dag, bound)
    return bound


@lru_cache(maxsize=256)
def _take_roles(ops: frozenset[Op]) -> bool:
    """Whether any of the ops takes ids or masks."""
    return any(op.ids or op.masks for op in ops)


def _wrong_names(dag: Dag, given: Mapping[str, Any]) -> ValueProblem:
    """What to say of a value for no input, or else of an input without one."""
    for name in given:
        if name not in dag.inputs:
            near = difflib.get_close_matches(str(name), dag.inputs, n=1, cutoff=0.5)
            known = ", ".join(dag.inputs) or "none"
            hint = f"Did you mean {near[0]}?" if near else f"Its inputs: {known}."
            return ValueProblem(f"the formula has no input called {name!r}", hint=hint)
    missing = [name for name in dag.inputs if name not in given]
    example = ", ".join(f"{name}=1" for name in missing[:3])
    return ValueProblem(f"no value given for {', '.join(missing)}", hint=f"Add {example}.")


def _in_role(value: Any, node: Node, dag: Dag) -> Any:
    """Whole numbers for an input that is used as ids and as nothing else; true and false likewise for a mask."""
    slots = dag.input_slots[node]
    if slots and all(i in op.ids for op, i in slots):
        return _as_ids(value, node, dag)
    if slots and all(i in op.masks for op, i in slots):
        return _as_mask(value, node, dag)
    return value


def _as_ids(value: Any, node: Node, dag: Dag) -> Any:
    if value.dtype.kind in "biu":
        return value
    if np.any(value != np.trunc(value)) or not np.all(np.isfinite(value)):
        raise _wrong_role(f"{node.name} must be whole numbers, for they are ids", "Ids count from 0.", node, dag, "ids")
    return value.astype(np.int64)


def _as_mask(value: Any, node: Node, dag: Dag) -> Any:
    wrong = (value != 0) & (value != 1)
    if np.any(wrong):
        found = np.ravel(value[wrong])[0] if value.shape else value
        message = f"{node.name} must be true or false, for it is a mask, but it holds {found:g}"
        raise _wrong_role(message, "True lets through, false shuts out; 1 and 0 will do.", node, dag, "masks")
    return value.astype(np.bool_)


def _wrong_role(message: str, hint: str, node: Node, dag: Dag, roles: str) -> GraphLabError:
    user = user_of(dag, node, roles)
    return at_node(DomainError(f"{user.op.call_name if user.op else ''}: {message}", hint=hint), user)


def working_type(values: Mapping[Node, Any]) -> type[np.floating[Any]]:
    """The type of the graph's own numbers: float32 if every real value given is float32, else float64."""
    real = [v.dtype for v in values.values() if v.dtype.kind == "f"]
    return np.float32 if real and all(d == np.float32 for d in real) else np.float64


def has_gradient(value: Any) -> bool:
    """False for ids (integers) and masks (booleans)."""
    return bool(np.asarray(value).dtype.kind == "f")


def public(value: Any) -> Any:
    """What a caller gets: a float for a scalar, else an array of its own."""
    if type(value) is float:
        return value
    if isinstance(value, np.generic) or not isinstance(value, np.ndarray) or value.shape == ():
        return bool(value) if np.asarray(value).dtype.kind == "b" else float(value)
    return np.array(value)
