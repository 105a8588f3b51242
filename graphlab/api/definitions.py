"""Defining abstract functions: every u(…) of a graph becomes a formula, and u′(…) the formula's derivative."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from graphlab.engine import reverse, simplifying
from graphlab.engine.core import OPS, Node, Op, constant, variable
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.inference import Shapes
from graphlab.engine.ops.abstract import AbstractOp
from graphlab.errors import NoRule, UnknownName, ValueProblem
from graphlab.language import canonical_name, parse_program


@dataclass
class Body:
    """A formula of one variable with its derivatives, each made when it is first asked for."""

    parameter: Node
    orders: list[Node]

    def derivative(self, order: int) -> Node:
        """The formula's derivative of that order; order 0 is the formula."""
        while len(self.orders) <= order:
            dag = Dag(self.orders[-1])
            shapes = Shapes(dict.fromkeys(dag.inputs.values(), ()))
            facts = reverse.backward_graph(dag, shapes, constant(1.0), [self.parameter])
            totals = [fact.total for fact in facts if fact.node is self.parameter]
            self.orders.append(simplifying.simplify(totals[-1], shapes) if totals else constant(0.0))
        return self.orders[order]


def define(dag: Dag, formulas: Mapping[str, str], shapes: Shapes) -> dict[Node, Node]:
    """What every node of `dag` becomes when its abstract functions are what `formulas` say."""
    bodies = {canonical_name(name): read_body(canonical_name(name), text) for name, text in formulas.items()}
    check_functions(bodies, functions_in(dag))
    inputs = dict(dag.inputs)
    become: dict[Node, Node] = {}
    for node in dag.nodes:
        arguments = tuple([become[x] for x in node.inputs])
        if isinstance(node.op, AbstractOp) and node.op.function in bodies:
            body = bodies[node.op.function]
            made = applied(body, node.op.order, arguments[0], inputs)
            is_flat = made is not arguments[0] and not depends(made, arguments[0]) and shapes.rank(node.inputs[0]) > 0
            become[node] = OPS["expand"].node(made, arguments[0]) if is_flat else made
        elif node.op is not None and arguments != node.inputs:
            become[node] = node.op.node(*arguments, **node.attrs)
        else:
            become[node] = node
    return become


def functions_in(dag: Dag) -> list[str]:
    """The abstract functions of a graph, in order of appearance."""
    return list(dict.fromkeys(node.op.function for node in dag.nodes if isinstance(node.op, AbstractOp)))


@lru_cache(maxsize=256)
def has_abstract(ops: frozenset[Op]) -> bool:
    """Whether any of the ops is a function without a formula."""
    return any(isinstance(op, AbstractOp) for op in ops)


def refuse_abstract(dag: Dag) -> None:
    """Raises NoRule if the graph has functions without formulas, which cannot be computed."""
    if has_abstract(dag.ops):
        functions = functions_in(dag)
        first = functions[-1]
        raise NoRule(
            f"nothing says what {', '.join(reversed(functions))} {'computes' if len(functions) == 1 else 'compute'}",
            hint=f'Say it with define({first}="sin(x)"), or write {first}(x) = sin(x) into the program.',
        )


def check_functions(bodies: Mapping[str, Body], functions: list[str]) -> None:
    """Every formula must be of a function that is there, and stand on its own."""
    for name, body in bodies.items():
        if name not in functions:
            known = f"Its functions: {', '.join(functions)}." if functions else "All its functions have formulas."
            raise UnknownName(f"the graph has no abstract function {name}", hint=known)
        for other in functions_in(Dag(body.orders[0])):
            if other in bodies:
                raise ValueProblem(
                    f"the formula of {name} uses {other}, which gets a formula too",
                    hint=f"Define one after the other: g.define({name}=…).define({other}=…).",
                )


def read_body(name: str, text: str) -> Body:
    """The formula of a function, with its one variable."""
    head = re.match(rf"\s*{re.escape(name)}\s*\(([^()]*)\)\s*=", text)
    dag = Dag(parse_program(text).outputs[0])
    if any(node.op is not None and node.op.partials is None for node in dag.nodes):
        raise ValueProblem(
            f"the formula of {name}, {text:.60}, does not work entry by entry",
            hint="Use functions that take single numbers to single numbers.",
        )
    if head:
        word = canonical_name(head[1].strip())
        parameter = dag.inputs[word] if word in dag.inputs else variable(word)
    elif len(dag.inputs) == 1:
        parameter = next(iter(dag.inputs.values()))
    else:
        raise ValueProblem(
            f"the formula of {name}, {text:.60}, needs one variable, but has {len(dag.inputs)}",
            hint=f"Say which it is: {name}(x) = …",
        )
    return Body(parameter, [dag.output])


def applied(body: Body, order: int, argument: Node, inputs: dict[str, Node]) -> Node:
    """A copy of a formula with its variable put in; its other names are inputs of the graph."""
    copies = {body.parameter: argument}
    result = body.derivative(order)
    for node in reachable([result]):
        if node in copies:
            continue
        if node.is_input:
            copies[node] = inputs.setdefault(str(node.name), node)
        else:
            copies[node] = Node(node.op, tuple([copies[x] for x in node.inputs]), node.attrs, value=node.value)
    return copies[result]


def depends(node: Node, on: Node) -> bool:
    return on in reachable([node], stop={on})
