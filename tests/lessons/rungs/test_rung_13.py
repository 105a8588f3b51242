"""Rung 13: what knowing nothing costs, a masked batch, and one step, with torch's losses and its Adam."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Table
from graphlab.lessons.rungs import rung_13
from tests.lessons.rungs.reference import affine, embeddings, encoder, normalised, tensors

LESSON = LESSONS["13"]
IGNORED = -100
RATE, STEP, EPS = 0.15, 0.001, 1e-8
DRAWS = range(1, 21)


def nothing(choices: int) -> float:
    return float(functional.cross_entropy(torch.zeros(1, choices, dtype=torch.float64), torch.tensor([0])))


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    large, small, pairs = nothing(30_522), nothing(8_192), nothing(2)
    return {
        "nothing": large,
        "large": large,
        "small": small,
        "large_pairs": large + pairs,
        "small_pairs": small + pairs,
        "chosen": round(4_096 * 0.15),
        "hidden": round(4_096 * 0.15 * 0.8),
        "swapped": round(4_096 * 0.15 * 0.1),
        "kept": round(4_096 * 0.15 * 0.1),
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    assert [found[name] for name in ("large", "small", "large_pairs", "small_pairs")] == pytest.approx(
        [10.326, 9.011, 11.019, 9.704], abs=6e-4
    )
    assert [found[name] for name in ("chosen", "hidden", "swapped", "kept")] == [614, 492, 61, 61]


def test_the_switch_adds_what_knowing_nothing_about_pairs_costs() -> None:
    settings = first_settings(LESSON.experiment.controls)
    for vocabulary, size in rung_13.VOCABULARY_SIZES.items():
        found = LESSON.experiment.run(settings | {"vocabulary": vocabulary, "pairs": True}).quantities["nothing"]
        assert found.value == pytest.approx(math.log(size) + math.log(2))


# ---- the batch -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("draw", DRAWS)
def test_a_batch_asks_for_chosen_words_only_and_for_one_of_every_pair(draw: int) -> None:
    """Nothing else is changed, special tokens least of all."""
    words = rung_13.vocabulary()
    given, chosen = rung_13.masked_batch(RATE, draw)
    places = {(pair, place): kind for pair, place, kind in chosen}
    assert {pair for pair, _ in places} == set(range(len(rung_13.TEXT_VALUES)))
    for pair, (first, second, _) in enumerate(rung_13.TEXT_VALUES):
        row = f"[CLS] {first} [SEP] {second} [SEP]".split()
        assert given["attention_mask"][pair].sum() == len(row)
        for place, token in enumerate(row):
            reads, asks = words[given["input_ids"][pair, place]], given["labels"][pair, place]
            kind = places.get((pair, place))
            if kind is None:
                assert (reads, asks) == (token, IGNORED)
                continue
            assert not token.startswith("[") and words[asks] == token
            assert (reads == "[MASK]") == (kind == "[MASK]") and (reads == token) == (kind == "itself")


def test_in_many_batches_the_shares_are_those_asked_for() -> None:
    """15 in 100 tokens, of which 80, 10 and 10 in 100: within five deviations."""
    kinds = [kind for draw in range(400) for *_, kind in rung_13.masked_batch(RATE, draw)[1]]
    maskable = 400 * sum(len(f"{first} {second}".split()) for first, second, _ in rung_13.TEXT_VALUES)
    assert abs(len(kinds) / maskable - 0.15) < 5 * math.sqrt(0.15 * 0.85 / maskable) + 0.01  # one of every pair
    for kind, share in (("[MASK]", 0.8), ("another word", 0.1), ("itself", 0.1)):
        assert abs(kinds.count(kind) / len(kinds) - share) < 5 * math.sqrt(share * (1 - share) / len(kinds))


def test_the_first_batch_shows_all_three_kinds_each_in_its_colour() -> None:
    """And says in words what the colours say."""
    _, table = LESSON.experiment.at_first.views
    assert isinstance(table, Table)
    colours = {(table.rows[row][2], colour) for (row, _), colour in table.coloured.items()}
    assert len(colours) == len({kind for kind, _ in colours}) == len({colour for _, colour in colours}) == 3


# ---- one step --------------------------------------------------------------------------------------------------------
def loss_of(weights: dict[str, torch.Tensor], given: dict[str, Any]) -> torch.Tensor:
    """Both losses, pair by pair and without padding."""
    inner = {name.removeprefix("bert_"): tensor for name, tensor in weights.items()}
    scores, labels, pairs = [], [], []
    for pair, real in enumerate(given["attention_mask"]):
        ids, types, asked = (
            torch.tensor(given[name][pair][real]) for name in ("input_ids", "token_type_ids", "labels")
        )
        hidden = encoder(embeddings(ids, inner, types), inner, heads=2, blocks=2)[-1]
        bent = functional.gelu(affine(hidden, inner, "cls_predictions_transform_dense"))
        bent = normalised(bent, inner, "cls_predictions_transform_LayerNorm")
        scores.append(bent @ inner["embeddings_word_embeddings_weight"].T + inner["cls_predictions_bias"])
        labels.append(asked)
        pairs.append(affine(torch.tanh(affine(hidden[0], inner, "pooler_dense")), inner, "cls_seq_relationship"))
    tokens = functional.cross_entropy(torch.cat(scores), torch.cat(labels), ignore_index=IGNORED)
    follows = torch.tensor(given["next_sentence_label"])
    return tokens + functional.cross_entropy(torch.stack(pairs), follows)


def test_the_real_step_is_the_one_that_torch_takes() -> None:
    """Loss before, gradient of the word table, and loss after Adam's first step, which is the slope's sign but for eps
    (all its steps are compared with torch.optim's in test_optimisers)."""
    given, _ = rung_13.masked_batch(RATE, rung_13.DRAW_SEED)
    weights = tensors(rung_13.tiny()[1])
    loss = loss_of(weights, given)
    slopes = dict(zip(weights, torch.autograd.grad(loss, list(weights.values())), strict=True))
    moved = {name: weight - STEP * slopes[name] / (slopes[name].abs() + EPS) for name, weight in weights.items()}
    found = rung_13.one_step()
    assert found.quantities["before"].value == pytest.approx(loss.item(), rel=1e-10)
    assert found.quantities["after"].value == pytest.approx(loss_of(moved, given).item(), rel=1e-7)
    (table,) = found.views
    word_table = slopes["bert_embeddings_word_embeddings_weight"]
    assert table.as_table().rows[0][2] == pytest.approx(np.linalg.norm(word_table.numpy()), rel=1e-9)


def test_before_training_it_knows_next_to_nothing_and_one_step_helps() -> None:
    found = rung_13.one_step().quantities
    assert found["nothing"].value == pytest.approx(math.log(len(rung_13.vocabulary())) + math.log(2))
    assert abs(found["before"].value - found["nothing"].value) < 0.3
    assert found["after"].value < found["before"].value - 0.2


def test_a_place_that_is_not_asked_for_gets_no_gradient() -> None:
    """The screen's middle row, exactly."""
    walk = LESSON.screens[0].walk
    assert walk is not None
    gradient = walk.trace.known_gradients[walk.id_of("Z")]
    assert not gradient[1].any() and gradient[0].all() and gradient[2].all()
    np.testing.assert_allclose(gradient[0], [1 / 8, -3 / 8, 1 / 8, 1 / 8])
