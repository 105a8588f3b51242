"""The app: navigation and what all pages share. `graphlab app` and `streamlit run app.py` both start here."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from graphlab.ui.explore import explore

ASSETS = Path(__file__).parent / "assets"
ICON, STYLE = ASSETS / "icon.svg", ASSETS / "page.css"


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title="graphlab", page_icon=ICON.read_text(encoding="utf-8"), layout="wide")
    st.html(f"<style>{STYLE.read_text(encoding='utf-8')}</style>")
    st.navigation([st.Page(explore, title="Explore", default=True)], position="hidden").run()


if __name__ == "__main__":
    main()
