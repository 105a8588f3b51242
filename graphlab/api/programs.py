"""A graph as a program: the statements that write it down so that they parse to the same graph."""

from __future__ import annotations

from collections.abc import Mapping

from graphlab.engine.core import Node
from graphlab.engine.dag import Dag
from graphlab.engine.inference import Shapes
from graphlab.engine.notation import Written
from graphlab.engine.writing import Writer, symbol_latex
from graphlab.errors import LimitError


def statements(dag: Dag, names: Mapping[Node, str]) -> list[tuple[Node, str]]:
    """The statements in order, each a node and its name; a bare one stands last where only that marks the output."""
    output = dag.output
    rows = [(node, names[node]) for node in dag.nodes if node in names]
    rows += [(node, "") for node in dag.outputs[1:] if node not in names]
    if output not in names:
        return [*rows, (output, "")]
    if names[output] == "L" or rows[-1][0] is output:
        return rows
    if dag.users[output]:
        return [*rows, (output, "")]
    return [row for row in rows if row[0] is not output] + [(output, names[output])]


def write_statements(dag: Dag, names: Mapping[Node, str], shapes: Shapes) -> list[tuple[Written, Written]]:
    """Every statement's name (empty for a bare one) and its right-hand side, in which other named nodes are symbols."""
    writer = Writer({node: name for node, name in names.items() if not node.is_input}, shapes.get)
    return [
        (Written(name, symbol_latex(node, name) if name else ""), definition(writer, node, bare=not name))
        for node, name in statements(dag, names)
    ]


def definition(writer: Writer, node: Node, *, bare: bool = False) -> Written:
    """How `node` is computed (bare: as it stands elsewhere); LimitError if that is too long to write out."""
    written = writer.write(node) if bare else writer.define(node)
    if written is None:
        raise LimitError(
            f"written out, this takes more than {writer.longest:,} characters",
            hint="Use .lines, which names every operation.",
        )
    return written


def as_text(rows: list[tuple[Written, Written]]) -> list[str]:
    """One line per statement."""
    return [(f"{name.text} = " if name.text else "") + written.text for name, written in rows]


def as_latex(rows: list[tuple[Written, Written]]) -> str:
    """The statements below each other, aligned at their equals signs."""
    if len(rows) == 1:
        name, written = rows[0]
        return (f"{name.latex} = " if name.text else "") + written.latex
    lines = [(f"{name.latex} &= " if name.text else "& ") + written.latex for name, written in rows]
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"
