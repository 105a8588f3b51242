"""The words of one step of forward mode."""

from __future__ import annotations

import numpy as np

from graphlab.tracing import catalogue
from graphlab.tracing.explainer import Explainer, Explanation
from graphlab.tracing.numbers import show_value
from graphlab.tracing.words import (
    accented_latex,
    label,
    show_tangent,
    speak_number,
)


class TangentExplainer(Explainer):
    """The words of a step of forward mode. `node` is where a tangent comes from, `user` where it goes."""

    def explain(self) -> Explanation:
        if self.step.kind == "push":
            user = self.trace.node(str(self.step.user))
            self.node = self.trace.node(user.arriving[int(self.step.argument or 0)])
            return self.push()
        return self.starts() if self.step.kind == "tangent" else self.forward()

    def starts(self) -> Explanation:
        total = self._value(self.step.total)
        name, tangent = label(self.node), show_tangent(self.node.symbol or self.node.name)
        template = catalogue.TANGENT["starts_array" if np.shape(total) else "starts"]
        sentence = template.format(node=name, tangent=tangent, total=show_value(total))
        spoken = catalogue.SPOKEN["tangent_array" if np.shape(total) else "tangent"].format(
            node=name, total="" if np.shape(total) else speak_number(total)
        )
        numbers = f"= {show_value(total)}"
        return Explanation(sentence, accented_latex(self.node, "dot"), numbers, spoken)

    def push(self) -> Explanation:
        words = catalogue.TANGENT
        scalar = all(np.shape(self._value(x)) == () for x in (self.step.upstream, self.step.amount))
        slots = self._slots() | {"tangent": show_tangent(self.node.symbol or self.node.name)}
        arrived = "arrived_array" if np.shape(self._value(self.step.upstream)) else "arrived"
        local = words["linear"].format(**slots) if not self.step.local else self._local(slots)
        moves = "moves_rule" if not self.step.local else "moves" if scalar else "moves_product"
        sentence = words[arrived].format(**slots) + local + words[moves].format(**slots)
        if self.step.earlier:
            sentence += words["adds" if scalar else "adds_array"].format(**slots)
        spoken = catalogue.SPOKEN["push" if scalar else "push_array"].format(
            user=slots["user"],
            node=slots["node"],
            amount=speak_number(self._value(self.step.amount)) if scalar else "",
            total=speak_number(self._value(self.step.total)) if scalar else "",
        )
        return Explanation(sentence, self._push_formula(), self._edge_numbers(scalar), spoken)

    def _push_formula(self) -> str:
        user = self.trace.node(str(self.step.user))
        sign = r"\mathrel{+}=" if self.step.earlier else "="
        return f"{accented_latex(user, 'dot')} {sign} {self._amount_node().latex}"
