"""The libraries that BERT runs on beside graphlab, each as its users write it, and fast."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Torch:
    """Fused functions throughout, among them torch's own attention."""

    def __init__(self) -> None:
        from torch.nn import functional

        self.attention = functional.scaled_dot_product_attention
        self.gelu = functional.gelu
        self.linear = functional.linear
        self._layer_norm = functional.layer_norm
        self._cross_entropy = functional.cross_entropy

    def split(self, x: Any, heads: int) -> Any:
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    def merge(self, x: Any) -> Any:
        return x.transpose(1, 2).flatten(2)

    def layer_norm(self, x: Any, weight: Any, bias: Any, eps: float) -> Any:
        return self._layer_norm(x, weight.shape, weight, bias, eps)

    def cross_entropy(self, scores: Any, labels: Any) -> Any:
        """The mean over the rows whose label counts."""
        return self._cross_entropy(scores.flatten(0, 1), labels.flatten())


class NumpyLike:
    """What autograd and jax have in common: `numpy` is their namespace of NumPy's functions."""

    numpy: Any
    mean: Any
    softmax: Any
    log_softmax: Any

    def linear(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.numpy.matmul(x, weight.T) + bias

    def split(self, x: Any, heads: int) -> Any:
        return self.numpy.swapaxes(self.numpy.reshape(x, (*x.shape[:-1], heads, -1)), 1, 2)

    def merge(self, x: Any) -> Any:
        x = self.numpy.swapaxes(x, 1, 2)
        return self.numpy.reshape(x, (*x.shape[:-2], -1))

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        scale = np.float32(1 / math.sqrt(q.shape[-1]))
        scores = self.numpy.matmul(q, self.numpy.swapaxes(k, -1, -2)) * scale
        return self.numpy.matmul(self.softmax(scores), v)

    def layer_norm(self, x: Any, weight: Any, bias: Any, eps: float) -> Any:
        away = x - self.mean(x, axis=-1, keepdims=True)
        variance = self.mean(away * away, axis=-1, keepdims=True)
        return away / self.numpy.sqrt(variance + np.float32(eps)) * weight + bias

    def cross_entropy(self, scores: Any, labels: Any) -> Any:
        """The mean over the rows whose label counts; the others are never exponentiated."""
        places = np.nonzero(labels >= 0)
        logs = self.log_softmax(scores[places])
        return -self.mean(logs[np.arange(len(logs)), labels[places]])


class Jax(NumpyLike):
    """With the functions of jax.nn where there are any."""

    def __init__(self) -> None:
        import jax

        self.numpy = jax.numpy
        self.mean = jax.numpy.mean
        self.softmax = jax.nn.softmax
        self.log_softmax = jax.nn.log_softmax
        self._gelu = jax.nn.gelu

    def gelu(self, x: Any) -> Any:
        return self._gelu(x, approximate=False)


class Autograd(NumpyLike):
    """HIPS autograd: NumPy and nothing else, so softmax and GELU are written out.

    Its rules for mean and max turn float32 gradients into float64 ones, with which all that follows would take twice as
    long. So the mean is written as a sum, and the largest entry, which changes no value, is taken off untraced.
    """

    def __init__(self) -> None:
        import autograd.numpy
        from autograd.scipy.special import erf
        from autograd.tracer import getval

        self.numpy = autograd.numpy
        self._erf = erf
        self._untraced = getval

    def mean(self, x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        count = x.size if axis is None else x.shape[axis]
        return self.numpy.sum(x, axis=axis, keepdims=keepdims) * np.float32(1 / count)

    def softmax(self, x: Any) -> Any:
        parts = self.numpy.exp(self.moved(x))
        return parts / self.numpy.sum(parts, axis=-1, keepdims=True)

    def log_softmax(self, x: Any) -> Any:
        moved = self.moved(x)
        return moved - self.numpy.log(self.numpy.sum(self.numpy.exp(moved), axis=-1, keepdims=True))

    def moved(self, x: Any) -> Any:
        """x minus the largest entry of each row."""
        return x - np.max(self._untraced(x), axis=-1, keepdims=True)

    def gelu(self, x: Any) -> Any:
        return x * np.float32(0.5) * (np.float32(1) + self._erf(x * np.float32(math.sqrt(0.5))))
