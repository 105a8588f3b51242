"""Both pages in Chromium: choosing a head, reading cells by key, pointer and tap, layers, links, and pages kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import needs
from tests.transformer.minilm import minilm
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
pytestmark = pytest.mark.browser

from playwright.sync_api import Locator, Page, expect  # noqa: E402 - only where it is

PAGES = Path(__file__).with_name("pages.py")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FIRST_MS = 60_000  # the server loads torch and the weights
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    minilm()
    with served(PAGES) as url:
        yield url


@pytest.fixture
def open_at(browser: Any, address: str) -> Iterator[Open]:
    """open_at(place, **context options) → a page that stands still; console errors fail the test."""
    contexts, troubles = [], []

    def listen(message: Any) -> None:
        if message.type == "error" and "/_stcore/" not in message.location["url"]:  # it asks below the path first
            troubles.append(message.text)

    def open_page(place: str, **options: Any) -> Page:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        contexts.append(context)
        page: Page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(f"{address}/{place}")
        expect(page.get_by_text(re.compile("real weights"))).to_be_visible(timeout=FIRST_MS)
        stands_still(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def stands_still(page: Page) -> None:
    """Streamlit has drawn everything of its last run."""
    expect(page.locator('[data-testid="stApp"]')).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.locator('[data-testid="stStatusWidget"], [data-stale="true"]')).to_have_count(0, timeout=20_000)


def reading(page: Page) -> Locator:
    return page.locator(".map .reading")


def middle_of(page: Page, row: int, column: int) -> dict[str, float]:
    """Where a cell is on the canvas."""
    canvas = page.locator(".map canvas")
    margin, size = (float(canvas.get_attribute(f"data-{name}") or 0) for name in ("margin", "size"))
    return {"x": margin + (column + 0.5) * size, "y": margin + (row + 0.5) * size}


def drawn(page: Page) -> Locator:
    """The charts that came about; a fault in one would stand there instead."""
    return page.locator('[data-testid="stVegaLiteChart"] svg.marks')


def fits(page: Page) -> bool:
    """Nothing stands out to the right."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    return wide


def test_a_head_is_chosen_on_the_sheet_and_stands_in_the_link(open_at: Open) -> None:
    page = open_at("heads")
    expect(reading(page)).to_have_text("it → cat: 0.712")
    page.get_by_role("button", name="layer 1, head 3", exact=True).click()
    expect(page.get_by_text("Layer 1, head 3")).to_be_visible()
    expect(page).to_have_url(re.compile("layer=1&head=3"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("Layer 2, head 4")).to_be_visible()
    expect(page.get_by_role("button", name="layer 2, head 4", exact=True)).to_be_focused()
    expect(page.locator('.heads button[tabindex="0"]')).to_have_count(1)


def test_the_map_is_read_by_pointer_and_keys_and_its_link_reopens_it(open_at: Open) -> None:
    page = open_at("heads?layer=1&head=3&row=3&column=2")
    expect(reading(page)).to_have_text("sat → cat: 1.00")
    canvas = page.locator(".map canvas")
    canvas.hover(position=middle_of(page, 8, 7))
    expect(reading(page)).to_have_text("it → because: 1.00")
    page.locator("h4").hover()
    expect(reading(page)).to_have_text("sat → cat: 1.00")
    canvas.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    expect(reading(page)).to_contain_text("on → on: ")
    expect(page.get_by_text("Why on → on?")).to_be_visible()
    expect(page).to_have_url(re.compile("row=4&column=4"))
    stands_still(page)
    value = reading(page).inner_text()
    again = open_at(page.url.split("/")[-1])
    expect(reading(again)).to_have_text(value)


def test_on_a_phone_a_tap_reads_a_cell_and_nothing_stands_out(open_at: Open) -> None:
    page = open_at("heads", color_scheme="dark", **PHONE)
    expect(reading(page)).to_have_text("it → cat: 0.712")
    page.locator(".map canvas").tap(position=middle_of(page, 2, 2))
    expect(reading(page)).to_contain_text("cat → cat: 0.")
    expect(page.get_by_text("Why cat → cat?")).to_be_visible()
    expect(page).to_have_url(re.compile("row=2"))
    assert fits(page)


def test_words_in_context_keep_what_was_asked_across_layers_pages_and_links(open_at: Open) -> None:
    page = open_at("")
    page.get_by_role("button", name="star", exact=True).click()
    expect(page).to_have_url(re.compile("word=star"))
    page.get_by_role("slider").press("Home")
    expect(page.get_by_text("all in one place")).to_be_visible()
    expect(page).to_have_url(re.compile("layer=0"))
    stands_still(page)
    expect(drawn(page)).to_have_count(3)
    expect(drawn(page).first.get_by_text("1.000")).to_have_count(16)
    link = page.url.split("/")[-1]
    page.get_by_role("link", name="Heads").click()
    expect(reading(page)).to_have_text("it → cat: 0.712")
    page.get_by_role("link", name="Words").click()
    expect(page.get_by_label("The word")).to_have_value("star")
    again = open_at(link, color_scheme="dark", **PHONE)
    expect(again.get_by_label("The word")).to_have_value("star")
    expect(again.get_by_text("all in one place")).to_be_visible()
    expect(drawn(again)).to_have_count(3)
    assert fits(again)
