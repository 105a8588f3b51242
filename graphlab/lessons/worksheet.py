"""A lesson as one HTML file for A4 paper: the blanks on one page, the solution on the next. Black on white, no script.

Every text is escaped; formulas and graphs are SVG that graphlab.render wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from graphlab.lessons.blanks import Blank, blanks_of, number_of, title_of
from graphlab.lessons.lesson import Lesson, Screen
from graphlab.render import svg
from graphlab.render.mathematics import glyph_defs, typeset
from graphlab.render.tables import table_rows
from graphlab.tracing.numbers import show_value
from graphlab.tracing.trace import Trace

STYLE = """
@page { size: A4; margin: 16mm; }
body { font: 11pt/1.45 'Source Sans 3', 'Segoe UI', Arial, 'DejaVu Sans', sans-serif; color: #000; background: #fff;
  max-width: 178mm; margin: 10mm auto; }
h1 { font-size: 17pt; } h2 { font-size: 12pt; margin: 6mm 0 1mm; }
.page { break-after: page; } .page:last-child { break-after: auto; }
.top, tr { break-inside: avoid; } h2 { break-after: avoid; }
.graph svg { display: block; max-width: 100%; max-height: 60mm; margin: 2mm 0; filter: grayscale(1) contrast(1.4); }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; }
th, td { border: 0.3mm solid #000; padding: 0.8mm 2mm; text-align: left; height: 5mm; font-weight: 400; }
.formula { margin: 0.6mm 0; }
@media print { body { margin: 0; } }
.choices { list-style: upper-alpha; }
"""
COLUMNS = {
    "value": "Value",
    "upstream": "Upstream",
    "local": "Local derivative",
    "contribution": "Contribution",
    "gradient": "Gradient",
}
LONGEST_PASS = 24
ALIGNED = r"\begin{aligned}"
MATHS = re.compile(r"\$([^$]+)\$")
EMPHASIS = re.compile(r"\*{1,2}([^*]+)\*{1,2}")


def worksheet(lesson: Lesson) -> str:
    """The file. Screens without blanks are left to the screen, unless there are no others."""
    asked = [screen for screen in lesson.screens if screen.blanks and screen.walk] or [
        s for s in lesson.screens if s.walk
    ]
    sheets = "".join(page(lesson, asked, solved=solved) for solved in (False, True))
    title = escape(f"{lesson.key} · {lesson.title}")
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    letters = f'<svg width="0" height="0" style="position:absolute">{glyph_defs([sheets])}</svg>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{letters}{sheets}</body></html>\n'


def page(lesson: Lesson, screens: list[Screen], *, solved: bool) -> str:
    """The sheet, empty or solved."""
    first = lesson.experiment.at_first
    heading = f"<h1>{escape(lesson.key)} · {escape(lesson.title)}{' · solution' if solved else ''}</h1>"
    choices = "".join(
        f"<li>{written(choice.text)}{' ✓ ' + written(first.fill(choice.reply)) if solved and choice.right else ''}</li>"
        for choice in lesson.predict.mixed
    )
    asked = f'<p>{written(first.fill(lesson.predict.text))}</p><ol class="choices">{choices}</ol>'
    parts = "".join(on_paper(screen, first.fill(screen.says), solved=solved) for screen in screens)
    return f'<section class="page">{heading}<p>{written(lesson.says)}</p>{asked}{parts}</section>'


def on_paper(screen: Screen, says: str, *, solved: bool) -> str:
    """One screen: its formulas, its graph, its pass as a table."""
    assert screen.walk is not None
    trace = screen.walk.trace
    lines = screen.latex if solved else screen.latex[:1]
    formulas = "".join(f'<p class="formula">{formula(row)}</p>' for latex in lines for row in rows_of(latex))
    picture = svg.draw(trace if solved else without_numbers(trace), theme="light", step=None if solved else 0)
    table = "".join(rows(trace, solved=solved, blanks=blanks_of(trace, screen.blanks)))
    return (
        f'<div class="top"><h2>{escape(screen.title)}</h2><p>{written(says)}</p>{formulas}'
        f'<div class="graph">{picture}</div></div>{table}'
    )


def without_numbers(trace: Trace) -> Trace:
    """The graph with the numbers of its inputs only, so that no title holds the others."""
    kept = [n if n.role in ("input", "constant") else replace(n, value=None) for n in trace.nodes]
    return replace(trace, nodes=tuple(kept))


def rows(trace: Trace, *, solved: bool, blanks: list[Blank]) -> Iterator[str]:
    """The pass as on paper; unsolved, only the inputs have numbers. Large passes list their blanks."""
    steps = table_rows(trace)
    if len(steps) > LONGEST_PASS:
        yield from short_rows(trace, solved=solved, blanks=blanks)
        return
    names = {node.id: node.name for node in trace.nodes}
    yield "<table><thead><tr><th>Node</th>" + "".join(f"<th>{title}</th>" for title in COLUMNS.values())
    yield "</tr></thead>"  # it stands on every page that the table goes on to
    for row in steps:
        sender = row["user"] or row["source"]
        node = f"{names[sender]} → {names[row['node']]}" if sender else row["rule"]
        cells = [row[name] if solved or row["step"] == 0 else "" for name in COLUMNS]
        yield f"<tr><td>{escape(node)}</td>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    yield "</table>"


def short_rows(trace: Trace, *, solved: bool, blanks: list[Blank]) -> Iterator[str]:
    yield "<table>"
    for blank in blanks:
        number = show_value(number_of(trace, blank)) if solved else ""
        yield f"<tr><td>{escape(title_of(trace, blank))} =</td><td>{escape(number)}</td></tr>"
    yield "</table>"


def rows_of(latex: str) -> list[str]:
    """The lines of a program, each as a formula of its own; what has other environments in it stays whole."""
    if latex.count(r"\begin") != 1 or not latex.startswith(ALIGNED):
        return [latex]
    return latex.removeprefix(ALIGNED).removesuffix(r"\end{aligned}").replace("&", "").split(r"\\")


def formula(latex: str) -> str:
    """LaTeX as a picture of letters."""
    return typeset(latex, latex, 17.0).standalone(latex)


def written(text: str) -> str:
    """Short Markdown as HTML: emphasis, and $…$ as formulas."""
    parts = MATHS.split(text)
    return "".join(
        formula(part) if i % 2 else EMPHASIS.sub(r"<em>\1</em>", escape(part)) for i, part in enumerate(parts)
    )
