"""The two runs that a cross-check compares: PyTorch's own, watched from outside, and that of the explicit graph.

PyTorch's side is watched through hooks and the model's own record; the graph's side is plain evaluation and plain
reverse mode, node by node, without any fused kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from graphlab.engine import evaluation, reverse, values
from graphlab.engine.algebra import ARRAYS
from graphlab.engine.core import Node, variable
from graphlab.engine.dag import Dag
from graphlab.engine.naming import scoped_names
from graphlab.engine.ops.reduction import total
from graphlab.errors import ValueProblem
from graphlab.layers import Bert, bert
from transformer.config import BertConfig
from transformer.model import BertForPreTraining, BertModel
from transformer.record import Record

SEED = 0
Progress = Callable[[str, int, int], None]


class Run(NamedTuple):
    """One side's numbers, by name: what was computed on the way and its gradient, and every parameter's gradient."""

    loss: float
    values: dict[str, Any]
    gradients: dict[str, Any]


def config_of(module: nn.Module) -> BertConfig:
    """The sizes of either kind of model."""
    bert = module.bert if isinstance(module, BertForPreTraining) else module
    assert isinstance(bert, BertModel)
    return bert.config


# ---- which node is which tensor ------------------------------------------------------------------------------------
# The graph's node → the module whose output it is, or whose input ("< module") it is. In a layer, below its path.
AROUND = {
    "embeddings.E_word": "embeddings.word_embeddings",
    "embeddings.E_type": "embeddings.token_type_embeddings",
    "embeddings.E": "< embeddings.LayerNorm",
    "embeddings.X": "embeddings.LayerNorm",
    "pooler.a": "pooler.dense",
    "pooler.c": "pooler",
    "cls.predictions.transform.H": "cls.predictions.transform.dense",
    "cls.predictions.transform.G": "< cls.predictions.transform.LayerNorm",
    "cls.predictions.transform.X_T": "cls.predictions.transform",
    "cls.predictions.Z": "cls.predictions",
    "cls.z": "cls.seq_relationship",
}
IN_A_LAYER = {
    "attention.self.Q": "attention.self.query",
    "attention.self.K": "attention.self.key",
    "attention.self.V": "attention.self.value",
    "attention.self.O": "attention.self",
    "attention.output.A": "attention.output.dense",
    "attention.output.R_1": "< attention.output.LayerNorm",
    "attention.output.X_1": "attention.output",
    "intermediate.H": "intermediate.dense",
    "intermediate.G": "intermediate",
    "output.F": "output.dense",
    "output.R_2": "< output.LayerNorm",
    "output.Y": "output",
}
IN_A_RECORD = ("Q_h", "K_h", "V_h", "S_raw", "S", "S_padded", "P", "O_h")  # the fields of transformer.record.Attention


class Watch:
    """Keeps what a module computes: what goes into its parts and comes out of them, and its attentions' record."""

    def __init__(self, module: nn.Module) -> None:
        self.kept: dict[str, Tensor] = {}
        self.record = Record()
        self._hooks: list[Any] = []
        for path, part in module.named_modules():
            self._hooks += [part.register_forward_pre_hook(self._keeps_input(path))]
            self._hooks += [part.register_forward_hook(self._keeps_output(path))]

    def _keeps_input(self, path: str) -> Any:
        return lambda _, given: self._keep(f"< {path}", given[0] if given else None)

    def _keeps_output(self, path: str) -> Any:
        return lambda _, __, output: self._keep(path, output)

    def _keep(self, path: str, tensor: Any) -> None:
        if isinstance(tensor, Tensor) and tensor.requires_grad:
            tensor.retain_grad()
            self.kept[path] = tensor

    def close(self) -> None:
        for hook in self._hooks:
            hook.remove()

    def by_node(self, prefix: str) -> dict[str, Tensor]:
        """What was kept, by the graph's node; `prefix` ("bert." or "") stands before the paths of the encoder."""
        pairs = {_placed(node, prefix): _placed(path, prefix) for node, path in AROUND.items()}
        found: dict[str, Tensor] = {}
        for number, attention in enumerate(self.record.attentions):
            layer = f"{prefix}encoder.layer.{number}."
            pairs |= {layer + node: _under(layer, path) for node, path in IN_A_LAYER.items()}
            for name, tensor in zip(IN_A_RECORD, attention, strict=True):
                tensor.retain_grad()
                found[f"{layer}attention.self.{name}"] = tensor
        return found | {node: self.kept[path] for node, path in pairs.items() if path in self.kept}


def _placed(path: str, prefix: str) -> str:
    return path if path.removeprefix("< ").startswith("cls.") else _under(prefix, path)


def _under(prefix: str, path: str) -> str:
    return f"< {prefix}{path[2:]}" if path.startswith("< ") else prefix + path


def torch_run(module: nn.Module, inputs: Mapping[str, Tensor], seed: Tensor | None) -> Run:
    """PyTorch's numbers: one forward and one backward pass through autograd."""
    watch = Watch(module)
    ids = {name: inputs[name] for name in ("attention_mask", "token_type_ids") if name in inputs}
    try:
        result = module(inputs["input_ids"], **ids, record=watch.record)
        loss = torch_loss(result, inputs, seed)
        between = watch.by_node(_prefix(module))
        module.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
    finally:
        watch.close()
    gradients = {name: tensor.grad for name, tensor in between.items()}
    gradients |= {name: parameter.grad for name, parameter in module.named_parameters()}
    return Run(
        float(loss.detach()),
        {name: tensor.detach().numpy() for name, tensor in between.items()},
        {name: np.asarray(0.0) if g is None else g.numpy() for name, g in gradients.items()},
    )


def torch_loss(result: Any, inputs: Mapping[str, Tensor], seed: Tensor | None) -> Tensor:
    """Σ U ⊙ hidden without heads; with them the mean cross-entropy of the labelled tokens plus that of the pairs."""
    if seed is not None:
        return torch.sum(result.hidden * seed)
    scores = [
        (s, inputs[name]) for s, name in zip(result, ("labels", "next_sentence_label"), strict=True) if s is not None
    ]
    terms = [nn.functional.cross_entropy(s.flatten(0, -2), labels.flatten()) for s, labels in scores]
    return torch.stack(terms).sum()


def _prefix(module: nn.Module) -> str:
    return "bert." if isinstance(module, BertForPreTraining) else ""


# ---- the graph's side ------------------------------------------------------------------------------------------------
def build(module: nn.Module, inputs: Mapping[str, Tensor]) -> Bert:
    """The explicit graph of the module's configuration and heads, for ids of this shape."""
    heads = []
    if isinstance(module, BertForPreTraining):
        heads += ["masked_tokens"] if module.cls.predictions is not None else []
        heads += ["next_sentence"] if module.cls.seq_relationship is not None else []
    return bert(
        config_of(module), heads, ids_shape=tuple(inputs["input_ids"].shape), padding="attention_mask" in inputs
    )


class Explicit(NamedTuple):
    """The explicit graph of a model on a batch: its loss, the values of its inputs by name, and, for a model without
    heads, the `seed` U of the scalar Σ U ⊙ hidden."""

    loss: Node
    values: dict[str, Any]
    seed: Tensor | None


def explicit(module: BertModel | BertForPreTraining, inputs: Mapping[str, Tensor]) -> Explicit:
    """The module as a graph. The values are its own parameters, shared and not copied. Raises ValueProblem for a
    missing input."""
    built, seed = build(module, inputs), seed_for(module, inputs)
    loss = built.loss if seed is None else total(variable("U", shape=tuple(seed.shape)) * built.hidden)
    assert loss is not None, "a model without heads has a seed"
    return Explicit(loss, _given(Dag(loss), module, inputs, seed), seed)


def graph_run(graph: Explicit, module: nn.Module, progress: Progress | None) -> Run:
    """The graph's numbers: every node's value, and back from the loss edge by edge."""
    dag = Dag(graph.loss)
    names = {node: f"{node.scope}.{node.name}" for node in scoped_names(dag, {}) if node.scope}
    bound = values.bind(dag, graph.values)
    wrt = [node for node in dag.inputs.values() if values.has_gradient(bound[node]) and node.name != "U"]
    computed, slots = dict(bound), dict[Node, Any]()
    places = {node: place for place, node in enumerate(dag.nodes)}
    with np.errstate(all="ignore"):
        for done, _ in enumerate(evaluation.forward(dag, computed), start=1):
            _tell(progress, "forward", done, len(dag.nodes))
        steps = reverse.pullback(dag, computed, np.ones_like(computed[graph.loss]), ARRAYS, wrt)
        for fact in steps:
            slots.pop(fact.node, None)  # so that they stand in the order in which they are finished
            slots[fact.node] = fact.total
            _tell(progress, "backward", len(dag.nodes) - places[fact.user], len(dag.nodes))
    parameters = {name.replace(".", "_"): name for name, _ in module.named_parameters()}
    called = names | {node: parameters[str(node.name)] for node in wrt}
    return Run(
        float(computed[graph.loss]),
        {name: computed[node] for node, name in names.items()},
        {called[node]: total for node, total in slots.items() if node in called},
    )


def _given(dag: Dag, module: nn.Module, inputs: Mapping[str, Tensor], seed: Tensor | None) -> dict[str, Any]:
    """The values of the graph's inputs: the module's own parameters, shared and not copied, and the batch."""
    data = {name: tensor.numpy() for name, tensor in inputs.items()}
    ids = data["input_ids"]
    data.setdefault("token_type_ids", np.zeros_like(ids))
    if "attention_mask" in data:
        data["attention_mask"] = data["attention_mask"].astype(bool)
    if seed is not None:
        data["U"] = seed.numpy()
    data |= {name.replace(".", "_"): p.detach().numpy() for name, p in module.named_parameters()}
    lacking = [name for name in dag.inputs if name not in data]
    if lacking:
        raise ValueProblem(f"the comparison needs {', '.join(lacking)}", hint="Give them as tensors in the inputs.")
    return {name: data[name] for name in dag.inputs}


def _tell(progress: Progress | None, phase: str, done: int, whole: int) -> None:
    if progress is not None:
        progress(phase, done, whole)


def seed_for(module: nn.Module, inputs: Mapping[str, Tensor]) -> Tensor | None:
    """Random numbers U for the hidden states, zero at padding; None for a model with heads."""
    if isinstance(module, BertForPreTraining):
        return None
    generator = torch.Generator().manual_seed(SEED)
    shape = (*inputs["input_ids"].shape, config_of(module).hidden_size)
    drawn = torch.randn(shape, generator=generator, dtype=torch.float64).to(next(module.parameters()).dtype)
    return drawn * inputs["attention_mask"][..., None] if "attention_mask" in inputs else drawn
