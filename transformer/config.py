"""The sizes of a BERT, under the field names of the reference's config.json."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Self


@dataclass(frozen=True)
class BertConfig:
    """The defaults are BERT-base (Devlin et al., 2019, section 3). Raises ValueError for sizes that cannot be.

    hidden_act "gelu" is exact (by erf), "gelu_new" the tanh form. The heads share hidden_size evenly.
    """

    vocab_size: int = 30_522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3_072
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    layer_norm_eps: float = 1e-12
    initializer_range: float = 0.02
    pad_token_id: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and (not isinstance(value, int) or value < (field.name == "vocab_size")):
                raise ValueError(f"config: {field.name} must be a whole number, not {value!r}")
            if field.type == "float" and not (isinstance(value, (int, float)) and 0 <= value < 1):
                raise ValueError(f"config: {field.name} must be a number from 0 to 1, not {value!r}")
        if self.hidden_act not in ("gelu", "gelu_new"):
            raise ValueError(f"config: hidden_act must be gelu or gelu_new, not {self.hidden_act!r:.40}")
        if self.num_attention_heads < 1 or self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"config: {self.hidden_size} hidden units cannot be shared evenly by {self.num_attention_heads} heads"
            )

    @property
    def head_size(self) -> int:
        """How long a query of one head is: d_k = hidden_size / num_attention_heads."""
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def base(cls) -> Self:
        """BERT-base: 109,482,240 parameters."""
        return cls()

    @classmethod
    def minilm_l6(cls) -> Self:
        """The shape of all-MiniLM-L6-v2, whose weights `python -m transformer fetch minilm-l6` gets."""
        return cls(hidden_size=384, num_hidden_layers=6, intermediate_size=1_536)

    @classmethod
    def tiny(cls) -> Self:
        """Two layers: small enough for a page to run at once."""
        return cls(hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512)

    @classmethod
    def local(cls) -> Self:
        """Trainable on a laptop's processor."""
        return cls(
            vocab_size=8_192, hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1_024
        )

    @classmethod
    def parity(cls) -> Self:
        """As small as a BERT can be, for comparing every number in float64."""
        return cls(
            vocab_size=20,
            hidden_size=8,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=16,
        )

    @classmethod
    def named(cls, name: str) -> Self:
        """One of the configurations above. Raises ValueError listing them."""
        made = {
            "base": cls.base,
            "minilm-l6": cls.minilm_l6,
            "tiny": cls.tiny,
            "local": cls.local,
            "parity": cls.parity,
        }
        if name not in made:
            raise ValueError(f"there is no configuration called {name!r:.40}; those there are: {', '.join(made)}")
        return made[name]()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The fields of a config.json that this model knows; others (versions, label names …) are left aside.

        Raises ValueError for what is no configuration of a BERT, or of one that is built otherwise.
        """
        try:
            data = json.loads(text)
        except ValueError as fault:
            raise ValueError(f"config.json is not JSON: {fault}") from None
        if not isinstance(data, dict) or data.get("model_type", "bert") != "bert":
            raise ValueError("config.json does not describe a BERT")
        _refuse_other_builds(data)
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})

    def to_json(self) -> str:
        """The text of a config.json, which the reference library reads too."""
        told = {"architectures": ["BertModel"], "model_type": "bert", **asdict(self)}
        return json.dumps(told, indent=2, sort_keys=True) + "\n"


def _refuse_other_builds(data: dict[str, Any]) -> None:
    built = {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False}
    for name, expected in built.items():
        if data.get(name, expected) != expected:
            raise ValueError(f"config.json asks for {name} = {data[name]!r:.40}, but this BERT has {expected!r} only")
