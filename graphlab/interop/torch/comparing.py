"""The same BERT twice: PyTorch's autograd against the explicit graph of `graphlab.layers`, number by number.

Both get the same weights and the same batch. Compared are the loss, every named value on the way, its gradient, and the
gradient of every parameter. How either side gets its numbers is in `runs`.

Bounds: a value may differ by 1e-12 of its tensor's largest entry, a gradient by 1e-10 of the larger of its tensor's
largest entry and 1/1000 of the median over all tensors; tensors below that floor are zero by an identity (a key bias
changes no attention) and what is seen there is rounding. In float32 the judge is PyTorch in float64: relative to its
largest entry, no tensor may be off by more than twice what PyTorch's own float32 run is off at its worst.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from graphlab.errors import ValueProblem
from graphlab.interop.torch.runs import Progress, Run, config_of, explicit, graph_run, torch_run
from transformer.model import IGNORED, BertForPreTraining, BertModel

VALUES, GRADIENTS, FLOOR = 1e-12, 1e-10, 1e-3
Kind = Literal["value", "gradient"]
Verdict = Literal["ok", "miss", "zero by identity"]


class Compared(NamedTuple):
    """One tensor: the largest difference, also relative to the tensor's largest entry, and what is allowed."""

    name: str
    kind: Kind
    shape: tuple[int, ...]
    difference: float
    relative: float
    bound: float
    verdict: Verdict


@dataclass(frozen=True)
class CrossCheck:
    """The comparison. `rows` in the order of the pass: values forward, then gradients backward; both losses; the
    graph's own processor seconds."""

    rows: tuple[Compared, ...]
    loss: float
    reference_loss: float
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing misses its bound."""
        return self.first_miss is None

    @property
    def first_miss(self) -> Compared | None:
        """Where the two part: the first value that misses, or where all values agree, the first gradient."""
        return next((row for row in self.rows if row.verdict == "miss"), None)

    @property
    def worst_first(self) -> list[Compared]:
        """The rows by how much of their bound they use."""
        return sorted(self.rows, key=_used, reverse=True)

    @property
    def counted(self) -> str:
        """What was compared, in a sentence."""
        values = sum(row.kind == "value" for row in self.rows)
        return (
            f"loss {self.loss:.12g} (PyTorch: {self.reference_loss:.12g}); {values} values and "
            f"{len(self.rows) - values} gradients compared; the graph took {self.seconds:.1f} s of processor time."
        )

    @property
    def outcome(self) -> str:
        """How it came out, in a sentence."""
        miss = self.first_miss
        return f"They part at {miss.name} ({miss.kind})." if miss else "Everything agrees within its bound."


def _used(row: Compared) -> float:
    return row.difference / row.bound if np.isfinite(row.difference) else float("inf")


# ---- comparing -------------------------------------------------------------------------------------------------------
def cross_check(
    module: BertModel | BertForPreTraining, inputs: Mapping[str, Tensor], *, progress: Progress | None = None
) -> CrossCheck:
    """Run a BERT both ways on a batch and compare everything.

    inputs: input_ids (B, n); attention_mask, token_type_ids (B, n) where wanted; labels (B, n) and next_sentence_label
    (B,) for a model with heads, -100 where nothing is asked. The module's dropout is switched off for the comparison.
    `progress(phase, done, whole)` is called as the graph runs. Raises ValueProblem for a module of another kind, a
    missing input, and padding that takes part: PyTorch sends nothing back to the row of padding, by convention.
    """
    if not isinstance(module, (BertModel, BertForPreTraining)):
        raise ValueProblem(
            f"{type(module).__name__} cannot be cross-checked",
            hint="Give a BertModel or BertForPreTraining; transformer.checkpoint.load_model makes one of a folder.",
        )
    _refuse_live_padding(module, inputs)
    training = module.training
    module.eval()
    try:
        return _compare(module, inputs, progress)
    finally:
        module.train(training)


def _refuse_live_padding(module: nn.Module, inputs: Mapping[str, Tensor]) -> None:
    ids = inputs["input_ids"]
    looked_at = inputs.get("attention_mask", torch.ones_like(ids)) != 0
    if bool((ids == config_of(module).pad_token_id)[looked_at].any()):
        raise ValueProblem(
            "the padding id stands among the real tokens",
            hint="Give an attention_mask that is 0 where the ids are padding.",
        )
    if "labels" in inputs and bool((inputs["labels"] != IGNORED)[~looked_at].any()):
        raise ValueProblem("a padding token has a label", hint=f"Give padding the label {IGNORED}.")


def _compare(
    module: BertModel | BertForPreTraining, inputs: Mapping[str, Tensor], progress: Progress | None
) -> CrossCheck:
    graph = explicit(module, inputs)
    start = process_time()
    ours = graph_run(graph, module, progress)
    seconds = process_time() - start
    theirs = torch_run(module, inputs, graph.seed)
    in_double = next(module.parameters()).dtype == torch.float64
    judge = theirs if in_double else _in_float64(module, inputs, graph.seed)
    rows = tuple(_rows(ours, theirs, judge))
    return CrossCheck(rows, ours.loss, judge.loss, seconds)


def _in_float64(module: nn.Module, inputs: Mapping[str, Tensor], seed: Tensor | None) -> Run:
    return torch_run(deepcopy(module).double(), inputs, None if seed is None else seed.double())


def _rows(ours: Run, theirs: Run, judge: Run) -> Iterator[Compared]:
    """Values in the order of the pass, then gradients in the order in which they are finished."""
    # Where a fully masked score is −∞ here and a very low number there, only the visible ones are compared.
    seen = {name: np.isfinite(value) for name, value in ours.values.items() if name in judge.values}
    scales = {name: _largest(judge.values[name][where]) for name, where in seen.items()}
    errors = {name: _apart(theirs.values[name][seen[name]], judge.values[name][seen[name]]) for name in seen}
    worst = _worst(errors, scales)
    for name, where in seen.items():
        allowed = VALUES * scales[name] if theirs is judge else 2 * worst * scales[name]
        row = _judged(name, "value", ours.values[name][where], judge.values[name][where], allowed, scales[name])
        yield row._replace(shape=where.shape)
    spread = median(map(_largest, judge.gradients.values()))
    floors = {name: max(_largest(g), FLOOR * spread) for name, g in judge.gradients.items()}
    errors = {name: _apart(theirs.gradients[name], g) for name, g in judge.gradients.items()}
    worst = _worst(errors, floors)
    absent = judge.values.keys() - ours.values.keys()  # what the graph has no node for, such as masking without a mask
    lacking = [name for name in judge.gradients if name not in ours.gradients and name not in absent]
    for name in [*(name for name in ours.gradients if name in judge.gradients), *lacking]:
        found, expected = ours.gradients.get(name, np.zeros(())), judge.gradients[name]
        allowed = GRADIENTS * floors[name] if theirs is judge else 2 * worst * floors[name]
        row = _judged(name, "gradient", found, expected, allowed, floors[name])
        zero = _largest(expected) < FLOOR * spread and row.verdict == "ok"
        yield row._replace(verdict="zero by identity") if zero else row


def _judged(name: str, kind: Kind, found: Any, expected: Any, bound: float, scale: float) -> Compared:
    apart = _apart(found, expected)
    verdict: Verdict = "ok" if apart <= bound else "miss"
    return Compared(name, kind, np.shape(expected), apart, apart / scale if scale else 0.0, bound, verdict)


def _worst(errors: Mapping[str, float], scales: Mapping[str, float]) -> float:
    """The largest relative error of PyTorch's own run; 0 in float64, where that run is the judge."""
    return max(error / scales[name] for name, error in errors.items() if scales[name])


def _apart(a: Any, b: Any) -> float:
    return _largest(np.subtract(a, b, dtype=np.float64))


def _largest(a: Any) -> float:
    return float(np.max(np.abs(a), initial=0.0))
