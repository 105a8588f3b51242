"""The charts of both pages, as Vega-Lite. One word's vectors: who is like whom, where they lie on a plane, and how that
grew through the layers; and what a score of attention is made of.

A point, a row or a line belongs to a sentence by its number; its meaning is told by colour and shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from transformer.contexts import cosines

Array = np.ndarray[Any, Any]
Chart = dict[str, Any]  # Vega-Lite
PALEST, STRONGEST = np.array([234, 242, 253.0]), np.array([11, 87, 196.0])
MEANINGS = ("#2f7de1", "#d9730d", "#8f6ae0", "#1a9474", "#c2458f", "#7d8590")  # 3 : 1 on white and on black
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
SAME, ACROSS = "same meaning", "different meanings"
LONGEST_NAME = 38
ROOMY, NARROWEST_CELL = 6, 30
MOST_NAMED_LINES = 10
MOST_NAMED_BARS = 64
PLANE, PLANE_PADDING = 320, 5
LIGHT_INK, DARK_INK = "#1d2433", "#f2f4f8"
BARE = {"ticks": False, "domain": False}
NEAR = 0.08


class Sentence(NamedTuple):
    """A sentence as it was written, with its number (from 1) and that of its meaning (from 0)."""

    text: str
    number: int
    meaning: int

    @property
    def name(self) -> str:
        """The sentence as it is called in the pictures."""
        short = self.text if len(self.text) <= LONGEST_NAME else self.text[: LONGEST_NAME - 1] + "…"
        return f"{self.number}. {short}"


def ink() -> str:
    """The colour of words in the reader's theme."""
    return DARK_INK if st.context.theme.type == "dark" else LIGHT_INK


def blue(share: float) -> str:
    """A colour between the palest blue (0) and the strongest (1)."""
    red, green, blue = (PALEST + (STRONGEST - PALEST) * min(1.0, max(0.0, share))).round().astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def ink_on(colour: str) -> str:
    """Black or white, whichever can be read better on this colour; one of them always has 4.5 : 1."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return "#000000" if float(np.dot([0.2126, 0.7152, 0.0722], light)) > 0.179 else "#ffffff"


def matrix(likeness: Array, sentences: Sequence[Sentence], lowest: float, ink: str) -> Chart:
    """The cosines as a heat map with their numbers; the palest blue is the cosine `lowest`."""
    many = len(sentences) > ROOMY
    rows = []
    for first, cosines_of_row in zip(sentences, likeness, strict=True):
        for second, cosine in zip(sentences, map(float, cosines_of_row), strict=True):
            fill = blue((cosine - lowest) / max(1e-6, 1 - lowest))
            rows.append(
                {"one": first.name, "number": second.number, "other": second.name, "cosine": cosine}
                | {"text": f"{cosine:.{2 if many else 3}f}", "fill": fill, "ink": ink_on(fill)}
            )
    seen = {"expr": f"width < {NARROWEST_CELL * len(sentences)} ? 0 : 1"}
    numbers = {"type": "text", "fontSize": 11 if many else 14, "opacity": seen}
    return {
        "data": {"values": rows},
        "height": max(PLANE, 34 * len(sentences)),
        "config": _written_in(ink),
        "encoding": {
            "x": {
                "field": "number",
                "type": "ordinal",
                "title": None,
                "axis": BARE | {"orient": "top", "labelAngle": 0},
            },
            "y": {
                "field": "one",
                "type": "ordinal",
                "title": None,
                "sort": None,
                "axis": BARE | {"labelLimit": 160 if many else 260},
            },
            "tooltip": [_said("one"), _said("other"), _said("cosine", ".4f")],
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": _as_it_is("fill")}},
            {"mark": numbers, "encoding": {"text": {"field": "text"}, "color": _as_it_is("ink")}},
        ],
    }


def plane_chart(points: Array, sentences: Sequence[Sentence], ink: str) -> Chart:
    """The vectors as points, as far apart across as upwards; points on one place share their numbers."""
    span = 1.25 * max(1e-9, float(np.abs(points).max()))
    rows = [
        {"x": float(x), "y": float(y), "sentence": one.name, "meaning": f"meaning {one.meaning + 1}"}
        | {"numbers": label}
        for (x, y), one, label in zip(points, sentences, labels(points, NEAR * span), strict=True)
    ]
    meanings = [f"meaning {k + 1}" for k in range(1 + max(one.meaning for one in sentences))]
    legend = {"title": None, "orient": "bottom"} if len(meanings) > 1 else None

    def by_meaning(choices: Sequence[str]) -> dict[str, Any]:
        chosen = [choices[k % len(choices)] for k in range(len(meanings))]
        return {"field": "meaning", "scale": {"domain": meanings, "range": chosen}, "legend": legend}

    scale = {"domain": [-span, span], "nice": False}
    axis = {"labels": False, "ticks": False, "title": None, "grid": False}
    return {
        "data": {"values": rows},
        "autosize": {"type": "fit-x", "contains": "padding"},  # room for the frame, none taken by the legend
        "padding": dict.fromkeys(("left", "right", "top", "bottom"), PLANE_PADDING),
        "width": PLANE,
        "height": PLANE - 2 * PLANE_PADDING,
        "view": {"stroke": MEANINGS[-1], "strokeOpacity": 0.5, "strokeWidth": 1},
        "config": _written_in(ink),
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "scale": scale, "axis": axis},
            "y": {"field": "y", "type": "quantitative", "scale": scale, "axis": axis},
            "tooltip": [_said("sentence")],
        },
        "layer": [
            {
                "mark": {"type": "point", "size": 150, "filled": False, "strokeWidth": 3, "opacity": 1},
                "encoding": {"color": by_meaning(MEANINGS), "shape": by_meaning(SHAPES)},
            },
            {
                "mark": {"type": "text", "dx": 12, "align": "left", "fontSize": 15, "fontWeight": "bold", "color": ink},
                "encoding": {"text": {"field": "numbers"}},
            },
        ],
    }


def labels(points: Array, near: float) -> list[str]:
    """What to write at each point: its number; where others lie so near that the words would cover each other, the
    first says the numbers of all of them."""
    written = [""] * len(points)
    left = list(range(len(points)))
    while left:
        here = [k for k in left if float(np.hypot(*(points[k] - points[left[0]]))) <= near]
        written[here[0]] = ", ".join(str(k + 1) for k in here)
        left = [k for k in left if k not in here]
    return written


def through_layers(vectors: Array, sentences: Sequence[Sentence], layer: int, ink: str) -> Chart:
    """Every pair's cosine in every layer, pairs of one meaning apart from the others, the chosen layer marked."""
    last = len(vectors) - 1
    likeness = np.stack([cosines(one) for one in vectors])
    pairs = list(combinations(range(len(sentences)), 2))
    rows = [
        {"layer": number, "cosine": float(likeness[number, i, j]), "pair": f"{i + 1} and {j + 1}"}
        | {"kind": SAME if sentences[i].meaning == sentences[j].meaning else ACROSS}
        for number in range(last + 1)
        for i, j in pairs
    ]
    several = len({one.meaning for one in sentences}) > 1
    kind = {
        "field": "kind",
        "legend": {"title": None, "orient": "top", "symbolType": "stroke", "symbolSize": 400} if several else None,
    }
    lines = {
        "data": {"values": rows},
        "mark": {"type": "line", "point": {"size": 45}, "strokeWidth": 2},
        "encoding": {
            "detail": {"field": "pair"},
            "color": kind | {"scale": {"domain": [SAME, ACROSS], "range": list(MEANINGS[:2])}},
            "strokeDash": kind | {"scale": {"domain": [SAME, ACROSS], "range": [[1, 0], [6, 3]]}},
            "tooltip": [_said("pair"), _said("kind"), _said("layer", "d"), _said("cosine", ".4f")],
        },
    }
    here = {"data": {"values": [{"layer": layer}]}, "mark": {"type": "rule", "strokeDash": [2, 3], "color": ink}}
    named = [line_names(likeness, pairs, ink)] if len(pairs) <= MOST_NAMED_LINES else []
    layers_axis = {"values": list(range(last + 1)), "format": "d", "grid": False}
    across = {"field": "layer", "type": "quantitative", "title": "layer", "axis": layers_axis}
    upwards = {"field": "cosine", "type": "quantitative", "title": "cosine", "axis": {"tickCount": 5}}
    x = across | {"scale": {"domain": [0, last], "nice": False}}
    y = upwards | {"scale": {"zero": False}}
    return {
        "height": 280,
        "config": _written_in(ink),
        "encoding": {"x": x},
        "layer": [here, *({**one, "encoding": {"y": y, **one["encoding"]}} for one in (lines, *named))],
    }


def line_names(likeness: Array, pairs: Sequence[tuple[int, int]], ink: str) -> Chart:
    """Which pair a line belongs to, written behind its end, and never one over another."""
    ends = np.array([likeness[-1, i, j] for i, j in pairs])
    room = 0.11 * max(1e-9, 1.0 - float(likeness.min()))
    rows = [
        {"layer": len(likeness) - 1, "cosine": float(height), "name": f"{i + 1}–{j + 1}"}
        for (i, j), height in zip(pairs, apart(ends, room), strict=True)
    ]
    mark = {"type": "text", "align": "left", "dx": 9, "fontSize": 13, "color": ink, "clip": False}
    return {"data": {"values": rows}, "mark": mark, "encoding": {"text": {"field": "name"}}}


def apart(heights: Array, room: float) -> Array:
    """Heights moved up as little as it takes for each to stand `room` above the next lower one; their mean stays."""
    order = np.argsort(heights, kind="stable")
    steps = np.arange(len(heights)) * room
    raised = np.maximum.accumulate(heights[order] - steps) + steps
    moved: Array = np.empty_like(raised)
    moved[order] = raised - (raised.mean() - heights.mean())
    return moved


def score_bars(parts: Array, ink: str) -> Chart:
    """The summands of a score, entry by entry."""
    rows = [{"entry": place, "product": float(part)} for place, part in enumerate(parts)]
    colour = {"condition": {"test": "datum.product > 0", "value": MEANINGS[0]}, "value": MEANINGS[-1]}
    labels = {"labels": len(parts) <= MOST_NAMED_BARS, "labelAngle": 0, "labelOverlap": True}
    return {
        "data": {"values": rows},
        "mark": "bar",
        "height": 180,
        "config": _written_in(ink),
        "encoding": {
            "x": {"field": "entry", "type": "ordinal", "title": "entry of q ⊙ k/√d", "axis": labels},
            "y": {"field": "product", "type": "quantitative", "title": None, "axis": {"tickCount": 5}},
            "color": colour,
            "tooltip": [_said("entry"), _said("product", ".4f")],
        },
    }


def _written_in(ink: str) -> Chart:
    """All words of a chart as dark, or light, as those of the page."""
    return {
        "axis": {"labelColor": ink, "titleColor": ink, "labelFontSize": 13, "titleFontSize": 13},
        "legend": {"labelColor": ink, "labelFontSize": 13},
    }


def _said(field: str, number: str = "") -> dict[str, str]:
    return {"field": field} | ({"format": number, "type": "quantitative"} if number else {})


def _as_it_is(field: str) -> dict[str, Any]:
    return {"field": field, "scale": None, "legend": None}


def table(likeness: Array, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """The cosines as rows to read, copy or hear."""
    return [
        {"sentence": f"{one.number}. {one.text}"} | {str(j + 1): round(float(value), 4) for j, value in enumerate(row)}
        for one, row in zip(sentences, likeness, strict=True)
    ]
