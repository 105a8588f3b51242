"""How long a symbolic backward pass is: its operations over those of the forward pass, composites closed.

Counted is the pass to all parameters together, simplified and with equal expressions merged. What it takes from the
forward pass is not counted again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.workloads import Contender
from benchmarks.workloads.bert_values import CONFIGS

CONFIG = CONFIGS["tiny"]
SEED = "U"


def every_layer() -> dict[str, Any]:
    """The output of each layer that has parameters, mostly for an input x."""
    import graphlab as gl
    from graphlab import layers

    x, size = gl.variable("x"), CONFIG.hidden_size
    return {
        "linear": layers.dense(x, "dense", "1", size, size),
        "layer norm": layers.normalised(x, "LayerNorm", "1", size),
        "logistic regression": layers.logistic_regression(x, size).p,
        "MLP": layers.mlp(x, (size, size, size), "relu"),
        "self-attention": layers.self_attention(x, size=size).y,
        "causal self-attention": layers.self_attention(x, layers.Sight(causal=True), size=size).y,
        "multi-head attention": layers.multi_head_attention(x, CONFIG.num_attention_heads, size=size).y,
        "block, norm after": layers.block(x, CONFIG),
        "block, norm before": layers.block(x, CONFIG, norm="pre"),
        "BERT with both heads": layers.bert(CONFIG, ("masked_tokens", "next_sentence")).loss,
    }


def encoder(depth: int) -> Any:
    """The last hidden rows of a BERT with so many layers."""
    from graphlab import layers

    return layers.bert(replace(CONFIG, num_hidden_layers=depth)).hidden


def operations(output: Any) -> tuple[int, int]:
    """How many there are forward, and how many more backward."""
    import graphlab as gl
    from graphlab import layers

    parameters = layers.parameter_shapes(output)
    sizes = {} if "x" not in gl.graph(Y=output).inputs else {"x": ("n", CONFIG.hidden_size)}
    g = gl.graph(Y=output, shapes=sizes)
    backward = g.backward(*parameters, seed=SEED)
    gradients = {f"gradient_{i}": backward.totals[parameter] for i, parameter in enumerate(backward.wrt)}
    both = gl.graph({"Y": output, **gradients}, shapes={**sizes, SEED: backward.shapes[output]})
    return count(g), count(both.simplified().merged()) - count(g)


def count(g: Any) -> int:
    """Nodes that are operations, not inputs or numbers."""
    return sum(node.op is not None for node in g.dag.nodes)


def layer_ratios() -> dict[str, float]:
    """Backward over forward, layer by layer."""
    counted = {name: operations(output) for name, output in every_layer().items()}
    return {name: backward / forward for name, (forward, backward) in counted.items()}


def depth_ratio() -> dict[str, float]:
    """Twelve layers over six, backward."""
    return {"12 layers over 6": operations(encoder(12))[1] / operations(encoder(6))[1]}


def counter(ratios: Callable[[], dict[str, float]]) -> Contender:
    """Nothing is timed: the ratios themselves are the numbers."""
    return Contender(ratios, lambda counted: dict(counted))


CONTENDERS = {"graphlab layers": lambda: counter(layer_ratios), "graphlab depth": lambda: counter(depth_ratio)}
