"""Layers: functions that take nodes and build scoped graphs of named nodes, from logistic regression to BERT.

parameters  names and shapes of weights, the linear layer and the layer norm with theirs
activations activation functions by name
networks    logistic regression, multilayer perceptron
attention   self-attention: basic, with queries, keys and values, with several heads
positions   rows to add: sinusoidal or learnt
blocks      transformer blocks (norm after or before) and stacks of them
config      the sizes that blocks and BERT read
bert        BERT, with heads for masked tokens and the next sentence

>>> import graphlab as gl
>>> x = gl.variable("X")
>>> layer = self_attention(x, Sight(causal=True))
>>> parameter_shapes(layer.y)
{'W_Q': ('k', 'd'), 'W_K': ('k', 'd'), 'W_V': ('k', 'd')}
>>> gl.graph(Y=layer.y).lines[-2:]
['P = softmax(S_causal)', 'Y = P@V']
"""

from graphlab.layers.attention import (
    Attention,
    Sight,
    attend,
    basic_self_attention,
    multi_head_attention,
    self_attention,
)
from graphlab.layers.bert import Bert, bert
from graphlab.layers.blocks import block, encoder
from graphlab.layers.config import BertConfig, BlockConfig, Config, EncoderConfig
from graphlab.layers.networks import Logistic, logistic_regression, mlp
from graphlab.layers.parameters import dense, normalised, parameter, parameter_shapes
from graphlab.layers.positions import learnt_positions, sinusoidal_positions

__all__ = [
    "Attention",
    "Bert",
    "BertConfig",
    "BlockConfig",
    "Config",
    "EncoderConfig",
    "Logistic",
    "Sight",
    "attend",
    "basic_self_attention",
    "bert",
    "block",
    "dense",
    "encoder",
    "learnt_positions",
    "logistic_regression",
    "mlp",
    "multi_head_attention",
    "normalised",
    "parameter",
    "parameter_shapes",
    "self_attention",
    "sinusoidal_positions",
]
