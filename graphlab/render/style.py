"""Colours and the stylesheet of a drawn graph, in one place for the app, the notebook and exported files.

Blue is a value, orange a gradient; the same two, strong, mark what the current step works on. The stylesheet names
colours by role (`$value`); `graph_css` puts in literal colours, which every SVG reader understands, or CSS variables.
Text has at least 4.5 : 1 against its ground, lines 3 : 1, in both themes (tests/render/test_style.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from typing import Literal

Theme = Literal["light", "dark"]

PALETTES: dict[Theme, dict[str, str]] = {
    "light": {
        "paper": "#ffffff",
        "box": "#ffffff",
        "leaf": "#f3f5f9",
        "closed": "#eaeef7",
        "open": "#f8f9fc",
        "ink": "#1d2433",
        "muted": "#5b6475",
        "line": "#7f899b",
        "faint": "#d5dae3",
        "value": "#0b57c4",
        "value_tint": "#e9f1fe",
        "gradient": "#ad4600",
        "gradient_tint": "#fdf0e4",
        "fault": "#c4122f",
    },
    "dark": {
        "paper": "#0e1117",
        "box": "#171c26",
        "leaf": "#222938",
        "closed": "#262f45",
        "open": "#121722",
        "ink": "#f2f4f8",
        "muted": "#a7b0c0",
        "line": "#78839a",
        "faint": "#394255",
        "value": "#7db4ff",
        "value_tint": "#16294a",
        "gradient": "#ffab66",
        "gradient_tint": "#3d2611",
        "fault": "#ff7b8c",
    },
}


def _hyphens(role: str) -> str:
    return role.replace("_", "-")


VARIABLES = {role: f"var(--gl-{_hyphens(role)})" for role in PALETTES["light"]}

FONT = (
    "'Source Sans 3','Source Sans Pro','Source Sans','Inter','Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif"
)

GRAPH_CSS = """
%ROOT% { color: $ink; font-family: %FONT%; }
%ROOT% text { fill: currentColor; font-variant-numeric: tabular-nums; }
%ROOT% .ground { fill: $paper; }
%ROOT% .box { fill: $box; stroke: $line; stroke-width: 1.5; }
%ROOT% .input .box, %ROOT% .constant .box { fill: $leaf; }
%ROOT% .constant .box { stroke: $faint; }
%ROOT% .scope .box, %ROOT% .behind { fill: $closed; stroke: $line; stroke-width: 1.5; }
%ROOT% .count { fill: $muted; }
%ROOT% .surround { fill: $open; stroke: $line; stroke-width: 1.2; stroke-dasharray: 2 3; }
%ROOT% .surround-title { font-size: 17px; font-weight: 600; fill: $muted; }
%ROOT% .carried { font-size: 15px; fill: $muted; stroke: $paper;
  stroke-width: 5px; stroke-linejoin: round; paint-order: stroke; }
%ROOT% .divider { stroke: $faint; stroke-width: 1; }
%ROOT% .blank { stroke: $line; stroke-width: 1.8; stroke-dasharray: 2 4; }
%ROOT% .known .blank, %ROOT% .ask { display: none; }
%ROOT% .number, %ROOT% .ask { font-weight: 600; }
%ROOT% .slot { color: $muted; }
%ROOT% .value.known { color: $value; }
%ROOT% .gradient.known { color: $gradient; }
%ROOT% .shape { font-size: 15px; fill: $muted; }
%ROOT% .cell { font-size: 15px; font-weight: 600; text-anchor: middle; fill: $ink; }
%ROOT% .shade { stroke: $box; stroke-width: 1; }
%ROOT% .value .shade { fill: $value; }
%ROOT% .gradient .shade { fill: $gradient; }
%ROOT% .gradient .shade.below { fill: $value; }
%ROOT% .grid { visibility: hidden; }
%ROOT% .known .grid { visibility: visible; }
%ROOT% .symbols { display: none; }
%ROOT% .label { display: none; }
%ROOT%[data-notation=fraction] .label.fraction, %ROOT%[data-notation=bar] .label.bar,
%ROOT%[data-notation=dot] .label.dot { display: inline; }
%ROOT% .wire { fill: none; stroke: $line; stroke-width: 1.8; }
%ROOT% .head { fill: $line; stroke: none; }
%ROOT% .head.back { display: none; }
%ROOT% .sent { font-weight: 600; fill: $gradient; stroke: $paper;
  stroke-width: 6px; stroke-linejoin: round; paint-order: stroke; }
%ROOT% .fault .box { stroke: $fault; stroke-width: 2.5; stroke-dasharray: 7 5; }
%ROOT% .reason { fill: $fault; }
%ROOT% .edge.sending .wire { stroke: $value; stroke-width: 4; }
%ROOT% .edge.sending .head { fill: $value; }
%ROOT% .edge.sending.backward .wire { stroke: $gradient; }
%ROOT% .edge.sending.backward .head { display: none; }
%ROOT% .edge.sending.backward .head.back { display: inline; fill: $gradient; }
%ROOT% .node.current .box { fill: $value_tint; stroke: $value; stroke-width: 4; }
%ROOT% .node.current.backward .box { fill: $gradient_tint; stroke: $gradient; }
""".replace("%FONT%", FONT)


def graph_css(theme: Theme | None) -> str:
    """The stylesheet for one theme; None follows the reader's light or dark setting."""
    if theme is not None:
        return _stylesheet(theme, PALETTES[theme])
    root = ".graphlab-auto"
    light, dark = _declarations("light"), _declarations("dark")
    return f"{root} {{ {light} }}\n@media (prefers-color-scheme: dark) {{ {root} {{ {dark} }} }}" + _stylesheet(
        "auto", VARIABLES
    )


def page_css(root: str) -> str:
    """The stylesheet for graphs inside `root`, an element of a page, whose `color-scheme` chooses light or dark."""
    colours = "".join(
        f"--gl-{_hyphens(role)}: light-dark({PALETTES['light'][role]}, {PALETTES['dark'][role]}); "
        for role in VARIABLES
    )
    return f"{root} {{ {colours}}}\n" + _stylesheet("page", VARIABLES)


def _stylesheet(root: str, colours: Mapping[str, str]) -> str:
    """Selectors start with a class per theme, so that several graphs on one page keep theirs."""
    return Template(GRAPH_CSS.replace("%ROOT%", f".graphlab-{root}")).substitute(colours)


def _declarations(theme: Theme) -> str:
    return " ".join(f"--gl-{_hyphens(role)}: {colour};" for role, colour in PALETTES[theme].items())
