"""What the browser tests share: a page opened in Chromium, whose console must stay silent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Any]:
    """open(query, **context options) → a page whose viewer is ready; console errors fail the test.

    `place` is the page's path, `ready` what is waited for. Under a path Streamlit looks for
    its own addresses in vain before it asks the root.
    """
    contexts, troubles = [], []

    def listen(message: Any) -> None:
        if message.type == "error" and "/_stcore/" not in message.location["url"]:
            troubles.append(message.text)

    def open_page(query: str = "", place: str = "", ready: str = ".viewer .node", **options: Any) -> Any:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(f"{address}/{place}?{query}")
        page.locator(ready).first.wait_for(timeout=30_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []
