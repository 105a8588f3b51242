"""The public objects: Graph, Derivative and Trace, and the functions that make graphs."""

from graphlab.api.derivative import Derivative
from graphlab.api.graph import Graph
from graphlab.api.making import graph, parse, variable, variables
from graphlab.api.traces import Trace

__all__ = ["Derivative", "Graph", "Trace", "graph", "parse", "variable", "variables"]
