"""Every engine places boxes apart, and one that is missing, crashes, hangs or talks nonsense is replaced."""

from __future__ import annotations

import itertools
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphlab.render import layout
from graphlab.render.layout import ENGINES, Direction, Layout, lay_out
from tests.requirements import needs

SIZES = {"a": (90.0, 110.0), "b": (90.0, 110.0), "two": (48.0, 44.0), "d": (120.0, 110.0), "e": (120.0, 110.0)}
EDGES = [("two", "d"), ("b", "d"), ("a", "e"), ("d", "e"), ("d", "e")]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No layout is remembered from another test."""
    layout._placed.cache_clear()
    yield
    layout._placed.cache_clear()


def only(monkeypatch: pytest.MonkeyPatch, **engines: str | None) -> None:
    """Let these programs be all the engines there are."""
    finders = {name: (lambda path=path: path) for name, path in engines.items()}
    monkeypatch.setattr(layout, "ENGINES", finders)


def program(folder: Path, body: str) -> str:
    path = folder / "engine"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


def assert_sound(placed: Layout, sizes: dict[str, tuple[float, float]], edges: list[tuple[str, str]]) -> None:
    """Boxes lie in the picture and apart; every edge goes from border to border."""
    for name, (x, y) in placed.positions.items():
        width, height = sizes[name]
        assert x - width / 2 >= -1 and x + width / 2 <= placed.width + 1
        assert y - height / 2 >= -1 and y + height / 2 <= placed.height + 1
    for one, other in itertools.combinations(sizes, 2):
        (x, y), (u, v) = placed.positions[one], placed.positions[other]
        apart_x = abs(x - u) >= (sizes[one][0] + sizes[other][0]) / 2 - 1
        apart_y = abs(y - v) >= (sizes[one][1] + sizes[other][1]) / 2 - 1
        assert apart_x or apart_y, f"{one} and {other} overlap"
    assert len(placed.curves) == len(edges)
    for (source, target), curve in zip(edges, placed.curves, strict=True):
        assert len(curve) % 3 == 1
        for name, point in ((source, curve[0]), (target, curve[-1])):
            (x, y), (width, height) = placed.positions[name], sizes[name]
            assert abs(point[0] - x) <= width / 2 + 2 and abs(point[1] - y) <= height / 2 + 2


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("engine", ["graphviz-pure", "graphviz", "layers"])
def test_each_engine_places_boxes_apart(monkeypatch: pytest.MonkeyPatch, engine: str, direction: Direction) -> None:
    if engine == "graphviz":
        needs("dot")
    path = ENGINES[engine]() if engine != "layers" else None
    assert engine == "layers" or path, "graphviz-pure belongs to the app"
    only(monkeypatch, **({engine: path} if path else {}))
    placed = lay_out(SIZES, EDGES, direction=direction)
    assert placed.engine == engine
    assert_sound(placed, SIZES, EDGES)


def test_left_to_right_follows_the_edges() -> None:
    across, down = lay_out(SIZES, EDGES), lay_out(SIZES, EDGES, direction="TB")
    for source, target in EDGES:
        assert across.positions[source][0] < across.positions[target][0]
        assert down.positions[source][1] < down.positions[target][1]


def test_the_same_graph_is_always_placed_the_same() -> None:
    first = lay_out(SIZES, EDGES)
    layout._placed.cache_clear()
    assert lay_out(SIZES, EDGES) == first


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "stopped with code 3"),
        ("echo hello", "an answer that is not JSON"),
        ("echo '{\"objects\": []}'", "an answer without positions"),
        ("echo '[1]'", "an answer without positions"),
        ("sleep 30", "took longer than 0.3 seconds"),
    ],
)
def test_a_faulty_engine_is_replaced_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, words: str
) -> None:
    monkeypatch.setattr(layout, "TIMEOUT_SECONDS", 0.3)
    only(monkeypatch, faulty=program(tmp_path, body))
    placed = lay_out(SIZES, EDGES)
    assert placed.engine == "layers"
    assert words in placed.notice and "faulty" in placed.notice
    assert_sound(placed, SIZES, EDGES)


def test_a_missing_engine_hands_over_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, absent=None, present=ENGINES["graphviz-pure"]())
    placed = lay_out(SIZES, EDGES)
    assert (placed.engine, placed.notice) == ("present", "")


def test_without_any_engine_the_notice_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, one=None, two=None)
    notice = lay_out(SIZES, EDGES).notice
    assert notice == "The graph is placed in plain layers, because one is not installed and two is not installed."


def test_names_never_reach_the_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    only(monkeypatch, spy=program(tmp_path, f"cat > {seen}; exit 1"))
    lay_out({'x" URL="javascript:alert(1)': (50.0, 50.0), "y": (50.0, 50.0)}, [('x" URL="javascript:alert(1)', "y")])
    assert "javascript" not in seen.read_text()


def test_a_single_box_and_no_box_are_placed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lay_out({"a": (90.0, 50.0)}, []).positions["a"] == (45.0, 25.0)
    only(monkeypatch)
    assert lay_out({"a": (90.0, 50.0)}, []).positions["a"] == (45.0, 25.0)
    assert lay_out({}, []).positions == {}


def test_a_long_chain_needs_no_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    sizes = {f"n{i}": (50.0, 30.0) for i in range(5_000)}
    placed = lay_out(sizes, [(f"n{i}", f"n{i + 1}") for i in range(4_999)])
    assert placed.width > 5_000 * 50
