"""Identities as live checks: what must hold for gradients whatever the numbers are, measured on those of one run.

A softmax does not notice one number added to a whole row of scores, so what it sends back sums to 0 in every row; nor
one vector added to all keys, so the gradients of the keys sum to 0 and a bias of the keys gets 0. A layer norm does not
notice one number added to a row, and of a longer row only eps makes it notice anything.

An identity is measured on what one operation sends along one edge, which is what the rule of that operation computes.
Operations inside a composite are found by running its body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphlab.engine.algebra import ARRAYS
from graphlab.engine.bodies import body_of, run
from graphlab.engine.core import OPS, Node, constant
from graphlab.engine.dag import Dag
from graphlab.engine.naming import accented_name
from graphlab.engine.notation import name_latex
from graphlab.engine.reverse import Contribution, pullback
from graphlab.engine.shapes import Axis
from graphlab.engine.values import has_gradient
from graphlab.engine.writing import short_name

ROUNDINGS = 1_000  # so many roundings of what was added up still count as 0
SOFTMAXES = ("softmax", "log_softmax", "cross_entropy")
ATTENTION = ("attention", "masked_attention")
SHIFTED = "One number added to a whole row of scores changes nothing, so the row's gradient sums to 0."
KEYS = "One vector added to all keys moves every score of a row by the same number, and softmax does not notice that."
CENTRED = "One number added to a whole row changes nothing, so the row's gradient sums to 0."
SCALED = "Without eps a longer row would change nothing and this would be 0; eps alone notices the length."


@dataclass(frozen=True, slots=True)
class Identity:
    """One identity at one node: stated in `text` and `latex`, with the reason in `why`.

    `value` is by how much it is missed in the row where that is worst, `bound` what rounding explains there. `node` is
    the node's id in traces; for an operation inside a composite, the composite's.
    """

    name: str
    text: str
    latex: str
    why: str
    node: str
    value: float
    bound: float
    holds: bool


@dataclass(frozen=True)
class Pass:
    """One backward pass: the values of all nodes, what each edge sends, and names. `inside` is the id of the composite
    whose body this is."""

    dag: Dag
    values: Mapping[Node, Any]
    facts: Sequence[Contribution]
    names: Mapping[Node, str]
    inside: str = ""

    def id(self, node: Node) -> str:
        return self.inside or self.dag.ids[node]

    def is_used_once(self, node: Node) -> bool:
        return len(self.dag.users[node]) == 1 and node not in self.dag.outputs

    def bar(self, node: Node, user: Node, otherwise: str) -> tuple[str, str]:
        """What is sent from `user` to `node`, in text and in LaTeX: the node's gradient, or its part "z_bar from P".

        Nodes of a body have no names of their own.
        """
        label = otherwise if self.inside else str(node.name) if node.is_input else self.names[node]
        name = accented_name(label, "bar", set())
        latex = name_latex(accented_name(short_name(node, label), "bar", set()))
        if self.inside or self.is_used_once(node):
            return name, latex
        return f"{name} from {self.names[user]}", f"{latex}^{{({name_latex(self.names[user])})}}"

    def sent(self, user: Node, argument: int) -> Any:
        """What `user` sends to one of its inputs; None if nothing."""
        return next((f.amount for f in self.facts if f.user is user and f.argument == argument), None)


def identities_of(dag: Dag, values: Mapping[Node, Any], seed: Any, names: Mapping[Node, str]) -> list[Identity]:
    """Every identity that applies to the backward pass of `dag`, in the order of the pass.

    `values` holds every node's value, `seed` the output's gradient, `names` what operations are called.
    """
    wrt = [node for node in dag.inputs.values() if has_gradient(values[node])]
    with np.errstate(all="ignore"):
        return list(_find(Pass(dag, values, list(pullback(dag, values, seed, ARRAYS, wrt)), names)))


def _find(current: Pass) -> Iterator[Identity]:
    opened: set[Node] = set()
    for fact in current.facts:
        op = fact.user.op
        assert op is not None, "only operations send anything"
        if op.name in SOFTMAXES:
            yield _scores(current, fact)
            yield from () if current.inside else _keys_of_scores(current, fact)
        elif op.name == "layer_norm":
            yield from _layer_norm(current, fact) if fact.argument == 0 else ()
        elif op.body is not None and op.partials is None and fact.user not in opened:
            opened.add(fact.user)
            yield from _attention_keys(current, fact) if op.name in ATTENTION else ()
            yield from _find(_inside(current, fact))


def _inside(current: Pass, fact: Contribution) -> Pass:
    """The backward pass through the body of a composite."""
    assert fact.user.op is not None, "a composite"
    body, slots = body_of(fact.user.op, fact.user.attrs)
    values = run(body, slots, [current.values[x] for x in fact.user.inputs])
    wrt = [slot for slot in slots if has_gradient(values[slot])]
    facts = list(pullback(body, values, fact.upstream, ARRAYS, wrt))
    return Pass(body, values, facts, {}, current.id(fact.user))


def _identity(
    current: Pass, name: str, statement: tuple[str, str], why: str, node: Node, missed: Any, summed: Any
) -> Identity:
    """An identity that is missed by `missed` in each row, where numbers of the size `summed` were added up."""
    missed, summed = np.abs(missed), np.asarray(summed)
    bounds = ROUNDINGS * np.finfo(summed.dtype).eps * np.broadcast_to(summed, missed.shape)
    worst = np.unravel_index(np.argmax(missed - bounds), missed.shape)
    value, bound = float(missed[worst]), float(bounds[worst])
    return Identity(name, *statement, why, current.id(node), value, bound, value <= bound)


def _no_sum(bar: tuple[str, str], axis: Axis) -> tuple[str, str]:
    """The statement that a gradient sums to 0 along an axis, in text and in LaTeX."""
    text, latex = bar
    if axis is None:
        return f"sum({text}) = 0", rf"\sum {latex} = 0"
    sums: dict[Axis, str] = {-1: rf"{latex}\,\mathbf{{1}}", -2: rf"\mathbf{{1}}^\top {latex}"}
    return f"sum({text}, axis={axis}) = 0", sums.get(axis, rf"\sum_{{\mathrm{{axis}}\,{axis}}} {latex}") + " = 0"


def _largest(value: Any) -> Any:
    return np.max(np.abs(value), initial=0)


def _axis(fact: Contribution) -> Axis:
    axis: Axis = fact.user.attrs.get("axis", -1)
    return axis


# ---- scores --------------------------------------------------------------------------------------------------------
def _scores(current: Pass, fact: Contribution) -> Identity:
    """Rows of the scores' gradient sum to 0."""
    axis = _axis(fact)
    statement = _no_sum(current.bar(fact.node, fact.user, "S"), axis)
    missed, summed = np.sum(fact.amount, axis=axis), np.sum(np.abs(fact.amount), axis=axis) + _largest(fact.upstream)
    return _identity(current, "gradient of the scores", statement, SHIFTED, fact.user, missed, summed)


# ---- keys ----------------------------------------------------------------------------------------------------------
def _keys_of_scores(current: Pass, fact: Contribution) -> Iterator[Identity]:
    """The gradients of the keys sum to 0, where scores are a product of queries and keys and weigh values."""
    is_row = _axis(fact) in (-1, np.ndim(fact.amount) - 1)
    product = _product(current, fact.node) if is_row and _weighs_values(current, fact.user) else None
    amount = None if product is None else current.sent(product, 1)
    if product is None or amount is None:
        return
    queries, keys = product.inputs
    size = _largest(fact.upstream) * _largest(current.values[queries])
    if keys.op is OPS["transpose"] and current.is_used_once(keys):
        yield _keys(current, product, keys.inputs[0], np.swapaxes(amount, -1, -2), -2, size)
        yield from _bias_of_keys(current, keys.inputs[0], size)
    else:
        yield _keys(current, product, keys, amount, -1, size)


def _attention_keys(current: Pass, fact: Contribution) -> Iterator[Identity]:
    """The same for an attention as one operation, which measures its textbook rule."""
    queries, keys, table = fact.user.inputs[:3]
    amount = current.sent(fact.user, 1)
    if amount is not None:
        values = current.values
        size = _largest(fact.upstream) * np.sum(np.abs(values[table])) * _largest(values[queries])
        yield _keys(current, fact.user, keys, amount, -2, size)
        yield from _bias_of_keys(current, keys, size)


def _weighs_values(current: Pass, weights: Node) -> bool:
    return any(user.op is OPS["matmul"] and user.inputs[0] is weights for user in current.dag.users[weights])


def _product(current: Pass, node: Node) -> Node | None:
    """The matrix product that scores are made of, behind scales and masks that treat the keys of a query alike."""
    while node.op is not None and current.is_used_once(node):
        if node.op.name == "matmul":
            return node if np.ndim(current.values[node.inputs[1]]) > 1 else None
        node = _unscaled(current, node)
    return None


def _unscaled(current: Pass, node: Node) -> Node:
    """What a scale or a mask is put on; a node without an op if `node` is neither."""
    assert node.op is not None, "an operation"
    first, second = (*node.inputs, *node.inputs)[:2]
    if node.op.name in ("masked", "causal_mask", "add", "sub"):
        return first
    alike = {x: np.shape(current.values[x])[-1:] in ((), (1,)) for x in (first, second)}
    if node.op.name in ("mul", "div") and alike[second]:
        return first
    return second if node.op.name == "mul" and alike[first] else constant(0.0)


def _keys(current: Pass, user: Node, keys: Node, amount: Any, axis: int, size: Any) -> Identity:
    """The keys, which are counted along `axis`."""
    missed, summed = np.sum(amount, axis=axis), np.sum(np.abs(amount), axis=axis) + size
    statement = _no_sum(current.bar(keys, user, "K"), axis)
    return _identity(current, "gradient of the keys", statement, KEYS, user, missed, summed)


def _bias_of_keys(current: Pass, keys: Node, size: Any) -> Iterator[Identity]:
    """A bias that is added to all keys gets 0."""
    while keys.op is not None and keys.op.name == "split_heads" and current.is_used_once(keys):
        keys = keys.inputs[0]
    if keys.op is None or keys.op.name not in ("linear", "add") or not current.is_used_once(keys):
        return
    ranks = [np.ndim(current.values[x]) for x in keys.inputs]
    argument = 2 if keys.op.name == "linear" else ranks.index(min(ranks))
    amount = current.sent(keys, argument)
    if amount is None or ranks[argument] != 1:
        return
    text, latex = current.bar(keys.inputs[argument], keys, "b")
    summed = size * np.size(current.values[keys])
    yield _identity(current, "bias of the keys", (f"{text} = 0", f"{latex} = 0"), KEYS, keys, amount, summed)


# ---- layer norm ----------------------------------------------------------------------------------------------------
def _layer_norm(current: Pass, fact: Contribution) -> Iterator[Identity]:
    """Rows of the gradient sum to 0, and along the normalised row they are what eps makes them."""
    axis, eps = _axis(fact), fact.user.attrs.get("eps", 1e-5)
    x, gamma, _ = (current.values[node] for node in fact.user.inputs)
    away = x - np.mean(x, axis=axis, keepdims=True)
    spread = np.mean(away * away, axis=axis, keepdims=True) + eps
    row, scaled = away / np.sqrt(spread), fact.upstream * gamma
    bar = current.bar(fact.node, fact.user, "x")
    summed = np.sum(np.abs(fact.amount) + np.abs(scaled) / np.sqrt(spread), axis=axis)
    summed = summed * (1 + np.max(np.abs(x) / np.sqrt(spread), axis=axis))
    missed = np.sum(fact.amount, axis=axis)
    yield _identity(current, "gradient of a layer norm", _no_sum(bar, axis), CENTRED, fact.user, missed, summed)
    missed = np.sum(row * fact.amount, axis=axis) - np.sum(scaled * row * eps / spread**1.5, axis=axis)
    summed = summed * (1 + np.max(np.abs(row), axis=axis))
    yield _identity(current, "layer norm along its row", _along(current, fact, bar), SCALED, fact.user, missed, summed)


def _along(current: Pass, fact: Contribution, bar: tuple[str, str]) -> tuple[str, str]:
    """x̂·x̄ = eps/(var + eps)^1.5 · Σ γ ȳ x̂."""
    out = accented_name("y" if current.inside else current.names[fact.user], "bar", set())
    share = r"\frac{\varepsilon}{(\sigma^{2} + \varepsilon)^{3/2}}"
    latex = rf"\hat{{x}} \cdot {bar[1]} = {share} \sum \gamma\,{name_latex(out)}\,\hat{{x}}"
    return f"sum(x_hat*{bar[0]}) = eps/(var + eps)^1.5*sum(gamma*{out}*x_hat)", latex
