"""What can be opened below the graph, one panel at a time: formulas, paths, second order, rewriting and more."""
