"""A trace of kind "rewrite": every use of a rule as plain data, with its reason and a check by numbers.

`rewrite_dag` collects the facts, each with the node it happened at; `record` turns them into steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from graphlab.engine import merging, rewriting, simplifying, stabilising
from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.notation import Written, name_latex
from graphlab.engine.rewriting import Context, Rewritten, Rule
from graphlab.engine.writing import Writer
from graphlab.errors import ValueProblem
from graphlab.tracing.rewriting_checks import Check, Checker
from graphlab.tracing.trace import SCHEMA, plain
from graphlab.tracing.words import show_formula, show_name

SHORT = 60
LONG = Written("a long formula", r"\text{a long formula}")
RewriteKind = Literal["simplify", "merge", "stabilise"]
RULES: Mapping[RewriteKind, Callable[[], Sequence[Rule]]] = {
    "simplify": lambda: simplifying.RULES,
    "merge": lambda: [merging.merging_rule()],
    "stabilise": lambda: stabilising.RULES,
}


@dataclass(frozen=True, slots=True)
class RewriteStep:
    """`before` became `after` by a rule, and why. It happened in the computation of the node with this id and name.

    Formulas stand down to the inputs where that is short, else in terms of named nodes. A node that is merged into
    an earlier one becomes that one's name. `check` compares the values of the two forms.
    """

    node: str
    name: str
    rule: str
    why: str
    before: str
    before_latex: str
    after: str
    after_latex: str
    check: Check


@dataclass(frozen=True)
class RewriteTrace:
    """One rewriting of a graph: its program before (`source`) and after (`result`), the steps between them in the
    order they were made, and a check of the output."""

    rewriting: RewriteKind
    source: str
    source_latex: str
    result: str
    result_latex: str
    steps: tuple[RewriteStep, ...]
    check: Check
    kind: Literal["rewrite"] = "rewrite"
    schema: int = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and strings; every check with its verdict."""
        steps = [{**asdict(step), "check": _check_data(step.check)} for step in self.steps]
        return {**asdict(self), "steps": steps, "check": _check_data(self.check)}

    def to_json(self) -> str:
        """The trace as JSON. An infinite difference becomes the string "inf"."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Rewriting:
    """What every node of a graph became, and the rewrites in order, each with the node it happened at."""

    kind: RewriteKind
    become: Mapping[Node, Node]
    facts: Sequence[tuple[Node, Rewritten]]


def rewrite_dag(dag: Dag, kind: RewriteKind, shapes: Shapes | None = None) -> Rewriting:
    """`dag` under the rules of one kind; ValueProblem if there is no such kind."""
    if kind not in RULES:
        raise ValueProblem(f"a rewriting is of kind {', '.join(get_args(RewriteKind))}, not {kind!r}")
    rules, context = RULES[kind](), Context(shapes)
    become: dict[Node, Node] = {}
    facts = [(node, fact) for node in dag.nodes for fact in rewriting.rewrite(node, become, rules, context)]
    return Rewriting(kind, become, facts)


def record(
    dag: Dag, done: Rewriting, names: Mapping[Node, str], shapes: Shapes, source: Written, result: Written
) -> RewriteTrace:
    """The facts as steps. `names` are those of the nodes of `dag`, whose inputs have these shapes; `source` and
    `result` are the programs before and after."""
    output = done.become[dag.output]
    checker = Checker(dag, shapes, [output, *(form for _, fact in done.facts for form in (fact.before, fact.after))])
    known = {**carried(names, done.become), **names}

    def step(node: Node, fact: Rewritten) -> RewriteStep:
        before, after = short_form(fact.before, known, shapes), short_form(fact.after, known, shapes)
        why = fact.rule.why
        if done.kind == "merge":
            same = known[fact.after]
            why = f"{show_name(same)} and {show_name(names[node])} are the same: {show_formula(before.text)}. {why}"
            after = Written(same, name_latex(same))
        return RewriteStep(
            node=dag.ids[node],
            name=names[node],
            rule=fact.rule.name,
            why=why,
            before=before.text,
            before_latex=before.latex,
            after=after.text,
            after_latex=after.latex,
            check=checker.compare(fact.before, fact.after),
        )

    steps = tuple([step(node, fact) for node, fact in done.facts])
    check = checker.compare(dag.output, output)
    return RewriteTrace(done.kind, source.text, source.latex, result.text, result.latex, steps, check)


def carried(names: Mapping[Node, str], become: Mapping[Node, Node]) -> dict[Node, str]:
    """The names for what their nodes became. Where several became one node, the first name counts; an input keeps its
    own."""
    return {become[node]: name for node, name in reversed(list(names.items())) if not become[node].is_input}


def short_form(node: Node, names: Mapping[Node, str], shapes: Shapes | None = None) -> Written:
    """A formula down to the inputs where that is short, else in terms of named nodes."""
    shape = shapes.get if shapes is not None else Shapes({}).get
    return Writer({}, shape, SHORT).define(node) or Writer(names, shape).define(node) or LONG


def _check_data(check: Check) -> dict[str, Any]:
    gap = None if check.difference is None else plain(check.difference)
    return {"points": check.points, "difference": gap, "rescued": check.rescued, "verdict": check.verdict}
