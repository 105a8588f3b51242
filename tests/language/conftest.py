"""What the tests of hostile texts share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def undisturbed() -> Iterator[None]:
    """Without the garbage collector, which in a long run of tests looks through everything that other tests keep."""
    gc.disable()
    yield
    gc.enable()
