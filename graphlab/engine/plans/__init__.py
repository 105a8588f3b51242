"""Plans: ways of running one graph many times that give the same answers as `evaluation` and `reverse`, sooner.

runner     what every plan is inside; choice: which one suits a graph
groups     wide graphs of numbers: all nodes of one level and op at once, as arrays (wiring finds them)
source     small graphs: straight-line Python, written from the op records (expressions); recurring keeps it
floats     long graphs of numbers on Python floats, op by op
tensors    graphs of arrays: fused kernels (steps) on memory that is kept (buffers); torch_arrays: the same on PyTorch
tape       everything else: node by node
"""
