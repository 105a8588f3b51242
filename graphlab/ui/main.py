"""The app: navigation and what all pages share. `graphlab app` and `streamlit run app.py` both start here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from graphlab.ui.explore import explore
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

    pages += [
        st.Page(lambda: explore(links), title="Explore", url_path="explore", default=True),
        st.Page(lambda: models(links), title="Models", url_path="models"),
    ]
    st.navigation(pages, position="hidden").run()


if __name__ == "__main__":
    main()
