"""One record per op, by family. Importing this package registers them all in `core.OPS`."""

from graphlab.engine.ops import activation, arithmetic, comparison, elementary, linalg, reduction

__all__ = ["activation", "arithmetic", "comparison", "elementary", "linalg", "reduction"]
