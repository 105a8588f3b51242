"""Pairs of formulas for the judge, made from the graphs of the lessons: equal ones by rules of algebra, near misses by
small changes that mpmath, asked apart from the judge, sees a difference for.

`python -m tests.practice.pairs` measures the judge on all of them (processor time).
"""

from __future__ import annotations

import itertools
import random
import re
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

import graphlab as gl
from graphlab.engine.core import OPS
from graphlab.errors import ShapeError
from graphlab.interop import mpmath

Sizes = dict[str, tuple[int, ...]]
ATTENTION = "Q = X@WQ.T; K = X@WK.T; V = X@WV.T; S = Q@K.T/sqrt(size(Q, axis=1)); P = softmax(S); Y = P@V"
ATTENTION_SIZES: Sizes = {"X": (2, 3), "WQ": (4, 3), "WK": (4, 3), "WV": (5, 3)}
NORM = "m = mean(X, axis=1, keepdims=true); C = X-m; s = sqrt(mean(C^2, axis=1, keepdims=true) + 0.00001); H = C/s"


@dataclass(frozen=True)
class Base:
    """A graph of a lesson, a question about it and the right answer; `sizes` of the inputs that are no numbers."""

    program: str
    question: str
    answer: str
    sizes: Sizes = field(default_factory=dict)
    positive: tuple[str, ...] = ()

    @property
    def graph(self) -> gl.Graph:
        return gl.parse(self.program, values={name: np.zeros(shape) for name, shape in self.sizes.items()})

    @property
    def names(self) -> list[str]:
        """Names that stand in the answer."""
        known = {*self.graph.inputs, *self.graph.names.values()}
        return [name for name in dict.fromkeys(re.findall(r"[A-Za-z]\w*", self.answer)) if name in known]


BCE = "z = w*x + b; p = sigma(z); L = -(y*log(p) + (1-y)*log(1-p))"
NET = "h = tanh(w*x); y = v*h; L = (y-t)^2"
BASES = (
    Base("z = w*x + b; p = sigma(z)", "dp/dw", "p*(1-p)*x"),
    Base(BCE, "dL/dw", "(p-y)*x"),
    Base(BCE, "dL/dz", "p-y"),
    Base(BCE, "dL/dp", "(1-y)/(1-p) - y/p"),
    Base("t = tanh(x)", "dt/dx", "1-t^2"),
    Base("r = relu(x)", "dr/dx", "where(x>0, 1, 0)"),
    Base("r = where(x>0, x, alpha*x)", "dr/dx", "where(x>0, 1, alpha)"),
    Base("g = gelu(x)", "dg/dx", "(1+erf(x/sqrt(2)))/2 + x*exp(-x^2/2)/sqrt(2*pi)"),
    Base("d = 2b; e = a+d; L = c*e", "dL/db", "2*c"),
    Base("d = 2b; e = a+d; L = c*e", "dL/dc", "a+2*b"),
    Base("d = 2b; e = a+d; L = c*e", "L", "c*(a+2*b)"),
    Base("u = x^2; v = sin(x); y = u*v", "dy/dx", "2*x*v + u*cos(x)"),
    Base("y = sqrt(3*x^2 + 1)", "dy/dx", "3*x/y"),
    Base("y = x^n", "dy/dx", "n*y/x", positive=("x",)),
    Base(NET, "dL/dw", "2*(y-t)*v*(1-h^2)*x"),
    Base("q = W@x", "W_bar", "outer(q_bar, x)", {"W": (2, 3), "x": (3,)}),
    Base("q = W@x", "x_bar", "W.T@q_bar", {"W": (2, 3), "x": (3,)}),
    Base("Y = X@W.T + b", "b_bar", "sum(Y_bar, axis=0)", {"X": (4, 3), "W": (2, 3), "b": (2,)}),
    Base("Y = X@W.T", "W_bar", "Y_bar.T@X", {"X": (4, 3), "W": (2, 3)}),
    Base("P = softmax(S)", "S_bar", "P*(P_bar - rowsum(P_bar*P))", {"S": (2, 3)}),
    Base(
        "P = softmax(S); L = -sum(T*log(P))/size(S, axis=0)",
        "S_bar",
        "(sum(T, axis=1, keepdims=true)*P - T)/size(S, axis=0)",
        {"S": (2, 3), "T": (2, 3)},
        positive=("T",),
    ),
    Base(ATTENTION, "Q_bar", "S_bar@K/sqrt(size(Q, axis=1))", ATTENTION_SIZES),
    Base(ATTENTION, "K_bar", "S_bar.T@Q/sqrt(size(Q, axis=1))", ATTENTION_SIZES),
    Base(ATTENTION, "V_bar", "P.T@Y_bar", ATTENTION_SIZES),
    Base(ATTENTION, "WQ_bar", "Q_bar.T@X", ATTENTION_SIZES),
    Base(
        NORM,
        "X_bar",
        "(H_bar - mean(H_bar, axis=1, keepdims=true) - H*mean(H_bar*H, axis=1, keepdims=true))/s",
        {"X": (2, 4)},
    ),
)


def equivalents(base: Base) -> Iterator[str]:
    """The answer in other words: each equal to it whatever the numbers are."""
    a = f"({base.answer})"
    v = base.graph.inputs[0]
    small = f"(sum({v})^2 + 1)" if base.sizes else f"({v}^2 + 1)"
    yield from (base.answer, f"2*{a} - {a}", f"-(-{a})", f"{a}*{small}/{small}", f"{a}/4 + 0.75*{a}")
    yield from (f"{a} + sin({small}) - sin({small})", f"({a} + 3) - 3", f"{a}*(cos({small})^2 + sin({small})^2)")
    yield from (f"log(exp({a}))", f"{a} + 0*{a}", f"tanh({small}/2)*0 + {a}")
    for name, definition in definitions(base).items():
        yield re.sub(rf"\b{name}\b", lambda _, text=definition: f"({text})", base.answer)


def definitions(base: Base) -> dict[str, str]:
    """The lines of the graph whose names stand in the answer."""
    lines = dict(line.split(" = ", 1) for line in base.program.split("; "))
    asked = base.question.removeprefix("d").partition("/")[0]
    return {name: lines[name] for name in base.names if name in lines and not (base.question == asked == name)}


def changes(base: Base) -> Iterator[str]:
    """Slips: a sign, a factor, a term, another name, a number that is nearly right."""
    a = f"({base.answer})"
    known = [*base.graph.inputs, *base.graph.names.values()]
    for name, other in itertools.product(base.names, known):
        if other != name and not is_condition(base.graph, other):
            yield re.sub(rf"\b{name}\b", other, base.answer)
    yield from (f"-{a}", f"2*{a}", f"{a}/2", f"1.0001*{a}", f"{a} + 1e-9", f"{a} + 1e-30", f"{a}^2", f"relu{a}")
    yield from (a.replace("-", "+", 1), a.replace("+", "-", 1), a.replace("1", "2", 1), a.replace(".T", "", 1))
    yield from (f"{a}*{name}" for name in base.names)


def is_condition(graph: gl.Graph, name: str) -> bool:
    """Whether a name stands for true or false, with which one does not calculate."""
    return any(label == name and node.op is OPS["greater"] for node, label in graph.names.items())


def differs(base: Base, answer: str) -> bool:
    """Whether mpmath sees a difference between an answer and the right one, at some of five points, or between their
    shapes."""
    graph = difference(base, answer)
    for point in points(graph, base):
        try:
            graph.evaluate({str(node.name): value for node, value in point.items()})
        except ShapeError:
            return True
        if abs(mpmath.evaluate(graph.dag, point)) > 1e-45:
            return True
    return False


def difference(base: Base, answer: str) -> gl.Graph:
    """The sum of what two answers differ by, in absolute terms, as a graph of its own."""
    graph = base.graph
    seed = f"{graph.names[graph.dag.output]}_bar" if base.sizes and "L =" not in base.program else None
    lines = [*graph.lines, *graph.backward(*steps(graph), seed=seed).lines]
    text = "; ".join([*lines, f"sum(abs(({base.answer}) - ({answer})))"])
    renamed = re.sub(r"\bL\b", "LL", text)
    outputs = [name for name in (seed,) if name]
    shapes = {name: np.zeros(base.sizes[name]) for name in base.sizes}
    if outputs:
        shapes[outputs[0]] = np.zeros(output_shape(base))
    return gl.parse(renamed, values={**dict.fromkeys(graph.inputs, 0.0), **shapes})


def steps(graph: gl.Graph) -> list[str]:
    return [*graph.inputs, *graph.names.values()]


def output_shape(base: Base) -> tuple[int, ...]:
    return np.shape(base.graph.evaluate({name: np.ones(base.sizes.get(name, ())) for name in base.graph.inputs}))


def points(graph: gl.Graph, base: Base) -> Iterator[dict[Any, Any]]:
    draw = np.random.default_rng(7)
    for _ in range(5):
        point = {}
        for name, node in graph.dag.inputs.items():
            shape = graph.shapes.get(name, base.sizes.get(name, ()))
            value = draw.uniform(0.1, 2.0, shape) * (1 if name in base.positive else draw.choice([-1, 1], shape))
            point[node] = np.asarray(value)[()]
        yield point


def near_misses(base: Base) -> Iterator[str]:
    """The changed answers that are not right, in a mixed order."""
    mixed = list(dict.fromkeys(changes(base)))
    random.Random(base.question).shuffle(mixed)
    return (answer for answer in mixed if differs(base, answer))


def all_pairs(kind: Literal["equal", "different"]) -> list[tuple[Base, str]]:
    make = equivalents if kind == "equal" else near_misses
    return [(base, answer) for base in BASES for answer in dict.fromkeys(make(base))]


def measure() -> None:
    """Median and largest processor time of one answer, in milliseconds."""
    kinds: tuple[Literal["equal", "different"], ...] = ("equal", "different")
    for kind in kinds:
        times = []
        for base, answer in all_pairs(kind):
            graph = base.graph
            start = time.process_time()
            gl.judge(graph, base.question, answer)
            times.append(1e3 * (time.process_time() - start))
        worst = sorted(times)[-len(times) // 20]
        sys.stdout.write(
            f"{kind}: {len(times)} answers, median {statistics.median(times):.1f} ms, "
            f"95 % below {worst:.0f} ms, largest {max(times):.0f} ms\n"
        )


if __name__ == "__main__":
    measure()
