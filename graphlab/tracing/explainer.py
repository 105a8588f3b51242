"""The words of one step of a forward or backward pass: the templates of the catalogue, filled from the trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine.core import OPS
from graphlab.engine.shapes import show_shape
from graphlab.tracing import catalogue
from graphlab.tracing.numbers import is_rounded, show_number, show_value
from graphlab.tracing.trace import Step, Trace, TraceNode
from graphlab.tracing.words import (
    Letters,
    accented_latex,
    label,
    label_latex,
    show_formula,
    show_gradient,
    speak_number,
    with_numbers,
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The words of one step: a sentence, its formula in letters (LaTeX), the same with numbers (plain text), and a
    short sentence for the ear. What there is not is "".
    """

    sentence: str
    formula: str
    numbers: str
    spoken: str


class Explainer:
    """The words of step `number` (from 0) of a trace."""

    def __init__(self, trace: Trace, letters: Letters, number: int) -> None:
        self.trace = trace
        self.letters = letters
        self.number = number
        self.step: Step = trace.steps[number]
        self.node: TraceNode = trace.target(self.step)
        self.output = trace.result(trace.output)

    def explain(self) -> Explanation:
        if self.step.kind == "compute":
            return self.forward()
        if self.step.kind == "seed":
            return self.seed()
        return self.edge()

    # ---- forward ---------------------------------------------------------------------------------------------------
    def forward(self) -> Explanation:
        node, value = self.node, self.node.value
        if value is None:
            return self.plan()
        numbers = with_numbers(self.trace, node)
        kind = "numbers" if numbers else "shape" if np.shape(value) else "plain"
        sentence = catalogue.FORWARD[kind].format(
            node=label(node),
            rule=show_formula(node.text, self.trace.symbols),
            numbers=numbers,
            equals=_equals(value),
            value=show_value(value),
            shape=show_shape(tuple(np.shape(value))),
        )
        trouble = self._trouble(value)
        if trouble:
            named = [x for x in map(self.trace.node, node.arriving) if x.name]
            shown = ", ".join(f"{label(x)} = {show_value(x.value)}" for x in named)
            sentence += catalogue.FORWARD[trouble].format(inputs=shown or "it stands there as a constant")
        if OPS[str(node.op)].care and any(map(is_extreme, map(self._value, node.arriving))):
            sentence += catalogue.CARE.format(care=OPS[str(node.op)].care)
        formula = f"{label_latex(node)} = {node.latex}"
        result = "" if np.shape(value) else f" {_equals(value)} {show_number(value)}"
        spoken = catalogue.SPOKEN["compute_array" if np.shape(value) else "compute"].format(
            node=label(node),
            value="" if np.shape(value) else speak_number(value),
            shape=" by ".join(map(str, np.shape(value))),
        )
        return Explanation(sentence, formula, (f"= {numbers}" if numbers else "") + result, spoken)

    def plan(self) -> Explanation:
        """Without numbers: what comes out, and its shape."""
        node, shape = self.node, show_shape(self.node.shape)
        kind = "plan" if node.shape else "plan_number"
        sentence = catalogue.FORWARD[kind].format(
            node=label(node), rule=show_formula(node.text, self.trace.symbols), shape=shape
        )
        spoken = catalogue.SPOKEN["plan"].format(node=label(node))
        return Explanation(sentence, f"{label_latex(node)} = {node.latex}", "", spoken)

    # ---- backward --------------------------------------------------------------------------------------------------
    def seed(self) -> Explanation:
        name = label(self.node)
        sentence = catalogue.BACKWARD["seed"].format(node=name, gradient=self._gradient(self.node))
        spoken = catalogue.SPOKEN["seed"].format(node=name)
        return Explanation(sentence, self._gradient_latex(self.node), "= 1", spoken)

    def edge(self) -> Explanation:
        scalar = all(np.shape(self._value(x)) == () for x in (self.step.upstream, self.step.amount))
        slots = self._slots()
        arrived = "arrived_array" if np.shape(self._value(self.step.upstream)) else "arrived"
        sentence = catalogue.BACKWARD[arrived].format(**slots)
        if self._is_first_of_user():
            sentence = sentence.replace(".", f".{catalogue.BACKWARD['next'].format(**slots)}", 1)
        sentence += self._local(slots) + self._sent(slots, scalar)
        if self.step.earlier:
            sentence += catalogue.BACKWARD["fan_in" if scalar else "fan_in_array"].format(**slots)
        spoken = catalogue.SPOKEN["edge" if scalar else "edge_array"].format(
            user=slots["user"],
            node=slots["node"],
            amount=speak_number(self._value(self.step.amount)) if scalar else "",
            total=speak_number(self._value(self.step.total)) if scalar else "",
        )
        return Explanation(sentence, self._edge_formula(scalar), self._edge_numbers(scalar), spoken)

    def _slots(self) -> dict[str, Any]:
        step, user = self.step, self.trace.node(str(self.step.user))
        local = self._value(step.local) if step.local else None
        amount, total = self._value(step.amount), self._value(step.total)
        others = [x for i, x in enumerate(user.arriving) if i != step.argument]
        return {
            "node": label(self.node),
            "user": label(user),
            "rule": show_formula(user.text, self.trace.symbols),
            "other": label(self.trace.node(others[0])) if others else "",
            "why": OPS[str(user.op)].why,
            "formula": show_formula(self.trace.node(step.local).text, self.trace.symbols) if step.local else "",
            "local": "" if local is None else show_value(local),
            "factor": "" if local is None else _bracket(show_value(local)),
            "upstream": show_value(self._value(step.upstream)),
            "amount": show_value(amount),
            "added": _bracket(show_value(amount)),
            "amount_rule": show_formula(self._amount_rule(), self.trace.symbols),
            "earlier": show_value(self._value(step.earlier)) if step.earlier else "",
            "total": show_value(total),
            "equals": _equals(amount),
            "total_equals": _equals(total),
            "user_gradient": self._gradient(user),
        }

    def _local(self, slots: dict[str, Any]) -> str:
        user = self.trace.node(str(self.step.user))
        op = OPS[str(user.op)]
        template = catalogue.LOCAL.get((op.name, int(self.step.argument or 0)))
        if template is None:
            template = catalogue.LOCAL_RULE
            if self.step.local:
                fixed = self.trace.node(self.step.local).op is None
                template = catalogue.LOCAL_NUMBER if fixed else catalogue.LOCAL_GENERAL
        local = self._value(self.step.local) if self.step.local else 0.0
        text = template.format(**{**slots, "equals": _equals(local)})
        at_kink = op.caveat and op.at_kink(*[self._value(x) for x in user.arriving], **user.attrs)
        return text + (catalogue.CAVEAT.format(caveat=op.caveat) if at_kink else "")

    def _sent(self, slots: dict[str, Any], scalar: bool) -> str:
        words = catalogue.BACKWARD
        amount, upstream = self._value(self.step.amount), self._value(self.step.upstream)
        local = self._value(self.step.local) if self.step.local else None
        if scalar and local is not None:
            if upstream == 0 and not np.isfinite(local):
                return words["silent"].format(**slots)
            trouble = self._trouble(amount)
            return (words["sends"] + (words[trouble] if trouble else "")).format(**slots)
        if local is None:
            repeated = self._amount_node().op == "expand" and np.shape(upstream) == ()
            return words["sends_repeated" if repeated else "sends_rule"].format(**slots)
        if np.shape(amount) != np.shape(upstream):
            return words["sends_summed"].format(**slots)
        unchanged = np.shape(local) == () and local == 1
        return words["sends_unchanged" if unchanged else "sends_product"].format(**slots)

    def _edge_formula(self, scalar: bool) -> str:
        user, total = self.trace.node(str(self.step.user)), self.trace.node(str(self.step.total))
        left = self._gradient_latex(self.node)
        if not scalar or self.step.local is None:
            return f"{left} = {total.latex}" if total.name else f"{left} \\mathrel{{+}}= {self._amount_node().latex}"
        sign = r"\mathrel{+}=" if self.step.earlier else "="
        return (
            rf"{left} {sign} {self._gradient_latex(user)} \cdot \frac{{\partial {label_latex(user)}}}"
            rf"{{\partial {label_latex(self.node)}}}"
        )

    def _edge_numbers(self, scalar: bool) -> str:
        if not scalar or self.step.local is None:
            return ""
        amount = self._value(self.step.amount)
        factors = (
            f"{show_number(self._value(self.step.upstream))} · {_bracket(show_value(self._value(self.step.local)))}"
        )
        return f"= {factors} {_equals(amount)} {show_number(amount)}"

    # ---- small things ----------------------------------------------------------------------------------------------
    def _value(self, node_id: str | None) -> Any:
        return self.trace.node(str(node_id)).value

    def _amount_node(self) -> TraceNode:
        return self.trace.node(str(self.step.amount))

    def _amount_rule(self) -> str:
        return self._amount_node().text

    def _is_first_of_user(self) -> bool:
        """Whether this is the first edge of a node that had to wait for its users."""
        before = self.trace.steps[self.number - 1] if self.number else None
        return self.step.user != self.trace.output and (before is None or before.user != self.step.user)

    def _gradient(self, node: TraceNode) -> str:
        letters = "bar" if self.letters == "fraction" and node.shape else self.letters
        return show_gradient(node.symbol or node.name, self.output.symbol or self.output.name, letters)

    def _gradient_latex(self, node: TraceNode) -> str:
        if self.letters == "bar" or (self.letters == "fraction" and node.shape):
            return accented_latex(node, "bar")
        if self.letters == "dot":
            return rf"{label_latex(node)}\mathrm{{.grad}}"
        return rf"\frac{{\partial {label_latex(self.output)}}}{{\partial {label_latex(node)}}}"

    def _trouble(self, value: Any) -> str | None:
        """ "nan" or "infinite", if something in `value` is."""
        array = np.asarray(value, dtype=float)
        if np.isnan(array).any():
            return "nan"
        return "infinite" if np.isinf(array).any() else None


def number_latex(value: Any) -> str:
    """A number in at most 4 digits, as LaTeX."""
    text = show_number(value)
    mantissa, _, power = text.partition("·10")
    if power:
        digits = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        text = rf"{mantissa} \cdot 10^{{{digits}}}"
    return text.replace("−", "-").replace("∞", r"\infty").replace("nan", r"\mathrm{nan}")


def _equals(value: Any) -> str:
    return "≈" if np.shape(value) == () and is_rounded(value) else "="


def _bracket(shown: str) -> str:
    return f"({shown})" if shown.startswith("−") or "·" in shown else shown


def is_extreme(value: Any) -> bool:
    """Whether a number is so large or so small that its exponential or its square may leave the range of numbers."""
    sizes = np.abs(np.asarray(value, dtype=float))
    return bool(np.any((sizes > 300) | ((sizes > 0) & (sizes < 1e-150))))
