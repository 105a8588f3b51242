"""Spellings of derivatives in answers and questions: ē, dL/de, ∂L/∂e, de and e.grad are all e_bar.

The formula language has names and functions only, so these are respelled before it reads an answer. `Respelled` knows
where each character came from, so that a caret stands under what was typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from graphlab.language import canonical_name, is_function
from graphlab.language.names import GREEK_LETTERS, NAME

BAR = "_bar"
SLOPE = "slope_of_"
FRACTIONS = {"½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "⅓": "(1/3)", "⅔": "(2/3)"}

_fraction = rf"(?:∂|d) ?({NAME}) ?/ ?(?:∂|d) ?({NAME})(?![\w(])"
_latex = rf"\\frac ?\{{(?:\\partial|d) ?({NAME})\}} ?\{{(?:\\partial|d) ?({NAME})\}}"
_start = r"(?<![^\W\d])(?<![.\\])"  # no letter before: 2de is 2·de
_derivative = re.compile(rf"{_start}{_fraction}|{_latex}")
_grad = re.compile(rf"{_start}({NAME})\.grad\b")
_macron = re.compile(r"(\w*?)([^\W\d_])\u0304(_[0-9A-Za-z]+|[₀-₉0-9]+|)")
_differential = re.compile(rf"{_start}(?:∂|d) ?({NAME})(?!\w)")
_prime = re.compile(rf"(?<!\w)((?:[A-Za-z]\w*?|[{''.join(GREEK_LETTERS)}]))['′’](?= ?\()")
_sign = re.compile("|".join(FRACTIONS))


@dataclass(frozen=True)
class Respelled:
    """A text in the spelling of the formula language. `origins[i]` is where its character i stood in the typed text."""

    text: str
    origins: tuple[int, ...]

    def replace(self, pattern: re.Pattern[str], spell: Callable[[re.Match[str]], str | None]) -> Respelled:
        """Every match replaced by what `spell` returns; None leaves it."""
        text, origins, done = "", [], 0
        for found in pattern.finditer(self.text):
            new = spell(found)
            if new is not None:
                text += self.text[done : found.start()] + new
                origins += [*self.origins[done : found.start()], *[self.origins[found.start()]] * len(new)]
                done = found.end()
        return Respelled(text + self.text[done:], (*origins, *self.origins[done:]))

    def origin(self, position: int) -> int:
        return self.origins[min(position, len(self.origins) - 1)]


def respell(typed: str, is_known: Callable[[str], bool], output: str, *, latex: bool = False) -> Respelled:
    """An answer as the formula language reads it: gradients of known names as e_bar, σ′(…) as slope_of_sigma(…)."""

    def bar(name: str) -> str | None:
        name = canonical_name(name)
        return (rf"\bar{{{name}}}" if latex else name + BAR) if is_known(name) else None

    def slope(name: str) -> str | None:
        name = canonical_name(name)
        known = (is_function(name) or name == "sigma") and not is_known(name)
        return f"{SLOPE}{name}" if known else None

    def total(found: re.Match[str]) -> str | None:
        of, name = found.group(1, 2) if found.group(1) else found.group(3, 4)
        return bar(name) if canonical_name(of) == output else None

    def with_macron(found: re.Match[str]) -> str | None:
        before, letter, index = found.groups()
        whole = bar(before + letter + index)
        last = bar(letter + index)
        return f"{whole} " if whole else f"{before} {last} " if last else None

    def unless_known(found: re.Match[str]) -> str | None:
        return None if is_known(found.group().replace(" ", "")) else bar(found.group(1))

    text = decomposed(typed).replace(_derivative, total).replace(_grad, lambda found: bar(found.group(1)))
    text = text.replace(_sign, lambda found: FRACTIONS[found.group()])
    if latex:
        return text
    text = text.replace(_macron, with_macron)
    return text.replace(_differential, unless_known).replace(_prime, lambda found: slope(found.group(1)))


def decomposed(typed: str) -> Respelled:
    """The text with ē as e and a macron; everything else as it is. It ends with a place for the end of the text."""
    pieces = [unicodedata.normalize("NFD", c) for c in typed]
    pieces = [new if "\u0304" in new else old for old, new in zip(typed, pieces, strict=True)]
    origins = [i for i, piece in enumerate(pieces) for _ in piece]
    return Respelled("".join(pieces), (*origins, len(typed)))


def find_derivative(text: str, is_known: Callable[[str], bool]) -> tuple[str, str] | None:
    """(of, name) of a text that is nothing but dL/db; ("", name) for b_bar, b̄, b.grad and db."""
    text = decomposed(text.strip()).text
    found = _derivative.fullmatch(text)
    if found:
        of, name = found.group(1, 2) if found.group(1) else found.group(3, 4)
        return canonical_name(of), canonical_name(name)
    if is_known(canonical_name(text)):
        return None
    if text.endswith(BAR):
        return "", canonical_name(text.removesuffix(BAR))
    for pattern in (_grad, _macron, _differential):
        found = pattern.fullmatch(text)
        if found:
            return "", canonical_name("".join(part or "" for part in found.groups()))
    return None
