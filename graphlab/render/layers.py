"""The layout of last resort: a box stands one layer after the last of its inputs, and layers are centred.

No program is needed. It crosses more edges than Graphviz does, but it always answers.
"""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, float]
Size = tuple[float, float]
BETWEEN = 34.0


def by_layers(
    sizes: Sequence[Size], edges: Sequence[tuple[int, int]], direction: str, label_room: float
) -> tuple[tuple[Point, ...], tuple[tuple[Point, ...], ...], float, float]:
    """Centres, one curve per edge, width and height. Boxes are numbered so that every edge leads to a higher number."""
    across = [(h, w) if direction == "TB" else (w, h) for w, h in sizes]
    layers = _layers(len(sizes), edges)
    breadth = max((_breadth(layer, across) for layer in layers), default=0.0)
    centres: list[Point] = [(0.0, 0.0)] * len(sizes)
    along = 0.0
    for layer in _ordered(layers, edges):
        depth = max(across[i][0] for i in layer)
        offset = (breadth - _breadth(layer, across)) / 2
        for i in layer:
            centres[i] = (along + depth / 2, offset + across[i][1] / 2)
            offset += across[i][1] + BETWEEN
        along += depth + label_room
    curves = tuple(_curve(centres[a], across[a], centres[b], across[b]) for a, b in edges)
    length = max(0.0, along - label_room)
    if direction == "TB":
        turned = tuple(tuple((y, x) for x, y in curve) for curve in curves)
        return tuple((y, x) for x, y in centres), turned, breadth, length
    return tuple(centres), curves, length, breadth


def _layers(boxes: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Each box one layer after its last input; what feeds only a late layer moves up beside it."""
    level = [0] * boxes
    for a, b in sorted(edges, key=lambda edge: edge[1]):
        level[b] = max(level[b], level[a] + 1)
    has_input = {b for _, b in edges}
    first_use: dict[int, int] = {}
    for a, b in edges:
        first_use[a] = min(first_use.get(a, level[b]), level[b])
    for box, use in first_use.items():
        if box not in has_input:
            level[box] = use - 1
    layers: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for box, at in enumerate(level):
        layers[at].append(box)
    return [layer for layer in layers if layer]


def _ordered(layers: list[list[int]], edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Boxes of a layer stand in the order of the boxes they feed."""
    users: dict[int, list[int]] = {}
    for a, b in edges:
        users.setdefault(a, []).append(b)
    place: dict[int, float] = {}
    ordered = []
    for layer in reversed(layers):
        wanted = {i: _mean([place[u] for u in users.get(i, []) if u in place], float(k)) for k, i in enumerate(layer)}
        row = sorted(layer, key=lambda i: (wanted[i], i))
        place.update({i: (k + 1) / (len(row) + 1) for k, i in enumerate(row)})
        ordered.append(row)
    return ordered[::-1]


def _mean(numbers: list[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _breadth(layer: list[int], across: Sequence[Size]) -> float:
    return sum(across[i][1] for i in layer) + BETWEEN * (len(layer) - 1)


def _curve(start: Point, start_size: Size, end: Point, end_size: Size) -> tuple[Point, ...]:
    """From the far side of one box to the near side of the next, leaving and arriving straight."""
    x0, x1 = start[0] + start_size[0] / 2, end[0] - end_size[0] / 2
    bend = (x1 - x0) / 2
    return ((x0, start[1]), (x0 + bend, start[1]), (x1 - bend, end[1]), (x1, end[1]))
