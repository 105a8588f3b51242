"""One word in several sentences: its vectors in every layer, how alike they are, and a plane to draw them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from transformer.model import BertModel
from transformer.record import Record
from transformer.tokenizer import WordPieceTokenizer

Array = np.ndarray[Any, np.dtype[np.float64]]


class Contexts(NamedTuple):
    """`vectors` (layers + 1, sentences, d): row 0 before the first block. `pieces`: each sentence with [CLS] and [SEP];
    `places` says which of them are the word; a word of several pieces has their mean as its vector."""

    pieces: tuple[tuple[str, ...], ...]
    places: tuple[range, ...]
    vectors: Array


def word_in_context(model: BertModel, tokenizer: WordPieceTokenizer, sentences: Sequence[str], word: str) -> Contexts:
    """The vectors of a word's first occurrence in each sentence. Raises ValueError naming a sentence without it, or
    one that is too long for the model."""
    wanted = tokenizer.pieces(word)
    if not wanted:
        raise ValueError("no word was given")
    ids, real = tokenizer.batch(sentences)
    pieces = tuple(tuple(tokenizer.tokens(row)[: sum(used)]) for row, used in zip(ids, real, strict=True))
    places = tuple(_find(wanted, row, sentence, word) for row, sentence in zip(pieces, sentences, strict=True))
    record = Record()
    with torch.no_grad():
        model(torch.tensor(ids), torch.tensor(real), record=record)
    states = np.stack([state.double().numpy() for state in record.hidden_states])  # (layers + 1, B, n, d)
    vectors = np.stack([states[:, row, place].mean(axis=1) for row, place in enumerate(places)], axis=1)
    return Contexts(pieces, places, vectors)


def cosines(vectors: Array) -> Array:
    """How alike the rows of `vectors` (k, d) point: (k, k), 1 for the same direction."""
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit @ unit.T  # type: ignore[no-any-return]


def plane(vectors: Array) -> tuple[Array, float]:
    """The rows of `vectors` (k, d) on the plane on which they differ most (k, 2), and the share of their variance that
    is seen there. The signs are fixed: in each column the largest entry is positive."""
    away = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(away, full_matrices=False)
    points = np.zeros((len(vectors), 2))
    drawn = left[:, :2] * sizes[:2]
    points[:, : drawn.shape[1]] = drawn * np.sign(drawn[np.abs(drawn).argmax(axis=0), np.arange(drawn.shape[1])])
    whole = float((sizes**2).sum())
    return points, float((sizes[:2] ** 2).sum()) / whole if whole > 1e-12 else 1.0


def stands_in(tokenizer: WordPieceTokenizer, sentence: str, word: str) -> bool:
    """Whether the pieces of a word stand in a sentence, one after the other."""
    return _place(tokenizer.pieces(word), tokenizer.pieces(sentence)) is not None


def _place(wanted: Sequence[str], row: Sequence[str]) -> range | None:
    for start in range(len(row) - len(wanted) + 1):
        if list(row[start : start + len(wanted)]) == list(wanted):
            return range(start, start + len(wanted))
    return None


def _find(wanted: list[str], row: tuple[str, ...], sentence: str, word: str) -> range:
    place = _place(wanted, row)
    if place is None:
        raise ValueError(f"the word {word!r:.40} does not stand in {sentence!r:.80}")
    return place
