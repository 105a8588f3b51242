"""The network of the course, BERT, in PyTorch: one file read from top to bottom, and its training."""
