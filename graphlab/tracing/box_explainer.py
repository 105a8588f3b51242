"""The words of a step that works on a closed box: what goes in and comes out, and how large the gradient is."""

from __future__ import annotations

import math

from graphlab.tracing.catalogue import CONTENTS, FOLDED
from graphlab.tracing.explainer import Explanation
from graphlab.tracing.numbers import show_number, size
from graphlab.tracing.trace import Box, Step, Trace, TraceNode
from graphlab.tracing.words import label


def explain_box(trace: Trace, number: int) -> Explanation | None:
    """The words of step `number` (from 0) if it is the work of a closed box, or None."""
    step = trace.steps[number]
    box = trace.node(step.user or step.node)
    if box.box is None or step.kind not in WORDS:
        return None
    sentence, spoken = WORDS[step.kind](trace, step, box)
    return Explanation(sentence, "", "", spoken)


def count_contents(box: Box) -> str:
    """ "27 operations, 7,087,872 parameters"; where a size is a name, how many arrays of parameters."""
    parts = [("operations", box.operations)]
    parts.append(("arrays", box.arrays) if box.parameters is None else ("parameters", box.parameters))
    counted = [CONTENTS[kind][count != 1].format(count=count) for kind, count in parts if count or kind == "operations"]
    return ", ".join(counted)


def gradient_sizes(trace: Trace, box: TraceNode) -> dict[str, float]:
    """How large the gradients are that arrive at a closed box, by the nodes inside whose values leave it."""
    arrived = {trace.target(step).id: step.total for step in trace.steps if step.node == box.id and step.total}
    return {node: size([trace.node(total).value]) for node, total in arrived.items()}


def _forward(trace: Trace, step: Step, box: TraceNode) -> tuple[str, str]:
    assert box.box is not None
    inputs = [label(trace.node(x)) for x in box.arriving if trace.node(x).role != "constant"]
    results = [label(trace.node(x)) for x in box.box.results]
    sentence = FOLDED["forward" if inputs else "forward_alone"].format(
        box=label(box),
        inputs=_listed(inputs),
        results=_listed(results),
        counts=count_contents(box.box),
        them="it" if box.box.operations == 1 else "them",
    )
    return sentence, FOLDED["spoken_forward"].format(box=label(box))


def _backward(trace: Trace, step: Step, box: TraceNode) -> tuple[str, str]:
    node = trace.node(box.arriving[step.argument or 0])
    above, below = math.hypot(*gradient_sizes(trace, box).values()), size([trace.node(str(step.amount)).value])
    slots = {"box": label(box), "node": label(node), "above": show_number(above), "below": show_number(below)}
    sentence = FOLDED["backward"].format(**slots)
    if step.earlier:
        total = show_number(size([trace.node(str(step.total)).value]))
        sentence += FOLDED["fan_in"].format(node=label(node), total=total)
    return sentence, FOLDED["spoken_backward"].format(box=label(box))


def _tangent(trace: Trace, step: Step, box: TraceNode) -> tuple[str, str]:
    before, after = (show_number(size([trace.node(str(x)).value])) for x in (step.upstream, step.total))
    sentence = FOLDED["tangent"].format(box=label(box), before=before, after=after)
    return sentence, FOLDED["spoken_tangent"].format(box=label(box))


def _listed(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"


WORDS = {"compute": _forward, "edge": _backward, "push": _tangent}
