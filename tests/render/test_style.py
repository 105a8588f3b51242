"""Colours can be told from their ground: text 4.5 : 1, lines 3 : 1 (WCAG), in both themes."""

from __future__ import annotations

import pytest

from graphlab.render.style import PALETTES, Theme, graph_css, page_css

GROUNDS = ("paper", "box", "leaf", "value_tint", "gradient_tint")
TEXTS = ("ink", "muted", "value", "gradient", "fault")


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_legible_on_every_ground(theme: Theme) -> None:
    palette = PALETTES[theme]
    low = [(t, g) for t in TEXTS for g in GROUNDS if contrast(palette[t], palette[g]) < 4.5]
    assert low == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_edges_and_borders_are_visible(theme: Theme) -> None:
    palette = PALETTES[theme]
    low = [
        (line, g)
        for line in ("line", "value", "gradient")
        for g in ("paper", "box")
        if contrast(palette[line], palette[g]) < 3
    ]
    assert low == []


def test_a_standalone_stylesheet_needs_no_variables() -> None:
    assert "var(" not in graph_css("light") and "$" not in graph_css("light")


def test_two_themes_on_one_page_do_not_touch_each_other() -> None:
    assert ".graphlab-light" in graph_css("light") and ".graphlab-dark" not in graph_css("light")
    assert ".graphlab-dark" in graph_css("dark")


def test_the_page_chooses_between_light_and_dark() -> None:
    assert "light-dark(#ffffff, #0e1117)" in page_css(".viewer")
    assert "prefers-color-scheme: dark" in graph_css(None)
