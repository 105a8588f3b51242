"""The lines of a backward pass, parsed again beside those of the graph, as numbers; and torch's gradients for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import graphlab as gl
from graphlab.api.backward import Backward
from tests.requirements import needs

Values = dict[str, Any]


def bars(backward: Backward, values: Values) -> Values:
    """The gradients that the lines say, by the names of what they belong to. Nothing but text is handed on."""
    program = gl.parse("\n".join([*backward.of.lines, *backward.lines]), values=values, stabilise=False)
    computed = program.node_values(values)
    known = {**values, **{name: computed[program.dag.ids[node]] for node, name in program.names.items()}}
    for line in backward.lines:
        left, right = line.split(" = ", 1)
        if right in known:  # a second name for a node
            known[left] = known[right]
    return {str(node.name): known[f"{node.name}_bar"] for node in backward.wrt}


def assert_lines_equal_torch(
    graph: gl.Graph, values: Values, theirs: Callable[[Mapping[str, Any]], Any], seed: str | None = "U"
) -> None:
    """The gradients of all real inputs, to 1e-9 of their largest entry. `theirs` computes the output from tensors."""
    torch = needs("torch")
    torch.set_num_threads(1)
    tensors = {name: torch.as_tensor(value) for name, value in values.items()}
    for tensor in tensors.values():
        tensor.requires_grad_(tensor.is_floating_point())
    output = theirs(tensors)
    upstream = np.ones(()) if seed is None else np.random.default_rng(1).normal(size=output.shape)
    output.backward(torch.as_tensor(upstream))
    given = values if seed is None else {**values, seed: upstream}
    wanted = [name for name, tensor in tensors.items() if tensor.requires_grad]
    found = bars(graph.backward(*wanted, seed=seed), given)
    assert set(found) == set(wanted)
    for name in wanted:
        gradient = tensors[name].grad.numpy()
        largest = max(1e-3, np.abs(gradient).max())  # that of a key's bias is zero but for rounding
        np.testing.assert_allclose(found[name], gradient, rtol=0, atol=1e-9 * largest, err_msg=name)
