"""The table: every comparison with its goal. Smaller is better in each.

A row compares two contenders of one workload. Its `arguments` are the sizes that the workload's functions are called
with. Rows about the same two contenders are measured in one go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Measure = Literal["time", "memory", "nodes"]


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison and its goal.

    measure "time" is the ratio of wall times, one for each round; "memory" that of the peaks above what importing took;
    "nodes" needs no peer and no clock: our contender counts nodes and gives one ratio for each thing it counted.
    """

    name: str
    workload: str
    ours: str
    peer: str
    goal: float
    how: str
    arguments: tuple[int | str, ...] = ()
    measure: Measure = "time"
    stretch: float | None = None
    quick: bool = False
    same_numbers: bool = True
    rounds: int = 7
    repetitions: int = 3

    @property
    def pair(self) -> tuple[object, ...]:
        """What rows measured together have in common."""
        return self.workload, self.arguments, self.ours, self.peer

    @property
    def title(self) -> str:
        """The row in words: what is measured of which work, over whose figure."""
        what = "" if self.measure == "time" else f"{self.measure}: "
        return f"{what}{self.name}" + (f" / {self.peer}" if self.peer else "")


BUILD = "the graph is built, evaluated and differentiated anew in every run"
LARGE = f"{BUILD}, inside gl.building()"
AGAIN = "a compiled plan runs again on the same inputs; the peer, which has no plans, builds anew"
EAGER = "no dropout; all gradients of float32 weights; the plan was compiled before, torch is eager"
WHOLE = ("base", 1)

ROWS = (
    Row("L = c(a+2b): build, forward, backward", "lecture", "graphlab", "micrograd", 1.5, BUILD),
    Row("L = c(a+2b): a plan run again", "lecture", "graphlab plan", "micrograd", 0.065, AGAIN),
    Row("scalar MLP 2-16-16-1, batch 100: build, forward, backward", "mlp", "graphlab", "micrograd", 0.2, LARGE,
        arguments=(100,), stretch=0.12, quick=True, repetitions=1),
    Row("scalar MLP: a plan run again", "mlp", "graphlab plan", "micrograd", 0.005, AGAIN, arguments=(100,),
        quick=True, repetitions=1),
    Row("scalar MLP: one scalar graph on batch arrays, a plan run again", "mlp", "graphlab batch plan", "micrograd",
        0.003, AGAIN, arguments=(100,), quick=True, repetitions=1),
    Row("a chain of 10⁶ ops: build, forward, backward", "chain", "graphlab", "torch", 0.2, LARGE, arguments=(10**6,),
        rounds=3, repetitions=1),
    Row("a chain of 10⁶ ops", "chain", "graphlab", "torch", 0.5, "peak of the process above its imports, two runs",
        arguments=(10**6,), measure="memory", rounds=3, repetitions=1),
    Row("one node used 10⁴ times: build, forward, backward", "fan_out", "graphlab", "torch", 0.1, LARGE,
        arguments=(10**4,)),
    Row("BERT-base block, 1 × 128", "bert_block", "graphlab plan", "torch", 1.05, EAGER, arguments=WHOLE, quick=True),
    Row("BERT-base block, 4 × 128", "bert_block", "graphlab plan", "torch", 1.05, EAGER, arguments=("base", 4),
        quick=True),
    Row("whole BERT-base with MLM loss, 1 × 128", "bert", "graphlab plan", "torch", 0.80, EAGER, arguments=WHOLE,
        quick=True, repetitions=1),
    Row("whole BERT-base with MLM loss, 1 × 128", "bert", "graphlab plan", "numpy matrix products", 1.15,
        "the floor: the same matrix products in NumPy, one set of buffers per shape, results preallocated",
        arguments=WHOLE, quick=True, same_numbers=False, repetitions=1),
    Row("whole BERT-base with MLM loss, 1 × 128", "bert", "graphlab plan", "autograd", 0.40,
        "HIPS autograd records every run anew; no dropout; float32", arguments=WHOLE, quick=True, rounds=5,
        repetitions=1),
    Row("whole BERT-base with MLM loss, 1 × 128", "bert", "graphlab plan", "jax", 1.15,
        "jax.jit(jax.value_and_grad(loss)), compiled before; no dropout; float32", arguments=WHOLE, quick=True,
        repetitions=1),
    Row("whole BERT-base with MLM loss, 1 × 128", "bert", "graphlab plan", "torch", 1.1,
        "peak of the process above its imports, two runs: weights, gradients and all between", arguments=WHOLE,
        measure="memory", quick=True, repetitions=1),
    Row("all symbolic gradients of attention, n=3, d=2", "attention_symbols", "graphlab", "sympy", 0.02,
        "the same formula, written with each library's symbols; sympy.diff of the output written out, cache cleared",
        arguments=(3, 2), rounds=3, repetitions=1),
    Row("backward operations per forward operation, every layer", "node_counts", "graphlab layers", "", 4.0,
        "composites closed; one ratio per layer", measure="nodes"),
    Row("backward operations of 12 layers per those of 6", "node_counts", "graphlab depth", "", 2.3,
        "the encoder of BERT; 2 would be a straight line through zero", measure="nodes"),
)  # fmt: skip


def rows(*, quick: bool) -> Iterator[Row]:
    """All rows, or those of `make bench-quick`."""
    return (row for row in ROWS if row.quick or not quick)
