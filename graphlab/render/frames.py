"""What a picture shows after each step: `changes(trace)` lists what every step adds, `frame(changes, k)` adds them up.

Facts become short texts here, and nothing is drawn yet: a number becomes "−0.4", an array the texts and shades of its
cells. Drawing, the viewer and the table read these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from graphlab.render.arrays import Shown, shown, size_of
from graphlab.tracing.numbers import show_number
from graphlab.tracing.trace import WORKED_OUT, Step, Trace, TraceNode
from graphlab.tracing.words import (
    Letters,
    accented_latex,
    label,
    label_latex,
    show_formula,
    show_gradient,
    show_tangent,
)

LETTERS: tuple[Letters, ...] = ("fraction", "bar", "dot")
Phase = Literal["start", "forward", "seed", "backward", "tangent"]
LONGEST_LOCAL = 14
SIZE = "‖ḡ‖"


@dataclass(frozen=True, slots=True)
class Sent:
    """What an edge carried back: `brief` the contribution, `full` the local derivative."""

    brief: str
    full: str


@dataclass(frozen=True, slots=True)
class Change:
    """What one step makes visible, and what it works on: `node` is its target, `user` the sender of a gradient."""

    phase: Phase
    node: str | None = None
    user: str | None = None
    edges: tuple[str, ...] = ()
    values: dict[str, Shown] = field(default_factory=dict)
    gradients: dict[str, Shown] = field(default_factory=dict)
    sent: dict[str, Sent] = field(default_factory=dict)


@dataclass(slots=True)
class Frame:
    """Everything visible after a step, and the step's own `last` change."""

    last: Change
    values: dict[str, Shown] = field(default_factory=dict)
    gradients: dict[str, Shown] = field(default_factory=dict)
    sent: dict[str, Sent] = field(default_factory=dict)


def changes(trace: Trace) -> list[Change]:
    """Index 0 is the picture before the first step, index k what step k adds."""
    leaves = {n.id: shown(n.value) for n in trace.forward_nodes if n.role not in WORKED_OUT and n.value is not None}
    return [Change("start", values=leaves), *(_change(trace, step) for step in trace.steps)]


def frame(of: Sequence[Change], k: int) -> Frame:
    """The sum of the changes 0 … k."""
    total = Frame(of[k])
    for change in of[: k + 1]:
        total.values |= change.values
        total.gradients |= change.gradients
        total.sent |= change.sent
    return total


def edge_id(source: str, target: str, argument: int) -> str:
    """The name of the edge into input number `argument` of `target`."""
    return f"{source}-{target}-{argument}"


def _change(trace: Trace, step: Step) -> Change:
    node = trace.node(step.node)
    if step.kind == "compute":
        edges = tuple(edge_id(source, node.id, i) for i, source in enumerate(node.inputs))
        return Change("forward", node.id, None, edges, values={node.id: shown(node.value)})
    gradients = {node.id: shown_gradient(node, _value(trace, step.total))}
    if step.kind == "tangent":
        return Change("tangent", node.id, gradients=gradients)
    if step.kind == "seed" or step.user is None or step.argument is None:
        return Change("seed", node.id, gradients=gradients)
    source = trace.node(step.user).inputs[step.argument]
    edge = edge_id(source, step.user, step.argument)
    sent = {edge: Sent(sent_text(_value(trace, step.amount)), local_derivative(trace, step))}
    if step.kind == "push":
        return Change("tangent", node.id, None, (edge,), gradients=gradients, sent=sent)
    return Change("backward", node.id, step.user, (edge,), gradients=gradients, sent=sent)


def _value(trace: Trace, node_id: str | None) -> Any:
    return trace.node(node_id).value if node_id is not None else None


def shown_gradient(node: TraceNode, value: Any) -> Shown:
    """A gradient as its box shows it: a closed box shows its size only."""
    return size_of(value) if shows_size(node) and value is not None else shown(value, signed=True)


def shows_size(node: TraceNode) -> bool:
    return node.box is not None and node.shape != ()


def sent_text(value: Any) -> str:
    """What an edge carries back: a number, or the size of an array, "‖ḡ‖ = 0.03"."""
    return brief(value) if value is None or not np.ndim(value) else f"{SIZE} = {size_of(value)}"


def local_derivative(trace: Trace, step: Step) -> str:
    """ "∂L/∂c = e = 5", or "" where the rule is no product with a partial derivative."""
    if step.local is None or step.user is None or step.argument is None:
        return ""
    local, user = trace.node(step.local), trace.node(step.user)
    head = f"∂{label(user)}/∂{label(trace.node(user.arriving[step.argument]))}"
    number = "" if np.ndim(local.value) else brief(local.value)
    written = label(local) if len(label(local)) <= LONGEST_LOCAL else ""
    parts = list(dict.fromkeys(part for part in (written, number) if part))
    return " = ".join([head, *parts]) if parts else ""


def product(left: str, right: str) -> str:
    """ "−2 · (−1)": two written numbers multiplied."""
    return f"{left} · {in_brackets(right)}"


def in_brackets(number: str) -> str:
    """A written number as it stands after a sign: −2 needs brackets."""
    return f"({number})" if number.startswith("−") else number


def rule_of(node: TraceNode) -> str:
    """ "d = 2 · b" for an operation, else what the node is called."""
    return f"{label(node)} = {show_formula(node.text)}" if node.role == "operation" and node.name else label(node)


def gradient_names(trace: Trace, node: TraceNode) -> dict[Letters, str]:
    """The three plain writings of one gradient: ∂L/∂d (d̄ where d is an array), d̄, d.grad; of a tangent always ḋ."""
    node = trace.result(node.id)
    name, output = (of.symbol or of.name or label(of) for of in (node, trace.result(trace.output)))
    if trace.kind == "tangent":
        return dict.fromkeys(LETTERS, show_tangent(name))
    return {letters: show_gradient(name, output, _letters_for(node, letters)) for letters in LETTERS}


def _letters_for(node: TraceNode, letters: Letters) -> Letters:
    return "bar" if letters == "fraction" and node.shape else letters


def gradient_latex(trace: Trace, node: TraceNode) -> dict[Letters, str]:
    """The same three as LaTeX."""
    node = trace.result(node.id)
    name = label_latex(node)
    if trace.kind == "tangent":
        return dict.fromkeys(LETTERS, accented_latex(node, "dot"))
    output = label_latex(trace.result(trace.output))
    written: dict[Letters, str] = {
        "fraction": rf"\partial {output}/\partial {name}",
        "bar": accented_latex(node, "bar"),
        "dot": rf"{name}\mathrm{{.grad}}",
    }
    return {letters: written[_letters_for(node, letters)] for letters in LETTERS}


def final_gradients(trace: Trace) -> dict[str, TraceNode]:
    """Forward node id → the backward node that holds its whole gradient."""
    return {step.node: trace.node(step.total) for step in trace.steps if step.total is not None}


def has_gradient_slot(trace: Trace, node: TraceNode) -> bool:
    """Constants, ids (whole numbers) and masks receive no gradient; a tangent, only what moves."""
    if node.box is not None and (len(node.box.results) != 1 or node.id not in trace.known_gradients):
        return False
    if trace.kind == "tangent":
        return node.id in trace.known_gradients
    countable = node.value is not None and np.asarray(node.value).dtype.kind in "biu"
    return trace.kind == "reverse" and node.role in ("input", *WORKED_OUT) and not countable


def brief(value: Any) -> str:
    """A number as "−0.4", an array as its shape."""
    if value is None:
        return ""
    array = np.asarray(value)
    return show_number(array[()]) if array.ndim == 0 else f"({', '.join(map(str, array.shape))})"
