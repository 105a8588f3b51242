"""Questions: what is asked of a graph, as data or as a short text such as "dL/db".

With `at` (values of all inputs) a question asks for a number or an array, without for a formula. A formula for the
value of a node, for a gradient and for a local derivative may use inputs and named nodes alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from graphlab.errors import ValueProblem
from graphlab.language import canonical_name
from graphlab.language.names import NAME
from graphlab.practice.spelling import find_derivative

_shape = re.compile(rf"\s*(?:the\s+)?shape\s*(?:of\s+|\()\s*({NAME})\s*\)?\s*", re.IGNORECASE)
_name = re.compile(rf"\s*({NAME})\s*")


@dataclass(frozen=True)
class Value:
    """The value of the node called `name`."""

    name: str
    at: Mapping[str, Any] | None = None
    kind: ClassVar[str] = "value"

    def title(self, output: str) -> str:
        return self.name


@dataclass(frozen=True)
class Gradient:
    """The gradient of the graph's output with respect to the node called `name`."""

    name: str
    at: Mapping[str, Any] | None = None
    kind: ClassVar[str] = "gradient"

    def title(self, output: str) -> str:
        return f"∂{output}/∂{self.name}"


@dataclass(frozen=True)
class Local:
    """The local derivative ∂of/∂name: how the node `of` moves with `name` while all other named nodes stand still."""

    of: str
    name: str
    at: Mapping[str, Any] | None = None
    kind: ClassVar[str] = "local derivative"

    def title(self, output: str) -> str:
        return f"∂{self.of}/∂{self.name}"


@dataclass(frozen=True)
class Shape:
    """The shape of the node called `name`, which its gradient has too; `at` may give the inputs their sizes."""

    name: str
    at: Mapping[str, Any] | None = None
    kind: ClassVar[str] = "shape"

    def title(self, output: str) -> str:
        return f"the shape of {self.name}"


Question = Value | Gradient | Local | Shape


def read_question(text: str, is_known: Callable[[str], bool], output: str) -> Question:
    """The question that a text asks: "L", "dL/db", "∂L/∂b", "b_bar", "b̄", "b.grad", "de/dd" (local, where e is not the
    output), "shape of W". `is_known` tells the names of the graph. Raises ValueProblem.
    """
    shape = _shape.fullmatch(text)
    if shape:
        return Shape(canonical_name(shape.group(1)))
    asked = find_derivative(text, is_known)
    if asked is not None:
        of, name = asked
        return Gradient(name) if of in ("", output) else Local(of, name)
    value = _name.fullmatch(text)
    if value:
        return Value(canonical_name(value.group(1)))
    raise ValueProblem(f"{text!r:.60} is no question", hint='Ask "L", "dL/db", "b_bar" or "shape of W".')
