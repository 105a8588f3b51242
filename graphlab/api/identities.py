"""Identities of a graph's gradients, checked on the numbers of one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphlab.api.modes import Run, Runnable
from graphlab.api.seeds import seed_for

if TYPE_CHECKING:
    from graphlab.checking.identities import Identity


class Identities:
    """The method of Graph that tells what must hold for its gradients, and whether it does."""

    def identities(
        self: Runnable, given: Mapping[str, Any] | None = None, /, *, seed: Any = None, **named: Any
    ) -> list[Identity]:
        """What must hold for the gradients of this graph whatever the numbers are, measured on these.

        Of every softmax: rows of the scores' gradient sum to 0, and so do the gradients of keys; a bias of the keys
        gets 0. Of every layer norm: entries of a row's gradient sum to 0, and along the row only eps leaves something.
        A non-scalar output needs `seed`, as in `gradients`.

        >>> import graphlab as gl
        >>> [(found.text, found.holds) for found in gl.parse("L = softmax(s) @ c").identities(s=[1, 2], c=[3, 5])]
        [('sum(s_bar, axis=-1) = 0', True)]
        """
        from graphlab.checking.identities import identities_of

        run = Run.of(self, given, named)
        run.graph._refuse_options(named, given, seed=seed)
        return identities_of(run.dag, run.values, seed_for(run.values[run.dag.output], seed), run.graph.names)
