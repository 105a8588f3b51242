"""Rung 11: two masks on one sentence, and which words a loss reaches, with torch's own attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.laboratories.encoders import word_rows
from graphlab.lessons.rungs import rung_11
from tests.lessons.rungs.reference import encoder, tensors
from tests.lessons.rungs.test_rung_10 import sinusoids

LESSON = LESSONS["11"]
WORDS = "the cat sat on the mat .".split()
VOCABULARY = ["[MASK]", "the", "cat", "sat", "on", "mat", "."]
SIZE, HEADS = 8, 2


def reached(row: int, *, causal: bool, blocks: int = 2) -> np.ndarray[Any, Any]:
    """The size of each row's gradient from the loss at one row, counted from 0."""
    says = WORDS[row + 1] if causal else WORDS[row]
    reads = WORDS[:-1] if causal else [*WORDS[:row], "[MASK]", *WORDS[row + 1 : -1]]
    x = torch.tensor(word_rows(reads, SIZE, seed=rung_11.WORDS_SEED) + sinusoids(6), requires_grad=True)
    words = torch.tensor(word_rows(VOCABULARY, SIZE, seed=rung_11.WORDS_SEED))
    hidden = encoder(x, tensors(rung_11.weights(blocks)), HEADS, blocks, causal=causal)[-1]
    loss = functional.cross_entropy(hidden[row : row + 1] @ words.T, torch.tensor([VOCABULARY.index(says)]))
    (gradient,) = torch.autograd.grad(loss, x)
    return np.asarray(np.linalg.norm(gradient.numpy(), axis=-1))


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    both_ways, causal = reached(2, causal=False), reached(2, causal=True)
    return {
        "both_ways": both_ways,
        "causal": causal,
        "number_both_ways": np.count_nonzero(both_ways),
        "number_causal": np.count_nonzero(causal),
        "future": causal[3:].max(),
    }


def test_the_lecture_says_these_numbers() -> None:
    """Six of six; and three, the others exactly 0."""
    found = expected()
    assert found["number_both_ways"] == 6 and min(found["both_ways"]) > 1e-3
    assert found["number_causal"] == 3 and min(found["causal"][:3]) > 1e-3
    assert found["future"] == 0


@pytest.mark.parametrize("blocks", [1, 4])
def test_no_row_and_no_number_of_blocks_lets_the_future_in(blocks: int) -> None:
    """The causal triangle is exact; the bidirectional square is full; both are torch's."""
    settings = first_settings(LESSON.experiment.controls) | {"blocks": blocks}
    for mask in ("bidirectional", "causal"):
        *_, heat = LESSON.experiment.run(settings | {"mask": mask}).views
        numbers = heat.numbers  # type: ignore[union-attr]
        wanted = [reached(row, causal=mask == "causal", blocks=blocks) for row in range(6)]
        np.testing.assert_allclose(numbers, wanted, atol=1e-12)
        above = numbers[np.triu_indices(6, 1)]
        assert not above.any() if mask == "causal" else above.all()


def test_a_model_never_sees_the_word_that_it_must_say_where_it_must_say_it() -> None:
    """Hidden in one, after the row in the other."""
    for row in range(6):
        reads, says = rung_11.asked("bidirectional", row)
        assert reads[row] == "[MASK]" and says == WORDS[row]
        reads, says = rung_11.asked("causal", row)
        assert reads == WORDS[:-1] and says == WORDS[row + 1]


def test_the_masked_screen_sends_nothing_above_the_diagonal_although_it_was_asked_to() -> None:
    """The upstream there is not 0; the gradient of the scores is."""
    walks = {screen.title: screen.walk for screen in LESSON.screens}
    masked, open_ = walks["The mask, backward"], walks["Without the mask"]
    assert masked is not None and open_ is not None
    above = np.triu_indices(3, 1)
    for walk, is_masked in ((masked, True), (open_, False)):
        gradients = walk.trace.known_gradients
        assert gradients[walk.id_of("P")][1, 2] == 7
        found = gradients[walk.id_of("S")]
        assert not found[above].any() if is_masked else found[1, 2] != 0
