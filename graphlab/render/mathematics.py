"""LaTeX as SVG: `typeset(r"\\frac{a}{b}", "a/b")` gives a fragment with its measured size.

The shapes come from ziamath. A letter is drawn once per page, in `glyph_defs`, and used by an id made from its own
outline, so ids that meet mean the same letter. A formula is a row of pieces (see `pieces`), each typeset once.
Fragments carry no colour (fill is currentColor) and follow their theme.
Only shapes on a short list pass; where ziamath is missing or refuses, the plain writing is set as escaped text instead.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib import import_module
from threading import Lock
from typing import Any
from xml.etree import ElementTree

from graphlab.render.pieces import pieces_of

SHAPES = {"g", "path", "rect", "line", "polyline", "polygon"}
GEOMETRY = {"d", "x", "y", "width", "height", "x1", "x2", "y1", "y2", "points", "transform", "stroke-width"}
UNIT = 200.0  # formulas are drawn at this size, so that whole numbers are precise enough, and scaled down
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
OUTLINE = re.compile(r"(?:[MLQCTSZ]|\s|-?\d+(?:\.\d+)?)+")
TALL = re.compile(r"\\(?:frac|sqrt|begin)")
FENCES = re.compile(r"\\(?:left|right)(?=[()|])")  # brackets that need not grow cost ziamath much time
USED = re.compile(r"#(g[0-9a-f]{12})\b")
LONGEST = 1_000
ASCENT, DESCENT = 0.76, 0.24
NARROW, WIDE = frozenset("iljt.,:;'|!()[] fI"), frozenset("mwMW@%⊙—")
COMBINING = range(0x0300, 0x0370)

_ziamath_lock = Lock()
_outlines: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Formula:
    """A typeset formula. The baseline's left end is (0, 0); lengths are pixels: `ascent` above it, `descent` below."""

    svg: str
    width: float
    ascent: float
    descent: float

    @property
    def height(self) -> float:
        """Ascent and descent together."""
        return self.ascent + self.descent

    def standalone(self, label: str) -> str:
        """The formula as an `<svg>` element of its own, read aloud as `label`."""
        box = f"0 {-self.ascent:.1f} {self.width:.1f} {self.height:.1f}"
        return (
            f'<svg class="formula" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
            f'viewBox="{box}" width="{self.width:.1f}" height="{self.height:.1f}" overflow="visible" '
            f'style="vertical-align:{-self.descent:.1f}px">{self.svg}</svg>'
        )


def typeset(latex: str, plain: str, size: float = 22.0) -> Formula:
    """`latex` at `size` pixels; `plain` is what stands there when it cannot be typeset."""
    drawn = _row(latex) if latex and len(latex) <= LONGEST else None
    if drawn is None:
        return as_text(plain or latex, size)
    scale = size / UNIT
    svg = f'<g fill="currentColor" transform="scale({scale:.4f})">{drawn.svg}</g>'
    return Formula(svg, drawn.width * scale, drawn.ascent * scale, drawn.descent * scale)


def glyph_defs(drawings: Iterable[str]) -> str:
    """The letters that drawings use, as one `<defs>` for the page they stand on. Drawings may be JSON."""
    used = {name for drawing in drawings for name in USED.findall(drawing) if name in _outlines}
    return "<defs>" + "".join(f'<path id="{name}" d="{_outlines[name]}"/>' for name in sorted(used)) + "</defs>"


def as_text(plain: str, size: float) -> Formula:
    """`plain` as escaped SVG text."""
    svg = f'<text class="plain" font-size="{size:g}">{escape(plain)}</text>'
    return Formula(svg, text_width(plain, size), ASCENT * size, DESCENT * size)


def text_width(text: str, size: float) -> float:
    """About how wide `text` stands in a sans-serif face of `size` pixels; digits are all equally wide."""
    return size * sum(_character_width(character) for character in text)


def _character_width(character: str) -> float:
    if ord(character) in COMBINING:
        return 0.0
    if character in NARROW:
        return 0.34
    return 0.92 if character in WIDE else 0.6


@lru_cache(maxsize=8192)
def _row(latex: str) -> Formula | None:
    """The formula at UNIT pixels, made of its pieces, or None if one of them cannot be typeset."""
    parts: list[str] = []
    x = ascent = descent = 0.0
    for piece, space in pieces_of(latex):
        drawn = _paths(piece)
        if drawn is None:
            return None
        x += space * UNIT
        parts.append(f'<g transform="translate({x:.0f} 0)">{drawn.svg}</g>')
        x, ascent, descent = x + drawn.width, max(ascent, drawn.ascent), max(descent, drawn.descent)
    return Formula("".join(parts), x, ascent, descent)


@lru_cache(maxsize=8192)
def _paths(latex: str) -> Formula | None:
    """A piece at UNIT pixels, or None if it cannot be typeset."""
    draw = _ziamath()
    if draw is None:
        return None
    try:
        root = draw(latex, UNIT)
    except Exception:  # ziamath and its parser raise many kinds; each of them means "not typeset"
        return None
    parts = [_clean(child) for child in root]
    if not all(parts):
        return None
    left, top, width, height = (float(x) for x in root.attrib["viewBox"].split())
    svg = f'<g transform="translate({-left:.0f} 0)">{"".join(map(str, parts))}</g>'
    return Formula(svg, width, -top, height + top)


def _ziamath() -> Callable[[str, float], ElementTree.Element] | None:
    try:
        ziamath = import_module("ziamath")
    except ImportError:
        return None

    def draw(latex: str, size: float) -> ElementTree.Element:
        tall = bool(TALL.search(latex))
        with _ziamath_lock, _rows_measured(tall):  # its configuration and its fonts are global
            before, ziamath.config.svg2 = ziamath.config.svg2, False
            try:
                found: ElementTree.Element = ziamath.Latex(latex if tall else FENCES.sub("", latex), size=size).svgxml()
            finally:
                ziamath.config.svg2 = before
        return found

    return draw


@contextmanager
def _rows_measured(brackets_grow: bool) -> Iterator[None]:
    """ziamath sets a row twice, first to measure how high its brackets must be, and so the rows inside it four times,
    and so on. In the first setting nothing grows, so there the rows inside need not be measured: once is enough, and
    where no bracket can grow, not even that.
    """
    row: Any = import_module("ziamath.nodes.mrow").Mrow
    measure = row._get_height_nostretch

    def measured(self: Any, line: Any, **options: Any) -> tuple[float, float]:
        needless = not brackets_grow or options.get("nostretch")
        height: tuple[float, float] = (0.0, 0.0) if needless else measure(self, line, **options)
        return height

    row._get_height_nostretch = measured
    try:
        yield
    finally:
        row._get_height_nostretch = measure


def _clean(element: ElementTree.Element) -> str | None:
    """The element with geometry only, or None if it is not a plain shape."""
    if element.tag not in SHAPES:
        return None
    outline = element.attrib.get("d", "")
    if element.tag == "path" and OUTLINE.fullmatch(outline) and not GEOMETRY & set(element.attrib) - {"d"}:
        return _letter(outline)
    inner = [_clean(child) for child in element]
    if not all(inner):
        return None
    kept = "".join(f' {key}="{escape(_whole(value))}"' for key, value in element.attrib.items() if key in GEOMETRY)
    return f"<{element.tag}{kept}>{''.join(map(str, inner))}</{element.tag}>" if inner else f"<{element.tag}{kept}/>"


def _letter(outline: str) -> str:
    """A use of the outline moved to the origin, which is remembered under an id made from itself."""
    numbers = [float(x) for x in NUMBER.findall(outline)]
    if len(numbers) < 2:
        return f'<path d="{_whole(outline)}"/>'
    x, y = numbers[:2]
    moved = iter(f"{number - (y if i % 2 else x):.0f}" for i, number in enumerate(numbers))
    at_origin = re.sub(r"\s*([A-Z])\s*", r"\1", NUMBER.sub(lambda _: next(moved), outline)).strip().replace(" -", "-")
    name = "g" + hashlib.sha256(at_origin.encode()).hexdigest()[:12]
    _outlines[name] = at_origin
    return f'<use href="#{name}" x="{x:.0f}" y="{y:.0f}"/>'


def _whole(numbers: str) -> str:
    """Coordinates in whole units."""
    return NUMBER.sub(lambda match: f"{float(match[0]):.0f}", numbers)
