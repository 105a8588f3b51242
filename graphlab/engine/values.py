"""From what a caller gives to what an op computes with.

Python numbers and lists become float64; float arrays keep their type; integer arrays are ids and boolean arrays masks
(neither has a gradient). An input that serves only as ids, or only as a mask, becomes one. Scalars are NumPy scalars,
because 1/0 must give inf and not an exception.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.errors import DomainError, ValueProblem


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
    """Every input with its converted value. Raises ValueProblem for a missing, superfluous or malformed one."""
    for name in given:
        if name not in dag.inputs:
            near = difflib.get_close_matches(str(name), dag.inputs, n=1, cutoff=0.5)
            known = ", ".join(dag.inputs) or "none"
            hint = f"Did you mean {near[0]}?" if near else f"Its inputs: {known}."
            raise ValueProblem(f"the formula has no input called {name!r}", hint=hint)
    missing = [name for name in dag.inputs if name not in given]
    if missing:
        example = ", ".join(f"{name}=1" for name in missing[:3])
        raise ValueProblem(f"no value given for {', '.join(missing)}", hint=f"Add {example}.")
    return {node: _in_role(convert(given[name], name), node, dag) for name, node in dag.inputs.items()}


def _in_role(value: Any, node: Node, dag: Dag) -> Any:
    """Whole numbers for an input that is used as ids and as nothing else; true and false likewise for a mask."""
    slots = dag.input_slots[node]
    if not slots or value.dtype.kind in "biu":
        return value
    if all(i in op.ids for op, i in slots):
        if np.any(value != np.trunc(value)) or not np.all(np.isfinite(value)):
            raise DomainError(
                f"{min(op.call_name for op, _ in slots)}: {node.name} must be whole numbers, for they are ids",
                hint="Ids count from 0.",
            )
        return value.astype(np.int64)
    if all(i in op.masks for op, i in slots) and np.all((value == 0) | (value == 1)):
        return value.astype(np.bool_)
    return value


def working_type(values: Mapping[Node, Any]) -> type[np.floating[Any]]:
    """The type of the graph's own numbers: float32 if every real value given is float32, else float64."""
    real = [v.dtype for v in values.values() if v.dtype.kind == "f"]
    return np.float32 if real and all(d == np.float32 for d in real) else np.float64


def has_gradient(value: Any) -> bool:
    """False for ids (integers) and masks (booleans)."""
    return bool(np.asarray(value).dtype.kind == "f")


def public(value: Any) -> Any:
    """What a caller gets: a float for a scalar, else an array of its own."""
    if isinstance(value, np.generic) or not isinstance(value, np.ndarray) or value.shape == ():
        return bool(value) if np.asarray(value).dtype.kind == "b" else float(value)
    return np.array(value)
