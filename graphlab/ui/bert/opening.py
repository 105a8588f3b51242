"""The pages about BERT as the navigation knows them: each is imported when it is opened, for PyTorch takes seconds."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import streamlit as st

Links = Callable[[], None]
NEEDED = ("torch", "tokenizers", "safetensors", "tqdm")


def whole(links: Links) -> None:
    """All of BERT as a graph."""
    if has_pytorch(links):
        from graphlab.ui.bert import whole as page

        page.whole(links)


def contextual(links: Links) -> None:
    """One word in several sentences."""
    if has_pytorch(links):
        from graphlab.ui.bert import contextual as page

        page.contextual(links)


def attention(links: Links) -> None:
    """All heads on a text."""
    if has_pytorch(links):
        from graphlab.ui.bert import attention as page

        page.attention(links)


def has_pytorch(links: Links) -> bool:
    """Whether what the pages need is installed; if not, the page says the one command."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        with st.container(horizontal=True, vertical_alignment="center", key="top"):
            links()
        st.info(f"This page runs a BERT in PyTorch. Not installed: {', '.join(missing)}.", icon=":material/download:")
        st.code('pip install "graphlab[bert]"', language="bash")
    return not missing
