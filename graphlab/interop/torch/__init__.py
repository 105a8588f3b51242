"""PyTorch beside graphlab, imported only when asked for.

operations  a graph's nodes evaluated with torch, and the gradients of torch's own autograd
comparing   a PyTorch BERT and the explicit graph of the same model, number by number
runs        the two runs that are compared
batches     which model and which batch
"""

from graphlab.interop.torch.comparing import Compared, CrossCheck, cross_check
from graphlab.interop.torch.operations import evaluate, gradients
from graphlab.interop.torch.runs import Explicit, explicit

__all__ = ["Compared", "CrossCheck", "Explicit", "cross_check", "evaluate", "explicit", "gradients"]
