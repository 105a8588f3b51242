"""Folders of weights: byte-identical, readable by the reference, tolerant of old names, closed to pickles."""

from __future__ import annotations

import json
import pickle

import pytest

from tests.requirements import needs

torch = needs("torch")
transformers = needs("transformers")
needs("tokenizers")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.transformer.pairs import SMALL, batch, difference, pair, reference_config  # noqa: E402
from transformer.checkpoint import CheckpointError, load_into, load_model, save_model  # noqa: E402
from transformer.drawing import shaken  # noqa: E402
from transformer.model import BertForClassification, BertForPreTraining, BertModel  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    """A saved pre-training model."""
    save_model(shaken(BertForPreTraining(SMALL), 0.1), tmp_path / "model", vocabulary=["[PAD]", "a", "b"])
    return tmp_path / "model"


def rewritten(folder, change):
    """The folder's weights after a change of their dictionary."""
    tensors = load_file(folder / "model.safetensors")
    save_file(change(tensors), folder / "model.safetensors")


def test_saving_loading_and_saving_again_writes_the_same_bytes(folder, tmp_path):
    again = tmp_path / "again"
    save_model(load_model(folder, BertForPreTraining), again, vocabulary=["[PAD]", "a", "b"])
    for name in ("config.json", "vocab.txt", "model.safetensors"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_the_reference_library_opens_our_folder_with_nothing_missing(folder):
    theirs, told = transformers.BertForPreTraining.from_pretrained(folder, output_loading_info=True)
    assert not told["missing_keys"] and not told["unexpected_keys"] and not told["mismatched_keys"]
    ours = load_model(folder, BertForPreTraining)
    assert difference(ours(**batch())[0], theirs.eval()(**batch()).prediction_logits) < 1e-5


def test_our_loader_opens_the_references_folder_with_nothing_missing(tmp_path):
    ours, theirs = pair()
    theirs.save_pretrained(tmp_path)
    model = BertForPreTraining(SMALL).double()
    report = load_into(model, tmp_path)
    assert not report.missing and not report.unexpected
    assert difference(model.eval()(**batch())[0], ours(**batch())[0]) == 0


def test_weights_load_with_and_without_the_prefix(folder):
    full = load_model(folder, BertForPreTraining)
    alone = load_model(folder)  # a BertModel, whose names have no "bert."
    assert difference(full.bert(**batch()).hidden, alone(**batch()).hidden) == 0
    save_model(alone, folder)
    assert difference(load_model(folder, BertForPreTraining).bert(**batch()).hidden, alone(**batch()).hidden) == 0


def test_old_names_are_understood_and_position_ids_ignored(folder):
    before = load_model(folder)(**batch()).hidden

    def age(tensors):
        old = {k.replace("LayerNorm.weight", "LayerNorm.gamma"): v for k, v in tensors.items()}
        old = {k.replace("LayerNorm.bias", "LayerNorm.beta"): v for k, v in old.items()}
        return old | {"bert.embeddings.position_ids": torch.arange(20)[None]}

    rewritten(folder, age)
    assert difference(load_model(folder)(**batch()).hidden, before) == 0
    assert load_into(BertForPreTraining(SMALL), folder).unexpected == ()


def test_the_report_names_what_is_missing_and_what_is_left_aside(folder):
    rewritten(folder, lambda t: {k: v for k, v in t.items() if "pooler" not in k} | {"extra.weight": torch.ones(2)})
    report = load_into(BertForPreTraining(SMALL), folder)
    assert report.missing == ("bert.pooler.dense.weight", "bert.pooler.dense.bias")
    assert report.unexpected == ("extra.weight",)
    assert "missing: bert.pooler.dense.weight" in str(report)


def test_a_new_head_may_begin_but_the_encoder_must_be_whole(folder):
    load_model(folder, lambda config: BertForClassification(config, 2))
    rewritten(folder, lambda t: {k: v for k, v in t.items() if "layer.1.output" not in k})
    with pytest.raises(CheckpointError, match=r"lacks 4 parameters: encoder\.layer\.1\.output\.dense\.weight"):
        load_model(folder)


def test_a_weight_of_another_shape_is_named_and_nothing_is_copied(folder):
    rewritten(folder, lambda t: t | {"bert.pooler.dense.bias": torch.ones(7)})
    model = BertModel(SMALL)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with pytest.raises(CheckpointError, match=r"pooler\.dense\.bias has shape \(7,\).*\(24,\)"):
        load_into(model, folder)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


class Trap:
    """Unpickling this would show."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors"])
def test_a_pickle_is_never_read_under_any_name(folder, name):
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(Trap()))
    with pytest.raises(CheckpointError, match=r"is a pickle|is not a safetensors file"):
        load_model(folder)
    assert not Trap.sprung


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "config.json").unlink(), "no config.json"),
        (lambda f: (f / "config.json").write_text("{"), "not JSON"),
        (lambda f: (f / "model.safetensors").unlink(), "no model.safetensors"),
        (lambda f: (f / "model.safetensors").write_bytes(b"hello"), "is not a safetensors file"),
        (lambda f: (f / "model.safetensors").write_bytes((f / "model.safetensors").read_bytes()[:-9]), "not a safe"),
        (lambda f: (f / "config.json").write_text('{"hidden_size": 25}'), "cannot be shared evenly"),
        (lambda f: (f / "config.json").write_text('{"hidden_size": 12}'), "has shape"),
    ],
)
def test_a_folder_that_is_not_what_it_says_is_refused_with_the_reason(folder, damage, message):
    damage(folder)
    with pytest.raises(CheckpointError, match=message):
        load_model(folder)


def test_a_saved_config_says_which_model_it_is(folder):
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BertForPreTraining"]
    assert transformers.BertConfig.from_pretrained(folder).hidden_size == reference_config(SMALL).hidden_size


def test_what_is_no_bert_is_not_saved(tmp_path):
    with pytest.raises(CheckpointError, match="Linear is no BERT"):
        save_model(torch.nn.Linear(2, 2), tmp_path)
