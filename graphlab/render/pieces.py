"""A formula cut into pieces that stand side by side, so that each is typeset once: a name that ten formulas use costs
as much as one.

It is cut at its relations, sums and products, and a function's brackets are cut from what is in them; never inside
braces, brackets or a \\begin … \\end, nor where brackets must grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

RELATION, AROUND, BETWEEN, AFTER_COMMA, BESIDE = 0.36, 0.28, 0.17, 0.25, 0.04  # of the size of the letters
CUTS = {"=": RELATION, "+": AROUND, "-": AROUND, r"\odot": AROUND, r"\cdot": AROUND, r"\,": BETWEEN, "{}": BESIDE}
NO_SIGN = (r"\,", "{}")
TOKEN = re.compile(r"\\left|\\right|\\begin|\\end|\\[{}]|[(){}\[\]]| (=|\+|-|\\odot|\\cdot|\{\}|\\,) ")
OPENING, CLOSING = {"(", "[", "{", r"\left", r"\begin"}, {")", "]", "}", r"\right", r"\end"}
CALL = re.compile(r"(\\operatorname\{[^{}]*\}|\\exp|\\log)\((.*)\)", re.DOTALL)
TALL = re.compile(r"\\(?:frac|sqrt|begin|left)")
GRADIENT = r"\mathrm{.grad}"

Piece = tuple[str, float]


@lru_cache(maxsize=4096)
def pieces_of(latex: str) -> tuple[Piece, ...]:
    """The pieces, each with the space before it; one piece where the formula cannot be cut."""
    return tuple(_pieces(latex, 0.0))


def _pieces(latex: str, space: float) -> Iterator[Piece]:
    start, before = 0, space
    for match in _cuts(latex):
        sign = match[1]
        yield from _term(latex[start : match.start()], before)
        before = CUTS[sign]
        if sign not in NO_SIGN:
            yield sign, before
        start = match.end()
    yield from _term(latex[start:], before)


def _cuts(latex: str) -> Iterator[re.Match[str]]:
    """The signs outside all brackets."""
    depth = 0
    for match in TOKEN.finditer(latex):
        depth += (match[0] in OPENING) - (match[0] in CLOSING)
        if match[1] and depth == 0 and match.start() > 0:
            yield match


def _term(latex: str, space: float) -> Iterator[Piece]:
    call = CALL.fullmatch(latex)
    if call and not TALL.search(call[2]) and _is_balanced(call[2]):
        yield call[1], space
        yield "(", 0.0
        for number, argument in enumerate(_arguments(call[2])):
            if number:
                yield ",", 0.0
            yield from _pieces(argument, AFTER_COMMA if number else 0.0)
        yield ")", 0.0
    elif latex.endswith(GRADIENT) and latex != GRADIENT:
        yield latex.removesuffix(GRADIENT), space
        yield GRADIENT, BESIDE
    else:
        yield latex, space


def _is_balanced(latex: str) -> bool:
    """Whether no bracket closes that was not opened before: f(a) + g(b) is no call of f."""
    depth = 0
    for sign in latex:
        depth += (sign in "({[") - (sign in ")}]")
        if depth < 0:
            return False
    return depth == 0


def _arguments(latex: str) -> Iterator[str]:
    start = depth = 0
    for k, sign in enumerate(latex):
        depth += (sign in "({[") - (sign in ")}]")
        if depth == 0 and latex.startswith(", ", k):
            yield latex[start:k]
            start = k + 2
    yield latex[start:]
