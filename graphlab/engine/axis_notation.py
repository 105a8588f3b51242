"""How reductions and sizes are written: rowsum(A), and the name of a size where the shape has one.

>>> A = Written("A", "A", shape=("n", "d_k"))
>>> reduction("sum")(A, axis=-1, keepdims=True).text, size_of(A, axis=-1).latex
('rowsum(A)', 'd_{k}')
"""

from __future__ import annotations

import re
from typing import Any

from graphlab.engine.notation import Notation, Prec, Written, call, name_latex

ROWS, COLUMNS = {"axis": -1, "keepdims": True}, {"axis": 0}


def reduction(name: str, latex: str | None = None) -> Notation:
    """A reduction over axes: `sum(a, axis=0)`, and `rowsum(a)` for the sum of every row, kept as a column.

    In LaTeX the sums of the columns of a matrix are colsum(A), which is a vector.
    """
    plain, row, column = call(name, latex), call(f"row{name}"), call(f"col{name}")

    def write(a: Written, **attrs: Any) -> Written:
        if attrs == ROWS:
            return row(a)
        written = plain(a, **attrs)
        return Written(written.text, column(a).latex) if attrs == COLUMNS and a.rank == 2 else written

    return write


def size_of(a: Written, axis: int | tuple[int, ...] | None = None) -> Written:
    """`size(a, axis=0)`; in LaTeX by its name, where the shape names it: n, d_k."""
    plain = call("size")(a, axis=axis)
    axes = range(a.rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    sizes = [dimension_latex(a.shape[i]) for i in axes if -a.rank <= i < a.rank]
    if len(sizes) < len(axes) or not sizes or "" in sizes:
        return plain
    is_product = len(sizes) > 1 or "/" in sizes[0] or r"\," in sizes[0]
    return Written(plain.text, r" \, ".join(sizes), latex_prec=Prec.PRODUCT if is_product else Prec.ATOM)


def dimension_latex(dimension: int | str) -> str:
    r"""A named size in LaTeX: d_k as d_{k}, half of it as d_{k}/2, twice it as 2 \, d_{k}; "" for all others."""
    found = re.fullmatch(r"(?:(\d+)·)?([A-Za-z]\w*?)(?:/(\d+))?", str(dimension), re.ASCII)
    if found is None:
        return ""
    times, name, parts = found.groups()
    return (rf"{times} \, " if times else "") + name_latex(name) + (f"/{parts}" if parts else "")
