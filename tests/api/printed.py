"""Derivatives whose printed form is kept in printed.json: `python -m tests.api.printed` writes that file anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphlab as gl
from graphlab import layers
from graphlab.api.backward import Backward
from graphlab.layers import Config, Sight
from graphlab.layers.attention import EVERYTHING

PRINTED = Path(__file__).with_suffix(".json")


def attention(sight: Sight = EVERYTHING) -> gl.Graph:
    """Q, K, V, S, P and Y as explicit nodes."""
    layer = layers.self_attention(gl.variable("X"), sight, key_size="d_k")
    return gl.graph(Y=layer.y, shapes={"X": ("n", "d"), "mask": ("n", "n")})


def heads() -> gl.Graph:
    """Two heads, mixed by W_O."""
    layer = layers.multi_head_attention(gl.variable("X"), 2, bias=False)
    return gl.graph(Y=layer.y, shapes={"X": ("n", "d")})


def composite(*, causal: bool = False) -> gl.Graph:
    q, k, v = gl.variables("Q K V")
    shapes = {"Q": ("n", "d_k"), "K": ("n", "d_k"), "V": ("n", "d_v")}
    return gl.graph(Y=gl.attention(q, k, v, causal=causal), shapes=shapes)


def block() -> gl.Graph:
    config = Config(hidden_size="d", num_attention_heads=2, intermediate_size="f")
    with gl.scope("layer.3"):
        y = layers.block(gl.variable("X"), config)
    return gl.graph(Y=y, shapes={"X": ("n", "d")})


def layer_norm() -> gl.Graph:
    shapes: dict[str, Any] = {"x": ("n", "d"), "gamma": ("d",), "beta": ("d",)}
    return gl.graph(y=gl.layer_norm(*gl.variables("x gamma beta")), shapes=shapes)


PASSES: dict[str, Callable[[], Backward]] = {
    "lecture": lambda: gl.parse("L = c(a+2b)").backward(),
    "attention": lambda: attention().backward(seed="U"),
    "causal attention": lambda: attention(Sight(causal=True)).backward(seed="U"),
    "masked attention": lambda: attention(Sight(mask=gl.variable("mask"))).backward("X", seed="U"),
    "several heads": lambda: heads().backward(seed="U"),
    "attention as one operation": lambda: composite().backward(seed="U"),
    "layer norm": lambda: layer_norm().backward(seed="U"),
    "block": lambda: block().backward(seed="U"),
    "perceptron": lambda: gl.parse("X: (n, d); H = tanh(X@W.T + b); L = mse(H@w, y)").backward("W", "b", "w"),
    "cross-entropy": lambda: gl.parse("Z: (n, c); L = cross_entropy(Z, t)").backward("Z"),
    "ignored rows": lambda: gl.parse("Z: (n, c); L = cross_entropy(Z, t, ignore=-100)").backward("Z"),
    "embedding": lambda: gl.parse("X = embedding(E, ids)").backward("E", seed="U"),
}


def printed(backward: Backward) -> dict[str, Any]:
    """Lines of text and of LaTeX."""
    return {"lines": backward.lines, "latex": backward.latex.split(r" \\ ")}


if __name__ == "__main__":
    forms = {name: printed(make()) for name, make in PASSES.items()}
    PRINTED.write_text(json.dumps(forms, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
