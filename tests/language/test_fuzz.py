"""A hundred thousand random strings in each notation: each is a graph or a GraphLabError, and none takes a second."""

from __future__ import annotations

import random
import time

import pytest

from graphlab.errors import GraphLabError
from graphlab.language import parse_program

PLAIN = [
    *"abcxyLT0123456789", *"+-*/^@=()[]|,;:.'_#<>!\n ",
    "sin", "max(", "sum(", "softmax(", "where(", ".T", "α", "σ", "x₁", "²", "√", "‖", "f(", "u(v(", "axis=", "2e3",
    "1e999", "__", "\u202e", "\u200b", "\x00", "∂", "lambda", "e^", "X: (n, d)",
]  # fmt: skip
LATEX = [
    *"abcxyLTWQ0123456789", *"+-*/^_=()[]{}|,;:.'&<> ",
    r"\frac", r"\frac{1}{", r"\sqrt[3]{", r"\left(", r"\right)", r"\cdot", r"\sum_{i=1}^{3}", r"\begin{cases}",
    r"\end{cases}", r"\begin{pmatrix}", r"\end{pmatrix}", r"\\", r"\sigma", r"\top", r"\mathrm{abc}", r"\text{if}",
    r"\bar{x}", r"\partial", r"\href{", r"\input{", r"\def", r"\odot", r"\lVert", r"\rVert",
    r"\operatorname{softmax}", "x_{1}", "W^Q", "\u202e", "\x00",
]  # fmt: skip
STRINGS = 100_000


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("notation", "pieces"), [("plain", PLAIN), ("latex", LATEX)], ids=["plain", "latex"])
def test_random_text_is_read_or_refused_in_no_time(notation, pieces: list[str]) -> None:
    draw = random.Random(notation)
    slowest = 0.0
    for _ in range(STRINGS):
        text = "".join(draw.choices(pieces, k=draw.randint(1, 25)))
        start = time.process_time()
        try:
            parse_program(text, notation=notation)
        except GraphLabError as error:
            assert str(error)
        slowest = max(slowest, time.process_time() - start)
    assert slowest < 1
