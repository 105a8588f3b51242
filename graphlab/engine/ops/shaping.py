"""Moving entries without changing them: other shapes, rows picked by number, parts put side by side."""

import math
from typing import Any

import numpy as np

from graphlab.engine.kernels import moving
from graphlab.engine.notation import Prec, Written, call
from graphlab.engine.records import primitive, shape_fault
from graphlab.engine.shapes import Dim, Shape, axes_of, broadcast, show_shape
from graphlab.errors import DomainError

FLAT = (-1,)


# ---- shapes --------------------------------------------------------------------------------------------------------
def reshape_shape(x: Shape, shape: Any = FLAT) -> Shape:
    wanted = (shape,) if isinstance(shape, int) else tuple(shape)
    if wanted.count(-1) > 1 or any(d < -1 for d in wanted):
        raise shape_fault("reshape", f"{show_shape(wanted)} is not a shape", x, hint="At most one size may be -1.")
    names = [d for d in x if isinstance(d, str)]
    have, need = math.prod(d for d in x if isinstance(d, int)), math.prod(d for d in wanted if d != -1)
    if not names and (have != need if -1 not in wanted else have % max(need, 1) or not need):
        raise shape_fault("reshape", f"{show_shape(x)} has {have} entries, which do not fill {show_shape(wanted)}", x,
            hint="Write -1 for one size and it is worked out.")
    rest: Dim = "·".join([*([str(have)] if have != 1 else []), *names]) if names else have // max(need, 1)
    if names and need != 1:
        rest = f"{rest}/{need}"
    return tuple(rest if d == -1 else d for d in wanted)


def reshape_like_shape(x: Shape, like: Shape) -> Shape:
    if all(isinstance(d, int) for d in x + like) and math.prod(map(int, x)) != math.prod(map(int, like)):
        raise shape_fault("reshape_like", f"{show_shape(x)} does not fill {show_shape(like)}", x, like)
    return like


# ---- one entry along an axis ---------------------------------------------------------------------------------------
def take_shape(x: Shape, index: int = 0, axis: int = 0) -> Shape:
    (at,) = axes_of(axis, x, "take")
    count = x[at]
    if isinstance(count, int) and not -count <= index < count:
        raise shape_fault("take", f"there is no entry {index} along axis {axis} of {show_shape(x)}", x,
            hint="Entries count from 0, or from -1 backwards.")
    return (*x[:at], *x[at + 1 :])


def put(g: Any, like: Any, index: int = 0, axis: int = 0) -> Any:
    result = np.zeros_like(g, shape=np.shape(like))
    np.moveaxis(result, axis, 0)[index] = g
    return result


# ---- rows by number ------------------------------------------------------------------------------------------------
def row_numbers(ids: Any, count: int, op: str) -> Any:
    """`ids` as whole numbers from 0 to count − 1. Raises DomainError naming the op and the id.

    Ids that are constants of a graph arrive as its other numbers do: as floats, complex numbers or objects.
    """
    given = np.asarray(ids)
    given = given.astype(complex).real if given.dtype.kind in "cO" else given
    numbers = given.astype(np.int64) if np.all(np.isfinite(given)) else np.full(given.shape, -1)
    for wrong in (numbers != given, (numbers < 0) | (numbers >= count)):
        if np.any(wrong):
            raise DomainError(
                f"{op}: there is no row {np.ravel(given[wrong])[0]:g}: ids are whole numbers from 0 to {count - 1}",
                hint="Ids count from 0.",
            )
    return numbers


def rows_of(table: Any, ids: Any) -> Any:
    return np.asarray(np.take(table, row_numbers(ids, np.shape(table)[0], "embedding"), axis=0))[()]


def embedding_shape(table: Shape, ids: Shape) -> Shape:
    if not table:
        raise shape_fault("embedding", "needs a table with rows, but got a scalar", table, ids)
    return (*ids, *table[1:])


def add_rows(like: Any, ids: Any, x: Any) -> Any:
    """Zeros in the shape of `like`, with every row of x added at the row its id names."""
    result = np.zeros_like(like, dtype=np.asarray(x).dtype)
    numbers = row_numbers(ids, np.shape(like)[0], "scatter_add")
    np.add.at(result, numbers, np.broadcast_to(x, numbers.shape + result.shape[1:]))
    return result


def scatter_add_shape(like: Shape, ids: Shape, x: Shape) -> Shape:
    rows = embedding_shape(like, ids)
    if broadcast(x, rows, op="scatter_add") != rows:
        raise shape_fault("scatter_add", f"{show_shape(x)} does not fit rows of shape {show_shape(rows)}", like, ids, x)
    return like


def marks(ids: Any, like: Any, ignore: int | None = None) -> Any:
    """1 at the entry of each row that its id names, 0 elsewhere; a row with the id `ignore` is all zeros."""
    like, counted = np.asarray(like), is_counted(ids, ignore)
    numbers = row_numbers(np.where(counted, ids, 0), like.shape[-1], "one_hot")
    hits = np.arange(like.shape[-1]) == np.expand_dims(numbers, -1)
    return np.where(hits & np.expand_dims(counted, -1), 1, 0).astype(like.dtype)


def is_counted(ids: Any, ignore: int | None) -> Any:
    """True for every id but `ignore`."""
    return np.full(np.shape(ids), True) if ignore is None else np.asarray(ids) != ignore


def one_hot_shape(ids: Shape, like: Shape, ignore: int | None = None) -> Shape:
    if not like or broadcast((*ids, 1), like, op="one_hot") != like:
        raise shape_fault("one_hot", f"{show_shape(like)} needs one id per row, but the ids are {show_shape(ids)}",
            ids, like)
    return like


def write_rows(table: Written, ids: Written) -> Written:
    latex = rf"{table.at_least(Prec.POSTFIX).latex}_{{[{ids.latex}]}}"
    return Written(f"embedding({table.text}, {ids.text})", latex, Prec.ATOM, latex_prec=Prec.POSTFIX)


reshape = primitive("reshape", lambda x, shape=FLAT: np.reshape(x, shape), shape=reshape_shape,
    kernel=moving.reshape,
    notation=call("reshape"), options={"shape": FLAT}, vjp=(lambda g, y, x, shape=FLAT: reshape_like(g, x),),
    linear_in=(0,),
    why="Reshaping only regroups the entries, so the gradient is put back in the old shape.")
reshape_like = primitive("reshape_like", lambda x, like: np.reshape(x, np.shape(like)), shape=reshape_like_shape,
    kernel=moving.reshape_like,
    notation=call("reshape_like"), vjp=(lambda g, y, x, like: reshape_like(g, x), None), linear_in=(0,),
    why="Reshaping only regroups the entries, so the gradient is put back in the old shape.")
take = primitive("take", lambda x, index=0, axis=0: np.take(x, index, axis), shape=take_shape, notation=call("take"),
    options={"index": 0, "axis": 0}, linear_in=(0,),
    vjp=(lambda g, y, x, index=0, axis=0: put_back(g, x, index=index, axis=axis),),
    why="Only this entry was used, so all others get 0.")
put_back = primitive("put_back", put, shape=lambda g, like, index=0, axis=0: like, notation=call("put_back"),
    options={"index": 0, "axis": 0}, linear_in=(0,),
    vjp=(lambda h, y, g, like, index=0, axis=0: take(h, index=index, axis=axis), None),
    why="The zeros around it do not depend on it, so it gets back the gradient of its own place.")
embedding = primitive("embedding", rows_of, shape=embedding_shape, notation=write_rows, ids=(1,),
    kernel=moving.embedding(row_numbers),
    vjp=(lambda g, y, table, ids: scatter_add(table, ids, g), None), linear_in=(0,),
    why="Looking up row i copies it, so its gradient goes back to row i; a row used twice adds both up.")
scatter_add = primitive("scatter_add", add_rows, shape=scatter_add_shape, notation=call("scatter_add"), ids=(1,),
    vjp=(None, None, lambda g, y, like, ids, x: embedding(g, ids)), linear_in=(2,),
    why="Each row was added at the place its id names, so it finds its gradient at that place.")
one_hot = primitive("one_hot", marks, shape=one_hot_shape, notation=call("one_hot"), ids=(0,), vjp=(None, None),
    options={"ignore": None},
    why="Which class is the right one does not depend on the scores, so nothing is sent back.")
