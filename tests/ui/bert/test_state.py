"""What a link of the pages about BERT says: little, all of it, and nothing that it cannot say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.requirements import needs

needs("streamlit")

from graphlab.ui.bert.state import (  # noqa: E402
    LONGEST_LINK,
    AttentionState,
    WordState,
    from_link,
    to_link,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=1_000)
STATES = st.one_of(
    st.builds(WordState, text=TEXT, word=TEXT, layer=st.integers(-1, 99)),
    st.builds(AttentionState, text=TEXT, second=TEXT, layer=st.integers(0, 99), gradient=st.booleans()),
)


@given(STATES)
def test_a_link_reopens_what_was_shown(state):
    assert from_link(to_link(state), type(state)) == state


@pytest.mark.parametrize("kind", [WordState, AttentionState])
def test_the_first_look_has_an_empty_link(kind):
    assert to_link(kind()) == {} and from_link({"utm_source": "mail"}, kind) == kind()


def test_a_short_link_can_be_read_and_a_long_text_is_packed():
    assert to_link(WordState(word="star", layer=3)) == {"word": "star", "layer": "3"}
    packed = to_link(AttentionState(text="the cat sat on the mat . " * 80))["text"]
    assert packed.startswith("~") and len(packed) < LONGEST_LINK / 10


@pytest.mark.parametrize("told", [{"layer": "six"}, {"text": "~damaged"}, {"text": "~eJw"}, {"text": "~\N{SNOWMAN}"}])
def test_a_damaged_link_is_refused(told):
    with pytest.raises(ValueError):
        from_link(told, WordState)


def test_a_link_cannot_unpack_to_more_than_a_field_holds():
    packed = to_link(WordState(text="a" * 10_000_000))
    assert len(packed["text"]) < 20_000
    with pytest.raises(ValueError, match="longer than a field holds"):
        from_link(packed, WordState)
