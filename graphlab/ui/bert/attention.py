"""The page about attention: all heads on one sheet, one of them large, what a score is made of, and the gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from graphlab.ui.bert import charts, pictures
from graphlab.ui.bert.component import heads_sheet, token_map
from graphlab.ui.bert.state import MOST_CHARACTERS, AttentionState, current, remember
from graphlab.ui.bert.weights import REAL, Weights, chosen_model, model_field, weights_for
from graphlab.ui.plain import plain
from transformer.attention_maps import Maps, attention_maps

WEIGHTS, GRADIENT = "Attention weights", "Their gradient"
REVISION = "map revision"  # how often Python, not the map itself, chose the cell
MOST_NAMED = 4
PRESETS = {  # facts about the real weights; layers and heads are counted from 1
    "it → cat": AttentionState(),
    "the previous word": AttentionState(layer=1, head=3, row=3, column=2),
    "nearly all at [CLS]": AttentionState(layer=3, head=8, row=6, column=0),
    "what makes cat and it alike": AttentionState(gradient=True),
}


class Place(NamedTuple):
    """What is looked at, all counted from 0 and within the model and the text."""

    layer: int
    head: int
    row: int
    column: int


def attention(links: Callable[[], None]) -> None:
    """The page; `links` draws what all pages have in their top line."""
    state = current(AttentionState)
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        links()
    st.markdown("#### Who looks at whom?")
    ask(state)
    weights = weights_for(chosen_model(), [state.text, state.second])
    if weights.real and chosen_model() == REAL:
        presets()
    tokens = weights.tokenizer.tokens(weights.tokenizer.encode(state.text, state.second or None)[0])
    first, other = (min(place, len(tokens) - 1) for place in (state.first, state.other))
    choose_gradient(state, tokens, first, other)
    try:
        maps = _maps(weights, state.text, state.second, (first, other))
    except ValueError as fault:
        st.error(f"{plain(str(fault))}. Shorten the text.", icon=":material/edit:")
    else:
        show(maps, weights)
    remember(state)


# ---- what is asked ---------------------------------------------------------------------------------------------------
def ask(state: AttentionState) -> None:
    """The text or texts, and the model."""
    st.session_state["attention text"], st.session_state["second text"] = state.text, state.second
    with st.container(horizontal=True, vertical_alignment="bottom", key="asked"):
        st.text_input("Text", key="attention text", max_chars=MOST_CHARACTERS, on_change=_take_texts)
        st.text_input("Second text, if any", key="second text", max_chars=MOST_CHARACTERS, on_change=_take_texts)
        model_field()


def _take_texts() -> None:
    """Another text: the cell and the pair become its first two words."""
    before: AttentionState = st.session_state[AttentionState.__name__]
    text, second = st.session_state["attention text"], st.session_state["second text"].strip()
    _show(replace(before, text=text, second=second, row=1, column=2, first=1, other=2))


def _show(state: AttentionState) -> None:
    st.session_state[AttentionState.__name__] = replace(state)
    st.session_state[REVISION] = st.session_state.get(REVISION, 0) + 1


def presets() -> None:
    """Heads that do something that can be said in a word."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="presets"):
        st.markdown("Try:", width="content")
        for name, preset in PRESETS.items():
            st.button(plain(name), key=f"preset {name}", on_click=_show, args=(preset,))


def choose_gradient(state: AttentionState, tokens: list[str], first: int, other: int) -> None:
    """Weights or their gradient; for this the two tokens whose likeness in the last layer is differentiated."""
    names = [f"{place}  {token}" for place, token in enumerate(tokens)]
    st.session_state["shown"] = GRADIENT if state.gradient else WEIGHTS
    with st.container(horizontal=True, vertical_alignment="bottom", key="pair"):
        st.radio("Show", [WEIGHTS, GRADIENT], key="shown", on_change=_take_gradient, horizontal=True, width="content",
                 label_visibility="collapsed")  # fmt: skip
        if not state.gradient:
            return
        st.session_state["first"], st.session_state["other"] = first, other
        for label, key in (("of how alike these are:", "first"), ("and", "other")):
            st.selectbox(label, range(len(names)), format_func=names.__getitem__, key=key, width=170,
                         on_change=_take_gradient)  # fmt: skip


def _take_gradient() -> None:
    state: AttentionState = st.session_state[AttentionState.__name__]
    state.gradient = st.session_state["shown"] == GRADIENT
    state.first = st.session_state.get("first", state.first)
    state.other = st.session_state.get("other", state.other)


@st.cache_resource(max_entries=2, show_spinner="Running the model …", hash_funcs={Weights: lambda one: one.key})
def _maps(weights: Weights, text: str, second: str, pair: tuple[int, int]) -> Maps:
    return attention_maps(weights.model, weights.tokenizer, text, second or None, pair)


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs={Maps: id})
def _sheet(maps: Maps, gradient: bool) -> dict[str, bytes]:
    return pictures.sheet(maps.gradients if gradient else maps.probabilities)


# ---- what is shown ---------------------------------------------------------------------------------------------------
@st.fragment
def show(maps: Maps, weights: Weights) -> None:
    """The sheet, the chosen head, and the chosen score. Choosing runs only this part of the page again."""
    state: AttentionState = st.session_state[AttentionState.__name__]
    values = maps.gradients if state.gradient else maps.probabilities
    place = within(state, values.shape)
    if state.gradient:
        explain_gradient(maps)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.markdown("**All heads**: a row per layer, a column per head")
        heads_sheet(
            _sheet(maps, state.gradient),
            values.shape[:2],
            (place.layer, place.head),
            signed=state.gradient,
            key="heads",
            on_choice=_take_head,
        )
    with right:
        large(maps, values[place.layer, place.head], place, state.gradient)
    score(maps, place)
    layers, heads, n, _ = values.shape
    st.caption(f"{layers} layers of {heads} heads, {n} tokens; {weights.described}. Every head has its own scale.")
    remember(state)


def explain_gradient(maps: Maps) -> None:
    first, other = (f"**{plain(maps.tokens[one])}**" for one in (maps.first, maps.second))
    st.markdown(
        f"In the last layer the vectors of {first} and {other} have the cosine {maps.likeness:.3f}. Where an attention "
        "weight is orange, more of it would make them more alike; where it is blue, less alike."
    )


def within(state: AttentionState, shape: tuple[int, ...]) -> Place:
    """The place that a state means in maps of this shape (L, H, n, n)."""
    wanted = (state.layer - 1, state.head - 1, state.row, state.column)
    return Place(*(min(max(0, one), size - 1) for one, size in zip(wanted, shape, strict=True)))


def large(maps: Maps, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]], place: Place, signed: bool) -> None:
    """One head's map, and the same as a file."""
    title = f"Layer {place.layer + 1}, head {place.head + 1}"
    st.markdown(f"**{title}**: how much a row's token looks at a column's")
    token_map(
        values,
        maps.tokens,
        (place.row, place.column),
        signed=signed,
        revision=st.session_state.setdefault(REVISION, 0),
        key="map",
        on_choice=_take_cell,
    )
    st.download_button(
        "Save as SVG",
        lambda: pictures.write_map(values, maps.tokens, title, signed=signed),
        file_name=f"layer-{place.layer + 1}-head-{place.head + 1}.svg",
        mime="image/svg+xml",
        icon=":material/download:",
        on_click="ignore",
    )


def _take_head(layer: int, head: int) -> None:
    state: AttentionState = st.session_state[AttentionState.__name__]
    state.layer, state.head = layer + 1, head + 1


def _take_cell(row: int, column: int) -> None:
    state: AttentionState = st.session_state[AttentionState.__name__]
    state.row, state.column = row, column


def score(maps: Maps, place: Place) -> None:
    """What the score of one pair is made of: the products of a query's and a key's entries."""
    parts = maps.score_parts(*place)
    row = maps.probabilities[place.layer, place.head, place.row]
    looker, seen = plain(maps.tokens[place.row]), plain(maps.tokens[place.column])
    st.markdown(
        f"**Why {looker} → {seen}?** The score q·k/√d is the sum of {len(parts)} products, {parts.sum():.3g}. "
        f"Softmax over the row makes it the weight {row[place.column]:.3g}. The largest of this row: "
        + ", ".join(f"{plain(maps.tokens[one])} {row[one]:.2f}" for one in np.argsort(-row)[:MOST_NAMED])
        + "."
    )
    st.vega_lite_chart(charts.score_bars(parts, charts.ink()))
