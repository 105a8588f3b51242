"""The work: one module per workload, whose CONTENDERS maps a contender's name to the function that makes it.

The first word of a name is the library; each library is imported only in the functions of its own contenders, because
each contender has a process of its own. `numbers` must be the same for all contenders of a workload.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


def nothing() -> None:
    """No preparation."""


@dataclass(frozen=True, slots=True)
class Contender:
    """`run` is what is timed, `numbers` tells the value and gradient sums in what it returned, and `prepare` goes
    before each timing, untimed."""

    run: Callable[[], Any]
    numbers: Callable[[Any], dict[str, float]]
    prepare: Callable[[], None] = nothing


Contenders = Mapping[str, Callable[..., Contender]]
