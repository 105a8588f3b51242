"""What the tests of the pages about BERT share: where the weights are, or that there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.requirements import needs
from tests.transformer.minilm import minilm


@pytest.fixture
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and nobody who has tried to fill it."""
    needs("torch").set_num_threads(1)
    from graphlab.ui.bert import fetching

    monkeypatch.setattr(fetching, "_jobs", {})
    monkeypatch.setenv("GRAPHLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def real_weights() -> Path:
    """The folder of MiniLM, which the pages find by name."""
    needs("torch").set_num_threads(1)
    return minilm()
