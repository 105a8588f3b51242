"""The judge: a typed answer → a Verdict.

1. The answer is read with the names of the graph (`reading`).
2. Equal after the visible rules of simplifying, up to the order of sums and products: right (`canonical`).
3. float64 at points in the declared domains, where a clear difference is a counterexample (`sampling`, `comparing`).
4. 60 digits at further points, and around every literal where an op has a kink (`digits`).
5. After two seconds it is undecided, which is never called wrong.

Numbers and shapes (`numbers`) are compared as such. No answer raises an exception and none is executed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphlab.api.backward import node_called
from graphlab.api.graph import Graph
from graphlab.engine import inference
from graphlab.engine.dag import Dag
from graphlab.engine.shapes import Shape as Dims
from graphlab.engine.shapes import show_shape
from graphlab.engine.values import bind, convert
from graphlab.errors import GraphLabError, LimitError, ShapeError, ValueProblem
from graphlab.language import canonical_name
from graphlab.language.program import Notation
from graphlab.practice.asked import Asked, general_shapes
from graphlab.practice.canonical import are_same
from graphlab.practice.comparing import Budget, Comparison, Finding, computed
from graphlab.practice.numbers import is_close, read_shape, with_point
from graphlab.practice.questions import Gradient, Question, Shape, read_question
from graphlab.practice.reading import Answer, read_answer
from graphlab.practice.sampling import Point, Sampler, domains_of, sizes_for
from graphlab.practice.showing import (
    Counterexample,
    agreement,
    convention,
    counterexample,
    place,
    show,
    show_apart,
    worst_entry,
)
from graphlab.practice.standing_in import stand_in

SECONDS = 2.0
KINK = "Only at a kink the two differ, and there the slope is a convention."
EXACT = "such as 1/3 or sqrt(2/pi)"


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right (None: it could not be read, or not be decided), and what is said to it."""

    right: bool | None
    message: str
    counterexample: Counterexample | None = None


def judge(graph: Graph, question: Question | str, answer: str, notation: Notation = "plain") -> Verdict:
    """Whether `answer` is right. `question` is a Value, Gradient, Local or Shape, or a text such as "dL/db".

    Raises a GraphLabError for a question that the graph cannot be asked, never for an answer.

    >>> import graphlab as gl
    >>> judge(gl.parse("d = 2b; e = a+d; L = c*e"), "dL/db", "c + c").right
    True
    """
    return Judge(graph, question, answer, notation).verdict()


class Judge:
    """One answer to one question, and the time that is left for it."""

    def __init__(self, graph: Graph, question: Question | str, answer: str, notation: Notation = "plain") -> None:
        self.deadline = Budget(SECONDS)
        if isinstance(question, str):
            known = {*graph.dag.inputs, *graph.names.values()}
            output = graph.names.get(graph.dag.output) or str(graph.dag.output.name)
            question = read_question(question, known.__contains__, output)
        self.at = {canonical_name(name): value for name, value in (question.at or {}).items()}
        self.graph = graph.settled_by(self.at)
        self.question = question
        self.typed = answer
        self.notation = notation
        inputs = self.graph.dag.inputs
        self.concrete = self.graph.shapes | {name: np.shape(x) for name, x in self.at.items() if name in inputs}
        self.title = question.title(graph.names.get(graph.dag.output) or str(graph.dag.output.name))

    def verdict(self) -> Verdict:
        if not self.typed.strip():
            return Verdict(None, "There is no answer yet.")
        if isinstance(self.question, Shape):
            return self._shape()
        asked = Asked(self.graph, self.question, self.concrete)
        point = None if self.question.at is None else self._point(asked)
        try:
            return self._formula(asked) if point is None else self._number(asked, point)
        except LimitError as fault:
            return self._undecided() if self.deadline.is_over else _unreadable(fault)
        except ShapeError as fault:
            return Verdict(False, f"Not yet: the shapes do not fit. {_unreadable(fault).message}")
        except GraphLabError as fault:
            return _unreadable(fault)

    # ---- shapes ----------------------------------------------------------------------------------------------------
    def _shape(self) -> Verdict:
        shapes = inference.infer_shapes(self.graph.dag, self.concrete)
        asked = node_called(self.graph, self.question.name)
        wanted = shapes[asked]
        found = read_shape(self.typed)
        if found is None:
            return Verdict(None, "A shape is written (2, 3), 2×3, or () for a single number.")
        if found == wanted:
            return Verdict(True, f"Yes: {self.title} is {show_shape(wanted)}.")
        if len(found) == len(wanted):
            return Verdict(
                False,
                f"It has {len(found)} {'axis' if len(found) == 1 else 'axes'}, that is right. Look at the sizes again.",
            )
        return Verdict(False, f"You wrote {len(found)} sizes. How many axes does {self.question.name} have?")

    # ---- numbers ---------------------------------------------------------------------------------------------------
    def _number(self, asked: Asked, point: Point) -> Verdict:
        """An answer at given values. What is said to a wrong one does not give the number away."""
        typed = with_point(self.typed)
        read = read_answer(asked, typed, self.notation)
        if asked.is_circular(read.used):
            return self._circular(asked)
        dag = Dag(read.node, asked.expected)
        values = computed(dag, point, self.deadline)
        found, wanted = values[read.node], values[asked.expected]
        if np.shape(found) != np.shape(wanted):
            return self._wrong_shape(asked, np.shape(found), np.shape(wanted))
        if is_close(found, wanted, typed):
            return Verdict(True, f"Yes: {asked.title} = {show(wanted)}.")
        return self._wrong(asked, read, None)

    def _point(self, asked: Asked) -> Point:
        """The values of all inputs, and of the output's gradient where that is an array. Raises ValueProblem."""
        point = bind(asked.dag, {name: value for name, value in self.at.items() if name in asked.dag.inputs})
        seed = str(asked.seed.name)
        if asked.seed.is_input:
            if seed not in self.at and isinstance(self.question, Gradient):
                raise ValueProblem(
                    f"this question needs the value of {seed}", hint="The output is not a single number."
                )
            point[asked.seed] = convert(self.at[seed], seed) if seed in self.at else np.float64(np.nan)
        return point

    # ---- formulas --------------------------------------------------------------------------------------------------
    def _formula(self, asked: Asked) -> Verdict:
        """In general first, with all sizes different; where that does not hold, with the sizes of this graph."""
        general = general_shapes(self.graph.dag, self.concrete)
        if general == self.concrete or not any(self.concrete.values()):
            return self._in_shapes(asked)
        try:
            wider = Asked(self.graph, self.question, general)
            verdict = self._in_shapes(wider)
        except GraphLabError as fault:
            if isinstance(fault, LimitError):
                raise
            return self._in_shapes(asked)
        if verdict.right:
            return verdict
        here = self._in_shapes(asked)
        if here.right:
            return Verdict(True, f"{here.message} It holds for the sizes of this graph, not for others.")
        return here

    def _in_shapes(self, asked: Asked) -> Verdict:
        read = read_answer(asked, self.typed, self.notation)
        if asked.is_circular(read.used):
            return self._circular(asked)
        shapes = asked.shapes
        found, wanted = shapes[read.node], shapes[asked.expected]
        if found != wanted:
            return self._wrong_shape(asked, found, wanted)
        forms = [asked.expected, *(asked.simplified or ())[:1]]
        if are_same(read.node, *forms):
            return self._right(asked, read)
        return self._sampled(asked, read)

    def _sampled(self, asked: Asked, read: Answer) -> Verdict:
        nodes = stand_in([read.node, asked.expected, *asked.dag.outputs])
        graph = Dag(*nodes[2:])
        inputs = [*asked.dag.inputs.values(), *([asked.seed] if asked.seed.is_input else [])]
        leaves = {node: asked.shapes[node] for node in inputs}
        used = Dag(*nodes)
        sizes = sizes_for(used, leaves)
        if not sizes:
            return Verdict(None, "I found no sizes of the inputs with which this can be computed.")
        sampler = Sampler(used, sizes, domains_of(graph, sizes[0], self.deadline))
        found = Comparison(nodes[0], nodes[1], graph, sampler, self.deadline).run(read.literals)
        return self._said(asked, read, found)

    def _said(self, asked: Asked, read: Answer, found: Finding) -> Verdict:
        match found.kind:
            case "different":
                return self._wrong(asked, read, found)
            case "rounded":
                message = f"Very close, but a rounded number stands in it: use the exact value, {EXACT}."
                return Verdict(False, message, counterexample(found))
            case "incomparable":
                return Verdict(None, "I found too few inputs at which both this and what is asked have a value.")
            case "equal but at kinks":
                return self._right(asked, read, f"{KINK} {convention(found.kink)}")
            case "equal at few digits":
                return self._right(asked, read, "It was compared to 9 digits only: for more, pip install mpmath.")
        undefined = "They are equal wherever both have a value." if found.narrower else ""
        return self._right(asked, read, undefined)

    # ---- what is said ----------------------------------------------------------------------------------------------
    def _right(self, asked: Asked, read: Answer, more: str = "") -> Verdict:
        """The textbook's form beside the learner's, where it is short."""
        text = asked.text
        same = "".join(self.typed.split()) == "".join((text or "").split())
        said = (
            "Yes." if text is None else f"Yes: {asked.title} = {text}." if same else f"Yes, it is the same as {text}."
        )
        return Verdict(True, f"{said} {more}".strip())

    def _wrong(self, asked: Asked, read: Answer, found: Finding | None) -> Verdict:
        """Not right. This is where candidate explanations of the mistake are to be tried, before this is said."""
        if found is None:
            return Verdict(
                False, f"This is not {asked.title} yet." + (" Its shape is right." if asked.shapes[read.node] else "")
            )
        shape = "Its shape is right. " if np.ndim(found.wanted) else ""
        example = counterexample(found)
        at = place(example)
        yours, wanted = show_apart(*worst_entry(example))
        message = f"Not yet. {shape}{agreement(found)}{at}yours is {yours}, {asked.title} is {wanted}."
        return Verdict(False, message, example)

    def _wrong_shape(self, asked: Asked, found: Dims, wanted: Dims) -> Verdict:
        like = f", like {self.question.name}" if self.question.kind == "gradient" else ""
        return Verdict(False, f"{asked.title} has the shape {show_shape(wanted)}{like}; yours has {show_shape(found)}.")

    def _undecided(self) -> Verdict:
        said = f"I could not decide within {SECONDS:g} seconds whether this is {self.title}."
        return Verdict(None, f"{said} Is there a shorter way to write it?")

    def _circular(self, asked: Asked) -> Verdict:
        return Verdict(None, f"That is {asked.title} itself, under another name. Say what it is made of.")


def _unreadable(fault: GraphLabError) -> Verdict:
    """The fault as a sentence, with the caret below the place."""
    message = fault.message[:1].upper() + fault.message[1:] + "."
    return Verdict(None, "\n".join(part for part in (message, fault.caret, fault.hint) if part))
