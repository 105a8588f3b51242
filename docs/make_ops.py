"""Writes docs/ops.md, the op reference, from the op records: `python docs/make_ops.py`.

Every op is written over the names that its own derivative rules use, with a capital for a matrix. Its derivatives are
the rules themselves, run on nodes: what the page says is what graphlab computes.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from graphlab.engine.algebra import graphs
from graphlab.engine.core import NO_ATTRS, OPS, Node, Op, as_node, variable
from graphlab.engine.dag import Dag, reachable
from graphlab.engine.inference import MATRIX_INPUTS, infer_shapes
from graphlab.engine.notation import Written, name_latex, show_option
from graphlab.engine.reverse import pull_through
from graphlab.engine.rewriting import Keys
from graphlab.engine.writing import Writer, write_number
from graphlab.errors import GraphLabError
from graphlab.language import parse_program

PAGE = Path(__file__).with_name("ops.md")
FAMILIES = (
    "arithmetic elementary activation comparison linalg reduction moments normalising losses heads positions shaping "
    "stacking joining"
).split()
RECORD = re.compile(r'^\w+ = (?:elementwise|primitive|composite|variadic)\(\s*"(\w+)"', re.MULTILINE)
LETTERS = ("x", "y")
ANY_NUMBER = ("x_1", "x_2")  # the inputs shown of an op that takes any number of them
PART_NAMES = "uvwhst"  # for what a long rule contains several times
LONG, LONG_PART = 60, 12  # characters
OF_HEADS = ("merge_heads",)
OF_VECTORS = "outer sum max min mean var norm prod prod_others prod_others_slope mse bce bce_with_logits".split()
INTRODUCTION = """\
# The ops

<!-- Written by docs/make_ops.py from the records in graphlab/engine/ops/. Change those, then run `make docs`. -->

Everything that can stand in a formula, by family: how it is typed, what it computes, and how gradients come back
through it. The derivative rules below are the ones graphlab computes with, written out by itself.

- A **local derivative** is given for ops that work entry by entry; the chain rule multiplies it with the gradient that
  arrives. All others say what they **send back**, in terms of the gradient that arrives, written with a bar.
- What may be left out stands with the value that is then taken. Options, such as axis, are typed with their names:
  `sum(x, axis=0)`. Underscores in the names of functions may be left out too.
- Capitals are matrices. $`x\\,\\mathbf{1}`$ is x repeated to the size it is needed in.
- The tests draw inputs from −2 to 2 unless a line says otherwise.

How formulas are written is told in [the formula language](formula-language.md).
"""


class Rule(NamedTuple):
    """A formula of an op, and what the letters in it stand for that are neither inputs nor the output."""

    text: str
    latex: str
    parts: list[str]

    @property
    def where(self) -> str:
        """The letters, as the end of a sentence."""
        return f", where {', '.join(f'`{part}`' for part in self.parts)}" if self.parts else ""


class Sheet:
    """One op over named inputs: the nodes and the writer that its page entry is made with."""

    def __init__(self, op: Op) -> None:
        output, names = symbols_of(op)
        vectors, heads = op.name in OF_VECTORS, op.name in OF_HEADS
        capitals = () if vectors else MATRIX_INPUTS.get(op.name, ())
        self.op = op
        self.inputs = [variable(capital(name) if i in capitals else name) for i, name in enumerate(names)]
        self.node = op.node(*self.inputs)
        told = ("n",) if vectors else (2, "n", "k") if heads else None
        self.shapes = infer_shapes(Dag(self.node), dict.fromkeys(names, told) if told else {})
        self.output = capital(output) if self.shapes.rank(self.node) == 2 else output

    def writer(self, parts: Mapping[Node, str] | None = None) -> Writer:
        """Writes the output, and these nodes, as symbols."""
        return Writer({self.node: self.output, **(parts or {})}, self.shapes.get)

    @property
    def call(self) -> Written:
        """The op as it is written on its inputs."""
        return written(self.writer().define(self.node))

    @property
    def body(self) -> Rule | None:
        """The same through other ops, where the record says so."""
        return self.rule(self.op.body(*self.inputs)) if self.op.body else None

    def derivatives(self) -> Iterator[tuple[str, Rule]]:
        """The name of every input that gets a gradient, with its local derivative or with what is sent back to it."""
        op, algebra, arriving = self.op, graphs(self.shapes), variable(f"{self.output}_bar")
        if not self.shapes.faults:
            self.shapes.declare(arriving, self.shapes[self.node])
        for i, node in enumerate(self.inputs):
            if op.partials:
                partial = op.partials[i]
                found = None if partial is None else as_node(partial(self.node, *self.inputs))
            else:
                found = pull_through(op, i, arriving, self.node, self.inputs, NO_ATTRS, algebra)
            if found is not None:
                yield str(node.name), self.rule(found)

    def rule(self, root: Node) -> Rule:
        """A formula written out; what a long one repeats gets a letter."""
        symbols: dict[Node, str] = {}
        parts: list[str] = []
        taken = {str(name).lower() for name in (self.output, *(node.name for node in self.inputs))}
        letters = (letter for letter in PART_NAMES if letter not in taken)
        is_long = len(written(self.writer().write(root)).text) > LONG
        for alike in self.repeated(root) if is_long else ():
            text = written(self.writer(symbols).write(alike[0])).text
            if len(text) > LONG_PART:
                letter = next(letters)
                name = capital(letter) if self.shapes.rank(alike[0]) == 2 else letter
                symbols |= dict.fromkeys(alike, name)
                parts.append(f"{name} = {text}")
        whole = written(self.writer(symbols).write(root))
        return Rule(whole.text, whole.latex, parts)

    def repeated(self, root: Node) -> list[list[Node]]:
        """The expressions that a formula contains more than once, each as the nodes that are equal to it."""
        keys = Keys()
        alike: dict[int, list[Node]] = {}
        for node in reachable([root], stop={self.node}):
            alike.setdefault(keys(node), []).append(node)
        uses = Counter(keys(x) for first, *_ in alike.values() if first is not self.node for x in first.inputs)
        return [nodes for key, nodes in alike.items() if uses[key] > 1]


def written(found: Written | None) -> Written:
    assert found is not None, "a rule is short enough to be written"
    return found


def capital(name: str) -> str:
    """A letter as a matrix is written; words stay."""
    return name.upper() if len(name) == 1 else name


# ---- the names of an op's values -----------------------------------------------------------------------------------
def symbols_of(op: Op) -> tuple[str, list[str]]:
    """The names of the output and of the inputs, as the op's derivative rules call them."""
    if op.arity is None:
        return "y", list(ANY_NUMBER)
    rules = op.partials or [op.vjp_of(i) for i in range(op.arity)]
    rule = next((rule for rule in rules if rule is not None), None)
    if rule is not None:
        before = 0 if op.partials else 1  # a vjp is told the gradient that arrives first
        output, *names = positional(rule)[before : before + 1 + op.arity]
        return output, names
    names = positional(op.body or op.shape)[: op.arity] or list(LETTERS[: op.arity])
    return "z" if "y" in names else "y", names


def positional(function: Callable[..., object]) -> list[str]:
    """The names of a function's positional parameters."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


# ---- one entry -----------------------------------------------------------------------------------------------------
def entry(op: Op) -> str:
    """The part of the page about one op."""
    sheet = Sheet(op)
    lines = [f"- {line}" for line in (how_typed(sheet), what_computed(sheet), *derivative_lines(sheet))]
    remarks = [("By convention", op.caveat), ("How digits are kept", op.care)]
    lines += [f"- {title}: {text}" for title, text in remarks if text]
    if op.domain != Op.__dataclass_fields__["domain"].default:
        low, high = (f"{bound:g}".replace("-", "−") for bound in op.domain)
        lines.append(f"- Tested on inputs from {low} to {high}.")
    return "\n".join([f"### {op.name}", "", op.why, "", *lines])


def how_typed(sheet: Sheet) -> str:
    """The call with its other names, options, and what may be left out."""
    op, text = sheet.op, sheet.call.text
    if op.arity is None:
        text = re.sub(r"(x_2)(.)$", r"\1, …\2", text)
    if not can_be_typed(sheet):
        return f"Written `{text}`, in derivatives only: a formula cannot ask for it."
    optional = zip(sheet.inputs[len(sheet.inputs) - len(op.defaults) :], op.defaults, strict=True)
    choices = [f"`{node.name}` ({default:g})" for node, default in optional]
    choices += [f"`{name}` ({show_default(name, default)})" for name, default in op.options.items()]
    parts = [f"Typed `{text}`"]
    if op.aliases:
        parts.append("also called " + ", ".join(f"`{alias}`" for alias in op.aliases))
    if choices:
        parts.append("may be left out: " + ", ".join(choices))
    parts += [f"`{sheet.inputs[i].name}` holds whole numbers, counted from 0" for i in op.ids]
    parts += [f"`{sheet.inputs[i].name}` is true or false" for i in op.masks]
    return "; ".join(parts) + "."


def show_default(option: str, value: object) -> str:
    """What an option is if nobody says so, in the words of the language."""
    if value is None:
        return "all axes" if option == "axis" else "none"
    if value is False:
        return "false"
    return write_number(value).text if isinstance(value, float) else show_option(value)


def can_be_typed(sheet: Sheet) -> bool:
    """Whether the op, read as it is written, is this op again."""
    names = {str(node.name) for node in sheet.inputs}
    try:
        return parse_program(sheet.call.text, values=names).outputs[0].op is sheet.op
    except GraphLabError:
        return False


def what_computed(sheet: Sheet) -> str:
    """The value in LaTeX, and through other ops where the record has a body."""
    body = sheet.body
    formula = f"{name_latex(sheet.output)} = {sheet.call.latex}"
    if body is None:
        return f"Computes {mathematics(formula)}."
    if body.latex != sheet.call.latex:
        formula += f" = {body.latex}"
    return f"Computes {mathematics(formula)}, that is `{body.text}`{body.where}."


def derivative_lines(sheet: Sheet) -> Iterator[str]:
    """One line per input that gets a gradient."""
    found = list(sheet.derivatives())
    if not found:
        yield "Sends nothing back."
    for name, rule in found:
        if sheet.op.partials:
            title = f"Local derivative by `{name}`"
            left = rf"\frac{{\partial {name_latex(sheet.output)}}}{{\partial {name_latex(name)}}}"
        else:
            title, left = f"Sends back to `{name}`", name_latex(f"{name}_bar")
        yield f"{title}: {mathematics(f'{left} = {rule.latex}')}, that is `{rule.text}`{rule.where}."


def mathematics(latex: str) -> str:
    r"""Inline mathematics as GitHub renders it: between $` and `$ nothing is taken for Markdown, and it refuses
    \operatorname."""
    return f"$`{latex.replace(chr(92) + 'operatorname', chr(92) + 'mathrm')}`$"


# ---- the page ------------------------------------------------------------------------------------------------------
def ops_of(family: ModuleType) -> list[Op]:
    """The ops whose records stand in a module, in their order there."""
    return [OPS[name] for name in RECORD.findall(inspect.getsource(family))]


def title_of(family: ModuleType) -> str:
    """The first sentence of a module's docstring, without its full stop."""
    return " ".join(str(family.__doc__).split()).partition(". ")[0].removesuffix(".")


def reference() -> str:
    """The whole page."""
    sections = [INTRODUCTION]
    for name in FAMILIES:
        family = import_module(f"graphlab.engine.ops.{name}")
        ops = ops_of(family)
        contents = " · ".join(f"[{op.name}](#{op.name})" for op in ops)
        sections += [f"## {title_of(family)}\n\n{contents}\n", *(entry(op) + "\n" for op in ops)]
    return "\n".join(sections)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
