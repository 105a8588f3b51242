"""The pages about BERT behind a small navigation, for the browser tests."""

import sys
from pathlib import Path
from typing import Any

import streamlit as st

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from graphlab.ui.bert.attention import attention  # noqa: E402
from graphlab.ui.bert.contextual import contextual  # noqa: E402

st.set_page_config(layout="wide")
st.html(f"<style>{(ROOT / 'graphlab/ui/assets/page.css').read_text(encoding='utf-8')}</style>")
pages: list[Any] = []


def links() -> None:
    st.markdown("**graphlab**", width="content")
    for page in pages:
        st.page_link(page, width="content")


pages += [
    st.Page(lambda: contextual(links), title="Words", url_path="words", default=True),
    st.Page(lambda: attention(links), title="Heads", url_path="heads"),
]
st.navigation(pages, position="hidden").run()
