"""Random weights for pages and checks that need none that were learnt."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def shaken(model: Model, deviation: float, seed: int = 0) -> Model:
    """The model, in evaluation mode, with noise of this deviation added to every parameter: nothing hides behind a bias
    of 0 or a LayerNorm of 1. Equal seeds give equal noise."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            parameter.add_(noise.to(parameter.dtype), alpha=deviation)
    return model.eval()
