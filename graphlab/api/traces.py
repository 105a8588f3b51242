"""The public Trace: the plain data of a run, which a notebook shows as a picture."""

from __future__ import annotations

from dataclasses import fields

from graphlab.tracing import trace as tracing


class Trace(tracing.Trace):
    """One recorded run as plain data; a notebook shows its last step as a picture."""

    def _repr_svg_(self) -> str:
        from graphlab.render.svg import draw

        return draw(self)


def public_trace(recorded: tracing.Trace) -> Trace:
    """A recorded trace with its picture."""
    return Trace(**{f.name: getattr(recorded, f.name) for f in fields(recorded)})
