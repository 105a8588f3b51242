"""What the page shows, as plain data in its link: formula, values, readings, step, chosen node and preferences.

The link holds it compressed. What is too long for a link (above 2 kB) is offered as a file instead.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from graphlab.errors import TraceError

LONGEST_LINK = 2_000
LONGEST_STATE = 1_000_000


@dataclass
class PageState:
    """Everything a link or a file reopens. `values` holds what was typed for each input, as text; `moving` the inputs
    that move in forward mode (none: backward).
    """

    formula: str = ""
    values: dict[str, str] = field(default_factory=dict)
    products: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    notation: str = "plain"
    stabilise: bool = True
    moving: list[str] = field(default_factory=list)
    step: int = 0
    selected: str | None = None
    prefs: dict[str, Any] = field(default_factory=dict)


def to_text(state: PageState) -> str:
    """The state as the text of a file."""
    return json.dumps(asdict(state), ensure_ascii=False)


def from_text(text: str) -> PageState:
    """What `to_text` wrote. Raises TraceError for anything else, saying what is wrong."""
    if len(text) > LONGEST_STATE:
        raise TraceError("this file is too large to be a saved page")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise TraceError("this file is not a saved page", hint="Open a file that the page saved.") from None
    expected = {
        "formula": str,
        "values": dict,
        "products": list,
        "functions": list,
        "moving": list,
        "step": int,
        "prefs": dict,
    }
    expected |= {"notation": str, "stabilise": bool}
    if not isinstance(data, dict) or not set(data) <= {f.name for f in fields(PageState)}:
        raise TraceError("this is not a saved page", hint="Open a file that the page saved.")
    for name, kind in expected.items():
        if not isinstance(data.get(name, kind()), kind):
            raise TraceError(f"this saved page is damaged: {name} is not a {kind.__name__}")
    texts = [
        *data.get("values", {}).values(),
        *data.get("products", []),
        *data.get("functions", []),
        *data.get("moving", []),
    ]
    if not all(isinstance(text, str) for text in texts) or not isinstance(data.get("selected"), str | None):
        raise TraceError("this saved page is damaged: a text is missing")
    return PageState(**data)


def to_link(state: PageState) -> str | None:
    """The state for the address bar; None if it would be longer than 2 kB."""
    packed = base64.urlsafe_b64encode(zlib.compress(to_text(state).encode(), 9)).decode().rstrip("=")
    return packed if len(packed) <= LONGEST_LINK else None


def from_link(packed: str) -> PageState:
    """What `to_link` made. Raises TraceError for a damaged link."""
    try:
        decoder = zlib.decompressobj()
        raw = decoder.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), LONGEST_STATE)
        text = raw.decode()
    except (ValueError, zlib.error):
        raise TraceError("the link is damaged: part of it is missing or changed") from None
    return from_text(text)
