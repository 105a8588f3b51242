"""What a cross-check compares: a model, random or from a folder, and a batch of random ids or of real sentences."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from graphlab.errors import ValueProblem
from transformer.checkpoint import load_model
from transformer.config import BertConfig
from transformer.drawing import shaken
from transformer.fetch import find_model
from transformer.model import IGNORED, BertForPreTraining, BertModel
from transformer.tokenizer import WordPieceTokenizer

Batch = dict[str, Tensor]
SEED = 0
BYTES_FOR_AN_ENTRY = 32


def prepare(
    config: str, weights: str | None, dtype: str, texts: Sequence[str], sentences: int, tokens: int | None
) -> tuple[BertModel | BertForPreTraining, Batch]:
    """A model and a batch for it: with weights an encoder and real texts, else a random model and random ids."""
    kind = torch.float32 if dtype == "float32" else torch.float64
    if weights is not None:
        return loaded_model(weights, kind), real_batch(weights, texts)
    model = random_model(config, kind)
    return model, random_batch(model.bert.config, sentences, tokens or (8 if config == "parity" else 32))


def random_model(config: str, dtype: torch.dtype) -> BertForPreTraining:
    """A model of this size with both heads, and every weight moved a little from where it begins."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return shaken(BertForPreTraining(BertConfig.named(config)).to(dtype), 0.02)


def random_batch(config: BertConfig, sentences: int, tokens: int) -> Batch:
    """Ids of which some repeat, the last row padded, two kinds of tokens, labels for every second token, and pairs."""
    tokens = min(tokens, config.max_position_embeddings)
    generator = torch.Generator().manual_seed(SEED)
    shape = (sentences, tokens)
    ids = torch.randint(1, config.vocab_size, shape, generator=generator)
    ids[:, tokens // 2] = ids[:, 0]
    mask = torch.ones(shape, dtype=torch.long)
    mask[-1, tokens - tokens // 4 :] = 0
    labels = torch.randint(0, config.vocab_size, shape, generator=generator)
    labels[:, ::2] = IGNORED
    labels[mask == 0] = IGNORED
    return {
        "input_ids": ids * mask,
        "attention_mask": mask,
        "token_type_ids": (torch.arange(tokens) > tokens // 2).long().repeat(sentences, 1),
        "labels": labels,
        "next_sentence_label": torch.arange(sentences) % 2,
    }


def loaded_model(weights: str, dtype: torch.dtype) -> BertModel:
    """The encoder in a folder, or under a fetched name. Raises ValueProblem with what is wrong, and what to do."""
    try:
        return load_model(find_model(weights), dtype=dtype)
    except ValueError as fault:
        raise ValueProblem(str(fault)) from None


def real_batch(weights: str, sentences: Sequence[str]) -> Batch:
    """These sentences as the model's own vocabulary cuts them, padded to one length. Raises ValueProblem."""
    try:
        tokenizer = WordPieceTokenizer.load(find_model(weights))
    except ValueError as fault:
        raise ValueProblem(str(fault)) from None
    ids, real = tokenizer.batch(sentences)
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(real).long()}


def batch_of_ids(ids: Sequence[int]) -> Batch:
    """One row of ids, none of them padding."""
    return {"input_ids": torch.tensor([list(ids)])}


def unfilled_model(config: str) -> BertForPreTraining:
    """A model of this size with both heads, of which only the shapes are there."""
    with torch.device("meta"):
        return BertForPreTraining(BertConfig.named(config))


def bytes_needed(module: nn.Module) -> int:
    """About what a cross-check takes. In float64: the weights once, shared, the gradients of both sides and one more in
    the making. In float32 the weights and the gradients of both sides take half of it, the judge in float64 the rest.
    The values on the way are small beside them."""
    return sum(BYTES_FOR_AN_ENTRY * parameter.numel() for parameter in module.parameters())


def memory_needed(module: nn.Module) -> str:
    """The same for a reader: "3.3 GiB"."""
    return f"{max(0.1, bytes_needed(module) / 2**30):.1f} GiB"
