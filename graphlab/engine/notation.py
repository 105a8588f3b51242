r"""How an op is written: one Notation gives its text and its LaTeX from those of its inputs.

`infix call fraction power postfix …` are combinators that make a Notation. They know precedence (what needs brackets)
and rank (the product of two non-scalars is written ⊙). Text is canonical: spaces around + and − only, so `2*c`,
`a + 2*b`, `c*(a + 2*b)`, and it reads back as the same graph.

>>> a, b = Written("a", "a"), Written("b", "b")
>>> infix("*", Prec.PRODUCT, r"\,")(infix("+", Prec.SUM)(a, b), b).text
'(a + b)*b'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class Prec(IntEnum):
    """Binding strength. What binds looser than its place asks for is put in brackets."""

    COMPARISON = 1
    SUM = 2
    PRODUCT = 3
    PREFIX = 4
    POWER = 5
    POSTFIX = 6
    ATOM = 7


@dataclass(frozen=True, slots=True)
class Written:
    """A written expression: text, LaTeX, how tightly it binds, and its rank (0 for a scalar).

    `latex_prec` differs from `prec` where LaTeX needs fewer brackets: a fraction's bar groups by itself.
    """

    text: str
    latex: str
    prec: Prec = Prec.ATOM
    rank: int = 0
    latex_prec: Prec | None = None

    def at_least(self, prec: Prec) -> Written:
        """Bracketed where it binds looser than `prec`."""
        latex_prec = self.prec if self.latex_prec is None else self.latex_prec
        if min(self.prec, latex_prec) >= prec:
            return self
        text = self.text if self.prec >= prec else f"({self.text})"
        latex = self.latex if latex_prec >= prec else in_brackets(self.latex)
        return Written(text, latex, Prec.ATOM, self.rank)


Notation = Callable[..., Written]


def bracketed(a: Written) -> Written:
    """`(a)`."""
    return Written(f"({a.text})", in_brackets(a.latex), Prec.ATOM, a.rank)


def in_brackets(latex: str) -> str:
    r"""LaTeX in round brackets; \left and \right only around what is taller than a line."""
    tall = r"\frac" in latex or r"\begin" in latex
    return rf"\left({latex}\right)" if tall else f"({latex})"


def infix(sign: str, prec: Prec, latex: str | None = None, *, tight: bool | None = None) -> Notation:
    """`a sign b`, grouping to the left. Spaces stand around sums and comparisons only."""
    spaced = prec <= Prec.SUM if tight is None else not tight
    middle = f" {sign} " if spaced else sign

    def write(a: Written, b: Written, **_attrs: Any) -> Written:
        left = a.at_least(prec if prec != Prec.COMPARISON else Prec.SUM)
        right = b.at_least(Prec(prec + 1))
        if right.text.startswith("-"):
            right = bracketed(right)
        return Written(left.text + middle + right.text, f"{left.latex} {latex or sign} {right.latex}", prec)

    return write


def product(a: Written, b: Written, **_attrs: Any) -> Written:
    """`a*b`; ⊙ between non-scalars, a dot where two numbers would run together."""
    if a.rank and b.rank:
        sign = r"\odot"
    elif b.latex[:1].isdigit() or b.latex.startswith(r"\frac"):
        sign = r"\cdot"
    else:
        sign = r"\,"
    return infix("*", Prec.PRODUCT, sign)(a, b)


def fraction(a: Written, b: Written, **_attrs: Any) -> Written:
    r"""`a/b` and \frac{a}{b}."""
    line = infix("/", Prec.PRODUCT)(a, b)
    return Written(line.text, rf"\frac{{{a.latex}}}{{{b.latex}}}", Prec.PRODUCT, latex_prec=Prec.PREFIX)


def power(a: Written, b: Written, **_attrs: Any) -> Written:
    """`a^b`, grouping to the right; a negative base keeps its brackets, and so does T (a^T is a transpose)."""
    base = a.at_least(Prec.POSTFIX)
    exponent = bracketed(b) if b.text == "T" else b.at_least(Prec.PREFIX)
    return Written(f"{base.text}^{exponent.text}", f"{base.latex}^{{{b.latex}}}", Prec.POWER)


def negated(a: Written, **_attrs: Any) -> Written:
    """`-a`. Before a literal the brackets stay: -(2) is an operation, -2 a number."""
    inner = a.at_least(Prec.PREFIX)
    if (inner.text[:1].isdigit() and inner.prec != Prec.POWER) or inner.text.startswith("-"):
        inner = bracketed(a)
    return Written(f"-{inner.text}", f"-{inner.latex}", Prec.PREFIX)


def postfix(text: str, latex: str) -> Notation:
    """`a` followed by a mark, as in A.T."""

    def write(a: Written, **_attrs: Any) -> Written:
        inner = a.at_least(Prec.POSTFIX)
        return Written(f"{inner.text}{text}", f"{inner.latex}{latex}", Prec.POSTFIX)

    return write


def call(name: str, latex: str | None = None) -> Notation:
    """`name(a, b, axis=0)`; keyword arguments follow, those that are None or False are left out."""
    head = latex or operator(name)

    def write(*args: Written, **attrs: Any) -> Written:
        options = [(k, show_option(v)) for k, v in attrs.items() if v is not None and v is not False]
        text = ", ".join([a.text for a in args] + [f"{key}={value}" for key, value in options])
        mathematics = ", ".join([a.latex for a in args] + [rf"\mathrm{{{key}}}={value}" for key, value in options])
        return Written(f"{name}({text})", head + in_brackets(mathematics))

    return write


def bars(text: str, latex: str) -> Notation:
    """Written as `text(a)` and, in LaTeX, between two bars."""

    def write(a: Written, **_attrs: Any) -> Written:
        return Written(f"{text}({a.text})", rf"\left{latex}{a.latex}\right{latex}")

    return write


def under_root(a: Written, **_attrs: Any) -> Written:
    """sqrt(a)."""
    return Written(f"sqrt({a.text})", rf"\sqrt{{{a.latex}}}")


def operator(name: str) -> str:
    """A function's name as upright LaTeX."""
    return rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"


def show_option(value: object) -> str:
    """A keyword argument as the formula language writes it."""
    if value is True:
        return "true"
    if isinstance(value, tuple):
        return f"({', '.join(map(str, value))}{',' if len(value) == 1 else ''})"
    return str(value)


GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi "
    "pi rho sigma tau upsilon phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
).split()
ACCENTS = {"bar": r"\bar", "hat": r"\hat", "tilde": r"\tilde", "dot": r"\dot"}


def name_latex(name: str) -> str:
    r"""A learner's name in LaTeX, through a fixed table: x_1 → x_{1}, S_bar → \bar{S}, alpha → \alpha.

    Only letters, digits, commas and primes of the name pass through, so nothing else can reach a page.
    """
    primes = len(name) - len(name.rstrip("'"))
    base, *parts = name.rstrip("'").split("_")
    if base in GREEK:
        head = rf"\{base}"
    elif len(base) > 1:
        head = rf"\mathrm{{{re.sub('[^A-Za-z0-9]', '', base)}}}"
    else:
        head = re.sub("[^A-Za-z0-9]", "", base)
    below = []
    wraps = []
    for part in parts:
        if part in ACCENTS:
            wraps.append(ACCENTS[part])
        elif part in GREEK:
            below.append(rf"\{part}")
        else:
            clean = re.sub("[^A-Za-z0-9,]", "", part)
            below.append(clean if len(clean) == 1 or clean.isdigit() else rf"\mathrm{{{clean}}}")
    for wrap in wraps:
        head = f"{wrap}{{{head}}}"
    if below:
        head += f"_{{{','.join(below)}}}"
    return head + "'" * primes
