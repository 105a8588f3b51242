"""What is asked, as a node: the expected answer built on the graph, and the names that an answer may use.

Everything is built beside the graph, which stays as it is. Shapes are symbolic where the graph allows it: sizes that
need not be equal are different names, so an answer that fits only equal sizes does not pass.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from graphlab.api.backward import called_by_name, node_called
from graphlab.api.graph import Graph
from graphlab.engine import inference, reverse
from graphlab.engine.core import OPS, Node, constant, variable
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.inference import Shapes
from graphlab.engine.naming import accented_name
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.engine.rewriting import Context, rewritten
from graphlab.engine.shapes import Shape
from graphlab.engine.simplifying import RULES
from graphlab.engine.writing import FormulaWriter
from graphlab.errors import ValueProblem
from graphlab.practice.questions import Gradient, Local, Question, Value
from graphlab.practice.spelling import BAR

SIMPLIFIED_UP_TO = 200
SHORT = 80


class Asked:
    """One question about one graph. `expected` is the node that an answer must equal."""

    def __init__(self, graph: Graph, question: Question, shapes: dict[str, Shape]) -> None:
        self.graph = graph
        self.question = question
        self.dag = graph.dag
        self.nodes = {name: node for node, name in graph.names.items()} | dict(self.dag.inputs)
        self.output_name = graph.names.get(self.dag.output) or str(self.dag.output.name)
        self.shapes = inference.infer_shapes(self.dag, shapes)
        self.target = node_called(graph, question.name)
        self._bars: dict[Node, Node] = {}
        self.seed = self._seed()
        self.expected = self._expected()

    # ---- names -----------------------------------------------------------------------------------------------------
    def is_known(self, name: str) -> bool:
        return name in self.nodes

    @cached_property
    def sizes(self) -> dict[str, tuple[Node, int]]:
        """The names of sizes, each with an axis of an input that has it."""
        found: dict[str, tuple[Node, int]] = {}
        for node in self.dag.inputs.values():
            for axis, dim in enumerate(self.shapes.get(node) or ()):
                if isinstance(dim, str) and dim.isidentifier() and dim not in self.nodes:
                    found.setdefault(dim, (node, axis))
        return found

    @property
    def names(self) -> list[str]:
        """Every name that an answer may use."""
        return [*self.nodes, *self.sizes, *(name + BAR for name in self.nodes if name + BAR not in self.nodes)]

    @property
    def functions(self) -> set[str]:
        """The abstract functions of the graph."""
        return {node.op.function for node in self.dag.nodes if isinstance(node.op, AbstractOp)}

    def node(self, name: str) -> Node | None:
        """What a name in an answer stands for; None if nothing does."""
        if name in self.nodes:
            return self.nodes[name]
        if name in self.sizes:
            array, axis = self.sizes[name]
            return OPS["size"].node(array, axis=axis)
        owner = self.nodes.get(name.removesuffix(BAR)) if name.endswith(BAR) else None
        return self._bar(owner) if owner is not None else None

    def is_circular(self, used: Sequence[str]) -> bool:
        """Whether an answer of these names says only what is asked in another way: L for L, or ē for a gradient that
        ē is made of."""
        if isinstance(self.question, Local):
            return False
        if isinstance(self.question, Gradient):
            earlier = set(reachable([self.target]))
            return any(name.endswith(BAR) and self.nodes.get(name.removesuffix(BAR)) in earlier for name in used)
        later = self.dag.depending_on([self.target])
        return any(self.nodes.get(name) in later for name in used)

    # ---- how it is written -----------------------------------------------------------------------------------------
    @property
    def title(self) -> str:
        """What is asked, by name; the gradient of an output that is no single number is written with a bar."""
        if isinstance(self.question, Gradient) and self.seed.is_input:
            return self.question.name + BAR
        return self.question.title(self.output_name)

    @cached_property
    def simplified(self) -> tuple[Node, dict[Node, str]] | None:
        """The expected answer after the visible rules, and the names of nodes in it; None where it is large, or where a
        rule had to round (1/3 to 0.333…)."""
        dag = Dag(self.expected)
        if len(dag.nodes) > SIMPLIFIED_UP_TO:
            return None
        become: dict[Node, Node] = {}
        result = rewritten(self.expected, become, RULES, Context(self.shapes))
        if any(_is_rounded(node) for node in Dag(result).nodes):
            return None
        names = {become[node]: name for node, name in called_by_name(self.graph).items() if node in become}
        return result, {**called_by_name(self.graph), **names}

    @property
    def text(self) -> str | None:
        """The expected answer in the names of the graph, where that is short."""
        if isinstance(self.question, Value):
            found = FormulaWriter(called_by_name(self.graph), self.shapes.get, SHORT).define(self.expected)
        elif self.simplified is not None:
            node, names = self.simplified
            found = FormulaWriter(names, self.shapes.get, SHORT).write(node)
        else:
            found = None
        return found.text if found and len(found.text) <= SHORT else None

    # ---- gradients -------------------------------------------------------------------------------------------------
    def prepare_bars(self, names: Sequence[str]) -> None:
        """Build the gradients of these nodes, in one backward pass."""
        self._pull([self.nodes[name] for name in names if name in self.nodes])

    def _seed(self) -> Node:
        """The output's own gradient: 1 for a scalar, else an unknown array."""
        shape = self.shapes[self.dag.output]
        name = accented_name(self.output_name, "bar", set(self.nodes))
        seed = constant(1.0) if shape == () else variable(name)
        self.shapes.declare(seed, shape)
        return seed

    def _pull(self, wanted: Sequence[Node]) -> None:
        missing = [node for node in wanted if node not in self._bars]
        if missing:
            self._bars |= _totals(self.dag, self.shapes, self.seed, missing)

    def _bar(self, node: Node) -> Node:
        self._pull([node])
        return self._bars[node]

    def _expected(self) -> Node:
        if isinstance(self.question, Gradient):
            return self._bar(self.target)
        if isinstance(self.question, Local):
            return self._local(node_called(self.graph, self.question.of))
        return self.target

    def _local(self, user: Node) -> Node:
        """∂user/∂target with every other named node held fixed."""
        held = {*called_by_name(self.graph), *self.dag.inputs.values(), self.target} - {user}
        inner = [node for node in reachable([user], stop=held) if node in held]
        if self.target not in inner:
            raise ValueProblem(f"{self.question.title('')} is not a local derivative of this graph")
        free = [variable(f"x_{i}") for i in range(len(inner))]
        copy = run_from(user, dict(zip(inner, free, strict=True)))
        shapes = Shapes({new: self.shapes[old] for old, new in zip(inner, free, strict=True)})
        shape, entrywise = shapes[copy], all(n.op is None or n.op.partials for n in Dag(copy).nodes)
        target = free[inner.index(self.target)]
        if shape != () and not (entrywise and shapes[target] == shape):
            raise ValueProblem(f"{self.question.title('')} has more than one number for each entry", hint="Ask dL/d….")
        one: Node = constant(1.0) if shape == () else OPS["expand"].node(constant(1.0), copy)
        shapes.declare(one, shape)
        slope = _totals(Dag(copy), shapes, one, [target])[target]
        return run_from(slope, {copy: user, **dict(zip(free, inner, strict=True))})


def _is_rounded(node: Node) -> bool:
    """A number that only arithmetic can have made."""
    return node.is_constant and "literal" not in node.attrs and len(repr(node.value)) > 10 and np.ndim(node.value) == 0


def _totals(dag: Dag, shapes: Shapes, seed: Node, wrt: Sequence[Node]) -> dict[Node, Node]:
    """The gradients of `dag.output`; zeros where none flows."""
    totals = {dag.output: seed} | {fact.node: fact.total for fact in reverse.backward_graph(dag, shapes, seed, wrt)}
    return {node: totals[node] if node in totals else _zeros(node, shapes) for node in wrt}


def _zeros(like: Node, shapes: Shapes) -> Node:
    nothing = constant(0.0)
    return nothing if shapes[like] == () else OPS["expand"].node(nothing, like)


def run_from(target: Node, become: dict[Node, Node]) -> Node:
    """`target` built anew on what some nodes become."""
    made = dict(become)
    for node in reachable([target], stop=become):
        if node not in made:
            made[node] = node.op.node(*[made[x] for x in node.inputs], **node.attrs) if node.op else node
    return made[target]


def general_shapes(dag: Dag, known: dict[str, Shape]) -> dict[str, Shape]:
    """The same ranks with every size a name of its own; sizes of 1, which broadcast, stay. Inference joins those that
    must agree."""
    fresh = (f"?of{i}" for i in itertools.count())
    return {
        name: tuple(dim if dim == 1 or isinstance(dim, str) else next(fresh) for dim in shape)
        for name, shape in {**inference.declared_shapes(dag), **known}.items()
        if name in dag.inputs
    }
