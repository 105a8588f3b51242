"""The scalar view: any tensor graph as a graph of scalars, one node for every entry of every array.

There is no rule per op. An array becomes an array of nodes, and NumPy does with it what the op would do with numbers: a
matrix product multiplies and adds nodes, a transpose moves them. What works entry by entry is one node per entry, a
reduction joins its entries two by two with the op that its record names (`combine`), and a composite is opened through
its body. Slopes, kinks and ties come out as those of the tensor ops, but where a body has no slope itself: a norm at
the origin, a row of scores that is masked out completely.

Ids and masks are constants: which rows are picked and which scores count shapes the graph. Its size is worked out from
the shapes beforehand, and what is too large is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from graphlab.engine.bodies import body_of
from graphlab.engine.core import OPS, Node, Op, as_node, beside, constant, variable
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import entry_name
from graphlab.engine.shapes import Shape, axes_of, count
from graphlab.errors import LimitError, NoRule, ValueProblem

LARGEST = 5_000
Cells = np.ndarray[Any, Any]  # of scalar nodes


@dataclass(frozen=True)
class Opened:
    """A graph opened into scalars: the entries of its output and of every input, what named operations are called, and
    the names of the arrays that were opened.

    Entries that the output does not need are among those of the inputs, but not in its graph.
    """

    output: Cells
    inputs: dict[str, Cells]
    names: dict[Node, str]
    arrays: frozenset[str]


def open_graph(dag: Dag, shapes: Shapes, known: Mapping[Node, Any], names: Mapping[Node, str]) -> Opened:
    """`dag` opened into scalars: the entries of W are W_1_1, W_1_2, …, counted from 1.

    `known` are the values of inputs that become constants, `names` those of operations. Raises LimitError above 5,000
    nodes, NoRule naming an op that cannot be opened, ValueProblem for ids that are not known.
    """
    size = count_nodes(dag, shapes)
    if size > LARGEST:
        raise LimitError(
            f"opened into scalars this takes {size:,} nodes, but at most {LARGEST:,} are opened",
            hint="Try smaller arrays: two tokens with two numbers each show the same structure.",
        )
    taken = {str(name) for name, node in dag.inputs.items() if shapes[node] == ()}
    cells = {node: as_cells(node) for node in dag.inputs.values() if shapes[node] == ()}
    for node in dag.inputs.values():
        if node in known:
            cells[node] = as_cells(known[node])
        elif node not in cells:
            cells[node] = _entries(node, shapes[node], taken)
    inputs = {name: cells[node] for name, node in dag.inputs.items()}
    _open_all(dag, cells)
    arrays = {str(node.name) for node in cells if node.is_input} | {names[node] for node in cells if node in names}
    return Opened(cells[dag.output], inputs, _named(dag, cells, names, taken), frozenset(arrays))


def weighted_sum(output: Cells, seed: Any) -> Node:
    """The one number whose gradient starts with `seed` at the entries of `output`: Σ seed · entry."""
    weights = [constant(float(x)) for x in np.ravel(seed)]
    terms = [weight * entry for weight, entry in zip(weights, output.flat, strict=True)]
    total: Node = reduce(OPS["add"].node, terms)
    return total


# ---- opening -------------------------------------------------------------------------------------------------------
def as_cells(entries: Any, shape: Shape | None = None) -> Cells:
    """An array of nodes from one of nodes and numbers, or from a list of its entries in order. Numbers become
    constants, equal ones the same."""
    array = entries if isinstance(entries, np.ndarray) else None
    cells: Cells = np.empty(np.shape(array) if array is not None else shape or (), object)
    constants: dict[Any, Node] = {}
    listed = array.flat if array is not None else entries if isinstance(entries, list) else [entries]
    for index, listed_entry in zip(np.ndindex(cells.shape), listed, strict=True):
        entry = listed_entry[()] if isinstance(listed_entry, np.ndarray) else listed_entry
        is_node = isinstance(entry, Node)
        cells[index] = entry if is_node else constants.setdefault((type(entry), entry), as_node(entry))
    return cells


def _open_all(dag: Dag, cells: dict[Node, Cells], inside: bool = False) -> None:
    """Fill in the entries of every node of `dag`, inputs before users. They stand in the scope of their node; inside a
    body, in that of the composite."""
    for node in dag.nodes:
        if node in cells:
            continue
        if node.op is None:
            cells[node] = as_cells(node if np.shape(node.value) == () else node.value)
        else:
            with nullcontext() if inside else beside(node.scope):
                cells[node] = _open(node, node.op, [cells[x] for x in node.inputs], _sends_back(node, dag))


def _open(node: Node, op: Op, inputs: list[Cells], sends_back: bool) -> Cells:
    """One operation on arrays of scalar nodes."""
    if op.partials is not None and not (op.masks and all(_is_constant(inputs[i]) for i in op.masks)):
        return as_cells(np.frompyfunc(op.node, len(inputs), 1)(*inputs))
    if op.combine is not None:
        return _reduce(op, op.combine, inputs[0], sends_back, **node.attrs)
    if op.body is not None:
        body, slots = body_of(op, node.attrs)
        cells = dict(zip(slots, inputs, strict=True))
        _open_all(body, cells, inside=True)
        return cells[body.output]
    numbers = [_numbers(op, x) if i in (*op.ids, *op.masks) else x for i, x in enumerate(inputs)]
    try:
        return as_cells(op.forward(*numbers, **node.attrs))
    except (TypeError, AttributeError, ValueProblem) as fault:
        raise NoRule(f"{op.call_name} cannot be opened into scalars") from fault


def _reduce(op: Op, combine: Op, entries: Cells, sends_back: bool, axis: Any = None, keepdims: bool = False) -> Cells:
    """A reduction: the entries along `axis` joined two by two."""
    gone = axes_of(axis, entries.shape, op.name)
    kept = [i for i in range(entries.ndim) if i not in gone]
    rows = np.transpose(entries, [*kept, *gone]).reshape(*[entries.shape[i] for i in kept], -1)
    if not rows.shape[-1]:
        return as_cells(op.forward(np.zeros(entries.shape), axis=axis, keepdims=keepdims))
    results = [_join(combine, list(rows[index]), sends_back) for index in np.ndindex(rows.shape[:-1])]
    shape = [1 if i in gone else size for i, size in enumerate(entries.shape) if keepdims or i not in gone]
    return as_cells(results, tuple(shape))


def _join(combine: Op, entries: list[Node], sends_back: bool) -> Node:
    """Entries joined from left to right. Two that tie for the largest share the gradient; so must three or more."""
    joined: Node = reduce(combine.node, entries)
    if combine.kink_at is None or len(entries) <= 2 or not sends_back:
        return joined
    add, where, zero, one = OPS["add"].node, OPS["where"].node, constant(0.0), constant(1.0)
    hits = [OPS["equal"].node(x, joined) for x in entries]
    picked = reduce(add, [where(hit, x, zero) for hit, x in zip(hits, entries, strict=True)])
    return picked / reduce(add, [where(hit, one, zero) for hit in hits])


def _sends_back(node: Node, dag: Dag) -> bool:
    """Whether a gradient can reach this node: it is an output, or one of its users passes something on."""
    slots = [(user.op, i) for user in dag.users[node] if user.op for i, x in enumerate(user.inputs) if x is node]
    return node in dag.outputs or any(op.sends_to(i) for op, i in slots)


def _is_constant(cells: Cells) -> bool:
    return all(cell.is_constant for cell in cells.flat)


def _numbers(op: Op, cells: Cells) -> Any:
    """The values of ids or of a mask, which must be constants here."""
    if not _is_constant(cells):
        raise ValueProblem(
            f"{op.call_name} picks entries by number, so its ids must be known to open it", hint="Give their values."
        )
    return np.array([cell.value for cell in cells.flat]).reshape(cells.shape)


# ---- names ---------------------------------------------------------------------------------------------------------
def _entry_names(name: str, shape: Shape, taken: set[str]) -> Iterator[str]:
    """W_1_1, W_1_2, … with primes where something else is called so; they are added to `taken`."""
    for index in np.ndindex(*map(int, shape)):
        chosen = entry_name(name, index)
        while chosen in taken:
            chosen += "'"
        taken.add(chosen)
        yield chosen


def _entries(node: Node, shape: Shape, taken: set[str]) -> Cells:
    """An input for every entry of one; where formulas write it shorter, so they do its entries."""
    symbol, indices = node.attrs.get("symbol"), np.ndindex(*map(int, shape))
    symbols = [entry_name(symbol, index) if symbol else None for index in indices]
    names = _entry_names(str(node.name), shape, taken)
    return as_cells([variable(name, symbol) for name, symbol in zip(names, symbols, strict=True)], shape)


def _named(dag: Dag, cells: Mapping[Node, Cells], names: Mapping[Node, str], taken: set[str]) -> dict[Node, str]:
    """What the entries of named operations are called, each by the first name it has."""
    found: dict[Node, str] = {}
    for node in dag.nodes:
        if node in names and node.op is not None:
            called = zip(cells[node].flat, _entry_names(names[node], cells[node].shape, taken), strict=True)
            found |= {entry: name for entry, name in called if entry.op is not None and entry not in found}
    return found


# ---- size ----------------------------------------------------------------------------------------------------------
def count_nodes(dag: Dag, shapes: Shapes) -> int:
    """How many scalar nodes `dag` opens into; less, where entries are not used or conditions are constants."""
    inside = [
        count(shapes[node])
        if node.op is None
        else _operations(node.op, [shapes[x] for x in node.inputs], shapes[node], node.attrs, _sends_back(node, dag))
        for node in dag.nodes
    ]
    return sum(inside)


def _operations(op: Op, inputs: Sequence[Shape], output: Shape, attrs: Mapping[str, Any], sends_back: bool) -> int:
    """How many nodes one operation becomes."""
    if op.partials is not None:
        return count(output)
    if op.combine is not None:
        steps = max(0, count(inputs[0]) - count(output))
        shared = op.combine.kink_at is not None and sends_back and steps > count(output)
        return 6 * count(inputs[0]) if shared else steps
    if op.body is not None:
        body, slots = body_of(op, attrs)
        return count_nodes(body, Shapes(dict(zip(slots, inputs, strict=True)))) - sum(map(count, inputs))
    return WORK[op.name](inputs, output) if op.name in WORK else 0


def _matmul_work(inputs: Sequence[Shape], output: Shape) -> int:
    return count(output) * max(1, 2 * count(inputs[0][-1:]) - 1)


# What the primitives that do more than move entries add to them; some need a constant: a size, a 0, a 1, a −∞.
WORK: dict[str, Callable[[Sequence[Shape], Shape], int]] = {
    **dict.fromkeys(("size", "causal_mask", "lower_triangle", "pad_to"), lambda inputs, output: 1),
    "one_hot": lambda inputs, output: 2,
    "matmul": _matmul_work,
    "outer": lambda inputs, output: count(output),
    "sum_to": lambda inputs, output: count(inputs[0]) - count(output),
    "scatter_add": lambda inputs, output: 2 * count(inputs[2]) + 1,
    "prod_others": lambda inputs, output: 5 * count(output),
}
