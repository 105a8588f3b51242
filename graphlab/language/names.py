"""How names are spelled: Greek letters, subscripts, primes, and what is nearly the same name.

A name has one ASCII spelling inside graphlab: α is alpha, x₁ and x_{1} are x_1, x′ is x'.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from graphlab.engine.notation import GREEK

GREEK_LETTERS = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", GREEK, strict=True))
GREEK_LETTERS |= {"ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ϱ": "rho", "ς": "sigma", "ϖ": "pi", "µ": "mu"}
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
PRIMES = {"'": "'", "′": "'", "’": "'", "″": "''"}

_greek = "".join(GREEK_LETTERS)
_below = "".join(SUBSCRIPTS)
# A Greek letter is a name of its own, so that αx is α·x; a run of Latin letters is one name.
NAME = (
    rf"(?:[A-Za-z][A-Za-z0-9]*|[{_greek}][0-9]*)"
    rf"(?:_(?:[A-Za-z0-9]+|[{_greek}]|\{{(?:[A-Za-z0-9]+|[{_greek}])\}})|[{_below}]+)*"
    rf"[{''.join(PRIMES)}]*"
)
_name = re.compile(NAME)
_dotted = re.compile(r"[A-Za-z]\w*(\.\w+)+", re.ASCII)
_respelled = re.compile(rf"[{_below}]+|[{_greek}{''.join(PRIMES)}{{}}]")


@lru_cache(maxsize=4096)
def canonical_name(name: str) -> str:
    """The one ASCII spelling of a name: x_1 for x₁, x_{1} and x_1. What is no name is returned as it is.

    The dots of a PyTorch parameter's name become underscores: encoder_layer_0_output_dense_weight.
    """
    if _dotted.fullmatch(name):
        return name.replace(".", "_")
    if name.isascii() and "{" not in name:
        return name
    return _respelled.sub(_respell, name) if _name.fullmatch(name) else name


def _respell(found: re.Match[str]) -> str:
    sign = found.group()
    if sign[0] in SUBSCRIPTS:
        return "_" + "".join(SUBSCRIPTS[c] for c in sign)
    return GREEK_LETTERS.get(sign) or PRIMES.get(sign, "")


def numbered(name: str, taken: Collection[str]) -> str:
    """`name` if it is free, else name_2, name_3, …; primes stay at the end."""
    if name not in taken:
        return name
    base = name.rstrip("'")
    number = 2
    while (candidate := f"{base}_{number}{name[len(base) :]}") in taken:
        number += 1
    return candidate


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is a slip away from: two edits, or one where `name` has up to three letters."""
    allowed = 1 if len(name) <= 3 else 2
    typed = name.lower()
    near = [(edits(typed, other.lower()), edits(name, other), other) for other in known if len(other) >= 3]
    count, _, found = min(near, default=(allowed + 1, 0, None))
    return found if count <= allowed else None


def edits(a: str, b: str) -> int:
    """How many letters must be put in, left out, replaced or swapped with their neighbour to turn `a` into `b`."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        above = row
        row = [i]
        for j, y in enumerate(b, start=1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before = above
    return row[-1]
