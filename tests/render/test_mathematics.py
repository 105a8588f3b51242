"""Formulas become paths that can stand anywhere; what cannot be typeset is set as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from xml.etree import ElementTree

import pytest

from graphlab.render import mathematics
from graphlab.render.mathematics import glyph_defs, text_width, typeset


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No formula is remembered from another test."""
    mathematics._paths.cache_clear()
    yield
    mathematics._paths.cache_clear()


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>')


def test_a_formula_is_letters_and_lines_without_colours_or_addresses() -> None:
    svg = typeset(r"\frac{\partial L}{\partial e} = \color{red}{2}", "").svg
    assert "<use" in svg and "<rect" in svg and "currentColor" in svg
    assert not any(part in svg for part in ("<path", "<symbol", "http", "red", "<text"))
    parsed(svg)


def test_each_letter_is_drawn_once_under_an_id_of_its_outline() -> None:
    many, few = typeset("a + a + a", "").svg, typeset("a", "", size=60).svg
    letters = re.findall(r'<path id="(g[0-9a-f]{12})"', glyph_defs([many, few]))
    assert len(letters) == len(set(letters)) == 2
    assert set(re.findall(r'href="#(\w+)"', many + few)) == set(letters)


def test_text_that_looks_like_a_letter_of_ours_asks_for_nothing() -> None:
    assert glyph_defs(["#g0123456789ab"]) == "<defs></defs>"


def test_a_larger_formula_has_a_larger_size() -> None:
    small, large = typeset("a", ""), typeset(r"\frac{a+b+c}{d}", "")
    assert large.width > small.width > 0
    assert large.ascent > small.ascent > 0
    assert large.descent > 0


@pytest.mark.parametrize("latex", [r"\frac{", r"\text{<script>alert(1)</script>}", "x" * 10_000, r"\begin{nothing}"])
def test_what_cannot_be_typeset_is_set_as_escaped_text(latex: str) -> None:
    formula = typeset(latex, "a<b")
    assert ">a&lt;b</text>" in formula.svg
    assert formula.width > 0
    parsed(formula.svg)


def test_without_ziamath_the_plain_writing_stands_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mathematics, "_ziamath", lambda: None)
    assert ">2 · b</text>" in typeset(r"2\,b", "2 · b").svg


def test_links_in_a_formula_do_not_survive() -> None:
    assert "javascript" not in typeset(r"\href{javascript:alert(1)}{x}", "x").svg


def test_accents_take_no_width() -> None:
    assert text_width("e\N{COMBINING MACRON}", 20) == text_width("e", 20)


@pytest.mark.parametrize(
    "latex",
    [
        r"W_{Q}^{(3)} = \frac{(a + b)^2}{c}",
        r"\left|\frac{a}{(b + c)}\right|",
        r"\sqrt{\frac{a}{b} + (1)}",
        r"\bar{W_Q}",
        r"\operatorname{split\_heads}",
        r"S_{\mathrm{raw}}^{(3)}",
    ],
)
def test_measuring_no_row_more_often_than_needed_changes_no_drawing(
    monkeypatch: pytest.MonkeyPatch, latex: str
) -> None:
    quick = mathematics._paths.__wrapped__(latex)
    monkeypatch.setattr(mathematics, "_rows_measured", nullcontext)
    assert quick is not None and quick == mathematics._paths.__wrapped__(latex)
