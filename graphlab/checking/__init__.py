"""Checking gradients: the graph's against those of independent witnesses."""
