"""What is computed another way than it was typed, as notices."""

from __future__ import annotations

from collections.abc import Mapping

from graphlab.engine.core import Node
from graphlab.engine.stabilising import Stabilised
from graphlab.language import Notice
from graphlab.tracing.rewriting_steps import short_form

AS_TYPED = ("stabilise", "no")


def rewriting_notices(stable: Stabilised, names: Mapping[Node, str], positions: Mapping[Node, int]) -> list[Notice]:
    """One notice per rule: its first use, the number of further ones, and why."""
    known = {**names, **{stable.become[node]: name for node, name in names.items()}}
    typed = {after: node for node, after in stable.become.items() if node is not after}
    by_rule: dict[str, list[Notice]] = {}
    for rule, before, after in stable.rewrites:
        position = positions.get(typed.get(stable.become[after], before), 0)
        message = f"{short_form(before, known).text} is computed as {short_form(after, known).text}"
        notice = Notice(f"{message}: {rule.why[0].lower()}{rule.why[1:]}", position, None, AS_TYPED)
        by_rule.setdefault(rule.name, []).append(notice)
    return [notices[0] if len(notices) == 1 else repeated(notices[0], len(notices) - 1) for notices in by_rule.values()]


def repeated(notice: Notice, more: int) -> Notice:
    """The notice with how often it holds elsewhere."""
    message = f"{notice.message} So also in {more} more place{'s' if more > 1 else ''}."
    return Notice(message, notice.position, None, AS_TYPED)
