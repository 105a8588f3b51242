"""Names: their spellings, what is nearly the same name, and Greek letters."""

from __future__ import annotations

import pytest

from graphlab.errors import GraphLabError
from graphlab.language import canonical_name, parse_program
from graphlab.language.names import edits, nearest, numbered
from graphlab.language.vocabulary import function_names

SPELLINGS = {
    "x": "x",
    "x₁": "x_1",
    "x_1": "x_1",
    "x_{1}": "x_1",
    "x₁₂": "x_12",
    "x_{12}": "x_12",
    "x_{ij}": "x_ij",
    "xᵢⱼ": "x_ij",
    "W_Q": "W_Q",
    "S_bar": "S_bar",
    "d_model_2": "d_model_2",
    "x′": "x'",
    "x’": "x'",
    "x″": "x''",
    "α": "alpha",
    "α₁": "alpha_1",
    "α1": "alpha1",
    "x_α": "x_alpha",
    "x_{α}": "x_alpha",
    "µ": "mu",
    "ϕ": "phi",
    "Ω": "Omega",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_name_has_one_spelling_inside(spelling: str) -> None:
    """For the API and in a formula alike."""
    assert canonical_name(spelling) == SPELLINGS[spelling]
    assert parse_program(spelling).outputs[0].name == SPELLINGS[spelling]


def test_what_is_no_name_is_left_as_it_is() -> None:
    """So that the message about it shows what was given."""
    for text in ("", "é", "2x", "a b", "{", "x_{", "α β"):
        assert canonical_name(text) == text


@pytest.mark.parametrize("name", ["_x", "__import__", "x__y", "x_", "x_{", "x_{}", "é", "\u0430", "ab\u0301"])
def test_other_names_are_refused(name: str) -> None:
    """Underscores at either end, other alphabets, accents."""
    with pytest.raises(GraphLabError) as caught:
        parse_program(name)
    assert caught.value.position is not None


@pytest.mark.parametrize("slip", ["sigmod", "sgimoid", "sofmax", "rleu", "lgo", "tahn", "Exp", "SIN", "sqr", "wher"])
def test_a_slip_of_the_hand_finds_the_function(slip: str) -> None:
    """A letter too many, too few, wrong or swapped, or capitals."""
    assert nearest(slip, function_names()) is not None


@pytest.mark.parametrize("word", ["dout", "print", "xy", "out", "bias", "weight", "hidden"])
def test_ordinary_words_are_not_taken_for_slips(word: str) -> None:
    """They stay factors."""
    assert nearest(word, function_names()) is None


def test_a_swap_of_neighbours_is_one_edit() -> None:
    """Otherwise rleu would be two away from relu."""
    assert [edits("rleu", "relu"), edits("sigmod", "sigmoid"), edits("", "abc"), edits("abc", "abc")] == [1, 1, 3, 0]


def test_a_numbered_name_is_free_and_keeps_its_primes_last() -> None:
    """x', then x_2'."""
    assert numbered("x", {"y"}) == "x"
    assert numbered("x", {"x", "x_2"}) == "x_3"
    assert numbered("x'", {"x'"}) == "x_2'"
