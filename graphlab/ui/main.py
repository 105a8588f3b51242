"""The app: navigation and what all pages share. `graphlab app` and `streamlit run app.py` both start here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from graphlab.ui.bert.opening import attention, contextual, whole
from graphlab.ui.explore import explore
from graphlab.ui.lessons.pages import leave_training, lesson_pages
from graphlab.ui.models import models

ASSETS = Path(__file__).parent / "assets"
ICON, STYLE = ASSETS / "icon.svg", ASSETS / "page.css"


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title="graphlab", page_icon=ICON.read_text(encoding="utf-8"), layout="wide")
    st.html(f"<style>{STYLE.read_text(encoding='utf-8')}</style>")
    pages: list[Any] = []

    def links() -> None:
        """What stands first in every page's top line."""
        st.markdown("**graphlab**", width="content")
        for page in pages:
            st.page_link(page, width="content")

    overview, lessons = lesson_pages(links, lambda: st.switch_page(pages[0]))
    pages += [
        st.Page(lambda: explore(links), title="Explore", url_path="explore", default=True),
        st.Page(lambda: models(links), title="Models", url_path="models"),
        overview,
        st.Page(lambda: whole(links), title="BERT", url_path="bert"),
        st.Page(lambda: contextual(links), title="Words", url_path="words"),
        st.Page(lambda: attention(links), title="Heads", url_path="heads"),
    ]
    page = st.navigation([*pages, *lessons], position="hidden")
    leave_training(page.url_path)
    page.run()


if __name__ == "__main__":
    main()
