"""The pictures of attention: sizes, colours, nothing thin lost, and files that open whatever the tokens are."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.requirements import needs

needs("streamlit")
needs("playwright")

from PIL import Image  # noqa: E402

from graphlab.ui.bert import charts  # noqa: E402
from graphlab.ui.bert.pictures import BLUE, CELL, GAP, MOST_LABELS, ORANGE, coloured, sheet, write_map  # noqa: E402

HOSTILE = ["<b>&", '"]]><script>', "\x00\x0b\ufffe", "東京", "🙂", "a" * 60]
SVG = "{http://www.w3.org/2000/svg}"


def opacity(picture: bytes) -> np.ndarray:
    """The alpha channel of a PNG, from 0 to 1."""
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGBA"))[..., 3] / 255


@pytest.mark.parametrize("n", [1, 13, 60, 61, 200])
def test_a_sheet_has_one_square_for_every_head(n):
    parts = sheet(np.random.default_rng(0).normal(size=(3, 5, n, n)))
    above, below = opacity(parts["above"]), opacity(parts["below"])
    tile = above.shape[0] // 3
    assert above.shape == below.shape == (3 * tile, 5 * tile) and 45 < tile <= 60 + 2 * GAP
    tiles = np.maximum(above, below).reshape(3, tile, 5, tile)
    assert (tiles.max(axis=(1, 3)) == 1).all(), "each head by its own scale"
    assert not tiles[:, :GAP].any() and not tiles[:, :, :, -GAP:].any()


def test_positive_numbers_are_above_and_negative_ones_below():
    parts = sheet(np.array([[[[2.0, 0], [0, -1]]]]))
    above, below = opacity(parts["above"])[GAP:-GAP, GAP:-GAP], opacity(parts["below"])[GAP:-GAP, GAP:-GAP]
    assert above[0, 0] == 1 and above[-1, -1] == 0
    assert below[0, 0] == 0 and below[-1, -1] == pytest.approx(0.5**0.7, abs=0.01)


def test_a_single_strong_number_among_512_can_still_be_seen():
    maps = np.zeros((1, 1, 512, 512))
    maps[0, 0, 301, 77] = 1
    assert opacity(sheet(maps)["above"]).max() == 1


def test_a_map_is_white_at_zero_blue_above_and_orange_above_where_there_are_signs():
    assert coloured(np.array([[0, 1.0]]), signed=False).tolist() == [[[255, 255, 255], BLUE.tolist()]]
    assert coloured(np.array([[-2.0, 2]]), signed=True).tolist() == [[BLUE.tolist(), ORANGE.tolist()]]
    assert (coloured(np.zeros((2, 2)), signed=True) == 255).all()


def test_a_file_has_its_tokens_as_text_and_a_square_for_every_number():
    values = np.full((6, 6), 0.5)
    root = ElementTree.fromstring(write_map(values, HOSTILE, "Layer 1 <head> 2", signed=False))
    words = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert [words.count(token) for token in HOSTILE if "\x00" not in token] == [2] * 5
    assert root.find(f"{SVG}title").text == "Layer 1 <head> 2" and not list(root.iter(f"{SVG}script"))
    assert len([one for one in root.iter(f"{SVG}rect") if one.get("width") == str(CELL)]) == 36


@pytest.mark.browser
@pytest.mark.parametrize("n", [3, MOST_LABELS + 1])
def test_a_file_is_drawn_as_it_should_be(browser, n):
    values = np.zeros((n, n))
    values[n - 1, 0] = 1
    text = write_map(values, ["token"] * n, "title", signed=False)
    page = browser.new_page()
    page.set_content(text)
    picture = Image.open(io.BytesIO(page.locator("svg").screenshot())).convert("RGB")
    page.close()
    is_blue = (np.asarray(picture) == BLUE).all(axis=-1)
    rows, columns = np.nonzero(is_blue)
    assert is_blue.sum() == pytest.approx((22 if n == 3 else 9) ** 2, rel=0.2)
    assert rows.min() > picture.height / 2 > 0 and columns.max() < picture.width / 2 + 30


# ---- charts ----------------------------------------------------------------------------------------------------------
def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return sum(
        weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
        for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("share", np.linspace(0, 1, 41))
def test_numbers_can_be_read_on_every_blue(share):
    colour = charts.blue(share)
    assert contrast(colour, charts.ink_on(colour)) >= 4.5


@pytest.mark.parametrize("page", ["#ffffff", "#181715"])
def test_every_meaning_can_be_told_from_the_page_in_both_themes(page):
    assert all(contrast(colour, page) >= 3 for colour in charts.MEANINGS)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=10), st.floats(0.01, 0.2))
def test_names_of_lines_stand_apart_in_the_lines_order(heights, room):
    heights = np.array(heights)
    moved = charts.apart(heights, room)
    order = np.argsort(heights, kind="stable")
    assert all(b - a >= room - 1e-9 for a, b in pairwise(moved[order]))
    assert moved.mean() == pytest.approx(heights.mean(), abs=1e-9)


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=12))
def test_every_point_is_named_once(points):
    names = ", ".join(filter(None, charts.labels(np.array(points), 0.1))).split(", ")
    assert sorted(map(int, names)) == list(range(1, len(points) + 1))
