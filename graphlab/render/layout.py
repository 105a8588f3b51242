"""Where boxes and edges go: `lay_out(sizes, edges)` gives positions and nothing else.

Graphviz computes them: the `graphviz-pure` program that pip installs, else a `dot` on the path. It runs as a process of
its own that is given numbered boxes (never a learner's text) and a few seconds; if it is missing, crashes or hangs,
plain layers take its place and `Layout.notice` says so.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from graphlab.render.groups import Group, NumberedGroup, Rectangle, clusters, frames_around
from graphlab.render.layers import by_layers

Direction = Literal["LR", "TB"]
Point = tuple[float, float]
Curve = tuple[Point, ...]
Size = tuple[float, float]

TIMEOUT_SECONDS = 8.0
UNHURRIED_EDGES = 150  # beyond, Graphviz may stop improving early and draws straight edges (13 s become 0.4 s)
POINTS_PER_INCH = 72.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in pixels, y downwards. `positions` are the boxes' centres; `curves` one per edge, in the order given:
    a start point followed by Bézier triples (two controls, an end), from the source's border to the target's. `frames`
    are (left, top, width, height) of the groups, in the order given.
    """

    positions: Mapping[str, Point]
    curves: tuple[Curve, ...]
    width: float
    height: float
    engine: str
    notice: str = ""
    frames: tuple[Rectangle, ...] = ()


Placed = tuple[tuple[Point, ...], tuple[Curve, ...], float, float, tuple[Rectangle, ...]]


class EngineError(Exception):
    """A layout engine gave no usable answer; the message says why."""


def lay_out(
    sizes: Mapping[str, Size],
    edges: Sequence[tuple[str, str]],
    *,
    direction: Direction = "LR",
    label_room: float = 70.0,
    groups: Sequence[Group] = (),
) -> Layout:
    """Place boxes of the given sizes (width, height in pixels), given in topological order.

    `label_room` is the space between two ranks. Each of `groups` gets a frame around its boxes.
    """
    number = {name: i for i, name in enumerate(sizes)}
    placed, engine, notice = _placed(
        tuple((round(w, 1), round(h, 1)) for w, h in sizes.values()),
        tuple((number[a], number[b]) for a, b in edges),
        direction,
        round(label_room, 1),
        tuple((tuple(number[name] for name in g.boxes), g.inside, round(g.title_width, 1)) for g in groups),
    )
    centres, curves, width, height, frames = placed
    return Layout(dict(zip(sizes, centres, strict=True)), curves, width, height, engine, notice, frames)


@lru_cache(maxsize=256)
def _placed(
    sizes: tuple[Size, ...],
    edges: tuple[tuple[int, int], ...],
    direction: Direction,
    label_room: float,
    groups: tuple[NumberedGroup, ...] = (),
) -> tuple[Placed, str, str]:
    """The first engine that answers; what went wrong with those before it becomes the notice."""
    troubles = []
    for name, find in ENGINES.items():
        program = find()
        if program is None:
            troubles.append(f"{name} is not installed")
            continue
        try:
            answer = _run(program, _dot(sizes, edges, direction, label_room, groups))
            return _read(answer, len(sizes), edges, len(groups)), name, ""
        except EngineError as trouble:
            troubles.append(f"{name} {trouble}")
    notice = f"The graph is placed in plain layers, because {' and '.join(troubles)}."
    placed = by_layers(sizes, edges, direction, label_room)
    return (*placed, frames_around(sizes, placed[0], groups)), "layers", notice


def _graphviz_pure() -> str | None:
    beside = sysconfig.get_path("scripts")
    return shutil.which("graphviz-pure", path=beside) or shutil.which("graphviz-pure")


def _graphviz() -> str | None:
    return shutil.which("dot")


ENGINES: dict[str, Callable[[], str | None]] = {"graphviz-pure": _graphviz_pure, "graphviz": _graphviz}


def _dot(
    sizes: Sequence[Size],
    edges: Sequence[tuple[int, int]],
    direction: Direction,
    label_room: float,
    groups: Sequence[NumberedGroup] = (),
) -> str:
    """The graph as DOT: box i is `ni`, edge k has id `ek` and group j is `cluster_j`."""
    between = 34.0 if direction == "LR" else 26.0
    hurry = "nslimit=0.5 nslimit1=1 mclimit=0.1 splines=line" if len(edges) > UNHURRIED_EDGES else ""
    room = f"ranksep={label_room / POINTS_PER_INCH:.3f} nodesep={between / POINTS_PER_INCH:.3f}"
    head = f"rankdir={direction} {room} {hurry}"
    lines = [f'digraph G {{ graph [{head}] node [shape=box fixedsize=true label=""]']
    lines += [
        f"n{i} [width={w / POINTS_PER_INCH:.4f} height={h / POINTS_PER_INCH:.4f}]" for i, (w, h) in enumerate(sizes)
    ]
    lines += [f"n{a} -> n{b} [id=e{k}]" for k, (a, b) in enumerate(edges)]
    lines += clusters(groups)
    return "\n".join([*lines, "}"])


def _run(program: str, dot: str) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [program, "-Tjson"], input=dot, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise EngineError(f"took longer than {TIMEOUT_SECONDS:g} seconds") from None
    except subprocess.CalledProcessError as error:
        raise EngineError(f"stopped with code {error.returncode}") from None
    except OSError:
        raise EngineError("could not be started") from None
    except ValueError:
        raise EngineError("gave an answer that is not JSON") from None
    if not isinstance(answer, dict):
        raise EngineError("gave an answer without positions")
    return answer


def _read(answer: dict[str, Any], boxes: int, edges: Sequence[tuple[int, int]], groups: int) -> Placed:
    try:
        _, _, width, height = (float(x) for x in answer["bb"].split(","))
        at = {item["name"]: _point(item["pos"], height) for item in answer.get("objects", []) if "pos" in item}
        paths = {item["id"]: _curve(item["pos"], height) for item in answer.get("edges", [])}
        centres = tuple(at[f"n{i}"] for i in range(boxes))
        curves = tuple(paths[f"e{k}"] for k in range(len(edges)))
        corners = {item["name"]: item["bb"] for item in answer.get("objects", []) if "bb" in item}
        frames = tuple(_rectangle(corners[f"cluster_{j}"], height) for j in range(groups))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise EngineError("gave an answer without positions") from None
    return centres, curves, width, height, frames


def _rectangle(corners: str, height: float) -> Rectangle:
    left, bottom, right, top = (float(x) for x in corners.split(","))
    return round(left, 1), round(height - top, 1), round(right - left, 1), round(top - bottom, 1)


def _point(text: str, height: float) -> Point:
    x, y = text.split(",")
    return round(float(x), 1), round(height - float(y), 1)


def _curve(text: str, height: float) -> Curve:
    """Graphviz writes "e,x,y start control control end …": the arrow's tip first, then the spline up to its base."""
    tips = [_point(part[2:], height) for part in text.split() if part.startswith("e,")]
    points = [_point(part, height) for part in text.split() if not part.startswith(("e,", "s,"))]
    if len(points) % 3 != 1:
        raise ValueError("not a Bézier spline")
    for tip in tips:
        points += [points[-1], tip, tip]
    return tuple(points)
