"""Transformer blocks and stacks of them, with the module names of the reference implementation.

A block is attention and a feed-forward network, each with a residual connection and a layer norm: after it (`post`, as
in BERT) or before it (`pre`). Dropout is not built: these are networks as they are evaluated, and trained without it.
"""

from __future__ import annotations

from typing import Literal

from graphlab.engine.core import Node, named, scope
from graphlab.errors import ValueProblem
from graphlab.layers.activations import activation_called
from graphlab.layers.attention import EVERYTHING, Sight, side_by_side
from graphlab.layers.config import BlockConfig, EncoderConfig
from graphlab.layers.parameters import dense, normalised

Norm = Literal["post", "pre"]


def encoder(x: Node, config: EncoderConfig, sight: Sight = EVERYTHING, *, norm: Norm = "post") -> Node:
    """`config.num_hidden_layers` blocks one after the other, in the scopes encoder.layer.0, encoder.layer.1, …"""
    with scope("encoder"):
        for number in range(config.num_hidden_layers):
            with scope(f"layer.{number}"):
                x = block(x, config, sight, norm=norm)
    return x


def block(x: Node, config: BlockConfig, sight: Sight = EVERYTHING, *, norm: Norm = "post") -> Node:
    """One block: x (…, n, hidden_size) to the same shape."""
    if norm not in ("post", "pre"):
        raise ValueProblem(f"a block normalises post or pre, not {norm!r}")
    return post_norm_block(x, config, sight) if norm == "post" else pre_norm_block(x, config, sight)


def post_norm_block(x: Node, config: BlockConfig, sight: Sight) -> Node:
    with scope("attention"):
        mixed = attention_part(x, config, sight)
        with scope("output"):
            mixed = named("R_1", mixed + x)
            mixed = named("X_1", normalised(mixed, "LayerNorm", "1", config.hidden_size, config.layer_norm_eps))
    made = feed_forward(mixed, config)
    with scope("output"):
        made = named("R_2", made + mixed)
        return named("Y", normalised(made, "LayerNorm", "2", config.hidden_size, config.layer_norm_eps))


def pre_norm_block(x: Node, config: BlockConfig, sight: Sight) -> Node:
    size, eps = config.hidden_size, config.layer_norm_eps
    ready = named("N_1", normalised(x, "layernorm_before", "1", size, eps))
    with scope("attention"):
        mixed = attention_part(ready, config, sight)
    mixed = named("R_1", mixed + x)
    ready = named("N_2", normalised(mixed, "layernorm_after", "2", size, eps))
    return named("Y", feed_forward(ready, config) + mixed)


def attention_part(x: Node, config: BlockConfig, sight: Sight) -> Node:
    """All heads side by side, mixed by W_O."""
    size = config.hidden_size
    with scope("self"):
        heads = side_by_side(x, config.num_attention_heads, sight, size=size)
    with scope("output"):
        return named("A", dense(heads.y, "dense", "O", size, size))


def feed_forward(x: Node, config: BlockConfig) -> Node:
    """W_2 · activation(W_1 x + b_1) + b_2, row by row."""
    size, between = config.hidden_size, config.intermediate_size
    with scope("intermediate"):
        bent = activation_called(config.hidden_act)(named("H", dense(x, "dense", "1", between, size)))
        named("G", bent)
    with scope("output"):
        return named("F", dense(bent, "dense", "2", size, between))
