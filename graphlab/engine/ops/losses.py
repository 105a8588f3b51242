"""Losses. Each is a mean over everything, so it is one number."""

from typing import Any

import numpy as np

from graphlab.engine.core import Node, named
from graphlab.engine.kernels import rows
from graphlab.engine.notation import call
from graphlab.engine.ops.activation import sigmoid, softplus, softplus_of
from graphlab.engine.ops.arithmetic import chain, chain_product
from graphlab.engine.ops.comparison import where
from graphlab.engine.ops.elementary import log
from graphlab.engine.ops.normalising import log_softmax, log_softmax_of, softmax
from graphlab.engine.ops.reduction import mean, size, total
from graphlab.engine.ops.shaping import is_counted, one_hot, row_numbers
from graphlab.engine.records import composite, shape_fault
from graphlab.engine.shapes import Shape, broadcast, show_shape


def pair_shape(op: str) -> Any:
    """The shape rule of a loss of two arrays that broadcast."""

    def shape(a: Shape, b: Shape) -> Shape:
        broadcast(a, b, op=op)
        return ()

    return shape


# ---- mean squared error --------------------------------------------------------------------------------------------
mse = composite("mse", lambda a, b: mean((a - b) ** 2), forward=lambda a, b: np.mean((a - b) ** 2),
    shape=pair_shape("mse"), notation=call("mse", r"\operatorname{MSE}"), aliases=("MSE",),
    vjp=(lambda g, y, a, b: 2 * g / size(a - b) * (a - b), lambda g, y, a, b: 2 * g / size(a - b) * (b - a)),
    why="A squared error pulls twice as hard at twice the distance: each difference gets 2/n times itself.")


# ---- two classes ---------------------------------------------------------------------------------------------------
def bce_of(p: Any, y: Any) -> Any:
    return np.mean(chain_product(y, -np.log(p)) + chain_product(1 - y, -np.log1p(-p)))[()]


def bce_with_logits_of(z: Any, y: Any) -> Any:
    """The loss from scores: the error side's softplus alone counts, so no logarithm of 0 is ever taken."""
    return np.mean(chain_product(y, softplus_of(-z)) + chain_product(1 - y, softplus_of(z)))[()]


bce = composite("bce", lambda p, y: -mean(chain(y, log(p)) + chain(1 - y, log(1 - p))), forward=bce_of,
    shape=pair_shape("bce"), notation=call("bce", r"\operatorname{BCE}"), aliases=("BCE",), domain=(0.1, 0.9),
    vjp=(lambda g, z, p, y: g / size(p - y) * (chain(1 - y, 1 / (1 - p)) - chain(y, 1 / p)),
         lambda g, z, p, y: g / size(p - y) * (log(1 - p) - log(p))),
    why="The loss is −log of the probability given to what happened. The less that was, the steeper: −1/p if it "
        "happened (y = 1), 1/(1 − p) if not.")
bce_with_logits = composite("bce_with_logits",
    lambda z, y: mean(chain(y, softplus(-z)) + chain(1 - y, softplus(z))), forward=bce_with_logits_of,
    care="It is computed from the score, so no probability is rounded to 0 or 1 before its logarithm is taken.",
    shape=pair_shape("bce_with_logits"), notation=call("bce_with_logits", r"\operatorname{BCE}_{\sigma}"),
    vjp=(lambda g, w, z, y: g / size(z - y) * (sigmoid(z) - y), lambda g, w, z, y: -(g / size(z - y) * z)),
    why="For a sigmoid followed by the cross-entropy, everything cancels but p − y: the probability minus the truth.")


# ---- many classes --------------------------------------------------------------------------------------------------
def cross_entropy_of(logits: Any, ids: Any, ignore: int | None = None) -> Any:
    logs, counted = np.asarray(log_softmax_of(logits)), is_counted(ids, ignore)
    numbers = row_numbers(np.where(counted, ids, 0), logs.shape[-1], "cross_entropy")
    losses = -np.take_along_axis(logs, np.expand_dims(numbers, -1), axis=-1)[counted]
    return np.sum(losses) / losses.dtype.type(losses.size)


def cross_entropy_shape(logits: Shape, ids: Shape, ignore: int | None = None) -> Shape:
    if not logits or logits[:-1] != ids:
        raise shape_fault("cross_entropy",
            f"needs one id per row of scores, but the scores are {show_shape(logits)} and the ids {show_shape(ids)}",
            logits, ids, hint="The last axis of the scores counts the classes.",
            differ=next((pair for pair in zip(logits[:-1], ids, strict=False) if pair[0] != pair[1]), None))
    return ()


def cross_entropy_body(logits: Node, ids: Node, *, ignore: int | None = None) -> Any:
    logs, hits = log_softmax(logits), one_hot(ids, logits, ignore=ignore)
    if ignore is None:
        return -mean(total(where(hits, logs, 0), axis=-1))
    return -(total(where(hits, logs, 0)) / total(hits))


def cross_entropy_pull(g: Any, y: Any, logits: Any, ids: Any, ignore: int | None = None) -> Any:
    """(p − y)/n, and 0 in ignored rows, which n does not count."""
    hits = one_hot(ids, logits, ignore=ignore)
    if ignore is None:
        return g / size(total(logits, axis=-1)) * (softmax(logits) - hits)
    hits = named("T", hits)
    return chain(total(hits, axis=-1, keepdims=True) * softmax(logits) - hits, g / total(hits))


cross_entropy = composite("cross_entropy", cross_entropy_body, forward=cross_entropy_of, shape=cross_entropy_shape,
    kernel=rows.cross_entropy(row_numbers, is_counted),
    notation=call("cross_entropy", r"\operatorname{CE}"), aliases=("CE",), ids=(1,), options={"ignore": None},
    care="It is computed from the scores, so no probability is rounded to 0 before its logarithm is taken.",
    vjp=(cross_entropy_pull, None),
    caveat="Rows whose id is `ignore` do not count. If that is all of them, there is nothing to take the mean of: the "
        "loss is nan and every gradient 0, as in PyTorch.",
    why="For a softmax followed by −log of the right class, everything cancels but p − y: the probabilities minus a 1 "
        "at the right class.")
