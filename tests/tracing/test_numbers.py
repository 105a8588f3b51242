"""Numbers as shown: four digits, a true minus, honest about rounding."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlab.tracing.numbers import approximately, full_digits, show_number, show_value
from graphlab.tracing.words import show_formula, show_name, speak_number


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-10.400000000000002, "−10.4"), (2.0, "2"), (-0.0, "0"), (1.3e-13, "1.3·10⁻¹³"), (0.0001, "0.0001"),
        (1236.7, "1237"), (9999, "9999"), (12345, "1.234·10⁴"), (1048576, "1.049·10⁶"), (0.30000000000000004, "0.3"),
        (1 / 3, "0.3333"), (99999.7, "1·10⁵"), (math.inf, "∞"), (-math.inf, "−∞"), (math.nan, "nan"),
        (5e-324, "4.941·10⁻³²⁴"), (1.7e308, "1.7·10³⁰⁸"),
    ],
)  # fmt: skip
def test_a_number_stands_in_at_most_four_digits(value: float, shown: str) -> None:
    assert show_number(value) == shown


@given(st.floats(-1e308, 1e308))
def test_the_shown_number_is_the_number_to_four_digits(value: float) -> None:
    shown = show_number(value)
    mantissa, _, power = shown.replace("−", "-").partition("·10")
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)
    assert float(f"{mantissa}e{exponent}") == pytest.approx(value, rel=6e-4, abs=1e-323)
    assert len(mantissa.replace(".", "").strip("-").lstrip("0")) <= 4


def test_a_rounded_number_is_marked() -> None:
    assert approximately(1 / 3) == "≈ 0.3333" and approximately(0.5) == "0.5"


def test_rounding_errors_of_an_array_are_shown_as_zero() -> None:
    assert show_value([1.0, -3e-17, 0.5]) == "[1, 0, 0.5]"


def test_all_digits_can_be_copied() -> None:
    assert full_digits(-10.400000000000002) == "-10.400000000000002" and full_digits(3.0) == "3"


def test_names_and_formulas_stand_as_in_print() -> None:
    assert [show_name(n) for n in ("x_1", "alpha", "e_bar", "W_Q", "x'", "theta_12")] == [
        "x₁",
        "α",
        "\u0113",
        "W_Q",
        "x′",
        "θ₁₂",
    ]
    assert show_formula("2*b - x^2") == "2 · b − x²"
    assert speak_number(-1.3e-13) == "minus 1.3 times ten to the minus 13"
