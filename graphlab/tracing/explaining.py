"""From steps to sentences: `explain` looks at a Trace and fills the templates of the catalogue.

Every node of a sentence is called by its name, every number stands in at most 4 digits, and every backward step says
what arrived, what the local derivative is and why, and what is sent.
"""

from __future__ import annotations

import numpy as np

from graphlab.tracing import catalogue
from graphlab.tracing.box_explainer import explain_box
from graphlab.tracing.explainer import Explainer, Explanation, number_latex
from graphlab.tracing.tangent_explainer import TangentExplainer
from graphlab.tracing.trace import WORKED_OUT, Trace
from graphlab.tracing.words import (
    Letters,
    count_words,
    label,
)


def explain(trace: Trace, letters: Letters = "fraction") -> list[Explanation]:
    """One explanation before the first step, then one per step. `letters` is how gradients are called."""
    explainer = TangentExplainer if trace.kind == "tangent" else Explainer
    numbers = range(len(trace.steps))
    return [start(trace)] + [explain_box(trace, k) or explainer(trace, letters, k).explain() for k in numbers]


def start(trace: Trace) -> Explanation:
    """What stands there before the first step."""
    inputs = [node for node in trace.nodes if node.role == "input"]
    first = next((step for step in trace.steps if step.kind == "compute"), None)
    if first is None:
        sentence = catalogue.START["nothing" if trace.node(trace.output).role not in WORKED_OUT else "no_values"]
    elif trace.node(first.node).value is None and not trace.values:
        sentence = catalogue.START["plan"]
    else:
        scalars = all(np.shape(node.value) == () for node in inputs)
        template = catalogue.START["scalars" if scalars else "arrays"]
        counted = count_words(len(inputs), "number" if scalars else "input", "numbers" if scalars else "inputs")
        go = "goes" if len(inputs) == 1 else "go"
        if not scalars:
            go = "is" if len(inputs) == 1 else "are"
        if trace.kind == "tangent":
            template = catalogue.START["tangent"]
        sentence = template.format(inputs=counted, go=go, node=label(trace.node(trace.steps[0].node)))
    return Explanation(sentence, "", "", sentence.replace("→", "the right arrow"))


__all__ = ["Explanation", "explain", "number_latex", "start"]
