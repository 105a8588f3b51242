"""The words of the steps: over the gallery no number is too long and no node unnamed; the lecture's sentences."""

from __future__ import annotations

import re

import numpy as np
import pytest

import graphlab as gl
from graphlab.tracing.explaining import explain
from graphlab.ui.gallery import GALLERY, Example

WITH_NUMBERS = [example for example in GALLERY if example.key != "abstract"]
NUMBER = re.compile(r"\d[\d.]*(?:e-?\d+)?")


def sentences(formula: str, **values: object) -> list[str]:
    return [e.sentence for e in explain(gl.parse(formula, values=values).trace(values))]


def trace_of(example: Example) -> gl.Trace:
    return gl.parse(example.formula, values=example.values).trace(example.values)


def test_the_lectures_steps_read_as_a_lecturer_says_them() -> None:
    said = sentences("L = c(a+2b)", a=3, b=1, c=-2)
    assert said[0] == "Three numbers go in. Press → to work out d."
    assert said[2] == "e = a + d = 3 + 2 = 5."
    assert said[5].startswith("L → c. ∂L/∂L = 1 has arrived at L. L = c · e: if c grows by 1, L grows by e.")
    assert "The local derivative is the other factor, 5. So c gets 1 · 5 = 5." in said[5]
    assert "e = a + d grows by 1 when a grows by 1. So a gets −2 · 1 = −2." in said[7]
    assert "d comes now because everything that uses d is finished." in said[9]
    assert said[9].endswith("So b gets −2 · 2 = −4.")


def test_a_negative_number_stands_in_brackets_behind_a_sign() -> None:
    assert sentences("L = a*b - c", a=3, b=-2, c=-4)[1:3] == [
        "d = a · b = 3 · (−2) = −6.",
        "L = d − c = −6 − (−4) = −2.",
    ]


def test_two_paths_are_added() -> None:
    assert sentences("d = 2a; L = d*(d+1)", a=3)[-2].endswith("d already holds 7; this path adds 6: 7 + 6 = 13.")


@pytest.mark.parametrize("example", WITH_NUMBERS, ids=lambda e: e.key)
def test_no_sentence_shows_a_number_of_more_than_four_digits(example: Example) -> None:
    for words in explain(trace_of(example)):
        for number in NUMBER.findall(words.sentence):
            digits = number.replace(".", "").lstrip("0")
            assert len(digits) <= 4, f"{number} in {words.sentence!r}"


@pytest.mark.parametrize("example", WITH_NUMBERS, ids=lambda e: e.key)
@pytest.mark.parametrize("letters", ["fraction", "bar", "dot"])
def test_no_sentence_has_an_unnamed_node_or_an_empty_slot(example: Example, letters) -> None:
    trace = trace_of(example)
    names = {node.name for node in trace.forward_nodes if node.role == "operation"}
    assert "" not in names
    for words in explain(trace, letters):
        for text in (words.sentence, words.spoken):
            assert text and not re.search(r"n\d+\b(?!\w)|g\d+\b|\{|\}|None|_bar|  |\bsum_to\b", text), text


@pytest.mark.parametrize("example", WITH_NUMBERS, ids=lambda e: e.key)
def test_every_formula_has_balanced_braces_and_no_learner_text_but_names(example: Example) -> None:
    for words in explain(trace_of(example)):
        assert words.formula.count("{") == words.formula.count("}")
        assert words.formula.count(r"\left(") == words.formula.count(r"\right)")


def test_nan_and_infinity_are_said_by_name_where_they_begin() -> None:
    said = sentences("d = log(x); L = x*d", x=0)
    assert said[1] == "d = log(x) = log(0) = −∞. That is infinite: x = 0."
    assert said[2] == "L = x · d = 0 · (−∞) = nan. That is not a number (nan): x = 0, d = −∞."


def test_a_zero_upstream_is_said_to_send_exactly_zero() -> None:
    assert sentences("L = 0*sqrt(x)", x=0)[-1].endswith(
        "Nothing arrives (0), so exactly 0 is sent, although the local derivative is ∞."
    )


def test_the_convention_at_a_kink_is_said() -> None:
    assert "At the kink, x = 0, the slope is taken to be 0." in sentences("y = relu(x)", x=0)[-1]
    assert "At the kink" not in sentences("y = relu(x)", x=1)[-1]


def test_the_ear_hears_names_and_signs() -> None:
    spoken = [e.spoken for e in explain(gl.parse("L = c(a+2b)").trace(a=3, b=1, c=-2))]
    assert spoken[3] == "L is minus 10"
    assert spoken[9] == "d sends minus 4 back to b; gradient of b is minus 4"


def test_arrays_are_explained_without_losing_their_shape() -> None:
    said = sentences("L = sum(W@x)", W=np.ones((2, 3)), x=np.ones(3))
    assert said[1] == "d = W x has shape (2,): [3, 3]."
    assert "So every entry of d gets 1." in said[4]
    assert said[-1].endswith("So x gets Wᵀ d̄ = [2, 2, 2].")
