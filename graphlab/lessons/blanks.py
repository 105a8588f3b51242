"""Blanks: the numbers of a pass that a learner fills in, how an answer is judged, and what is said to a wrong one.

A blank is called like the number it stands for: "d" is the value of d, "d_bar" its gradient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphlab.engine.core import OPS
from graphlab.errors import GraphLabError, UnknownName
from graphlab.lessons.lesson import Walk
from graphlab.practice import Gradient, Value, Verdict, judge
from graphlab.tracing.explaining import explain
from graphlab.tracing.numbers import show_value
from graphlab.tracing.trace import Step, Trace, TraceNode
from graphlab.tracing.words import Letters, label, show_formula, show_gradient

BAR = "_bar"


@dataclass(frozen=True)
class Blank:
    """One number (or array) of a pass: its node, whether it is the gradient there, and the step, counted from 1, that
    completes it.
    """

    name: str
    node: str
    is_gradient: bool
    step: int


def blanks_of(trace: Trace, names: Sequence[str]) -> list[Blank]:
    """The blanks with these names, in the order of the steps. Raises UnknownName for what the pass does not compute."""
    return sorted((blank_called(trace, name) for name in names), key=lambda blank: blank.step)


def blank_called(trace: Trace, name: str) -> Blank:
    nodes = {node.name: node.id for node in trace.forward_nodes if node.name}
    is_gradient = name not in nodes and name.endswith(BAR)
    node = nodes.get(name.removesuffix(BAR) if is_gradient else name)
    kinds = ("seed", "edge", "tangent", "push") if is_gradient else ("compute",)
    steps = [k for k, step in enumerate(trace.steps, start=1) if step.node == node and step.kind in kinds]
    if node is None or not steps:
        raise UnknownName(f"this pass does not compute {name}")
    return Blank(name, node, is_gradient, steps[-1])


def number_of(trace: Trace, blank: Blank) -> Any:
    """What belongs into the blank."""
    return (trace.known_gradients if blank.is_gradient else trace.known_values)[blank.node]


def title_of(trace: Trace, blank: Blank, letters: Letters = "fraction") -> str:
    """How the blank is called on the page: d, or ∂L/∂d."""
    node, output = trace.node(blank.node), trace.result(trace.output)
    return show_gradient(node.name, output.name, letters) if blank.is_gradient else label(node)


def check(walk: Walk, blank: Blank, answer: str) -> Verdict:
    """Judge an answer: a number such as -4, −8/2 or 4·(−1), a list of them, or a formula in the names of the graph."""
    asked = Gradient if blank.is_gradient else Value
    return judge(
        walk.graph, asked(blank.name.removesuffix(BAR) if blank.is_gradient else blank.name, walk.values), answer
    )


# ---- meeting a wrong one ---------------------------------------------------------------------------------------------
def hint(walk: Walk, blank: Blank, attempts: int) -> str:
    """What is said after so many wrong answers: a question at the place, the rule, the same step with other numbers,
    and at last the line itself."""
    levels = (question_at, rule_of, worked_elsewhere, worked_here)
    return levels[min(attempts, len(levels)) - 1](walk, blank)


def is_told(attempts: int) -> bool:
    """Whether the line itself has been shown."""
    return attempts >= 4


def edges_into(trace: Trace, blank: Blank) -> list[Step]:
    return [step for step in trace.steps[: blank.step] if step.node == blank.node and step.kind == "edge"]


def question_at(walk: Walk, blank: Blank) -> str:
    """Look here: one question."""
    trace, node = walk.trace, walk.trace.node(blank.node)
    if not blank.is_gradient:
        return f"{label(node)} = {show_formula(node.text)}. Which numbers stand there?"
    edges = edges_into(trace, blank)
    if not edges:
        return "This is where the way back begins. How fast does the output change with itself?"
    users = [trace.node(str(step.user)) for step in edges]
    if len(users) > 1:
        return f"{label(node)} is used {len(users)} times. What comes back along each way, and what becomes of them?"
    user = label(users[0])
    return f"{arrived(trace, edges[0])} has reached {user}. What does one unit of {label(node)} do to {user}?"


def arrived(trace: Trace, step: Step) -> str:
    return show_value(trace.node(str(step.upstream)).value) if step.upstream else "A gradient"


def rule_of(walk: Walk, blank: Blank) -> str:
    """The rules of the operations that this number comes from."""
    trace = walk.trace
    if not blank.is_gradient:
        nodes = [trace.node(blank.node)]
    else:
        nodes = [trace.node(str(step.user)) for step in edges_into(trace, blank)]
    rules = dict.fromkeys(f"{label(node)} = {show_formula(node.text)}: {why_of(node)}" for node in nodes)
    return " ".join(rules) or "The gradient of the output with respect to itself is 1."


def why_of(node: TraceNode) -> str:
    return OPS[node.op].why if node.op in OPS else ""


def worked_elsewhere(walk: Walk, blank: Blank) -> str:
    """The same step with other numbers; the line itself where the graph does not take others."""
    other = replace(walk, values=other_values(walk.values))
    try:
        return f"With other numbers: {sentence(other, blank)}"
    except GraphLabError:
        return worked_here(walk, blank)


def other_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Other numbers of the same kind, each moved by 1, 2 or 3; whole numbers that are ids, and masks, stay."""
    moved: dict[str, Any] = {}
    for position, (name, value) in enumerate(values.items()):
        array = np.asarray(value, dtype=float)
        shift = (np.arange(array.size).reshape(array.shape) + position) % 3 + 1
        moved[name] = value if is_discrete(value) else array + shift
    return moved


def is_discrete(value: Any) -> bool:
    return np.ndim(value) > 0 and np.asarray(value).dtype.kind in "iub"


def worked_here(walk: Walk, blank: Blank) -> str:
    """The line itself."""
    return sentence(walk, blank)


def sentence(walk: Walk, blank: Blank) -> str:
    return explain(walk.trace)[blank.step].sentence
