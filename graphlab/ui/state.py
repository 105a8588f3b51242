"""What a page shows, as plain data in its link: formula or model, values, readings, step, chosen node, preferences.

The link holds it compressed. What is too long for a link (above 2 kB) is offered as a file instead.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from graphlab.errors import TraceError

LONGEST_LINK = 2_000
LONGEST_STATE = 1_000_000
MAY_BE_NONE: dict[str, type] = {"opened": list, "selected": str}


@dataclass(kw_only=True)
class ShownGraph:
    """Where a reader is in a graph: the boxes that are open (None: as at first), the step, the chosen node and the
    viewer's switches.
    """

    opened: list[str] | None = None
    step: int = 0
    selected: str | None = None
    prefs: dict[str, Any] = field(default_factory=dict)


@dataclass
class PageState(ShownGraph):
    """Everything a link or a file of the Explore page reopens. `values` holds what was typed for each input, as text;
    `moving` the inputs that move in forward mode (none: backward).
    """

    formula: str = ""
    values: dict[str, str] = field(default_factory=dict)
    products: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    notation: str = "plain"
    stabilise: bool = True
    moving: list[str] = field(default_factory=list)


@dataclass
class ModelState(ShownGraph):
    """The same for the Models page: a model by key, and its settings."""

    model: str = ""
    settings: dict[str, int] = field(default_factory=dict)


@dataclass
class LessonState(ShownGraph):
    """The same for a lesson: what the controls of its experiment say, which of its screens is stepped, and where a
    lecture is.
    """

    chosen: dict[str, Any] = field(default_factory=dict)
    screen: int = 0
    slide: int = 0


@dataclass
class BertState(ShownGraph):
    """The same for the BERT page: a kind of model, and the text it reads."""

    model: str = ""
    text: str = "the cat sat on the mat because it was tired ."


State = TypeVar("State", PageState, ModelState, LessonState, BertState)


def to_text(state: ShownGraph) -> str:
    """The state as the text of a file."""
    return json.dumps(asdict(state), ensure_ascii=False)


def from_text(text: str, kind: type[State]) -> State:
    """What `to_text` wrote for a state of this kind. Raises TraceError for anything else, saying what is wrong."""
    if len(text) > LONGEST_STATE:
        raise TraceError("this file is too large to be a saved page")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise TraceError("this file is not a saved page", hint="Open a file that the page saved.") from None
    first = kind()
    if not isinstance(data, dict) or not set(data) <= {one.name for one in fields(kind)}:
        raise TraceError("this is not a saved page", hint="Open a file that the page saved.")
    for name, value in data.items():
        _check(name, value, type(getattr(first, name)))
    return kind(**data)


def _check(name: str, value: Any, kind: Any) -> None:
    """Whether a value may stand in a field that otherwise holds this kind."""
    if name in MAY_BE_NONE:
        if value is None:
            return
        kind = MAY_BE_NONE[name]
    if not isinstance(value, kind):
        raise TraceError(f"this saved page is damaged: {name} is not a {kind.__name__}")
    texts: Any = value if isinstance(value, list) else value.values() if name == "values" else ()
    if not all(isinstance(text, str) for text in texts):
        raise TraceError(f"this saved page is damaged: a text is missing in {name}")
    if name == "settings" and not all(isinstance(number, int) for number in value.values()):
        raise TraceError("this saved page is damaged: a setting is not a number")


def to_link(state: ShownGraph) -> str | None:
    """The state for the address bar; None if it would be longer than 2 kB."""
    packed = base64.urlsafe_b64encode(zlib.compress(to_text(state).encode(), 9)).decode().rstrip("=")
    return packed if len(packed) <= LONGEST_LINK else None


def from_link(packed: str, kind: type[State]) -> State:
    """What `to_link` made. Raises TraceError for a damaged link."""
    try:
        decoder = zlib.decompressobj()
        raw = decoder.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), LONGEST_STATE)
        text = raw.decode()
    except (ValueError, zlib.error):
        raise TraceError("the link is damaged: part of it is missing or changed") from None
    return from_text(text, kind)
