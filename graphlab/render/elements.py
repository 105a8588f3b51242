"""The two SVG elements that carry a learner's text or a formula; escaping happens here."""

from __future__ import annotations

from html import escape

from graphlab.render.mathematics import Formula


def text_element(content: str, x: float, y: float, classes: str, *, anchor: str = "", size: float | None = None) -> str:
    """`content` with its baseline at (x, y)."""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    sized = f' font-size="{size:g}"' if size else ""
    return f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}"{sized}{anchored}>{escape(content)}</text>'


def placed(formula: Formula, x: float, baseline: float, classes: str, scale: float = 1.0) -> str:
    """A formula whose baseline starts at (x, baseline)."""
    scaled = f" scale({scale:.3f})" if scale != 1.0 else ""
    return f'<g class="{classes}" transform="translate({x:.1f} {baseline:.1f}){scaled}">{formula.svg}</g>'
