"""What a pass of the model keeps for whoever asks: `model(ids, record=Record())`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from torch import Tensor


class Attention(NamedTuple):
    """What one layer's attention computed: query, key, value, context (B, H, n, d_k); the others (B, H, n, n)."""

    query: Tensor
    key: Tensor
    value: Tensor
    products: Tensor  # q·k
    scores: Tensor  # q·k/√d_k
    visible: Tensor  # the scores, with the lowest number where one may not look
    probabilities: Tensor
    context: Tensor


@dataclass
class Record:
    """What a pass keeps for whoever asks: the hidden states (B, n, d) before and after every layer, the attentions."""

    hidden_states: list[Tensor] = field(default_factory=list)
    attentions: list[Attention] = field(default_factory=list)
