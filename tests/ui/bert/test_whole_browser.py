"""The page about all of BERT in Chromium: a box is chosen and its backward pass read, and the check runs to its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from graphlab.ui.state import BertState, from_link, to_link
from tests.requirements import needs
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
needs("torch")
pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

from playwright.sync_api import Page, expect  # noqa: E402 - only where it is

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CHECK_MS, DRAWN_MS = 120_000, 30_000  # far above what a quiet machine needs: 5 s and 1 s
LAYER = "s:bert.encoder.layer.*"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        yield url


def tiny(**state: Any) -> str:
    return f"b={to_link(BertState(model='tiny', opened=['s:bert', 's:bert.encoder'], **state))}"


def chosen_in(url: str) -> str | None:
    """The box that a link of the page chooses."""
    return from_link(parse_qs(urlsplit(url).query)["b"][0], BertState).selected


def fits(page: Page) -> bool:
    """Nothing stands out to the right."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    return wide


def test_a_box_is_chosen_its_backward_pass_read_and_the_check_run(opened: Any) -> None:
    page = opened(tiny(), place="bert")
    expect(page.get_by_text("Choose a box in the graph")).to_be_visible()
    page.locator(f'.viewer .node[data-id="{LAYER}"]').click()
    expect(page.get_by_text("one of 2 equal ones")).to_be_visible(timeout=DRAWN_MS)
    expect(page.locator(".katex-display")).to_have_count(2)
    expect(page.locator(".katex-error")).to_have_count(0)
    assert chosen_in(page.url) == LAYER
    page.get_by_role("button", name="Check against PyTorch").click()
    expect(page.get_by_text("Everything agrees within its bound.")).to_be_visible(timeout=CHECK_MS)
    expect(page.get_by_test_id("stDataFrame")).to_be_visible(timeout=DRAWN_MS)
    expect(page.locator(f'.viewer .node[data-id="{LAYER}"]')).to_have_class(re.compile("selected"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_a_link_reopens_the_box_and_nothing_stands_out(opened: Any, scheme: str) -> None:
    page = opened(tiny(selected=LAYER), place="bert", color_scheme=scheme, **PHONE)
    expect(page.locator(".katex-display")).to_have_count(2, timeout=DRAWN_MS)
    expect(page.get_by_text("4,433,468 parameters")).to_be_visible()
    assert fits(page)
