r"""How an op is written: one Notation gives its text and its LaTeX from those of its inputs.

`infix call fraction power postfix …` are combinators that make a Notation. They know precedence (what needs
brackets) and shape (the product of two non-scalars is written ⊙, a size by its name). Text is canonical: spaces around
+ and − only, so `2*c`, `a + 2*b`, `c*(a + 2*b)`, and it reads back as the same graph.

>>> a, b = Written("a", "a"), Written("b", "b")
>>> infix("*", Prec.PRODUCT, r"\,")(infix("+", Prec.SUM)(a, b), b).text
'(a + b)*b'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import zip_longest
from typing import Any


class Prec(IntEnum):
    """Binding strength. What binds looser than its place asks for is put in brackets.

    ENTRYWISE is that of ⊙ in LaTeX: (A ⊙ B) C keeps its brackets, because A ⊙ B C reads as A ⊙ (B C).
    """

    COMPARISON = 1
    SUM = 2
    ENTRYWISE = 3
    PRODUCT = 4
    PREFIX = 5
    POWER = 6
    POSTFIX = 7
    ATOM = 8


@dataclass(frozen=True, slots=True)
class Written:
    """A written expression: text, LaTeX, how tightly it binds, and its shape where that is known, else ().

    `latex_prec` differs from `prec` where LaTeX needs other brackets: a fraction's bar groups by itself.
    """

    text: str
    latex: str
    prec: Prec = Prec.ATOM
    shape: tuple[int | str, ...] = ()
    latex_prec: Prec | None = None

    @property
    def rank(self) -> int:
        """The number of axes: 0 for a scalar."""
        return len(self.shape)

    def at_least(self, prec: Prec) -> Written:
        """Bracketed where it binds looser than `prec`."""
        latex_prec = self.prec if self.latex_prec is None else self.latex_prec
        if min(self.prec, latex_prec) >= prec:
            return self
        text = self.text if self.prec >= prec else f"({self.text})"
        latex = self.latex if latex_prec >= prec else in_brackets(self.latex)
        return Written(text, latex, Prec.ATOM, self.shape)


Notation = Callable[..., Written]


def bracketed(a: Written) -> Written:
    """`(a)`."""
    return Written(f"({a.text})", in_brackets(a.latex), Prec.ATOM, a.shape)


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
    """`a*b`; ⊙ between arrays, a dot where two numbers would run together."""
    right = b.at_least(Prec.PREFIX).latex
    if (a.rank or b.rank) and is_array(a) and is_array(b):
        return entrywise_product(a, b)
    sign = r"\cdot" if is_digits(right) or right.startswith(r"\frac") else r"\,"
    return infix("*", Prec.PRODUCT, sign)(a, b)


def entrywise_product(a: Written, b: Written) -> Written:
    """`a*b` and a ⊙ b."""
    text = infix("*", Prec.PRODUCT)(a, b).text
    left = a if a.latex_prec is Prec.ENTRYWISE else a.at_least(Prec.PRODUCT)
    latex = infix("*", Prec.PRODUCT, r"\odot")(Written(left.text, left.latex), b).latex
    return Written(text, latex, Prec.PRODUCT, latex_prec=Prec.ENTRYWISE)


def is_digits(written: str) -> bool:
    """Whether this starts with a number."""
    return written[:1].isdigit() or written.startswith(".")


def is_array(a: Written) -> bool:
    """Whether a reader takes this as an array beside another: it is one, or a capital letter."""
    return a.rank > 0 or re.fullmatch(r"[A-Z](_[A-Za-z0-9]+)*'*", a.text) is not None


def fraction(a: Written, b: Written, **_attrs: Any) -> Written:
    r"""`a/b` and \frac{a}{b}."""
    line = infix("/", Prec.PRODUCT)(a, b)
    return Written(line.text, rf"\frac{{{a.latex}}}{{{b.latex}}}", Prec.PRODUCT, latex_prec=Prec.PREFIX)


def power(a: Written, b: Written, **_attrs: Any) -> Written:
    """`a^b`, grouping to the right; a negative base keeps its brackets, and so does T (a^T is a transpose)."""
    base = a.at_least(Prec.POSTFIX)
    exponent = bracketed(b) if b.text == "T" else b.at_least(Prec.PREFIX)
    raised = in_brackets(b.latex) if is_like_an_index(base.text, b.text) else b.latex
    return Written(f"{base.text}^{exponent.text}", f"{one_superscript(base)}^{{{raised}}}", Prec.POWER)


def is_like_an_index(base: str, exponent: str) -> bool:
    """Whether a LaTeX superscript would be no power: W^T is a transpose, W^Q and W^{out} are names."""
    capital = re.fullmatch(r"[A-Z](_[A-Za-z0-9]+)*'*", base) is not None
    return exponent == "T" or (capital and re.fullmatch(r"[A-Z]|[A-Za-z][A-Za-z0-9]+", exponent) is not None)


def one_superscript(a: Written) -> str:
    """The LaTeX of `a` so that a superscript can follow: TeX refuses a second one."""
    return f"{{{a.latex}}}" if re.search(r"\^(\\top|{\([0-9]+\)})$", a.latex) else a.latex


def negated(a: Written, **_attrs: Any) -> Written:
    """`-a`. Before a literal the brackets stay: -(2) is an operation, -2 a number."""
    inner = a.at_least(Prec.PREFIX)
    if (is_digits(inner.text) and inner.prec != Prec.POWER) or inner.text.startswith("-"):
        inner = bracketed(a)
    return Written(f"-{inner.text}", f"-{inner.latex}", Prec.PREFIX)


def postfix(text: str, latex: str) -> Notation:
    """`a` followed by a mark, as in A.T."""

    def write(a: Written, **_attrs: Any) -> Written:
        inner = a.at_least(Prec.POSTFIX)
        return Written(f"{inner.text}{text}", f"{one_superscript(inner)}{latex}", Prec.POSTFIX)

    return write


def call(name: str, latex: str | None = None) -> Notation:
    """`name(a, b, axis=0)`; keyword arguments follow, those that are None or False are left out."""
    head = latex or operator(name)

    def write(*args: Written, **attrs: Any) -> Written:
        options = [(k, show_option(v)) for k, v in attrs.items() if v is not None and v is not False]
        text = ", ".join([a.text for a in args] + [f"{key}={value}" for key, value in options])
        named = [f"{upright(key)}={option_latex(value)}" for key, value in options]
        mathematics = ", ".join([a.latex for a in args] + named)
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


def by_cases(condition: Written, then: Written, otherwise: Written, **_attrs: Any) -> Written:
    """where(condition, then, otherwise), in LaTeX with a brace."""
    text = f"where({condition.text}, {then.text}, {otherwise.text})"
    rows = rf"{then.latex} & {condition.latex} \\ {otherwise.latex} & \text{{otherwise}}"
    return Written(text, rf"\begin{{cases}} {rows} \end{{cases}}")


def array(entries: Sequence[str]) -> str:
    r"""The LaTeX of [a, b] from that of its entries: a vector as a row, rows of a matrix below each other.

    A matrix with one row or one column is written with brackets, because a vector looks like it: [(1\ 2),].
    """
    rows = [entry.removeprefix(PMATRIX).removesuffix(END_PMATRIX) for entry in entries]
    if len(rows) > 1 and all(is_row(entry) and "&" in entry for entry in entries):
        return PMATRIX + r" \\ ".join(rows) + END_PMATRIX
    if any(entry.startswith((PMATRIX, "[")) for entry in entries):
        return f"[{', '.join(entries)}{',' if len(entries) == 1 else ''}]"
    return PMATRIX + " & ".join(entries) + END_PMATRIX


PMATRIX, END_PMATRIX = r"\begin{pmatrix} ", r" \end{pmatrix}"


def is_row(latex: str) -> bool:
    """Whether this is one vector, written as a row."""
    is_one = latex.startswith(PMATRIX) and latex.endswith(END_PMATRIX) and latex.count(r"\begin") == 1
    return is_one and r"\\" not in latex


def operator(name: str) -> str:
    """A function's name as upright LaTeX."""
    return rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"


def option_latex(shown: str) -> str:
    """The value of a keyword argument in LaTeX."""
    return upright(shown) if shown == "true" else literal_latex(shown)


def literal_latex(text: str) -> str:
    r"""A number as typed: 2e3 is 2{\cdot}10^{3}, whose braces tell it from the product 2 \cdot 10^{3}."""
    mantissa, _, exponent = text.lower().partition("e")
    return rf"{mantissa}{{\cdot}}10^{{{int(exponent)}}}" if exponent.lstrip("+-").isdigit() else text


def upright(word: str) -> str:
    r"""A word inside mathematics: \mathrm{true}."""
    return rf"\mathrm{{{word}}}"


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

    An accent stands over the letter, not over its index: x_1_bar → \bar{x}_{1}. What follows an accent goes outside
    braces, x_bar_2 → {\bar{x}}_{2}, so no two names look alike. Only letters, digits, commas and primes of the name
    pass through, so nothing else can reach a page.
    """
    base, *parts = name.rstrip("'").split("_")
    head = rf"\{base}" if base in GREEK else upright_if_long(re.sub("[^A-Za-z0-9]", "", base))
    below: list[str] = []
    for part, following in zip_longest(parts, parts[1:], fillvalue=""):
        if part not in ACCENTS:
            below.append(rf"\{part}" if part in GREEK else upright_if_long(re.sub("[^A-Za-z0-9,]", "", part)))
            continue
        head = f"{ACCENTS[part]}{{{head}}}"
        if following and following not in ACCENTS:
            head, below = f"{{{with_index(head, below)}}}", []
    return with_index(head, below) + name[len(name.rstrip("'")) :]


def upright_if_long(word: str) -> str:
    r"""A letter or a number as it is, a word as \mathrm{word}."""
    return word if len(word) <= 1 or word.isdigit() else upright(word)


def with_index(head: str, below: Sequence[str]) -> str:
    """`head` with its index, if it has one."""
    return f"{head}_{{{','.join(below)}}}" if below else head
