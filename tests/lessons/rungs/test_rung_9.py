"""Rung 9: multi-head attention, with torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.course import LESSONS
from graphlab.lessons.laboratories.checkpoints import FETCH
from graphlab.lessons.lesson import Screen
from graphlab.lessons.rungs import rung_9
from tests.transformer.minilm import minilm as fetched_minilm

torch.set_num_threads(1)
A, B = (1.0, 0.0), (0.0, 1.0)


def tensor(numbers: Any) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def mixed(weights: list[list[float]], words: Any) -> Any:
    """What heads with these weights pass on, end to end."""
    return (tensor(weights) @ tensor(words)).reshape(-1).numpy()


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    counts = [
        f"{sum(weight.numel() for weight in torch.nn.MultiheadAttention(768, heads).parameters()):,}"
        for heads in (1, 12)
    ]
    return {
        "one_ab": mixed([[0.5, 0.5]], [A, B]),
        "one_ba": mixed([[0.5, 0.5]], [B, A]),
        "two_ab": mixed([[1.0, 0.0], [0.0, 1.0]], [A, B]),
        "two_ba": mixed([[1.0, 0.0], [0.0, 1.0]], [B, A]),
        "single": counts[0],
        "many": counts[1],
    }


def screen_called(title: str) -> Screen:
    (screen,) = [screen for screen in LESSONS["9"].screens if screen.title == title]
    return screen


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert found["one_ab"].tolist() == found["one_ba"].tolist() == [0.5, 0.5]
    assert found["two_ab"].tolist() == [1, 0, 0, 1] and found["two_ba"].tolist() == [0, 1, 1, 0]
    assert found["single"] == found["many"] == "2,362,368"


def test_no_weight_makes_one_head_pass_on_both_words_whole() -> None:
    """Its output has half the numbers, and one word's share is what the other has not."""
    experiment = LESSONS["9"].experiment
    for weight in np.linspace(0, 1, 21):
        settings = {"words": [A, B], "one": float(weight), "own": 1.0, "heads": "2"}
        found = experiment.run(settings).quantities
        assert found["one_ab"].value.sum() == 1
        np.testing.assert_allclose(found["one_ab"].value, mixed([[weight, 1 - weight]], [A, B]))
        assert found["two_ab"].value.tolist() == [*A, *B]


def test_the_joined_rows_and_the_sum_over_heads_are_one_and_send_back_the_same() -> None:
    """Values and gradients of both screens, with torch."""
    joined, added = screen_called("End to end").walk, screen_called("The same as a sum").walk
    assert joined is not None and added is not None and joined.values == added.values
    leaves = {name: tensor(value).requires_grad_() for name, value in joined.values.items()}
    row = torch.cat([leaves["h_1"], leaves["h_2"]], dim=-1) @ torch.cat([leaves["W_1"], leaves["W_2"]])
    (row * leaves["U"]).sum().backward()
    for walk in (joined, added):
        gradients = walk.graph.gradients(walk.values)
        for name, leaf in leaves.items():
            assert leaf.grad is not None
            np.testing.assert_allclose(gradients[name], leaf.grad.numpy())
    show = screen_called("The same as a sum").show
    assert show is not None
    (table,) = show().views
    *_, total, whole = table.as_table().texts
    assert total[1] == whole[1]


def test_the_heads_of_the_layer_do_what_the_page_says_and_torch_agrees() -> None:
    """Head 1 finds the same word, head 2 the place before; the weights and gradients are torch's."""
    screen = screen_called("A whole layer")
    assert screen.walk is not None and screen.show is not None
    leaves = {name: tensor(value) for name, value in screen.walk.values.items()}
    q, k, v = ((leaves["X"] @ leaves[f"W_{name}"].T).reshape(3, 2, 2).transpose(0, 1) for name in "QKV")
    scores = q @ k.mT / 2**0.5
    scores = scores.masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf).requires_grad_()
    weights = scores.softmax(-1)
    heads = (weights @ v).transpose(0, 1).reshape(3, 4)
    ((heads @ leaves["W_O"].T) * leaves["U"]).sum().backward()
    assert scores.grad is not None
    pattern, gradient = (view.numbers for view in screen.show().views)  # type: ignore[union-attr]
    np.testing.assert_allclose(pattern, np.hstack(list(weights.detach().numpy())), atol=1e-12)
    np.testing.assert_allclose(gradient, np.hstack(list(scores.grad.numpy())), atol=1e-12)
    same_word, place_before = pattern[:, :3], pattern[:, 3:]
    assert same_word[2, 1] < 0.01 < 0.45 < same_word[2, 0] and same_word[1, 1] > 0.95
    assert place_before[1, 0] > 0.95 and place_before[2, 1] > 0.95
    assert 0 < gradient[2, 1] < gradient[2, 4]


def test_two_heads_of_real_weights_look_where_the_lecture_says() -> None:
    """The previous word, and what a pronoun stands for: as the model in PyTorch says."""
    from transformer.attention_maps import attention_maps
    from transformer.checkpoint import load_model
    from transformer.tokenizer import WordPieceTokenizer

    folder = fetched_minilm()
    show = screen_called("Heads that training made").show
    assert show is not None
    found = show()
    maps = attention_maps(load_model(folder), WordPieceTokenizer.load(folder), rung_9.SENTENCE)
    it, cat, sat = (maps.tokens.index(word) for word in ("it", "cat", "sat"))
    before, meant = found.quantities["before"].value, found.quantities["meant"].value
    assert before == pytest.approx(maps.probabilities[0, 2, sat, cat], abs=1e-5)
    assert meant == pytest.approx(maps.probabilities[5, 11, it, cat], abs=1e-5)
    assert (round(before, 2), round(meant, 2)) == (1.0, 0.71)


def test_without_real_weights_the_heads_are_told_how_to_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rung_9, "find_minilm", lambda: None)
    show = screen_called("Heads that training made").show
    assert show is not None
    (view,) = show().views
    assert FETCH in view.as_table().rows[0][0]
