"""Who looks at whom: every head's attention on a text, what its scores are made of, the gradient of the same maps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer.model import BertModel
from transformer.record import Record
from transformer.tokenizer import WordPieceTokenizer

Array = np.ndarray[Any, np.dtype[np.float32]]


class Maps(NamedTuple):
    """What a text does to every head. L layers, H heads, n tokens, d_k entries of a query.

    queries, keys (L, H, n, d_k); probabilities (L, H, n, n): row i says where token i looks. gradients (L, H, n, n):
    how the likeness (cosine) of the last layer's vectors of two tokens, `first` and `second`, grows with each entry.
    """

    tokens: tuple[str, ...]
    queries: Array
    keys: Array
    probabilities: Array
    gradients: Array
    first: int
    second: int
    likeness: float

    def score_parts(self, layer: int, head: int, i: int, j: int) -> Array:
        """The summands (d_k,) of the score of query i against key j: qᵢ ⊙ kⱼ/√d_k."""
        query = self.queries[layer, head, i]
        return query * self.keys[layer, head, j] / np.float32(np.sqrt(query.shape[-1]))  # type: ignore[no-any-return]


def attention_maps(
    model: BertModel,
    tokenizer: WordPieceTokenizer,
    text: str,
    second: str | None = None,
    pair: tuple[int, int] = (0, 1),
) -> Maps:
    """All heads' maps of a text (or a pair of texts). Raises ValueError for more tokens than the model has positions.

    `pair` are the two tokens whose likeness is differentiated; places beyond the text mean its last token.
    """
    ids, types = tokenizer.encode(text, second)
    record = Record()
    hidden = model(torch.tensor([ids]), token_type_ids=torch.tensor([types]), record=record).hidden[0]
    first, other = (min(place, len(ids) - 1) for place in pair)
    likeness = torch.nn.functional.cosine_similarity(hidden[first], hidden[other], dim=0)
    probabilities = [attention.probabilities for attention in record.attentions]
    gradients = torch.autograd.grad(likeness, probabilities)
    return Maps(
        tuple(tokenizer.tokens(ids)),
        _stacked([attention.query for attention in record.attentions]),
        _stacked([attention.key for attention in record.attentions]),
        _stacked(probabilities),
        _stacked(list(gradients)),
        first,
        other,
        float(likeness.detach()),
    )


def _stacked(tensors: list[Tensor]) -> Array:
    """One array (L, H, …) of what the layers hold for the only sentence."""
    return torch.cat([tensor.detach() for tensor in tensors]).float().numpy()
