"""Pictures of attention: the sheet of all heads, and one head's map as an SVG file with its tokens."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from PIL import Image

Array = np.ndarray[Any, Any]
PAPER, BLUE, ORANGE = np.array([255, 255, 255.0]), np.array([11, 87, 196.0]), np.array([173, 70, 0.0])
LIFT = 0.7  # strength = share ** LIFT, so that small weights can be seen; assets/map.js does the same
TILE, GAP = 60, 3
CELL, LETTER, WIDE_LETTER = 22, 7.6, 14
MOST_LABELS, PLAIN_SIDE = 128, 1_200
FONT = "Helvetica, Arial, DejaVu Sans, sans-serif"
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def strength(values: Array) -> Array:
    """How strongly numbers are drawn, from 0 to 1, by the largest of each map (…, n, n)."""
    largest = np.abs(values).max(axis=(-2, -1), keepdims=True, initial=0.0)
    return (np.abs(values) / np.where(largest > 0, largest, 1.0)) ** LIFT


def sheet(maps: Array) -> dict[str, bytes]:
    """All maps (L, H, n, n) as two PNGs of opacity, of the numbers "above" and "below" 0: a row per layer, a column per
    head, each head by its own scale. The page gives them the colours of its theme."""
    small = {"above": _shrunk(np.maximum(maps, 0)), "below": _shrunk(np.maximum(-maps, 0))}
    both = strength(np.concatenate(list(small.values()), axis=-1))
    return {name: _png(_tiled(part)) for name, part in zip(small, np.split(both, 2, axis=-1), strict=True)}


def _shrunk(maps: Array) -> Array:
    """Maps of at most TILE × TILE: of numbers that fall together the largest is kept, so that thin lines stay."""
    n = maps.shape[-1]
    if n <= TILE:
        return maps
    starts = np.linspace(0, n, TILE, endpoint=False).astype(int)
    return np.maximum.reduceat(np.maximum.reduceat(maps, starts, axis=-1), starts, axis=-2)


def _tiled(maps: Array) -> Array:
    """Maps (L, H, n, n) side by side (height, width), each with a margin."""
    times = max(1, TILE // maps.shape[-1])
    large = maps.repeat(times, axis=-1).repeat(times, axis=-2)
    framed = np.pad(large, ((0, 0), (0, 0), (GAP, GAP), (GAP, GAP)))
    layers, heads, height, width = framed.shape
    return framed.swapaxes(1, 2).reshape(layers * height, heads * width)


def _png(opacity: Array) -> bytes:
    alpha = (255 * opacity).round().astype(np.uint8)
    return _saved(Image.fromarray(np.stack([np.zeros_like(alpha), alpha], axis=-1)))


def _saved(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return file.getvalue()


def coloured(values: Array, *, signed: bool) -> Array:
    """One map as colours (…, 3), bytes: white at 0, blue above (for a signed map: orange above, blue below)."""
    full = np.where(values[..., None] >= 0, ORANGE, BLUE) if signed else BLUE
    return (PAPER + (full - PAPER) * strength(values)[..., None]).round().astype(np.uint8)  # type: ignore[no-any-return]


# ---- one head as a file ----------------------------------------------------------------------------------------------
def write_map(values: Array, tokens: Sequence[str], title: str, *, signed: bool) -> str:
    """One head's map (n, n) as SVG; up to MOST_LABELS tokens with their names and cells to edit, above that as an
    image."""
    n, labelled = len(tokens), len(tokens) <= MOST_LABELS
    cell = CELL if labelled else max(2, PLAIN_SIDE // n)
    margin = 16 + (max(map(_width, tokens)) if labelled else 0)
    colours = coloured(values, signed=signed)
    largest = float(np.abs(values).max(initial=0.0))
    key = f"from {-largest:.3g} (blue) to {largest:.3g} (orange)" if signed else f"from 0 (white) to {largest:.3g}"
    width, height = max(margin + n * cell + 8, 8 * len(title + key)), margin + n * cell + 32
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="13">',
            f"<title>{_safe(title)}</title>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
            f'<text x="8" y="17"><tspan font-weight="600">{_safe(title)}</tspan> {_safe(key)}</text>',
            f'<g transform="translate({margin:.1f} {margin + 24:.1f})">',
            *(_names(tokens) if labelled else ()),
            *(_cells(colours) if labelled else (_image(colours, cell),)),
            "</g></svg>",
        ]
    )


def _names(tokens: Sequence[str]) -> list[str]:
    places = [(token, (place + 0.7) * CELL) for place, token in enumerate(tokens)]
    rows = [f'<text x="-6" y="{at:.1f}" text-anchor="end">{_safe(token)}</text>' for token, at in places]
    columns = [f'<text transform="translate({at:.1f} -6) rotate(-90)">{_safe(token)}</text>' for token, at in places]
    return rows + columns


def _cells(colours: Array) -> list[str]:
    """A square for every number that is not white."""
    return [
        f'<rect x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}" fill="#{bytes(colour).hex()}"/>'
        for row, line in enumerate(colours)
        for column, colour in enumerate(line)
        if colour.min() < 255
    ]


def _image(colours: Array, cell: int) -> str:
    side = len(colours) * cell
    png = _saved(Image.fromarray(colours.repeat(cell, axis=0).repeat(cell, axis=1)))
    return f'<image width="{side}" height="{side}" href="data:image/png;base64,{base64.b64encode(png).decode()}"/>'


def _width(text: str) -> float:
    return sum(LETTER if ord(sign) < 0x1100 else WIDE_LETTER for sign in text)


def _safe(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text))
