"""The command line: trace, draw and check a formula, or open the app.

Exit codes: 0 all is well, 1 `check` found a disagreement, 2 the input is at fault.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from graphlab import __version__
from graphlab.api import Graph, parse
from graphlab.errors import GraphLabError, ValueProblem
from graphlab.language import canonical_name
from graphlab.tracing.explaining import explain
from graphlab.tracing.numbers import approximately, show_number, show_value
from graphlab.tracing.trace import plain
from graphlab.tracing.words import show_name

BAD_INPUT = 2
FORMULAS = {"ignore_unknown_options": True}  # a formula may start with a minus sign


class Commands(click.Group):
    """A group whose commands print graphlab's own errors as they are and exit with code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GraphLabError as fault:
            Console(stderr=True, highlight=False).print(f"[bold red]{type(fault).__name__}[/] {escape(str(fault))}")
            ctx.exit(BAD_INPUT)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="graphlab")
def main() -> None:
    """Formulas as computational graphs: values, gradients and their formulas, step by step.

    A FORMULA is written as on paper: "L = c(a+2b)". VALUES are name=number or name=list: a=3 X="[[1, 2], [3, 4]]".
    """


def read_values(pairs: tuple[str, ...]) -> dict[str, Any]:
    """name=value pairs as a mapping; ValueProblem names what is malformed or given twice."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name.strip():
            raise ValueProblem(f"{pair!r} is not a value", hint="Write name=value, such as a=3 or x='[1, 2]'.")
        try:
            value = json.loads(text, parse_constant=float)
        except (ValueError, RecursionError):
            raise ValueProblem(
                f"{name} = {text!r:.60} is not a number or a list of numbers", hint="Write a=3, a=-0.5 or x='[1, 2]'."
            ) from None
        if isinstance(value, (str, dict, bool)) or value is None:
            raise ValueProblem(
                f"{name} = {text!r:.60} is not a number or a list of numbers", hint="Write a=3, a=-0.5 or x='[1, 2]'."
            )
        if canonical_name(name) in found:
            raise ValueProblem(f"{name} is given twice")
        found[canonical_name(name)] = value
    return found


def read(formula: str, pairs: tuple[str, ...], latex: bool) -> tuple[Graph, dict[str, Any]]:
    values = read_values(pairs)
    return parse(formula, notation="latex" if latex else "plain", values=values), values


formula_argument = click.argument("formula")
values_argument = click.argument("values", nargs=-1)
latex_option = click.option("--latex", is_flag=True, help=r"The formula is in LaTeX: \frac{1}{1+e^{-x}}.")


@main.command(context_settings=FORMULAS, epilog='Example: graphlab trace "L = c(a+2b)" a=3 b=1 c=-2')
@formula_argument
@values_argument
@latex_option
@click.option("--json", "as_json", is_flag=True, help="Print the trace, gradients and derivatives as JSON.")
def trace(formula: str, values: tuple[str, ...], latex: bool, as_json: bool) -> None:
    """Print every step of the forward and backward pass, then the gradients and their formulas."""
    graph, given = read(formula, values, latex)
    run = graph.trace(given)
    gradients = graph.gradients(given)
    derivatives = {name: graph.derivative(name) for name in gradients}
    if as_json:
        output = run.node(run.output)
        data = run.to_dict() | {
            "output": output.name,
            "value": plain(output.value),
            "gradients": {name: plain(value) for name, value in gradients.items()},
            "derivatives": {name: {"text": d.text, "latex": d.latex} for name, d in derivatives.items()},
        }
        click.echo(json.dumps(data, ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False)
    for notice in graph.notices:
        console.print(f"[dim]{escape(notice.message)}[/]")
    steps = Table("step", "what happens", show_lines=False)
    for number, words in enumerate(explain(run)[1:], start=1):
        steps.add_row(str(number), escape(words.sentence))
    console.print(steps)
    result = Table("input", "value", "gradient", "formula")
    for name, value in gradients.items():
        result.add_row(show_name(name), show_value(run.values[name]), show_value(value), escape(derivatives[name].text))
    console.print(result)


@main.command(context_settings=FORMULAS, epilog='Example: graphlab draw "L = c(a+2b)" a=3 b=1 c=-2 -o lecture.svg')
@formula_argument
@values_argument
@latex_option
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="A .svg, .dot or .json file."
)
def draw(formula: str, values: tuple[str, ...], latex: bool, output: Path) -> None:
    """Draw the graph into a file, with values and gradients if values are given."""
    from graphlab.render import dot, svg

    writers = {
        ".svg": svg.draw,
        ".dot": dot.write_dot,
        ".json": lambda run: json.dumps(dot.positions(run), ensure_ascii=False),
    }
    if output.suffix not in writers:
        raise ValueProblem(f"{output.name}: the file name must end in {', '.join(writers)}")
    graph, given = read(formula, values, latex)
    run = graph.outline() if not given and graph.inputs else graph.trace(given)
    output.write_text(writers[output.suffix](run), encoding="utf-8")
    click.echo(f"wrote {output}")


@main.command(context_settings=FORMULAS, epilog='Example: graphlab check "L = sigmoid(w*x)" w=0.5 x=2')
@formula_argument
@values_argument
@latex_option
def check(formula: str, values: tuple[str, ...], latex: bool) -> None:
    """Compare every gradient with what independent witnesses say. Exit code 1 on a disagreement.

    The witnesses: central differences, the complex step and, where installed, torch, SymPy and mpmath.
    """
    graph, given = read(formula, values, latex)
    rows = graph.check(given)
    columns = ("input", "witness", "graphlab", "witness says", "difference")
    table = Table(*[Column(name, no_wrap=True) for name in columns], "verdict")
    for row in rows:
        entry = f"[{', '.join(map(str, row.index))}]" if row.index else ""
        verdict = row.note.partition(":")[0] or ("agrees" if row.agrees else "[bold red]disagrees[/]")
        table.add_row(
            escape(show_name(row.name) + entry),
            row.witness,
            approximately(row.graph),
            approximately(row.other),
            show_number(row.difference, 2),
            verdict,
        )
    console = Console(highlight=False)
    console.print(table)
    for note in dict.fromkeys(f"{show_name(row.name)}: {row.note}" for row in rows if row.note):
        console.print(escape(note))
    if not all(row.agrees for row in rows):
        raise SystemExit(1)


@main.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port of the page.")
@click.option("--headless", is_flag=True, help="Do not open a browser.")
def app(port: int, headless: bool) -> None:
    """Open the app in the browser."""
    if importlib.util.find_spec("streamlit") is None:
        raise click.ClickException('the app needs Streamlit: pip install "graphlab[app]"')
    from graphlab.ui.launch import launch

    launch(port, headless=headless)
