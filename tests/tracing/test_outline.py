"""The outline lists all boxes with what they hold, and a search says what to open to see what it found."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from graphlab.tracing.folding import fold
from graphlab.tracing.outline import Entry, outline, search
from tests.tracing.samples import tower


def flat(entries: Iterable[Entry]) -> list[Entry]:
    return [one for entry in entries for one in (entry, *flat(entry.entries))]


def test_the_outline_is_the_tree_of_boxes_with_their_counts() -> None:
    entries = outline(tower(layers=3).outline())
    counts = {entry.id: (entry.operations, entry.parameters) for entry in entries}
    assert counts == {"s:table": (1, 0), "s:encoder": (12, 27), "s:head": (5, 0)}
    (layers,) = entries[1].entries
    assert (layers.id, layers.title, layers.repeats, layers.operations) == ("s:encoder.layer.*", "layer", 3, 12)
    assert [entry.title for entry in layers.entries] == ["layer.0", "layer.1", "layer.2"]


def test_every_box_of_the_outline_is_seen_when_what_it_says_is_open() -> None:
    trace = tower(layers=3).outline()
    for entry in flat(outline(trace)):
        assert entry.id in {node.id for node in fold(trace, entry.open).forward_nodes}


@pytest.mark.parametrize("text", ["softmax", "H", "layer.1", "W", "encoder", "ids"])
def test_whatever_a_search_finds_is_seen_when_what_it_says_is_open(text: str) -> None:
    trace = tower(layers=3).outline()
    found = search(trace, text)
    assert found
    for one in found:
        assert one.id in {node.id for node in fold(trace, one.open).forward_nodes}


def test_what_is_called_so_comes_before_what_only_lies_there() -> None:
    found = search(tower(layers=3).outline(), "LAYER.2")
    assert [one.id for one in found[:2]] == ["s:encoder.layer.2", "s:encoder.layer.2.inner"]
    assert all("layer.2" in one.scope for one in found)
    assert [one.name for one in search(tower(layers=3).outline(), "layer.1 sigmoid")] == ["H"]


def test_a_search_is_bounded_and_nothing_finds_nothing() -> None:
    trace = tower(layers=12).outline()
    assert len(search(trace, "e", most=7)) == 7
    assert search(trace, "  ") == search(trace, "no such node") == []
