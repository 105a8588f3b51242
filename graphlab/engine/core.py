"""The data model: an Op says what an operation means, a Node is one use of it.

Every meaning of an operation is stated in one record: its value, shape, writing, derivative rules and its sentence for
the learner. The rules are written once, over values that may be nodes or arrays: an op called on nodes builds a node,
called on arrays it computes. So `lambda y, x: cos(x)` is the symbolic derivative of sine and the numeric one.

Nodes never change and carry an increasing index, so creation order is a topological order and nothing recurses.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Final, TypeVar

import numpy as np

from graphlab.engine.kernels.kernel import Maker
from graphlab.engine.notation import Notation
from graphlab.engine.shapes import Shape
from graphlab.errors import ValueProblem

Rule = Callable[..., Any]
Rules = tuple[Rule | None, ...]
T = TypeVar("T")
NODES_BETWEEN_COLLECTIONS = 100_000
NO_ATTRS: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """One operation with all its meanings. Make one with the functions of `engine.records`.

    Rules stand one per input, None where no gradient flows; so only what is needed is computed. An op of any number of
    inputs (`arity` None, at least one) has one vjp for all of them, which is told the position as `argument=`.
    - partials: rule(y, *inputs) → ∂y/∂input, for an elementwise op
    - vjp: rule(cotangent, y, *inputs, **attrs) → the input's cotangent
    - jvp: rule(tangent, y, *inputs, **attrs) → its share of y's tangent; `linear_in` (positions) derives it. An op of
      any number of inputs is linear in all of them together: its tangent is the op on their tangents
    - body: (*inputs, **attrs) → the same value through other ops; tangents take this way where there is no jvp
    - combine: of a reduction, the op of two numbers that it is made of: add for a sum, max of two for a maximum
    - kernel: how plans compute it, numeric only (see engine.kernels); no trace uses it
    - careful: numeric partials that do not cancel, beside the printed ones
    - kinks: inputs at which the slope is a convention, which `caveat` states; where it takes more than one number to
      say so, kink_at(*inputs, **attrs) does
    - care: how digits are saved where the plain formula would lose them
    - ids, masks: positions of inputs that are whole numbers counted from 0, or true and false; they have no gradient
    A rule that has a keyword `shapes` is given the inputs' shapes.
    """

    name: str
    forward: Callable[..., Any]
    shape: Callable[..., Shape]
    notation: Notation
    why: str
    arity: int | None
    partials: Rules | None = None
    vjp: Rules | Rule | None = None
    jvp: Rules | None = None
    linear_in: tuple[int, ...] = ()
    body: Callable[..., Node] | None = None
    combine: Op | None = None
    kernel: Maker | None = None
    careful: Rules | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    defaults: tuple[Any, ...] = ()
    call_name: str = ""
    aliases: tuple[str, ...] = ()
    spelled: Mapping[str, str | None] = field(default_factory=dict)
    ids: tuple[int, ...] = ()
    masks: tuple[int, ...] = ()
    domain: tuple[float, float] = (-2.0, 2.0)
    kinks: tuple[float, ...] = ()
    kink_at: Callable[..., Any] | None = None
    caveat: str = ""
    care: str = ""
    analytic: bool = True

    def __call__(self, *inputs: Any, **attrs: Any) -> Any:
        """A new node if any input is one, else the computed value."""
        for x in inputs:
            if isinstance(x, Node):
                return self.node(*inputs, **attrs)
        return self.forward(*inputs, **attrs)

    def node(self, *inputs: Any, **attrs: Any) -> Node:
        """One use of this op. Plain numbers and arrays become constants; options are kept where they differ from the
        default."""
        told = NO_ATTRS
        if attrs or len(inputs) != self.arity:
            inputs, told = self._completed(inputs), self._told(attrs)
        return Node(self, tuple([x if type(x) is Node else as_node(x) for x in inputs]), told)

    def _completed(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs, followed by the defaults of those that were left out."""
        if self.arity is None:
            if not inputs:
                raise ValueProblem(f"{self.call_name} takes at least 1 input, but got 0")
        elif len(inputs) != self.arity:
            inputs += self.defaults[len(inputs) - self.arity :] if len(inputs) < self.arity else ()
            if len(inputs) != self.arity:
                raise ValueProblem(f"{self.call_name} takes {self.arity} inputs, but got {len(inputs)}")
        return inputs

    def _told(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options that differ from the default."""
        for key in attrs:
            if key not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueProblem(f"{self.call_name} has no option {key!r}", hint=f"Its options: {known}.")
        return {key: value for key, value in attrs.items() if value != self.options[key]} or NO_ATTRS

    def vjp_of(self, argument: int) -> Rule | None:
        """The vjp rule of one input; None where no gradient flows."""
        return _vjp_of(self, argument) if callable(self.vjp) else self.vjp[argument] if self.vjp else None

    def sends_to(self, argument: int) -> bool:
        """Whether any gradient flows to input number `argument`."""
        if self.partials is not None:
            return self.partials[argument] is not None
        return self.vjp is None or self.vjp_of(argument) is not None

    def at_kink(self, *inputs: Any, **attrs: Any) -> bool:
        """Whether the slope at these inputs is a convention."""
        found = self.kink_at(*inputs, **attrs) if self.kink_at else np.isin(inputs[0], self.kinks)
        return bool(np.any(found))

    def __repr__(self) -> str:
        return f"<op {self.name}>"


OPS: dict[str, Op] = {}
_next_index = itertools.count().__next__
_scope: ContextVar[str] = ContextVar("scope", default="")


def _operator(name: str) -> tuple[Callable[[Node, Any], Node], Callable[[Node, Any], Node]]:
    """The methods of a sign between two inputs, which build graphs of millions of nodes: there is nothing to check."""

    def apply(self: Node, other: Any) -> Node:
        return Node(OPS[name], (self, other if type(other) is Node else as_node(other)))

    def apply_reflected(self: Node, other: Any) -> Node:
        return Node(OPS[name], (as_node(other), self))

    return apply, apply_reflected


class Node:
    """One use of an op, an input variable (no op, a name) or a constant (no op, a value).

    An operation may have a name too, which whoever built it gave it (see `named`); it need not be the only one of that
    name. Nodes are compared by identity: x*x typed twice is two nodes until somebody merges them.
    """

    __slots__ = ("attrs", "index", "inputs", "name", "op", "scope", "value")

    # NumPy leaves `array * node` to the node instead of looping over the array.
    __array_ufunc__ = None

    def __init__(
        self,
        op: Op | None,
        inputs: tuple[Node, ...] = (),
        attrs: Mapping[str, Any] = NO_ATTRS,
        name: str | None = None,
        value: Any = None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attrs = attrs
        self.name = name
        self.value = value
        self.scope = _scope.get()
        self.index = _next_index()

    @property
    def is_input(self) -> bool:
        """A variable: its value is given at evaluation."""
        return self.op is None and self.name is not None

    @property
    def is_constant(self) -> bool:
        """A literal number or array."""
        return self.op is None and self.name is None

    __add__, __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub")
    __mul__, __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("div")
    __pow__, __rpow__ = _operator("pow")
    __matmul__, __rmatmul__ = _operator("matmul")

    def __neg__(self) -> Node:
        return OPS["neg"].node(self)

    def __pos__(self) -> Node:
        return self

    def __abs__(self) -> Node:
        return OPS["abs"].node(self)

    def __gt__(self, other: Any) -> Node:
        return OPS["greater"].node(self, other)

    def __lt__(self, other: Any) -> Node:
        return OPS["less"].node(self, other)

    def __ge__(self, other: Any) -> Node:
        return OPS["greater_equal"].node(self, other)

    def __le__(self, other: Any) -> Node:
        return OPS["less_equal"].node(self, other)

    @property
    def T(self) -> Node:  # noqa: N802 - the field's own spelling
        """The transpose: the last two axes swapped."""
        return OPS["transpose"].node(self)

    def __bool__(self) -> bool:
        raise ValueProblem(
            "a node has no value yet, so it is neither true nor false", hint="Use gl.where(condition, a, b) to choose."
        )

    def __iter__(self) -> Iterator[Node]:
        raise ValueProblem("a node cannot be looped over: its shape is known only when values are given")

    def __repr__(self) -> str:
        if self.is_input:
            return f"<input {self.name}>"
        if self.op is None:
            return f"<constant {self.value}>"
        return f"<{self.op.name} node {self.name or self.index}>"


def variable(name: str, symbol: str | None = None, shape: Shape | None = None) -> Node:
    """An input called `name`; `symbol` is what formulas write for it, where the name is long (W_Q).

    `shape` is what it has while nobody gives it a value: sizes are numbers or names.
    """
    told = {"symbol": symbol, "declared": shape}
    attrs = {key: value for key, value in told.items() if value is not None}
    return Node(None, attrs=attrs or NO_ATTRS, name=name)


def named(name: str, value: T) -> T:
    """An operation just built, under the name that formulas write for it: `S = named("S", q @ k.T)`.

    In different scopes nodes may share a name. In a rule that is run on arrays there is nothing to name.
    """
    if isinstance(value, Node):
        if value.op is None or value.name is not None:
            raise ValueProblem(
                f"{value!r} cannot be called {name}", hint="Name each operation once, where it is built."
            )
        value.name = name
    return value


def constant(value: Any, literal: str | None = None) -> Node:
    """A fixed number or array; `literal` is the text it was typed as.

    Raises ValueProblem for anything that is not made of numbers.
    """
    stored: Any
    if type(value) is float:
        stored = value
    elif isinstance(value, (bool, np.bool_)):
        stored = bool(value)
    elif isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, np.ndarray):
        stored = float(value)
    else:
        stored = np.asarray(value)
        if stored.dtype.kind not in "biuf":
            raise ValueProblem(f"a constant is a number or an array of numbers, not {type(value).__name__}")
        if stored.dtype.kind in "iu" and not isinstance(value, np.ndarray):
            stored = stored.astype(float)
        if stored.shape == () and stored.dtype.kind == "f":
            stored = float(stored)
    return Node(None, (), {"literal": literal} if literal else NO_ATTRS, None, stored)


def as_node(value: Any) -> Node:
    """A node as it is, anything else as a constant."""
    return value if isinstance(value, Node) else constant(value)


def present_scope() -> str:
    """The scope that nodes are built in here, "" outside of all."""
    return _scope.get()


def scoped(name: str) -> str:
    """The name that a parameter has inside the present scope: query.weight → encoder_layer_0_…_query_weight."""
    within = present_scope()
    return (f"{within}.{name}" if within else name).replace(".", "_")


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Nodes built inside carry this scope: `with scope("encoder"), scope("layer.0"): …` gives encoder.layer.0."""
    outer = _scope.get()
    with beside(f"{outer}.{name}" if outer else name):
        yield


@contextmanager
def building() -> Iterator[None]:
    """For graphs of 10⁵ nodes and more, which are built twice as fast inside.

    Python's garbage collector looks through all nodes again and again while they grow in number, and finds nothing,
    for they form no cycles. Inside it does so less often; afterwards as before.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < NODES_BETWEEN_COLLECTIONS:
        yield
        return
    gc.set_threshold(NODES_BETWEEN_COLLECTIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def beside(path: str) -> Iterator[None]:
    """Nodes built inside carry this scope, whatever the scope around: what is made for a node stands beside it."""
    token = _scope.set(path)
    try:
        yield
    finally:
        _scope.reset(token)


@cache
def _vjp_of(op: Op, argument: int) -> Rule:
    """The one vjp of an op of any number of inputs, at a position."""
    assert callable(op.vjp)
    return partial(op.vjp, argument=argument)


@cache
def careful_rules(op: Op) -> tuple[Rule | None, ...] | None:
    """An elementwise op's partials, each replaced by its careful form where there is one."""
    if op.partials is None or op.careful is None:
        return op.partials
    return tuple(careful or plain for careful, plain in zip(op.careful, op.partials, strict=True))
