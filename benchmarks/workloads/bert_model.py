"""BERT once for all peers, over the few functions that each library has in a form of its own (`Library`)."""

from __future__ import annotations

from typing import Any, Protocol

from benchmarks.workloads.bert_values import Arrays, Config


class Library(Protocol):
    """What the model needs, as users of the library write it. Arrays are (batch, tokens, …)."""

    def linear(self, x: Any, weight: Any, bias: Any) -> Any: ...
    def split(self, x: Any, heads: int) -> Any: ...
    def merge(self, x: Any) -> Any: ...
    def attention(self, q: Any, k: Any, v: Any) -> Any: ...
    def layer_norm(self, x: Any, weight: Any, bias: Any, eps: float) -> Any: ...
    def gelu(self, x: Any) -> Any: ...


class Module:
    """The parameters under one prefix, applied."""

    def __init__(self, library: Library, config: Config, parameters: Arrays, prefix: str = "") -> None:
        self.library, self.config, self.parameters, self.prefix = library, config, parameters, prefix

    def __getitem__(self, name: str) -> Any:
        return self.parameters[self.prefix + name]

    def linear(self, name: str, x: Any) -> Any:
        return self.library.linear(x, self[f"{name}.weight"], self[f"{name}.bias"])

    def norm(self, name: str, x: Any) -> Any:
        return self.library.layer_norm(x, self[f"{name}.weight"], self[f"{name}.bias"], self.config.layer_norm_eps)


def layer(at: Module, x: Any) -> Any:
    """One encoder layer with its norms after the residual additions."""
    heads = at.config.num_attention_heads
    q, k, v = (at.library.split(at.linear(f"attention.self.{name}", x), heads) for name in ("query", "key", "value"))
    mixed = at.library.merge(at.library.attention(q, k, v))
    x = at.norm("attention.output.LayerNorm", at.linear("attention.output.dense", mixed) + x)
    inner = at.library.gelu(at.linear("intermediate.dense", x))
    return at.norm("output.LayerNorm", at.linear("output.dense", inner) + x)


def word_scores(library: Library, config: Config, parameters: Arrays, ids: Any) -> Any:
    """Scores of all words at every position: (batch, tokens, vocabulary)."""
    bert = Module(library, config, parameters, "bert.embeddings.")
    x = bert["word_embeddings.weight"][ids] + bert["position_embeddings.weight"][: ids.shape[-1]]
    x = bert.norm("LayerNorm", x + bert["token_type_embeddings.weight"][0])
    for number in range(config.num_hidden_layers):
        x = layer(Module(library, config, parameters, f"bert.encoder.layer.{number}."), x)
    head = Module(library, config, parameters, "cls.predictions.")
    x = head.norm("transform.LayerNorm", library.gelu(head.linear("transform.dense", x)))
    return library.linear(x, bert["word_embeddings.weight"], head["bias"])
