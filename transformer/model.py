"""BERT, the whole network from top to bottom (Devlin et al., 2019; Vaswani et al., 2017 for the block).

Sizes in the comments: B sentences, n tokens each, d hidden units, H heads, d_k = d/H. A token is a row.

The names of modules are the keys of the reference's checkpoints, so weights are copied by name, without a key map.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name it goes by

from transformer.config import BertConfig
from transformer.record import Attention, Record

IGNORED = -100  # the label of a token that no loss looks at


class Encoded(NamedTuple):
    """What BertModel returns: one vector per token (B, n, d), one per sentence (B, d) unless there is no pooler."""

    hidden: Tensor
    pooled: Tensor | None


class BertEmbeddings(nn.Module):
    """A token's vector: what it is + where it stands + which sentence it is in, normalised."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        d = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, d, padding_idx=config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, d)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, d)
        self.LayerNorm = nn.LayerNorm(d, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor) -> Tensor:
        n, longest = input_ids.shape[-1], self.position_embeddings.num_embeddings
        if n > longest:
            raise ValueError(f"{n} tokens are more than the {longest} positions of this model")
        positions = torch.arange(n, device=input_ids.device)
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)  # (B, n, d)
        x = x + self.position_embeddings(positions)  # (n, d) is added to every sentence
        return cast(Tensor, self.dropout(self.LayerNorm(x)))


class BertSelfAttention(nn.Module):
    """Every token asks (query), every token answers (key) and gives (value): H attentions side by side."""

    def __init__(self, config: BertConfig, *, fused: bool = False) -> None:
        super().__init__()
        d = config.hidden_size
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)
        self.heads = config.num_attention_heads
        self.fused = fused

    def forward(self, x: Tensor, mask: Tensor | None, record: Record | None = None) -> Tensor:
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))  # each (B, H, n, d_k)
        if self.fused and record is None:
            hidden = None if mask is None else torch.zeros_like(mask, dtype=q.dtype).masked_fill(~mask, lowest(q))
            context = F.scaled_dot_product_attention(q, k, v, hidden, self.dropout.p if self.training else 0.0)
            return self.merge(context)
        products = q @ k.transpose(-1, -2)  # (B, H, n, n): row i asks, column j answers
        scores = products / math.sqrt(q.shape[-1])
        visible = scores if mask is None else scores.masked_fill(~mask, lowest(q))  # mask (B, 1, 1 or n, n)
        wide = torch.float32 if q.dtype in (torch.float16, torch.bfloat16) else q.dtype
        probabilities = visible.softmax(dim=-1, dtype=wide).to(q.dtype)
        context = self.dropout(probabilities) @ v  # (B, H, n, d_k)
        if record is not None:
            record.attentions.append(Attention(q, k, v, products, scores, visible, probabilities, context))
        return self.merge(context)

    def split(self, x: Tensor) -> Tensor:
        """Each head gets its own d_k of the d units."""
        B, n, d = x.shape
        return x.view(B, n, self.heads, d // self.heads).transpose(1, 2)  # (B, n, d) → (B, n, H, d_k) → (B, H, n, d_k)

    def merge(self, x: Tensor) -> Tensor:
        """The heads' vectors of a token, one after the other."""
        B, H, n, d_k = x.shape
        return x.transpose(1, 2).reshape(B, n, H * d_k)  # (B, H, n, d_k) → (B, n, H, d_k) → (B, n, d)


def lowest(x: Tensor) -> float:
    """The score of what may not be looked at. Finite, so that a row with nothing to look at is no nan."""
    return torch.finfo(x.dtype).min


class AddAndNorm(nn.Module):
    """A dense layer, added to what went around it (the residual), normalised."""

    def __init__(self, inputs: int, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        return cast(Tensor, self.LayerNorm(self.dropout(self.dense(x)) + residual))  # (B, n, d)


class BertAttention(nn.Module):
    """The first half of a block: tokens exchange information."""

    def __init__(self, config: BertConfig, *, fused: bool = False) -> None:
        super().__init__()
        self.self = BertSelfAttention(config, fused=fused)
        self.output = AddAndNorm(config.hidden_size, config)

    def forward(self, x: Tensor, mask: Tensor | None, record: Record | None = None) -> Tensor:
        return cast(Tensor, self.output(self.self(x, mask, record), residual=x))


class DenseGelu(nn.Module):
    """A dense layer with GELU."""

    def __init__(self, inputs: int, outputs: int, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, outputs)
        self.approximate = "tanh" if config.hidden_act == "gelu_new" else "none"

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(self.dense(x), approximate=self.approximate)


class BertLayer(nn.Module):
    """One block: attention, then the same small network for every token by itself."""

    def __init__(self, config: BertConfig, *, fused: bool = False) -> None:
        super().__init__()
        self.attention = BertAttention(config, fused=fused)
        self.intermediate = DenseGelu(config.hidden_size, config.intermediate_size, config)  # d → 4d
        self.output = AddAndNorm(config.intermediate_size, config)  # 4d → d

    def forward(self, x: Tensor, mask: Tensor | None, record: Record | None = None) -> Tensor:
        x = self.attention(x, mask, record)
        return cast(Tensor, self.output(self.intermediate(x), residual=x))


class BertEncoder(nn.Module):
    """The blocks, one after the other."""

    def __init__(self, config: BertConfig, *, fused: bool = False) -> None:
        super().__init__()
        self.layer = nn.ModuleList([BertLayer(config, fused=fused) for _ in range(config.num_hidden_layers)])

    def forward(self, x: Tensor, mask: Tensor | None, record: Record | None = None) -> Tensor:
        if record is not None:
            record.hidden_states.append(x)
        for layer in self.layer:
            x = layer(x, mask, record)
            if record is not None:
                record.hidden_states.append(x)
        return x


class BertPooler(nn.Module):
    """One vector per sentence, made from its first token, [CLS]."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden: Tensor) -> Tensor:
        return torch.tanh(self.dense(hidden[:, 0]))  # (B, n, d) → (B, d)


class BertModel(nn.Module):
    """Token ids in, a vector for every token (and one for the sentence) out.

    `fused` computes attention in one kernel, unless a record is asked for; the numbers are the same up to rounding.
    """

    def __init__(self, config: BertConfig, *, pooler: bool = True, fused: bool = False) -> None:
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config, fused=fused)
        self.pooler = BertPooler(config) if pooler else None
        self.apply(self.initialise)

    def initialise(self, module: nn.Module) -> None:
        """Weights are drawn with deviation 0.02, biases start at 0; the row of padding is 0."""
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            nn.init.zeros_(module.weight[module.padding_idx].detach())

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        record: Record | None = None,
    ) -> Encoded:
        """input_ids (B, n). attention_mask: true (or 1) where one may look; (B, n), or (B, n, n) row by row.

        token_type_ids (B, n): 0 for the first sentence, 1 for the second. Raises ValueError for too many tokens.
        """
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        mask = None
        if attention_mask is not None:
            rows = attention_mask if attention_mask.dim() == 3 else attention_mask[:, None]  # (B, n, n) or (B, 1, n)
            mask = rows[:, None].bool()  # the same for every head: (B, 1, n, n) or (B, 1, 1, n)
        hidden = self.encoder(self.embeddings(input_ids, types), mask, record)
        return Encoded(hidden, None if self.pooler is None else self.pooler(hidden))


# ---- heads: what a task puts on top ----------------------------------------------------------------------------------
class TokenTransform(DenseGelu):
    """The last look at a token before the vocabulary: dense, GELU, normalised."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config.hidden_size, config.hidden_size, config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.LayerNorm(super().forward(x)))  # (…, d)


class MaskedTokenHead(nn.Module):
    """Scores for every word of the vocabulary."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.transform = TokenTransform(config)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.bias = self.decoder.bias  # the reference keeps it under both names

    def forward(self, hidden: Tensor) -> Tensor:
        return cast(Tensor, self.decoder(self.transform(hidden)))  # (…, d) → (…, V)


class PreTrainingHeads(nn.Module):
    """The two tasks of pre-training: which word is masked, and does the second sentence follow the first."""

    predictions: MaskedTokenHead | None
    seq_relationship: nn.Linear | None

    def __init__(self, config: BertConfig, *, tokens: bool, sentences: bool) -> None:
        super().__init__()
        self.predictions = MaskedTokenHead(config) if tokens else None
        self.seq_relationship = nn.Linear(config.hidden_size, 2) if sentences else None


class BertForPreTraining(nn.Module):
    """BERT with its pre-training heads: `tokens` (masked words) and `sentences` (label 0: the second is the next one).

    The matrix that scores the words is the word embeddings' own (tied): one parameter, used twice.
    """

    def __init__(self, config: BertConfig, *, tokens: bool = True, sentences: bool = True, fused: bool = False) -> None:
        super().__init__()
        self.bert = BertModel(config, pooler=sentences, fused=fused)
        self.cls = PreTrainingHeads(config, tokens=tokens, sentences=sentences)
        self.cls.apply(self.bert.initialise)
        if self.cls.predictions is not None:
            self.cls.predictions.decoder.weight = self.bert.embeddings.word_embeddings.weight

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        record: Record | None = None,
    ) -> tuple[Tensor | None, Tensor | None]:
        """Scores of the words (B, n, V) and of the two answers about the sentences (B, 2); None for a missing head."""
        hidden, pooled = self.bert(input_ids, attention_mask, token_type_ids, record)
        words, follows = self.cls.predictions, self.cls.seq_relationship
        return words(hidden) if words is not None else None, follows(pooled) if follows is not None else None

    def loss(
        self,
        input_ids: Tensor,
        labels: Tensor | None = None,
        next_sentence_label: Tensor | None = None,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
    ) -> Tensor:
        """The mean cross-entropy of the labelled tokens plus that of the sentence pairs, for the labels given.

        labels (B, n) and next_sentence_label (B,): IGNORED counts nowhere, and in either by itself. Only rows with a
        label reach the vocabulary: the same loss as with all rows, for far less work.
        """
        hidden, pooled = self.bert(input_ids, attention_mask, token_type_ids)
        loss: Tensor = hidden.new_zeros(())
        words, follows = self.cls.predictions, self.cls.seq_relationship
        if labels is not None and words is not None:
            chosen = labels != IGNORED  # (B, n)
            loss = loss + F.cross_entropy(words(hidden[chosen]), labels[chosen])  # (rows, V)
        if next_sentence_label is not None and follows is not None:
            loss = loss + F.cross_entropy(follows(pooled), next_sentence_label, ignore_index=IGNORED)
        return loss


class BertForClassification(nn.Module):
    """BERT with a classifier: of whole sentences (B, labels), or with `per_token` of every token (B, n, labels)."""

    def __init__(self, config: BertConfig, labels: int, *, per_token: bool = False, fused: bool = False) -> None:
        super().__init__()
        self.bert = BertModel(config, pooler=not per_token, fused=fused)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.classifier = nn.Linear(config.hidden_size, labels)
        self.classifier.apply(self.bert.initialise)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None
    ) -> Tensor:
        hidden, pooled = self.bert(input_ids, attention_mask, token_type_ids)
        return cast(Tensor, self.classifier(self.dropout(hidden if pooled is None else pooled)))


class BertForQuestionAnswering(nn.Module):
    """BERT with a score per token for being the first, and for being the last, of the answer."""

    def __init__(self, config: BertConfig, *, fused: bool = False) -> None:
        super().__init__()
        self.bert = BertModel(config, pooler=False, fused=fused)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.qa_outputs.apply(self.bert.initialise)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Scores (B, n) of the first and of the last token."""
        hidden, _ = self.bert(input_ids, attention_mask, token_type_ids)
        first, last = self.qa_outputs(hidden).unbind(dim=-1)  # (B, n, 2) → twice (B, n)
        return first, last
