"""The page about contextual embeddings: one word in several sentences, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from graphlab.ui.bert import charts
from graphlab.ui.bert.charts import Sentence
from graphlab.ui.bert.state import MOST_CHARACTERS, WordState, current, remember
from graphlab.ui.bert.weights import Weights, chosen_model, model_field, weights_for
from graphlab.ui.plain import plain
from transformer.contexts import Contexts, cosines, plane, stands_in, word_in_context
from transformer.tokenizer import UNKNOWN

MOST_SENTENCES = 12
LONGEST_WORD = 100
NOTHING = 1e-5  # a difference that is rounding
PRESETS = {
    "bank": WordState(),
    "star": WordState(
        "the star shines at night .\nthe star is older than the sun .\n\n"
        "the star signed autographs after the film .\nthe star sang for her fans .",
        "star",
    ),
    "apple": WordState(
        "i ate an apple .\nthe apple fell from the tree .\n\ni bought a phone from apple .\napple sells computers .",
        "apple",
    ),
}


def contextual(links: Callable[[], None]) -> None:
    """The page; `links` draws what all pages have in their top line."""
    state = current(WordState)
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
    st.markdown("#### One word, several sentences: is its vector the same?")
    ask(state)
    weights = weights_for(chosen_model(), [state.text, state.word])
    sentences = usable(sentences_of(state.text), state.word, weights)
    if len(sentences) == 1:
        st.info("One sentence alone has nothing to be compared with: write a second one.", icon=":material/edit:")
    elif sentences:
        try:
            found = _contexts(weights, tuple(one.text for one in sentences), state.word)
        except ValueError as fault:
            st.error(plain(f"{str(fault)[:1].upper()}{str(fault)[1:]}."), icon=":material/edit:")
        else:
            show(state, found, sentences, weights)
    remember(state)


# ---- what is asked ---------------------------------------------------------------------------------------------------
def ask(state: WordState) -> None:
    """The sentences, the word, the model, and examples."""
    st.session_state["sentences"], st.session_state["word"] = state.text, state.word
    with st.container(horizontal=True, vertical_alignment="bottom", key="asked"):
        st.text_area(
            "Sentences, one a line; an empty line before another meaning",
            key="sentences", height=150, max_chars=MOST_CHARACTERS, on_change=_take, width=560,
        )  # fmt: skip
        st.text_input("The word", key="word", width=160, max_chars=LONGEST_WORD, on_change=_take)
        model_field()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="presets"):
        st.markdown("Try:", width="content")
        for name, preset in PRESETS.items():
            st.button(name, key=f"preset {name}", on_click=_show, args=(preset,))


def _take() -> None:
    state: WordState = st.session_state[WordState.__name__]
    state.text, state.word = st.session_state["sentences"], st.session_state["word"].strip()


def _show(preset: WordState) -> None:
    st.session_state[WordState.__name__] = replace(preset)


def sentences_of(text: str) -> list[Sentence]:
    """The lines of a text; after an empty line begins another meaning."""
    found: list[Sentence] = []
    meaning, gap = 0, False
    for line in map(str.strip, text.splitlines()):
        if line:
            meaning += gap and bool(found)
            found.append(Sentence(line, len(found) + 1, meaning))
        gap = not line
    return found


def usable(sentences: list[Sentence], word: str, weights: Weights) -> list[Sentence]:
    """The sentences that can be compared; a notice says which cannot, and why."""
    if not sentences or not word:
        st.info("Write some sentences, and a word that stands in them.", icon=":material/edit:")
        return []
    if UNKNOWN in weights.tokenizer.pieces(word):
        st.warning(plain(f"The model's vocabulary has nothing for {word}: to it, all unknown signs are the same."))
    if len(sentences) > MOST_SENTENCES:
        st.warning(f"These are {len(sentences)} sentences; the first {MOST_SENTENCES} are shown.")
    asked = sentences[:MOST_SENTENCES]
    kept = [one for one in asked if stands_in(weights.tokenizer, one.text, word)]
    lacking = [one.text for one in asked if one not in kept]
    if lacking:
        what = f"{word} does not stand in: {' / '.join(lacking)}"
        (st.warning if kept else st.error)(plain(what), icon=":material/edit:")
    return [one._replace(number=place) for place, one in enumerate(kept, start=1)]


@st.cache_resource(max_entries=8, show_spinner="Running the model …", hash_funcs={Weights: lambda one: one.key})
def _contexts(weights: Weights, sentences: tuple[str, ...], word: str) -> Contexts:
    return word_in_context(weights.model, weights.tokenizer, sentences, word)


# ---- what is shown ---------------------------------------------------------------------------------------------------
def show(state: WordState, found: Contexts, sentences: list[Sentence], weights: Weights) -> None:
    """A layer to choose, and what it makes of the word."""
    last = len(found.vectors) - 1
    layer = choose_layer(state, last)
    ink = charts.ink()
    likeness = cosines(found.vectors[layer])
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.markdown("**How alike the vectors point**: 1 is the same direction (cosine)")
        lowest = min(float(cosines(one).min()) for one in found.vectors)
        st.vega_lite_chart(charts.matrix(likeness, sentences, lowest, ink))
    with right:
        points, share = plane(found.vectors[layer])
        differ = f"which shows {share:.0%} of how they differ" if np.ptp(points) > NOTHING else "all in one place"
        st.markdown(f"**On a plane**, {differ}")
        st.vega_lite_chart(charts.plane_chart(points, sentences, ink), width="content")
    st.markdown("**Through the layers**: each line is a pair of sentences")
    st.vega_lite_chart(charts.through_layers(found.vectors, sentences, layer, ink))
    with st.expander("As a table"):
        st.dataframe(charts.table(likeness, sentences), hide_index=True)
        st.caption(plain("Pieces: " + " / ".join(" ".join(row) for row in found.pieces)))
    pieces = weights.tokenizer.pieces(state.word)
    several = f" {plain(' '.join(pieces))}: the mean of its {len(pieces)} pieces." if len(pieces) > 1 else ""
    st.caption(f"{last} layers, {found.vectors.shape[-1]} entries a vector; {weights.described}.{several}")


def choose_layer(state: WordState, last: int) -> int:
    """The layer that is looked at."""
    st.session_state["word layer"] = layer = min(state.layer, last) if state.layer >= 0 else last
    help_text = "0 is what goes into the first layer: the word and its place, nothing yet of its neighbours."
    st.slider("Layer", 0, last, key="word layer", help=help_text, on_change=_take_layer)
    return layer


def _take_layer() -> None:
    st.session_state[WordState.__name__].layer = st.session_state["word layer"]
