"""Rung 12: BERT. Its parameters counted by torch, and one word in four sentences through torch's own attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.laboratories.checkpoints import Checkpoint, find_minilm
from graphlab.lessons.rungs import rung_12
from tests.lessons.rungs.reference import embeddings, encoder, tensors
from tests.transformer.minilm import minilm as fetched_minilm

EXPERIMENT = LESSONS["12"].experiment
SENTENCES = (
    "i went to the bank to get money .",
    "i rushed to the bank for a loan .",
    "i sat on the bank of the river .",
    "i stood on the bank of the stream .",
)
PLACE = 5


def vectors(model: Checkpoint) -> torch.Tensor:
    """The fifth token of every sentence, (blocks + 1, sentences, d)."""
    weights = tensors(model.weights)
    rows = []
    for sentence in SENTENCES:
        ids = torch.tensor([model.ids[token] for token in ("[CLS]", *sentence.split(), "[SEP]")])
        with torch.no_grad():
            x = embeddings(ids, weights)
            states = encoder(x, weights, model.config.num_attention_heads, model.config.num_hidden_layers)
        rows.append(torch.stack([state[PLACE] for state in states]))
    return torch.stack(rows, dim=1)


def cosines(model: Checkpoint) -> np.ndarray[Any, Any]:
    unit = nn.functional.normalize(vectors(model), dim=-1)
    return np.asarray(unit @ unit.transpose(1, 2))


def expected() -> dict[str, Any]:
    """What the experiment must show, with the weights that are here."""
    found = cosines(rung_12.checkpoint(rung_12.REAL))
    across = found[-1, :2, 2:]
    return {
        "bottom": found[0].min(),
        "money_loan": found[-1, 0, 1],
        "river_stream": found[-1, 2, 3],
        "across_least": across.min(),
        "across_most": across.max(),
        **{name: f"{number:,}" for name, number in parameters().items()},
    }


def parameters() -> dict[str, int]:
    """BERT base made of torch's own modules."""
    tables = [nn.Embedding(rows, 768) for rows in (30_522, 512, 2)]
    block = nn.TransformerEncoderLayer(768, 12, 3_072, activation="gelu")
    pooler, bent, norm = nn.Linear(768, 768), nn.Linear(768, 768), nn.LayerNorm(768)
    sentences = nn.Linear(768, 2)
    encoder_alone = sum(map(size, [*tables, norm])) + 12 * size(block)
    head = size(bent) + size(norm) + 30_522
    base = encoder_alone + size(pooler)
    return {"parameters": base, "with_tokens": encoder_alone + head, "with_both": base + head + size(sentences)}


def size(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def test_the_lecture_says_these_numbers() -> None:
    """The counts, and one vector before the first block; after the last the pairs are four different numbers."""
    found = expected()
    assert [found[name] for name in ("parameters", "with_tokens", "with_both")] == [
        "109,482,240",
        "109,514,298",
        "110,106,428",
    ]
    assert found["bottom"] == pytest.approx(1, abs=1e-12)
    assert max(found["money_loan"], found["river_stream"], found["across_most"]) < 0.999


def test_real_weights_tell_money_from_the_river() -> None:
    """The numbers of the lecture."""
    folder = fetched_minilm()
    assert find_minilm() == folder
    found = EXPERIMENT.run(first_settings(EXPERIMENT.controls)).quantities
    assert found["weights"].shown == "MiniLM"
    assert found["money_loan"].value == pytest.approx(0.912, abs=5e-4)
    assert found["river_stream"].value == pytest.approx(0.936, abs=5e-4)
    assert found["across_least"].value == pytest.approx(0.796, abs=5e-4)
    assert found["across_most"].value == pytest.approx(0.852, abs=5e-4)


def test_without_real_weights_the_page_says_so_and_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """And still contradicts the tempting answer."""
    monkeypatch.setattr(rung_12, "find_minilm", lambda: None)
    findings = EXPERIMENT.run(first_settings(EXPERIMENT.controls))
    found = findings.quantities
    assert found["weights"].shown == "random"
    assert "transformer fetch" in findings.views[0].as_table().texts[0][0]
    assert found["bottom"].value == pytest.approx(1, abs=1e-12) and found["across_most"].value < 0.999


def test_random_weights_are_compared_with_torch_block_by_block() -> None:
    """The heat of every block."""
    settings = first_settings(EXPERIMENT.controls) | {"weights": rung_12.RANDOM}
    wanted = cosines(rung_12.random_checkpoint())
    for block, cosine in enumerate(wanted):
        heat, _ = EXPERIMENT.run(settings | {"block": block}).views
        np.testing.assert_allclose(heat.numbers, cosine, atol=1e-12)  # type: ignore[union-attr]


def test_the_word_is_the_fifth_token_of_every_sentence() -> None:
    """As the question says."""
    assert tuple(rung_12.SENTENCES.values()) == SENTENCES
    assert {(["[CLS]", *sentence.split()]).index(rung_12.WORD) for sentence in SENTENCES} == {PLACE}
