"""Terms → nodes: what names stand for, calls of the learner's functions, and the limits on what is made.

A function of the learner's becomes a Template, its body as nodes with free names, and every call copies that. So calls
nest in calls without recursion, and what they make is counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphlab.engine.core import NO_ATTRS, Node, Op, constant, variable
from graphlab.engine.ops import abstract, arithmetic, reduction
from graphlab.errors import LimitError, ParseError
from graphlab.language import limits
from graphlab.language.names import numbered
from graphlab.language.reading import Notice, Reading
from graphlab.language.terms import Array, Call, Name, Number, Operation, Term, in_order
from graphlab.language.tokens import Token
from graphlab.language.vocabulary import NUMBER_LETTERS, function_called, is_letter

Lookup = Callable[[str, int], Node]


@dataclass(frozen=True, slots=True)
class Template:
    """The body of a function: its operations in the order they were made. Free names are inputs of it too."""

    parameters: tuple[Node, ...]
    operations: tuple[Node, ...]
    result: Node


class Builder:
    """Builds the nodes of one program. `names` are those of assigned nodes, `positions` where operations were typed."""

    def __init__(self, reading: Reading, taken: Collection[str]) -> None:
        self.reading = reading
        self.names: dict[Node, str] = {}
        self.positions: dict[Node, int] = {}
        self.notices: list[Notice] = []
        self.bound: dict[str, Node] = {}
        self.inputs: dict[str, Node] = {}
        self.taken = set(taken)  # names in the text or given to nodes, which numbered names must not meet
        self.templates: dict[str, Template] = {}
        self.operations: list[Node] = []  # all that were made, in order
        self.open_products: set[Node] = set()  # those whose kind the shapes decide
        self.printed: set[str] = set()
        self.sizes = {
            dim: (declared.target.text, axis)
            for declared in reversed(reading.shapes.values())
            for axis, dim in reversed(list(enumerate(declared.shape)))
            if isinstance(dim, str)
        }
        # What a power of literals is worth: a tower of them is refused before anyone computes it.
        self._literals: dict[Node, float] = {}

    # ---- names -----------------------------------------------------------------------------------------------------
    def lookup(self, name: str, position: int) -> Node:
        """What a name stands for at this point: a value assigned before, a declared size, or else an input."""
        if name not in self.bound:
            if name in self.sizes and name not in self.reading.shapes:
                array, axis = self.sizes[name]
                size = self.operation(reduction.size, (self.lookup(array, position),), {"axis": axis}, position)
                self.bound[name] = size
                self._print(size, name)
            elif name in self.reading.assigned and function_called(name) and not is_letter(name):
                raise ParseError(
                    f"{name} is a function, and is used as a value before it is assigned",
                    hint="Give the value another name.",
                    position=position,
                )
            else:
                self.bound[name] = self.inputs[name] = variable(name)
        return self.bound[name]

    def assign(self, target: Token, node: Node) -> str:
        """Let a name stand for `node` from here on. Returns the name it is printed with: x, then x_2, x_3, …

        `y = x` makes no node: the node keeps the name it had.
        """
        name = printed = target.text
        if not node.is_input and node not in self.names:
            if name in self.inputs or name in self.printed:
                printed = numbered(name, self.taken)
                self._notice_new_value(target, printed)
            self._print(node, printed)
        self.bound[name] = node
        return printed

    def _print(self, node: Node, name: str) -> None:
        self.names[node] = name
        self.printed.add(name)
        self.taken.add(name)

    def _notice_new_value(self, target: Token, printed: str) -> None:
        if self.inputs.get(target.text) is self.bound.get(target.text):
            self.notices.append(
                Notice(
                    f"{target.text} was used as an input before this line; its new value is called {printed}",
                    target.position,
                    target.text,
                )
            )

    # ---- functions of the learner ----------------------------------------------------------------------------------
    def define(self, name: str, parameters: Sequence[str], body: Term) -> None:
        """Make a function's template. The functions it calls must have theirs."""
        free: dict[str, Node] = {}

        def lookup(word: str, position: int) -> Node:
            if word not in free:
                free[word] = variable(word)
            return free[word]

        own = {parameter: variable(parameter) for parameter in parameters}
        before = len(self.operations)
        result = self.build(body, lookup, own)
        self.templates[name] = Template(tuple(own.values()), tuple(self.operations[before:]), result)

    def call_template(self, call: Call, template: Template, arguments: tuple[Node, ...], lookup: Lookup) -> Node:
        """A copy of a function's body with the arguments put in; its free names mean what they mean at the call."""
        if call.options:
            raise ParseError(f"{call.name} has no options", position=call.position)
        wanted = len(template.parameters)
        if len(arguments) != wanted:
            takes = f"takes {wanted} {'input' if wanted == 1 else 'inputs'}"
            raise ParseError(f"{call.name} {takes}, but got {len(arguments)}", position=call.position)
        copies = dict(zip(template.parameters, arguments, strict=True))

        def copy_of(node: Node) -> Node:
            if node not in copies and node.is_constant:
                copies[node] = self.literal(node.value, node.attrs.get("literal"))
            elif node not in copies:
                copies[node] = lookup(str(node.name), call.position)
            return copies[node]

        for node in template.operations:
            assert node.op is not None, "templates list operations only"
            inputs = tuple([copy_of(x) for x in node.inputs])
            copies[node] = self.operation(node.op, inputs, node.attrs, self.positions[node])
            if node in self.open_products:
                self.open_products.add(copies[node])
        return copy_of(template.result)

    # ---- nodes -----------------------------------------------------------------------------------------------------
    def build(self, root: Term, lookup: Lookup, own: Mapping[str, Node] = NO_ATTRS) -> Node:
        """The node that a formula means; `own` are the inputs of the definition it stands in."""
        stack: list[Node] = []
        for term in in_order(root):
            first = len(stack) - len(term.inputs)
            inputs = tuple(stack[first:])
            del stack[first:]
            if isinstance(term, Name):
                stack.append(own[term.text] if term.text in own else lookup(term.text, term.position))
            elif isinstance(term, Call) and term.name in self.templates:
                stack.append(self.call_template(term, self.templates[term.name], inputs, lookup))
            else:
                stack.append(self.build_term(term, inputs))
        return stack[0]

    def build_term(self, term: Number | Array | Operation | Call, inputs: tuple[Node, ...]) -> Node:
        """The node of a term without names of the learner's."""
        match term:
            case Number(text=text):
                return self.literal(NUMBER_LETTERS.get(text) or float(text), text)
            case Array(rows=rows):
                return self.literal(rows, None)
            case Operation(op=op, position=position, is_open=is_open):
                node = self.operation(op, inputs, NO_ATTRS, position)
                if is_open and not any(x in self._literals for x in inputs):
                    self.open_products.add(node)
                return node
            case Call():
                return self.call(term, inputs)

    def literal(self, value: Any, text: str | None) -> Node:
        node = constant(value, text)
        if isinstance(node.value, float):
            self._literals[node] = node.value
        return node

    def operation(self, op: Op, inputs: tuple[Node, ...], attrs: Mapping[str, Any], position: int) -> Node:
        """One op node, counted and with its place in the text."""
        if len(self.operations) >= limits.OPERATIONS:
            raise LimitError(f"a program has at most {limits.OPERATIONS:,} operations", position=position)
        if op is arithmetic.pow:
            self.check_power(inputs, position)
        node = op.node(*inputs, **attrs)
        self.operations.append(node)
        self.positions[node] = position
        if op is arithmetic.pow and inputs[0] in self._literals and inputs[1] in self._literals:
            base, exponent = (self._literals[x] for x in inputs)
            if base > 0 or (base and exponent.is_integer()):
                self._literals[node] = base**exponent
        return node

    def check_power(self, inputs: tuple[Node, ...], position: int) -> None:
        """Raises LimitError for a power of literals that is too large for a number."""
        base, exponent = (self._literals.get(x) for x in inputs)
        if base and exponent is not None and exponent * math.log10(abs(base)) > limits.EXPONENT:
            raise LimitError(f"this power is larger than 1e{limits.EXPONENT}", position=position)

    def call(self, call: Call, inputs: tuple[Node, ...]) -> Node:
        """A call of a known function, or of one that nobody wrote down."""
        function = function_called(call.name)
        if function is None:
            return self.call_abstract(call, inputs)
        if len(inputs) > 2 and function.nests and not call.options:
            node = inputs[0]
            for x in inputs[1:]:
                node = self.call(call, (node, x))
            return node
        op = function.pick(len(inputs))
        if op is None:
            raise ParseError(
                f"{call.name} takes {function.takes}, but got {len(inputs)}",
                hint=options_hint(function.ops[0]) if len(inputs) else f"For example {call.name}(x).",
                position=call.position,
            )
        return self.operation(op, inputs, {**function.options, **self.attributes(call, op)}, call.position)

    def call_abstract(self, call: Call, inputs: tuple[Node, ...]) -> Node:
        """u(x), or its derivative u′(x)."""
        if call.options:
            raise ParseError(f"{call.name} has no options", position=call.position)
        if len(inputs) != 1:
            raise ParseError(
                f"{call.name} takes 1 input while nothing says what it computes, but got {len(inputs)}",
                hint=f"Define it: {call.name}(x, y) = …",
                position=call.position,
            )
        function = call.name.rstrip("'")
        op = abstract.abstract_function(function, len(call.name) - len(function))
        return self.operation(op, inputs, NO_ATTRS, call.position)

    def attributes(self, call: Call, op: Op) -> Mapping[str, Any]:
        """The options of a call as the op's keyword arguments; what is as by default is left out."""
        if not call.options:
            return NO_ATTRS
        attrs: dict[str, Any] = {}
        for name, (value, position) in call.options.items():
            if name not in op.options:
                raise ParseError(
                    f"{call.name} has no option {name}",
                    hint=options_hint(op) or "Write inputs without names.",
                    position=position,
                )
            attrs[name] = checked_option(name, value, op.options[name], position)
        return {name: value for name, value in attrs.items() if value != op.options[name]}


def options_hint(op: Op) -> str | None:
    """How the options of an op are written."""
    if not op.options:
        return None
    examples = {name: "true" if isinstance(default, bool) else "0" for name, default in op.options.items()}
    return "Options are written with their names: " + ", ".join(f"{k}={v}" for k, v in examples.items()) + "."


def checked_option(name: str, value: object, default: object, position: int) -> object:
    """The value of an option as the op wants it: of the kind of the default, whole numbers where that is None."""
    if isinstance(default, bool):
        if value in (0, 1):
            return bool(value)
        raise ParseError(f"{name} is true or false", position=position)
    if isinstance(default, float) and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, (bool, float)):
        raise ParseError(f"{name} is a whole number, or several in brackets", position=position)
    return value
