"""Formulas are cut where they may be, and only there, and nothing of them is lost."""

from __future__ import annotations

import re

import pytest

from graphlab.render import mathematics
from graphlab.render.pieces import NO_SIGN, pieces_of

CUT = {
    r"d = 2 \, b": ["d", "=", "2", "b"],
    r"K^{(3)} = Y {} W_{K}^\top + b_{K}": ["K^{(3)}", "=", "Y", r"W_{K}^\top", "+", "b_{K}"],
    r"Q_{h} = \operatorname{split}(Q + 1, \mathrm{heads}=2)": [
        "Q_{h}", "=", r"\operatorname{split}", "(", "Q", "+", "1", ",", r"\mathrm{heads}=2", ")",
    ],
    r"h\mathrm{.grad}": ["h", r"\mathrm{.grad}"],
    "a - -b": ["a", "-", "-b"],
    "f(a) - b": ["f(a)", "-", "b"],
}  # fmt: skip
WHOLE = [
    "-x",
    r"c(a + b)",
    r"\frac{a + b}{c = d}",
    r"\left|a + b\right|",
    r"\operatorname{f}(\frac{a}{b})",
    r"\begin{bmatrix}1 & 2 + 3\end{bmatrix}",
]


@pytest.mark.parametrize("latex", CUT)
def test_a_formula_is_cut_at_its_signs_and_calls(latex: str) -> None:
    assert [piece for piece, _ in pieces_of(latex)] == CUT[latex]


@pytest.mark.parametrize("latex", WHOLE)
def test_nothing_is_cut_inside_brackets(latex: str) -> None:
    assert [piece for piece, _ in pieces_of(latex)] == [latex]


@pytest.mark.parametrize("latex", [*CUT, *WHOLE])
def test_every_letter_stays(latex: str) -> None:
    joined = "".join(piece for piece, _ in pieces_of(latex))
    for sign in (*NO_SIGN, " "):
        latex, joined = latex.replace(f" {sign} ", ""), joined.replace(f" {sign} ", "")
    assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", latex)


@pytest.mark.parametrize("latex", [*CUT, *WHOLE])
def test_a_row_of_pieces_is_about_as_large_as_the_formula_set_at_once(latex: str) -> None:
    row, whole = mathematics._row(latex), mathematics._paths(latex)
    assert row is not None and whole is not None
    assert row.width == pytest.approx(whole.width, rel=0.2)
    assert row.height == pytest.approx(whole.height, rel=0.05)
