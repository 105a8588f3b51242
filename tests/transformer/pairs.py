"""Our model and the reference library's, with the same random weights, and a batch for both."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from tests.requirements import needs
from transformer.config import BertConfig
from transformer.drawing import shaken
from transformer.model import BertForPreTraining

SMALL = BertConfig(
    vocab_size=50,
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=40,
    max_position_embeddings=20,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)


def reference_config(config: BertConfig, **changes: Any) -> Any:
    transformers = needs("transformers")
    return transformers.BertConfig(**asdict(config) | changes, attn_implementation="eager")


def pair(
    dtype: torch.dtype = torch.float64, config: BertConfig = SMALL, **changes: Any
) -> tuple[BertForPreTraining, Any]:
    """Our pre-training model and the reference's, in evaluation mode; `changes` are made to the reference alone."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    ours = shaken(BertForPreTraining(config).to(dtype), 0.1)
    theirs = needs("transformers").BertForPreTraining(reference_config(config, **changes)).to(dtype).eval()
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


def batch(config: BertConfig = SMALL, sentences: int = 3, tokens: int = 11) -> dict[str, Tensor]:
    """Repeated ids, padding of different lengths, two sentence types."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, config.vocab_size, (sentences, tokens), generator=generator)
    ids[:, 3] = ids[:, 1]
    mask = torch.arange(tokens)[None] < torch.tensor([[tokens], [tokens - 3], [tokens - 5]])[:sentences]
    types = (torch.arange(tokens) > 4).long().expand(sentences, tokens)
    return {"input_ids": ids * mask, "attention_mask": mask.long(), "token_type_ids": types}


def labels(config: BertConfig = SMALL, sentences: int = 3, tokens: int = 11) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(2)
    words = torch.randint(0, config.vocab_size, (sentences, tokens), generator=generator)
    words[:, ::2] = -100
    return {"labels": words, "next_sentence_label": torch.tensor([0, 1, -100])[:sentences]}


def largest(*tensors: Tensor) -> float:
    return max(float(tensor.detach().abs().max()) for tensor in tensors)


def difference(a: Tensor, b: Tensor) -> float:
    return largest(a - b)
