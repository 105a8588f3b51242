"""The models of the page BERT: each as a graph with its numbers, and as what the check against PyTorch runs."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import NamedTuple

import streamlit as st

import graphlab as gl
from graphlab.errors import ValueProblem
from graphlab.interop.torch import explicit
from graphlab.interop.torch.batches import Batch, batch_of_ids, memory_needed, prepare, unfilled_model
from graphlab.ui.bert.checking import Prepare
from graphlab.ui.bert.weights import Weights
from graphlab.ui.catalogue import Built
from graphlab.ui.drawing import Source
from graphlab.ui.models import source_for
from transformer.model import BertForPreTraining, BertModel

KINDS: Mapping[str, str] = {
    "real": "Real weights on a sentence",
    "tiny": "Tiny and random, with both heads",
    "base": "BERT-base, shapes only",
}
SENTENCES, TINY_TOKENS, BASE_TOKENS, BASE_CHECKED = 2, 8, 128, 32
MOST_TOKENS = 64
MOST_PARAMETERS = 40_000_000  # a run keeps each of them and its gradient
Model = BertModel | BertForPreTraining


class Subject(NamedTuple):
    """What is drawn, what the check runs and the memory it takes, and what is said about it."""

    source: Source
    prepare: Prepare
    needed: str
    note: str


def tiny() -> Subject:
    """A small random model with both heads on random ids, in float64."""
    module, batch = _tiny()
    note = f"2 layers, 2 heads, random weights; {SENTENCES} rows of {TINY_TOKENS} random ids, the last padded. Every "
    return _running("bert tiny", module, batch, note + "second token is masked; L is the sum of both losses.")


def real(weights: Weights, text: str) -> Subject:
    """An encoder on one text. Raises ValueProblem for a text that is too long here."""
    ids = weights.tokenizer.encode(text)[0]
    if len(ids) > MOST_TOKENS:
        raise ValueProblem(f"This text has {len(ids)} tokens; a graph with numbers is drawn of at most {MOST_TOKENS}")
    pieces = " ".join(weights.tokenizer.tokens(ids))
    note = f"{len(ids)} tokens: {pieces}; {weights.described}. There is no loss here: what is differentiated is "
    note += "L = Σ U ⊙ Y, the last layer weighed by random U. The pooler is left out."
    return _running(f"bert {weights.key} {text}", weights.model, batch_of_ids(ids), note)


def base() -> Subject:
    """BERT-base as a plan of shapes. Its check makes a random one in float32."""
    needed = memory_needed(unfilled_model("base"))
    checked = partial(prepare, "base", None, "float32", (), SENTENCES, BASE_CHECKED)
    note = "12 layers of 12 heads and both losses: the whole graph with all shapes. The check draws random weights."
    return Subject(source_for("bert-base", {"tokens": BASE_TOKENS}), checked, needed, note)


def _running(key: str, module: Model, batch: Batch, note: str) -> Subject:
    def build() -> Built:
        loss, values, _ = explicit(module, batch)
        small = sum(parameter.numel() for parameter in module.parameters()) <= MOST_PARAMETERS
        return Built(gl.graph(L=loss), values if small else None)

    def copied() -> tuple[Model, Batch]:  # other pages run the model meanwhile
        return deepcopy(module), batch

    return Subject(Source(key, build, heavy=True), copied, memory_needed(module), note)


@st.cache_resource(show_spinner="Drawing the weights …")
def _tiny() -> tuple[Model, Batch]:
    return prepare("tiny", None, "float64", (), SENTENCES, TINY_TOKENS)
