"""The page about attention: facts about the real heads, other models and texts, what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.requirements import needs

needs("streamlit")
needs("torch")
needs("tokenizers")

from streamlit.testing.v1 import AppTest  # noqa: E402

from tests.ui.bert.reading import link, said, whole  # noqa: E402
from transformer.checkpoint import save_model  # noqa: E402
from transformer.config import BertConfig  # noqa: E402
from transformer.drawing import shaken  # noqa: E402
from transformer.model import BertModel  # noqa: E402
from transformer.tokenizer import SPECIAL  # noqa: E402


def script() -> None:
    from graphlab.ui.bert.attention import attention

    attention(lambda: None)


def page(**asked: str) -> AppTest:
    test = AppTest.from_function(script, default_timeout=60)
    for name, value in asked.items():
        test.query_params[name] = value
    return test.run()


def test_the_pronoun_looks_at_the_cat(real_weights):
    test = page()
    assert whole(test) and not test.query_params
    assert "Layer 6, head 12" in said(test) and "Why it → cat?" in said(test) and "the weight 0.712" in said(test)


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("the previous word", ["Layer 1, head 3", "Why sat → cat?", "the weight 1."]),
        ("nearly all at [CLS]", ["Layer 3, head 8", "Why mat → [CLS]?"]),
        ("what makes cat and it alike", ["Layer 6, head 12", "cat and it have the cosine 0.620", "Why it → cat?"]),
    ],
)
def test_every_example_is_one_press_away_and_in_the_link(real_weights, preset, words):
    test = page(text="something else", layer="2")
    test.button(key=f"preset {preset}").click().run()
    assert whole(test) and "text" not in test.query_params
    assert all(word in said(test) for word in words)
    again = page(**link(test))
    assert said(again) == said(test)


def test_the_gradient_asks_for_two_tokens(real_weights):
    test = page(gradient="1")
    assert [(box.key, box.value) for box in test.selectbox] == [("first", 2), ("other", 8)]
    test.selectbox(key="other").set_value(6).run()
    assert whole(test) and link(test) == {"gradient": "1", "other": "6"}
    assert "cat and mat have the cosine" in said(test)


def test_another_text_begins_at_its_first_two_words_and_a_second_one_is_joined(real_weights):
    test = page()
    test.text_input(key="attention text").set_value("dogs bark")
    test.text_input(key="second text").set_value("cats do not").run()
    assert whole(test) and "Why dogs → bark?" in said(test) and "8 tokens" in said(test)


@pytest.mark.parametrize("text", ["", "<b>&amp;</b> **x** `y` $z$ [l](https://e.org) 🙂 :red[a]", "\\", "a" * 200])
def test_whatever_is_typed_is_shown(real_weights, text):
    test = page()
    test.text_input(key="attention text").set_value(text).run()
    assert whole(test) and "Why" in said(test)


def test_more_tokens_than_the_model_has_positions_are_refused_and_the_page_stays(real_weights):
    test = page(text="cat " * 600)
    assert not test.exception and "602 tokens are more than the 512 positions" in test.error[0].value
    assert test.text_input(key="attention text").value == "cat " * 600


def test_without_weights_the_page_names_the_command_and_works_with_a_random_model(no_weights):
    test = page()
    assert whole(test) and test.code[0].value == "python -m transformer fetch minilm-l6"
    assert "Layer 2, head 2" in said(test) and "random weights, which have learnt nothing" in said(test)
    assert not [button for button in test.button if str(button.key).startswith("preset")], "facts of other weights"


def test_a_folder_of_a_model_as_deep_and_wide_as_base_works(no_weights, tmp_path):
    config = replace(BertConfig.base(), vocab_size=9, hidden_size=24, intermediate_size=8, max_position_embeddings=32)
    save_model(shaken(BertModel(config), 0.1), tmp_path / "wide", vocabulary=[*SPECIAL, "the", "cat", "it", "."])
    test = page(layer="12", head="12")
    test.text_input(key="model name").set_value(str(tmp_path / "wide")).run()
    assert whole(test) and "Layer 12, head 12" in said(test) and "12 layers of 12 heads, 13 tokens" in said(test)
