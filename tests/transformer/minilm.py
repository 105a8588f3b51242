"""The real checkpoint, fetched once per machine as a user would."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.requirements import needs


@cache
def minilm() -> Path:
    """The folder of all-MiniLM-L6-v2."""
    needs("tokenizers")
    needs("torch")
    from transformer.checkpoint import CheckpointError
    from transformer.fetch import fetch

    try:
        return fetch("minilm-l6")
    except CheckpointError as fault:
        return pytest.fail(f"the real weights could not be fetched: {fault}", pytrace=False)
