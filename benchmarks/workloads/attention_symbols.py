"""Every derivative of single-head attention as a formula: L = Σ U ⊙ softmax(X W_Q (X W_K)ᵀ) X W_V, entry by entry.

Both libraries get the same scalar formula and give ∂L/∂ every entry of X and of the weights as an expression. SymPy's
are trees; graphlab's share what they have in common. The numbers compared are their values at one point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workloads import Contender

Matrix = list[list[Any]]


def shapes(tokens: int, width: int) -> dict[str, tuple[int, int]]:
    """The inputs of the formula."""
    square = (width, width)
    return {"X": (tokens, width), "U": (tokens, width), "Q": square, "K": square, "V": square}


def names(tokens: int, width: int) -> dict[str, list[list[str]]]:
    """Q_12 is the entry in row 1, column 2."""
    return {
        matrix: [[f"{matrix}_{row}{column}" for column in range(1, columns + 1)] for row in range(1, rows + 1)]
        for matrix, (rows, columns) in shapes(tokens, width).items()
    }


def point(tokens: int, width: int) -> dict[str, float]:
    """A value for every entry."""
    random = np.random.default_rng(0)
    rows = [row for matrix in names(tokens, width).values() for row in matrix]
    return {name: float(random.uniform(-1, 1)) for row in rows for name in row}


# ---- the formula, written once for expressions of any library ------------------------------------------------------
def attention(symbol: Callable[[str], Any], exp: Callable[[Any], Any], tokens: int, width: int) -> Any:
    """L, with every product and every softmax written out."""
    X, U, Q, K, V = ([[symbol(n) for n in row] for row in matrix] for matrix in names(tokens, width).values())
    keys = product(X, K)
    scores = product(product(X, Q), [list(column) for column in zip(*keys, strict=True)])
    output = product([softmax(row, exp) for row in scores], product(X, V))
    return total([u * o for weights, row in zip(U, output, strict=True) for u, o in zip(weights, row, strict=True)])


def product(A: Matrix, B: Matrix) -> Matrix:
    columns = list(zip(*B, strict=True))
    return [[total([a * b for a, b in zip(row, column, strict=True)]) for column in columns] for row in A]


def softmax(row: list[Any], exp: Callable[[Any], Any]) -> list[Any]:
    parts = [exp(x) for x in row]
    whole = total(parts)
    return [part / whole for part in parts]


def total(terms: list[Any]) -> Any:
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


# ---- contenders ----------------------------------------------------------------------------------------------------
def graphlab(tokens: int, width: int) -> Contender:
    import graphlab as gl

    given = point(tokens, width)
    wanted = [name for name in given if not name.startswith("U")]

    def run() -> Any:
        inputs = dict(zip(given, gl.variables(" ".join(given)), strict=True))
        return gl.graph(L=attention(inputs.__getitem__, gl.exp, tokens, width)).backward(*wanted)

    def told(backward: Any) -> dict[str, float]:
        gradients = {str(node.name): gl.graph(G=backward.totals[node]) for node in backward.wrt}
        return {name: g.evaluate({x: given[x] for x in g.inputs}) for name, g in gradients.items()}

    return Contender(run, told)


def sympy(tokens: int, width: int) -> Contender:
    from sympy import Float, Symbol, diff, exp
    from sympy.core.cache import clear_cache

    given = point(tokens, width)
    wanted = [name for name in given if not name.startswith("U")]

    def run() -> Any:
        loss = attention(Symbol, exp, tokens, width)
        return {name: diff(loss, Symbol(name)) for name in wanted}

    def told(results: Any) -> dict[str, float]:
        at = {Symbol(name): Float(value) for name, value in given.items()}
        return {name: float(derivative.xreplace(at)) for name, derivative in results.items()}

    return Contender(run, told, prepare=clear_cache)


CONTENDERS = {"graphlab": graphlab, "sympy": sympy}
