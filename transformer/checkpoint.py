"""A model as a folder: config.json, vocab.txt and model.safetensors, as the reference library writes and reads it.

Only safetensors are read: a pickle can run code, so it is refused. Old names are understood (gamma and beta; with or
without the prefix "bert."), and a report says exactly what was found, what was missing and what was left aside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar, overload

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from transformer.config import BertConfig
from transformer.model import BertModel

WEIGHTS, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocab.txt"
PICKLES = ("pytorch_model.bin", "model.pt", "model.pth", "model.ckpt")
TIED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")  # kept once, under their other name
HEADS = ("cls.", "classifier.", "qa_outputs.")
Model = TypeVar("Model", bound=nn.Module)


class CheckpointError(ValueError):
    """A folder or file that is not the model it should be. The message says which, and what to try."""


class Report(NamedTuple):
    """What of a checkpoint went where: parameters that were read, those the file lacks (they stay as they began), and
    the file's own that the model has no place for. Names are the model's; those of `unexpected` the file's."""

    loaded: tuple[str, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]

    def __str__(self) -> str:
        told = f"{len(self.loaded)} parameters read"
        for word, names in (("missing", self.missing), ("left aside", self.unexpected)):
            if names:
                told += f"; {word}: {', '.join(names)}"
        return told


@overload
def load_model(folder: str | Path, *, dtype: torch.dtype = torch.float32) -> BertModel: ...
@overload
def load_model(
    folder: str | Path, kind: Callable[[BertConfig], Model], *, dtype: torch.dtype = torch.float32
) -> Model: ...
def load_model(
    folder: str | Path, kind: Callable[[BertConfig], nn.Module] = BertModel, *, dtype: torch.dtype = torch.float32
) -> nn.Module:
    """The model in a folder, ready to use (evaluation mode). `kind` makes it from its configuration: BertModel unless
    told otherwise. Heads that the folder lacks stay as they began; see `load_into` for the report.

    Raises CheckpointError where the encoder's own weights are missing, or anything in the folder is not what it says.
    """
    model = kind(read_config(folder)).to(dtype)
    report = load_into(model, folder)
    lacking = [name for name in report.missing if not is_head(name)]
    if lacking:
        raise CheckpointError(f"{Path(folder) / WEIGHTS} lacks {len(lacking)} parameters: {_some(lacking)}")
    return model.eval()


def read_config(folder: str | Path) -> BertConfig:
    """The configuration in a folder. Raises CheckpointError."""
    path = Path(folder) / CONFIG
    try:
        return BertConfig.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"there is no {CONFIG} in {folder}, so it is no folder of a model") from None
    except (ValueError, TypeError) as fault:
        raise CheckpointError(f"{path}: {fault}") from None


def load_into(model: nn.Module, folder: str | Path) -> Report:
    """Copy a folder's weights into a model, by name. Raises CheckpointError for a file that cannot be read safely, and
    for a weight whose shape is another one; then nothing was copied."""
    path = weights_file(folder)
    own = {name: tensor for name, tensor in model.state_dict(keep_vars=True).items() if name not in TIED}
    prefixed = any(name.startswith("bert.") for name in own)
    try:
        with safe_open(path, framework="pt") as file:
            found = {own_name(name, prefixed): name for name in file.keys()}  # noqa: SIM118 - no mapping
            for name in own.keys() & found.keys():
                stored = tuple(file.get_slice(found[name]).get_shape())
                if stored != tuple(own[name].shape):
                    raise CheckpointError(
                        f"{path}: {found[name]} has shape {stored}, but the configuration asks for "
                        f"{tuple(own[name].shape)}. Are config.json and the weights of the same model?"
                    )
            with torch.no_grad():
                for name in own.keys() & found.keys():
                    own[name].copy_(file.get_tensor(found[name]))
    except SafetensorError as fault:
        raise CheckpointError(f"{path} is not a safetensors file: {fault}") from None
    ignored = {*TIED, "embeddings.position_ids", "bert.embeddings.position_ids"}
    return Report(
        loaded=tuple(name for name in own if name in found),
        missing=tuple(name for name in own if name not in found),
        unexpected=tuple(sorted(found[name] for name in found.keys() - own.keys() - ignored)),
    )


def weights_file(folder: str | Path) -> Path:
    """The safetensors file of a folder. Raises CheckpointError, and says why other files are not taken."""
    path = Path(folder) / WEIGHTS
    if path.is_file():
        return path
    for name in PICKLES:
        if (Path(folder) / name).exists():
            raise CheckpointError(
                f"{Path(folder) / name} is a pickle: reading one can run whatever it holds, so it is never read. "
                f"Convert it to {WEIGHTS} where you trust it."
            )
    raise CheckpointError(f"there is no {WEIGHTS} in {folder}")


def own_name(name: str, prefixed: bool) -> str:
    """A file's name for a parameter as the model calls it."""
    name = name.replace(".gamma", ".weight").replace(".beta", ".bias").removeprefix("bert.")
    return f"bert.{name}" if prefixed and not name.startswith(HEADS) else name


def is_head(name: str) -> bool:
    """Whether a parameter belongs to what a task puts on top, which may be new."""
    return name.startswith((*HEADS, "pooler.", "bert.pooler."))


def save_model(model: nn.Module, folder: str | Path, *, vocabulary: Iterable[str] | None = None) -> None:
    """Write the folder; the same model gives the same bytes. `vocabulary`: the entries in order of their ids."""
    bert = model if isinstance(model, BertModel) else getattr(model, "bert", None)
    if not isinstance(bert, BertModel):
        raise CheckpointError(f"{type(model).__name__} is no BERT of this package, so it cannot be saved as one")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / CONFIG).write_text(_with_architecture(bert.config, type(model).__name__), encoding="utf-8")
    kept = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if name not in TIED}
    save_file(kept, target / WEIGHTS, metadata={"format": "pt"})
    if vocabulary is not None:
        (target / VOCABULARY).write_text("".join(f"{entry}\n" for entry in vocabulary), encoding="utf-8")


def _with_architecture(config: BertConfig, name: str) -> str:
    data = json.loads(config.to_json()) | {"architectures": [name]}
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
