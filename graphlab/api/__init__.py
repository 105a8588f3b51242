"""The public objects: Graph, Derivative and Trace, and the functions that make graphs."""

from graphlab.api.derivative import Derivative
from graphlab.api.graph import Graph
from graphlab.api.making import from_sympy, graph, parse, variable, variables
from graphlab.api.traces import Trace

__all__ = ["Derivative", "Graph", "Trace", "from_sympy", "graph", "parse", "variable", "variables"]
