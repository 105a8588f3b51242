"""`graphlab bert check`: the explicit graph of a BERT against PyTorch's autograd, on the terminal."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Column, Table

from graphlab.tracing.numbers import show_number

if TYPE_CHECKING:
    from graphlab.interop.torch import CrossCheck

CONFIGS = ("parity", "tiny", "local", "minilm-l6", "base")
TEXTS = (
    "i went to the bank to get money .",
    "i rushed to the bank for a loan .",
    "i sat on the bank of the river .",
    "i stood on the bank of the stream .",
)
SHOWN = 20


@click.group()
def bert() -> None:
    """A BERT as PyTorch computes it, beside the explicit graph of the same model."""


@bert.command(
    epilog='Example: graphlab bert check --config tiny, or: … --weights minilm-l6 --text "the bank of the river"'
)
@click.option("--config", type=click.Choice(CONFIGS), default="tiny", show_default=True, help="Which sizes.")
@click.option("--weights", help="A folder with weights, or a name such as minilm-l6. Default: random ones.")
@click.option("--dtype", type=click.Choice(["float64", "float32"]), default="float64", show_default=True)
@click.option("--text", multiple=True, help="A sentence (repeatable), for weights that have a vocabulary.")
@click.option(
    "--sentences", type=click.IntRange(1, 64), default=2, show_default=True, help="Random ids: how many rows."
)
@click.option("--tokens", type=click.IntRange(4, 512), help="Random ids: how long a row is (8 or 32).")
@click.option("--all", "show_all", is_flag=True, help=f"Show every tensor, not only the worst {SHOWN}.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def check(
    config: str,
    weights: str | None,
    dtype: str,
    text: tuple[str, ...],
    sentences: int,
    tokens: int | None,
    show_all: bool,
    as_json: bool,
) -> None:
    """Compare the loss, every value on the way, its gradient and every parameter's gradient. Exit code 1 on a miss."""
    if importlib.util.find_spec("torch") is None:
        raise click.ClickException('the comparison needs PyTorch: pip install "graphlab[bert]"')
    from graphlab.interop.torch import batches, cross_check

    weights = weights or (config if config == "minilm-l6" else None)
    if text and weights is None:
        raise click.UsageError("--text needs weights that have a vocabulary, for example --weights minilm-l6.")
    module, inputs = batches.prepare(config, weights, dtype, text or TEXTS, sentences, tokens)
    console = Console(highlight=False, stderr=as_json)
    console.print(f"[dim]This takes about {batches.memory_needed(module)} of memory.[/]")
    with Progress(console=console, transient=True) as bar:
        tasks = {phase: bar.add_task(f"the graph, {phase}", total=None) for phase in ("forward", "backward")}
        found = cross_check(
            module,
            inputs,
            progress=lambda phase, done, whole: bar.update(tasks[phase], completed=done, total=whole),
        )
    if as_json:
        click.echo(json.dumps(as_data(found), allow_nan=False))
    else:
        show(found, console, None if show_all else SHOWN)
    if not found.ok:
        raise SystemExit(1)


def as_data(found: CrossCheck) -> dict[str, Any]:
    """The comparison as plain data, worst first; a difference that is no number is a string."""
    rows = [row._asdict() | {"difference": _plain(row.difference)} for row in found.worst_first]
    return asdict(found) | {"ok": found.ok, "rows": rows, "first_miss": found.first_miss and found.first_miss.name}


def _plain(number: float) -> float | str:
    return number if number == number and abs(number) != float("inf") else str(number)


def show(found: CrossCheck, console: Console, most: int | None) -> None:
    """A table, worst first (∂: a gradient), and a sentence. Into a file it is as wide as it needs to be."""
    if not console.is_terminal:
        console.width = max(console.width, 140)
    numbers = [Column(name, justify="right", no_wrap=True) for name in ("shape", "max |Δ|", "relative", "bound")]
    table = Table(Column("tensor", overflow="fold", min_width=24), "", *numbers, Column("verdict", min_width=4))
    for row in found.worst_first[:most]:
        verdict = row.verdict if row.verdict != "miss" else "[bold red]miss[/]"
        shape = "×".join(map(str, row.shape)) or "scalar"
        told = [show_number(value, 2) for value in (row.difference, row.relative, row.bound)]
        table.add_row(escape(row.name), "" if row.kind == "value" else "∂", shape, *told, verdict)
    console.print(table)
    console.print(escape(found.counted))
    outcome = escape(found.outcome)
    console.print(outcome if found.ok else f"[bold red]{outcome}[/]")
