"""Rung 10: who notices the order of words, with torch's own attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.laboratories.encoders import word_rows
from graphlab.lessons.rungs import rung_10
from tests.lessons.rungs.reference import encoder, tensors

EXPERIMENT = LESSONS["10"].experiment
SIZE, HEADS, BLOCKS = 8, 2, 2
WORDS = ["dog", "bites", "man"]


def sinusoids(rows: int) -> np.ndarray[Any, Any]:
    """The table as it was published: row i, columns 2k and 2k + 1."""
    table = np.zeros((rows, SIZE))
    for i in range(rows):
        for k in range(SIZE // 2):
            table[i, 2 * k] = np.sin(i / 10000 ** (2 * k / SIZE))
            table[i, 2 * k + 1] = np.cos(i / 10000 ** (2 * k / SIZE))
    return table


def mean_output(words: list[str], *, positions: bool, causal: bool) -> np.ndarray[Any, Any]:
    rows = word_rows(words, SIZE, seed=rung_10.WORDS_SEED) + (sinusoids(len(words)) if positions else 0)
    weights = tensors(rung_10.weights())
    output = encoder(torch.tensor(rows), weights, HEADS, BLOCKS, causal=causal)[-1]
    return output.mean(dim=0).detach().numpy()


def moved(*, positions: bool, causal: bool) -> float:
    """How far the mean moves when the sentence is turned round."""
    first, second = (mean_output(words, positions=positions, causal=causal) for words in (WORDS, WORDS[::-1]))
    return float(np.linalg.norm(first - second))


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    assert moved(positions=False, causal=False) < 1e-14
    return {
        "without": "0 up to rounding",
        "added": moved(positions=True, causal=False),
        "causal": moved(positions=False, causal=True),
    }


def test_both_positions_and_the_causal_mask_make_the_order_count() -> None:
    """By far more than rounding, and the mask by more than the positions."""
    found = expected()
    assert 0.05 < found["added"] < 1 and 0.5 < found["causal"] < 5


def test_the_tempting_answer_is_contradicted_word_by_word() -> None:
    """Without positions every single word keeps its output; with them, or with the mask, none does."""
    (bars,) = EXPERIMENT.at_first.views
    same, *others = bars.heights.values()  # type: ignore[union-attr]
    assert max(same) < 1e-14
    assert all(min(moves) > 0.01 for moves in others)


@pytest.mark.parametrize("positions", ["sinusoids", "a learnt table"])
def test_positions_that_count_zero_times_are_none(positions: str) -> None:
    settings = first_settings(EXPERIMENT.controls) | {"positions": positions}
    off = EXPERIMENT.run(settings | {"strength": 0.0}).quantities
    assert off["added"].value == off["without"].value == "0 up to rounding"
    assert EXPERIMENT.run(settings | {"strength": 0.1}).quantities["added"].value > 1e-3


def test_any_sentence_in_any_order_is_the_same_without_positions() -> None:
    for sentence in ("a", "the the the", "the dog that bites the man sees a cat"):
        for order in ("turned round", "first word last"):
            settings = first_settings(EXPERIMENT.controls) | {"sentence": sentence, "order": order}
            assert EXPERIMENT.run(settings).quantities["without"].value == "0 up to rounding"


def test_two_rows_of_sinusoids_multiplied_depend_on_their_distance_only() -> None:
    """As the screen says: equal along every diagonal."""
    (screen,) = [screen for screen in LESSONS["10"].screens if screen.title == "Sinusoids"]
    assert screen.show is not None
    lines, heat = screen.show().views
    np.testing.assert_allclose(lines.lines["column 2"], sinusoids(32)[:, 2])  # type: ignore[union-attr]
    products = heat.numbers  # type: ignore[union-attr]
    for shift in range(len(products)):
        np.testing.assert_allclose(np.diag(products, shift), products[0, shift])
