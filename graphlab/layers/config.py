"""What blocks, encoders and BERT must be told, by the field names of the reference implementation's configurations.

The layers take any object with these fields. `Config` is one; its sizes may be names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from graphlab.engine.shapes import Dim


class BlockConfig(Protocol):
    """The fields that a block reads."""

    @property
    def hidden_size(self) -> Dim: ...
    @property
    def num_attention_heads(self) -> int: ...
    @property
    def intermediate_size(self) -> Dim: ...
    @property
    def layer_norm_eps(self) -> float: ...
    @property
    def hidden_act(self) -> str: ...


class EncoderConfig(BlockConfig, Protocol):
    """Those that a stack of blocks reads."""

    @property
    def num_hidden_layers(self) -> int: ...


class BertConfig(EncoderConfig, Protocol):
    """Those that BERT reads."""

    @property
    def vocab_size(self) -> Dim: ...
    @property
    def max_position_embeddings(self) -> Dim: ...
    @property
    def type_vocab_size(self) -> Dim: ...


@dataclass(frozen=True)
class Config:
    """The defaults are those of BERT base."""

    vocab_size: Dim = 30_522
    hidden_size: Dim = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: Dim = 3_072
    max_position_embeddings: Dim = 512
    type_vocab_size: Dim = 2
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"
