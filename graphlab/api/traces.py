"""The public Trace: the plain data of a run, which a notebook shows as a picture."""

from __future__ import annotations

from dataclasses import fields
from typing import Self

from graphlab.tracing import trace as tracing
from graphlab.tracing.reading import read_trace


class Trace(tracing.Trace):
    """One recorded run as plain data; a notebook shows its last step as a picture."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote. Raises TraceError for anything else."""
        return read_trace(cls, text)

    def _repr_svg_(self) -> str:
        from graphlab.render.svg import draw

        return draw(self)


def public_trace(recorded: tracing.Trace) -> Trace:
    """A recorded trace with its picture."""
    return Trace(**{f.name: getattr(recorded, f.name) for f in fields(recorded)})
