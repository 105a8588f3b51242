"""Moving entries without changing them: other shapes, rows picked by number, parts put side by side."""

import math
from typing import Any

import numpy as np

from graphlab.engine.notation import Prec, Written, call
from graphlab.engine.records import primitive, shape_fault
from graphlab.engine.shapes import Dim, Shape, broadcast, show_shape
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


def marks(ids: Any, like: Any) -> Any:
    """1 at the entry of each row that its id names, 0 elsewhere."""
    like = np.asarray(like)
    numbers = row_numbers(ids, like.shape[-1], "one_hot")
    hits = np.arange(like.shape[-1]) == np.expand_dims(numbers, -1)
    return np.where(hits, 1, 0).astype(like.dtype)


def one_hot_shape(ids: Shape, like: Shape) -> Shape:
    if not like or broadcast((*ids, 1), like, op="one_hot") != like:
        raise shape_fault("one_hot", f"{show_shape(like)} needs one id per row, but the ids are {show_shape(ids)}",
            ids, like)
    return like


def write_rows(table: Written, ids: Written) -> Written:
    latex = rf"{table.at_least(Prec.POSTFIX).latex}_{{[{ids.latex}]}}"
    return Written(f"embedding({table.text}, {ids.text})", latex, Prec.ATOM, latex_prec=Prec.POSTFIX)


reshape = primitive("reshape", lambda x, shape=FLAT: np.reshape(x, shape), shape=reshape_shape,
    notation=call("reshape"), options={"shape": FLAT}, vjp=(lambda g, y, x, shape=FLAT: reshape_like(g, x),),
    linear_in=(0,),
    why="Reshaping only regroups the entries, so the gradient is put back in the old shape.")
reshape_like = primitive("reshape_like", lambda x, like: np.reshape(x, np.shape(like)), shape=reshape_like_shape,
    notation=call("reshape_like"), vjp=(lambda g, y, x, like: reshape_like(g, x), None), linear_in=(0,),
    why="Reshaping only regroups the entries, so the gradient is put back in the old shape.")
embedding = primitive("embedding", rows_of, shape=embedding_shape, notation=write_rows, ids=(1,),
    vjp=(lambda g, y, table, ids: scatter_add(table, ids, g), None), linear_in=(0,),
    why="Looking up row i copies it, so its gradient goes back to row i; a row used twice adds both up.")
scatter_add = primitive("scatter_add", add_rows, shape=scatter_add_shape, notation=call("scatter_add"), ids=(1,),
    vjp=(None, None, lambda g, y, like, ids, x: embedding(g, ids)), linear_in=(2,),
    why="Each row was added at the place its id names, so it finds its gradient at that place.")
one_hot = primitive("one_hot", marks, shape=one_hot_shape, notation=call("one_hot"), ids=(0,), vjp=(None, None),
    why="Which class is the right one does not depend on the scores, so nothing is sent back.")
