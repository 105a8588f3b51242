"""What a lesson is: texts, a question, an experiment, and graphs to step. Plain data and small functions.

A text is short Markdown with $…$ for symbols. It never states a result: `[[name]]` in a text is replaced by the
quantity `name` of the experiment at its first settings, as the engine computes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import graphlab as gl
from graphlab.engine.core import Node
from graphlab.engine.notation import name_latex
from graphlab.errors import UnknownName
from graphlab.lessons.controls import Control, Settings, first_settings
from graphlab.lessons.findings import Findings

State = Mapping[str, Any]


@dataclass(frozen=True)
class Choice:
    """One answer to choose, and what is said to it. `tempting`: the wrong answer most people give."""

    text: str
    reply: str
    right: bool = False
    tempting: bool = False


@dataclass(frozen=True)
class Question:
    """A question with two to four choices, of which one is right."""

    text: str
    choices: tuple[Choice, ...]

    @property
    def mixed(self) -> tuple[Choice, ...]:
        """The choices in an order that does not depend on how they were written down, the same for everybody."""
        return tuple(sorted(self.choices, key=lambda choice: hashlib.sha256(choice.text.encode()).digest()))


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The experiment that decides the question. `run` computes everything that is shown from the settings, with the
    engine; `expect` names the quantities that must come out as the lecture says, at the first settings.
    """

    question: str
    controls: Mapping[str, Control]
    run: Callable[[Settings], Findings]
    expect: tuple[str, ...]

    @cached_property
    def at_first(self) -> Findings:
        """What it shows before anybody moves a control."""
        return self.run(first_settings(self.controls))


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A graph with its numbers, to be stepped: `program` is its text (then the reader can open it on the Explore page),
    or a function that makes the output's node. The output must be a scalar, unless the walk only goes forward.

    `moving` gives some inputs a tangent: then the walk is forward mode. `open` names composites to be shown as their
    parts. `as_typed` keeps log(sigmoid(z)) and the like as two steps, where the two are the lesson.
    """

    program: str | Callable[[], Node]
    values: Mapping[str, Any]
    kind: Literal["forward", "reverse"] = "reverse"
    moving: Mapping[str, Any] | None = None
    open: tuple[str, ...] = ()
    as_typed: bool = False

    @cached_property
    def graph(self) -> gl.Graph:
        """The graph; it knows the shapes of its values."""
        if isinstance(self.program, str):
            return gl.parse(self.program, values=self.values, stabilise=not self.as_typed)
        return gl.graph(L=self.program(), stabilise=not self.as_typed).with_shapes(self.values)

    @cached_property
    def trace(self) -> gl.Trace:
        """The whole run, with no box closed but those that the walk does not open."""
        return self.run([self.id_of(name) for name in self.open])

    def run(self, opened: Sequence[str] = ()) -> gl.Trace:
        """The whole run, through the parts of these composites (ids)."""
        if self.moving is not None:
            return self.graph.trace(self.values, kind="tangent", tangents=self.moving, open=opened)
        return self.graph.trace(self.values, kind=self.kind, open=opened)

    def id_of(self, name: str) -> str:
        """The id of the node with this name. Raises UnknownName."""
        for node in self.graph.outline().nodes:
            if node.name == name:
                return node.id
        raise UnknownName(f"no node of this graph is called {name}")


@dataclass(frozen=True, kw_only=True)
class Screen:
    """One formula with its graph: a lesson's third and fourth beat. It has a `walk`, or something to `show`, or both.

    `formulas` says what is written above the graph, each line by the engine: "forward" (the program), "backward" (one
    assignment per gradient), or the name of an input or operation (the derivative with respect to it). `blanks` are
    asked in the order of the steps: "d" is the value of d, "d_bar" its gradient.
    """

    title: str
    says: str
    walk: Walk | None = None
    formulas: tuple[str, ...] = ("forward",)
    blanks: tuple[str, ...] = ()
    show: Callable[[], Findings] | None = None

    @cached_property
    def latex(self) -> list[str]:
        """The formulas, written by the engine."""
        return [_latex(self.walk.graph, name) for name in self.formulas] if self.walk else []


def _latex(graph: gl.Graph, name: str) -> str:
    if name == "forward":
        return graph.latex
    if name == "backward":
        return graph.backward().latex
    output = name_latex(graph.names.get(graph.dag.output, "L"))
    return rf"\frac{{\partial {output}}}{{\partial {name_latex(name)}}} = {graph.derivative(name).latex}"


@dataclass(frozen=True, kw_only=True)
class Training:
    """Something that learns while one looks. A state holds numbers and arrays only, under names.

    `start` makes the first state, `step` the next one, `findings` what is shown; `editable` names the arrays of the
    state that a reader may change by hand, and it stops by itself after `longest` steps.
    """

    controls: Mapping[str, Control]
    start: Callable[[Settings], State]
    step: Callable[[State, Settings], State]
    findings: Callable[[State, Settings], Findings]
    longest: int
    editable: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One page. `key` is the rung ("5b"), `needs` are keys of lessons to know before, `symbols` what each letter means
    here, `why` the question after the steps, `recall` the lesson whose `why` is asked again at the end.
    """

    key: str
    title: str
    says: str
    needs: tuple[str, ...]
    symbols: Mapping[str, str]
    predict: Question
    experiment: Experiment
    screens: tuple[Screen, ...]
    why: Question
    recall: str | None = None
    training: Training | None = None
