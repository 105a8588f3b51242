"""Kernels: how plans compute an op on NumPy arrays, in memory that is there already.

kernel     what a kernel is, and what several of them need
entrywise  sums, products, masks and activation functions
products   matrix products and linear layers
rows       softmax, layer normalisation and cross-entropy
moving     other views of the same entries, rows looked up, sums and means

A kernel stands on the op's record as `kernel=`, is numeric only, and no trace ever sees it: the record's value and
rules are what an op means, and one generic test proves every kernel equal to them.
"""
