"""Names, numbers and formulas as they stand inside a sentence: a_1 → a₁, lambda → λ, 2*b → 2 · b, −2 → "minus 2"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from graphlab.engine.core import OPS
from graphlab.engine.naming import accented_name
from graphlab.engine.notation import ACCENTS, GREEK, Prec, Written
from graphlab.engine.writing import short_latex
from graphlab.tracing.numbers import SUPERSCRIPTS, show_number
from graphlab.tracing.trace import Trace, TraceNode

Letters = Literal["fraction", "bar", "dot"]
GREEK_LETTERS = dict(
    zip(GREEK, "α β γ δ ε ζ η θ ι κ λ μ ν ξ π ρ σ τ υ φ χ ψ ω Γ Δ Θ Λ Ξ Π Σ Υ Φ Ψ Ω".split(), strict=True)
)
COMBINING = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "dot": "\u0307"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*)*'*")
OUTER = re.compile(rf"\bouter\(({NAME.pattern}), ({NAME.pattern})\)")
WORDS = {op.call_name for op in OPS.values()} | {"axis", "keepdims", "true"}
SMALL_NUMBERS = "No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split()


def show_name(name: str) -> str:
    """A name as a reader writes it: x_1 → x₁, e_bar → ē, alpha → α; the rest as it is."""
    primes = len(name) - len(name.rstrip("'"))
    base, *parts = name.rstrip("'").split("_")
    shown = GREEK_LETTERS.get(base, base)
    below = [part for part in parts if part not in ACCENTS]
    marks = "".join(COMBINING[part] for part in parts if part in ACCENTS)
    shown += marks if len(shown) == 1 else "".join(f"_{part}" for part in parts if part in ACCENTS)
    for part in below:
        shown += part.translate(SUBSCRIPTS) if part.isdigit() else f"_{GREEK_LETTERS.get(part, part)}"
    return unicodedata.normalize("NFC", shown + "′" * primes)


def show_formula(text: str, symbols: Mapping[str, str] = MappingProxyType({})) -> str:
    """A formula's text with the signs of print: 2*b → 2 · b, x^2 → x², - → −; `symbols` are short for names."""
    text = OUTER.sub(r"\1@\2.T", text)
    text = re.sub(r"\^(\d)(?![\d.])", lambda m: m[1].translate(SUPERSCRIPTS), text)
    text = NAME.sub(lambda m: m[0] if m[0] in WORDS else show_name(symbols.get(m[0], m[0])), text)
    text = re.sub(r"√\((\w+)\)", r"√\1", re.sub(r"\bsqrt\(", "√(", text))
    return text.replace("*", " · ").replace("/", " / ").replace("@", " ").replace(".T", "ᵀ").replace("-", "−")


def show_gradient(name: str, output: str, letters: Letters = "fraction") -> str:
    """The gradient of a node by name: ∂L/∂e, ē or e.grad."""
    if letters == "bar":
        shown = show_name(name)
        return unicodedata.normalize("NFC", shown[0] + COMBINING["bar"] + shown[1:])
    if letters == "dot":
        return f"{show_name(name)}.grad"
    return f"∂{show_name(output)}/∂{show_name(name)}"


def show_tangent(name: str) -> str:
    """The tangent of a node by name: ȧ."""
    shown = show_name(name)
    return unicodedata.normalize("NFC", shown[0] + COMBINING["dot"] + shown[1:])


def label(node: TraceNode) -> str:
    """What a sentence calls a node: its name, or a constant's own number; a box is called by its whole scope."""
    if node.box is not None:
        return f"{node.name} ×{node.box.repeats}" if node.box.repeats > 1 else node.name
    return show_name(node.symbol or node.name) if node.name else show_formula(node.text)


def label_latex(node: TraceNode) -> str:
    """The same in LaTeX; a node without a name by its formula."""
    return short_latex(node.symbol or node.name, node.name, node.scope) if node.name else node.latex


def accented_latex(node: TraceNode, accent: Literal["bar", "dot"]) -> str:
    r"""A node's gradient or tangent in LaTeX: \bar{S}_{1}."""
    if not node.name:
        return rf"\{accent}{{{node.latex}}}"
    short, name = (accented_name(of, accent, set()) for of in (node.symbol or node.name, node.name))
    return short_latex(short, name, node.scope)


def with_numbers(trace: Trace, node: TraceNode) -> str | None:
    """An operation with its inputs' numbers in place of their names, "3 + 2"; None if they are not all scalars."""
    values = [trace.node(x).value for x in node.arriving]
    if node.op is None or any(v is None or np.shape(v) != () for v in values):
        return None
    written = OPS[node.op].notation(*[_written_number(v) for v in values], **node.attrs)
    return show_formula(written.text)


def _written_number(value: Any) -> Written:
    text = show_number(value).replace("−", "-")
    return Written(text, text, Prec.PREFIX if text.startswith("-") else Prec.PRODUCT if "·" in text else Prec.ATOM)


def speak_number(value: Any) -> str:
    """A number for the ear: "minus 2", "1.3 times ten to the minus 13"."""
    text = show_number(value)
    mantissa, _, power = text.partition("·10")
    if power:
        digits = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        text = f"{mantissa} times ten to the {digits.replace('-', 'minus ')}"
    for sign, word in (("−", "minus "), ("∞", "infinity"), ("nan", "not a number")):
        text = text.replace(sign, word)
    return text


def count_words(number: int, one: str, many: str) -> str:
    """ "Three numbers", "One number", "14 numbers"."""
    word = SMALL_NUMBERS[number] if number < len(SMALL_NUMBERS) else str(number)
    return f"{word} {one if number == 1 else many}"
