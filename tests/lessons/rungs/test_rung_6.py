"""Rung 6: basic self-attention with torch; what a mask of 0 lets through; words and random vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Heat, Table
from graphlab.lessons.rungs import rung_6
from tests.transformer.minilm import minilm as fetched_minilm

torch.set_num_threads(1)
X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def attention(x: torch.Tensor, hidden: float = -math.inf) -> torch.Tensor:
    """The weights, with `hidden` for the scores of later words."""
    later = torch.ones(len(x), len(x)).triu(1).bool()
    return torch.softmax((x @ x.T).masked_fill(later, hidden), 1)


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    x = torch.tensor(X, dtype=torch.float64)
    p = attention(x)
    y = (p @ x).numpy()
    return {
        "leak": float(p[0, 1:].sum()),
        "leak_zero": float(attention(x, 0.0)[0, 1:].sum()),
        **{f"row_{i}": row.numpy() for i, row in enumerate(p, start=1)},
        "y_1": y[0],
        "y_3": y[2],
    }


@pytest.fixture
def no_minilm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rung_6, "minilm", lambda: None)


def found(**changed: Any) -> Any:
    experiment = LESSONS["6"].experiment
    return experiment.run({**first_settings(experiment.controls), **changed})


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    wanted = expected()
    np.testing.assert_allclose(wanted["row_1"], [1, 0, 0])
    np.testing.assert_allclose(wanted["row_2"], [0.2689, 0.7311, 0], atol=5e-5)
    np.testing.assert_allclose(wanted["row_2"][:2], torch.sigmoid(torch.tensor([-1.0, 1.0])).numpy(), atol=1e-7)
    np.testing.assert_allclose(wanted["row_3"], [0.2119, 0.2119, 0.5761], atol=5e-5)
    np.testing.assert_allclose(wanted["y_3"], [0.788, 0.788], atol=5e-4)
    assert wanted["leak"] == 0 and wanted["leak_zero"] == pytest.approx(0.42, abs=5e-3)


@pytest.mark.parametrize(("mask", "leaks"), [("−∞", False), ("0", True), ("none", True)])
def test_only_minus_infinity_keeps_the_future_out(mask: str, leaks: bool) -> None:
    quantities = found(mask=mask).quantities
    assert (quantities["leak"].value > 0.1) == leaks
    assert (quantities["leak"].value == quantities["leak_zero"].value) == (mask == "0")


@pytest.mark.parametrize("rows", [1, 2, 8])
def test_the_first_word_never_changes_and_every_row_adds_up_to_one(rows: int) -> None:
    """Whatever the vectors; and each row is the one of torch."""
    vectors = np.random.default_rng(rows).normal(size=(rows, 2)).round(1)
    quantities = found(vectors=vectors.tolist()).quantities
    np.testing.assert_array_equal(quantities["y_1"].value, vectors[0])
    wanted = attention(torch.tensor(vectors)).numpy()
    for i, row in enumerate(wanted, start=1):
        np.testing.assert_allclose(quantities[f"row_{i}"].value, row, atol=1e-15)


def test_equal_words_have_equal_vectors_and_share_their_weight(no_minilm: None) -> None:
    result = found(words="a sentence", sentence="the dog bites The man")
    table = result.views[-1]
    assert isinstance(table, Table)
    np.testing.assert_array_equal(table.rows[0][1], table.rows[3][1])
    assert len({tuple(row[1]) for row in table.rows}) == 4
    weights = result.quantities["row_4"].value
    assert weights[0] == weights[3] and weights[4] == 0


def test_a_long_sentence_is_cut_and_a_single_word_looks_at_itself() -> None:
    heat = found(words="a sentence", sentence="a b c d e f g h i j k").views[1]
    assert isinstance(heat, Heat) and list(heat.rows) == list("abcdefgh")
    assert found(words="a sentence", sentence="hello").quantities["row_1"].shown == "[1]"


@pytest.mark.parametrize("sentence", ["<b>x</b>", "![a](http://b/c.png) $x$", "**_**", "! ?"])
def test_a_label_holds_words_only(sentence: str) -> None:
    """Neither HTML nor Markdown of a shared link."""
    heat = found(words="a sentence", sentence=sentence).views[0]
    assert isinstance(heat, Heat) and heat.rows
    assert not set("".join(heat.rows)) & set("<>![]()$*_`/&")


def test_the_longer_the_vectors_the_more_a_random_word_looks_at_itself() -> None:
    """The lecture's .57, .987, 1.000, for other draws."""
    show = LESSONS["6"].screens[-1].show
    assert show is not None
    (table,) = show().views
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["4", "16", "64"]
    small, middle, large = [row[1] for row in table.rows]
    assert small == pytest.approx(0.57, abs=0.04) and middle == pytest.approx(0.987, abs=0.01) and large > 0.9999


def test_the_pass_over_all_words_is_that_of_torch() -> None:
    (walk,) = [screen.walk for screen in LESSONS["6"].screens if screen.title == "All words at once"]
    assert walk is not None
    x = torch.tensor(walk.values["X"], dtype=torch.float64, requires_grad=True)
    loss = (attention(x) @ x * torch.tensor(walk.values["U"])).sum()
    loss.backward()  # type: ignore[no-untyped-call]
    assert x.grad is not None
    np.testing.assert_allclose(walk.graph.gradients(walk.values)["X"], x.grad.numpy(), atol=1e-12)


def test_the_words_of_a_sentence_have_the_vectors_of_minilm_where_it_is_fetched() -> None:
    """Upper case does not matter; a word that is no entry has the vector of the unknown one."""
    from safetensors.numpy import load_file

    folder = fetched_minilm()
    table = load_file(folder / "model.safetensors")["embeddings.word_embeddings.weight"].astype(float)
    entries = (folder / "vocab.txt").read_text("utf-8").splitlines()
    _, x, whose = rung_6.words({"words": rung_6.SENTENCE, "sentence": "The dog graphlabs"})
    np.testing.assert_array_equal(x, table[[entries.index(word) for word in ("the", "dog", "[UNK]")]])
    assert whose == "MiniLM's, 384 numbers each"
    shown = found(words=rung_6.SENTENCE)
    assert shown.quantities["vectors"].value == whose
    assert not any(isinstance(view, Table) for view in shown.views), "nobody reads 384 numbers"


def test_without_minilm_the_page_says_that_vectors_are_random(no_minilm: None) -> None:
    shown = found(words=rung_6.SENTENCE)
    assert shown.quantities["vectors"].value == "random, 4 numbers each"
    assert any(isinstance(view, Table) for view in shown.views)
