"""The engine: op records, nodes, and folds over them. It needs NumPy and SciPy only and imports nothing above it."""

from graphlab.engine import ops

__all__ = ["ops"]
