"""A backward pass as a textbook prints it: symbols for what has a name, one assignment per gradient.

`Book` puts a symbol in the place of every node that is called by name, so that no rule of simplifying looks through it:
S̄ stands for the gradient of S, and the lines after it write S̄. Gradients of nodes without a name are written out
where they are used, unless they are long. What a rule names itself (the weights P of an attention) gets a line of its
own, and so does what would be written out twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from graphlab.engine.core import Node, beside, variable
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.inference import Shapes
from graphlab.engine.merging import merging_rule
from graphlab.engine.naming import accented_name, told_apart, unused
from graphlab.engine.rewriting import Context, again, rewritten
from graphlab.engine.simplifying import RULES
from graphlab.engine.writing import short_name

LONG = 12  # operations that an unnamed gradient may take inside another line
SHORT = 3  # operations that may be written out twice


@dataclass(frozen=True, slots=True)
class Assignment:
    """`symbol`, an input by its name, stands for `definition`, in which earlier symbols stand."""

    symbol: Node
    definition: Node


class Book:
    """Symbols for the nodes of one graph that are `called` by name, and expressions rewritten in terms of them."""

    def __init__(self, dag: Dag, called: Mapping[Node, str], names: Mapping[Node, str], shapes: Shapes) -> None:
        self.dag = dag
        self.names = names
        self.shapes = shapes
        self.taken = {*dag.inputs, *names.values(), *shapes.size_names(dag.inputs.values())}
        self.meanings: dict[Node, Node] = {}
        self.symbols: dict[Node, Node] = {}
        for node, name in called.items():
            self.symbols[node] = self.symbol(node, name, short_name(node, name), node)
        self._become = dict(self.symbols)
        self._helpers: dict[Node, Node] = {}  # symbols of what rules have named
        self._context = Context(shapes, self.meanings)
        self._rules = [*RULES, merging_rule()]

    def symbol(self, like: Node, name: str, short: str, meaning: Node) -> Node:
        """An input called `name`, beside `like` and of its shape, that stands for `meaning`."""
        with beside(like.scope):
            made = variable(name, symbol=short if short != name else None)
        self.shapes.declare(made, self.shapes[like])
        self.meanings[made] = meaning
        return made

    def write(self, node: Node) -> Node:
        """`node` in terms of the symbols there are, under all rules."""
        return rewritten(node, self._become, self._rules, self._context)

    def label(self, node: Node) -> str:
        """The name of a node of the graph."""
        return str(node.name) if node.is_input else self.names.get(node, "L")

    def accented(self, node: Node, accent: Literal["bar", "dot"], meaning: Node) -> Node:
        """The symbol of a node's gradient or tangent."""
        label = self.label(node)
        name, short = accented_name(label, accent, self.taken), short_name(node, label)
        return self.symbol(node, name, name if short == label else accented_name(short, accent, set()), meaning)

    def settle(self, node: Node, symbol: Node) -> None:
        """Write `symbol` for `node` from here on."""
        self._become[node] = symbol

    # ---- the pass --------------------------------------------------------------------------------------------------
    def assignments(self, totals: Mapping[Node, Node], wanted: Collection[Node]) -> list[Assignment]:
        """The gradients `totals` of nodes, in the order of the pass: those of nodes called by name, and all that those
        of the `wanted` nodes need."""
        lines: list[Assignment] = []
        results: list[Node] = []
        owners: set[Node] = set()  # a rule may hand on what arrived as it is, so two nodes may have one total
        for node in sorted(totals, key=lambda node: node.index, reverse=True):
            total = totals[node]
            if total.is_input and node not in wanted:
                continue
            definition = self.write(total)
            if node in wanted or node in self.symbols or weight(definition) > LONG:
                bar = self.accented(node, "bar", definition)
                lines.append(Assignment(bar, definition))
                results += [bar] if node in wanted else []
                if total not in owners:
                    owners.add(total)
                    self.settle(total, bar)
        return needed(self._with_shared(lines), results)

    def _with_shared(self, lines: Sequence[Assignment]) -> list[Assignment]:
        """The lines, with further ones for what rules have named and for what is long and used more than once."""
        shared = self._shared([line.definition for line in lines])
        become: dict[Node, Node] = {}
        result: list[Assignment] = []
        for line in lines:
            for node in reachable([line.definition], stop=become):
                if node in shared and node not in become and node is not line.definition:
                    definition = substituted(node, become)
                    become[node] = self.symbol(node, shared[node], short_name(node, shared[node]), definition)
                    result.append(Assignment(become[node], definition))
            result.append(Assignment(line.symbol, substituted(line.definition, become)))
            if line.definition in shared:
                become.setdefault(line.definition, line.symbol)
        return result

    def _shared(self, definitions: Sequence[Node]) -> dict[Node, str]:
        """Names for the parts of definitions that get lines of their own."""
        parts = [node for node in reachable(definitions) if node.op is not None]
        uses = Counter([*definitions, *(x for node in parts for x in node.inputs)])
        named = [node for node in parts if node.name is not None and node not in self.names]
        long = [node for node in parts if node.name is None and uses[node] > 1 and weight(node) > SHORT]
        letters = unused(self.taken)
        return {**told_apart(named, self.taken), **dict(zip(long, letters, strict=False))}

    # ---- one expression --------------------------------------------------------------------------------------------
    def expression(self, node: Node) -> Node:
        """`node` as one expression, in which what a rule has named stays a symbol; a gradient never does."""
        written = self.write(node)
        for part in reachable([written], stop=self._helpers):
            if part not in self._helpers and part is not written and self._is_helper(part):
                meaning = substituted(part, self._helpers)
                ((_, name),) = told_apart([part], self.taken).items()
                self._helpers[part] = self.symbol(part, name, short_name(part, name), meaning)
        return substituted(written, dict(self._helpers))

    def _is_helper(self, node: Node) -> bool:
        named = node.op is not None and node.name is not None and node not in self.names
        return named and not str(node.name).endswith("_bar")

    def opened(self, expression: Node) -> Node:
        """The expression with every symbol in it replaced by what it stands for, in terms of other symbols."""
        symbols = [x for x in reachable([expression]) if x in self.meanings]
        become = {symbol: self._definition(self.meanings[symbol]) for symbol in symbols}
        return rewritten(substituted(expression, become), {}, RULES, self._context) if symbols else expression

    def _definition(self, meaning: Node) -> Node:
        if meaning not in self.symbols:
            return meaning
        return again(meaning, *[self.write(x) for x in meaning.inputs])


def weight(node: Node) -> int:
    """How many operations it takes to write a node out."""
    return sum(x.op is not None for x in reachable([node]))


def substituted(node: Node, become: dict[Node, Node]) -> Node:
    """`node` with parts of it replaced, and nothing else changed."""
    return rewritten(node, become, (), Context())


def needed(lines: Sequence[Assignment], results: Iterable[Node]) -> list[Assignment]:
    """The lines that the results depend on."""
    wanted = set(results)
    kept: list[Assignment] = []
    for line in reversed(lines):
        if line.symbol in wanted:
            wanted.update(reachable([line.definition]))
            kept.append(line)
    return kept[::-1]
