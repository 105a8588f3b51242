"""The explicit graph of BERT against PyTorch's autograd: everything agrees, and a fault is found at its name."""

from __future__ import annotations

import json
from functools import partial

import pytest
from click.testing import CliRunner

from tests.requirements import needs

torch = needs("torch")
needs("tokenizers")

from graphlab.cli import main  # noqa: E402
from graphlab.errors import ValueProblem  # noqa: E402
from graphlab.interop.torch import cross_check  # noqa: E402
from graphlab.interop.torch.batches import prepare, random_batch, random_model  # noqa: E402
from tests.transformer.minilm import minilm  # noqa: E402
from transformer.config import BertConfig  # noqa: E402
from transformer.model import BertForPreTraining, BertModel  # noqa: E402

LAYER = "bert.encoder.layer.1"


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def pair():
    """A small model with both heads in float64, and a batch for it."""
    return prepare("parity", None, "float64", (), 2, None)


def test_loss_values_and_gradients_agree(pair):
    found = cross_check(*pair)
    assert found.ok and found.first_miss is None
    assert found.loss == pytest.approx(found.reference_loss, rel=1e-12)


def test_every_parameter_and_twenty_values_of_a_layer_are_compared(pair):
    rows = cross_check(*pair).rows
    gradients = {row.name for row in rows if row.kind == "gradient"}
    assert {name for name, _ in pair[0].named_parameters()} <= gradients
    values = {row.name for row in rows if row.kind == "value"}
    assert sum(name.startswith(f"{LAYER}.") for name in values) >= 20
    assert {name for name in values if name.startswith(LAYER)} <= gradients
    assert all(row.shape for row in rows)


def test_a_key_bias_changes_nothing_and_is_said_so(pair):
    verdicts = {row.name: row.verdict for row in cross_check(*pair).rows if row.kind == "gradient"}
    zero = {name for name, verdict in verdicts.items() if verdict == "zero by identity"}
    assert zero >= {f"bert.encoder.layer.{i}.attention.self.key.bias" for i in (0, 1)}


@pytest.mark.parametrize("heads", [{"tokens": True, "sentences": False}, {"tokens": False, "sentences": True}])
def test_one_head_alone_agrees(heads):
    torch.manual_seed(1)
    module = BertForPreTraining(BertConfig.parity(), **heads).double()
    assert cross_check(module, random_batch(BertConfig.parity(), 2, 8)).ok


@pytest.mark.parametrize("left_out", ["attention_mask", "token_type_ids", "neither"])
def test_an_encoder_alone_agrees_with_and_without_its_optional_inputs(left_out):
    torch.manual_seed(1)
    module = BertModel(BertConfig.parity()).double()
    batch = random_batch(BertConfig.parity(), 3, 10)
    batch["input_ids"] = batch["input_ids"].clamp(min=1)
    assert cross_check(module, {name: batch[name] for name in batch if name != left_out}).ok


def test_single_precision_is_judged_by_double_precision():
    module = random_model("parity", torch.float32)
    found = cross_check(module, random_batch(module.bert.config, 2, 8))
    assert found.ok
    assert 1e-9 < max(row.relative for row in found.rows) < 1e-4


def test_dropout_is_off_for_the_comparison_and_on_again_after_it(pair):
    module = pair[0].train()
    assert cross_check(*pair).ok and module.training


def swap_a_transpose(module):
    dense = module.bert.encoder.layer[1].attention.output.dense
    dense.forward = lambda x: torch.nn.functional.linear(x, dense.weight.T, dense.bias)


def drop_the_tied_contribution(module):
    decoder = module.cls.predictions.decoder
    decoder.forward = lambda x: torch.nn.functional.linear(x, decoder.weight.detach(), decoder.bias)


def forget_the_mask(module):
    attention = module.bert.encoder.layer[1].attention.self
    attention.forward = lambda x, mask, record=None, look=attention.forward: look(x, None, record)


def change_eps(module):
    module.bert.encoder.layer[1].output.LayerNorm.eps = 1e-5


def leave_out_a_residual(module):
    block = module.bert.encoder.layer[1].output
    block.forward = lambda x, residual: block.LayerNorm(block.dense(x))


def use_tanh_gelu(module):
    module.bert.encoder.layer[1].intermediate.approximate = "tanh"


@pytest.mark.parametrize(
    ("fault", "name", "kind"),
    [
        (swap_a_transpose, f"{LAYER}.attention.output.A", "value"),
        (drop_the_tied_contribution, "bert.embeddings.word_embeddings.weight", "gradient"),
        (forget_the_mask, f"{LAYER}.attention.self.P", "value"),
        (change_eps, f"{LAYER}.output.Y", "value"),
        (leave_out_a_residual, f"{LAYER}.output.R_2", "value"),
        (use_tanh_gelu, f"{LAYER}.intermediate.G", "value"),
    ],
)
def test_a_planted_fault_is_found_at_its_own_name_first(pair, fault, name, kind):
    fault(pair[0])
    found = cross_check(*pair)
    assert not found.ok
    assert (found.first_miss.name, found.first_miss.kind) == (name, kind)


def test_a_gradient_that_is_wrong_in_one_layer_is_found_there(pair):
    """A hook that scales what passes back through one GELU: all values agree."""
    module, batch = pair
    module.bert.encoder.layer[0].intermediate.register_full_backward_hook(
        lambda _, given, __: tuple(None if g is None else 1.001 * g for g in given)
    )
    first = cross_check(module, batch).first_miss
    assert first.kind == "gradient" and "layer.0" in first.name


@pytest.mark.parametrize(
    ("module", "inputs", "message"),
    [
        (torch.nn.Linear(2, 2), {}, "Linear cannot be cross-checked"),
        (partial(random_model, "parity", torch.float64), {"labels"}, "needs labels"),
        (partial(random_model, "parity", torch.float64), {"attention_mask"}, "padding id stands among the real"),
    ],
)
def test_what_cannot_be_compared_is_refused(module, inputs, message):
    module = module() if isinstance(module, partial) else module
    batch = {name: t for name, t in random_batch(BertConfig.parity(), 2, 8).items() if name not in inputs}
    with pytest.raises(ValueProblem, match=message):
        cross_check(module, batch)


def test_a_label_at_padding_is_refused(pair):
    module, batch = pair
    batch["labels"][-1, -1] = 3
    with pytest.raises(ValueProblem, match="a padding token has a label"):
        cross_check(module, batch)


# ---- the command -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("arguments", [("--config", "parity"), ("--config", "tiny", "--dtype", "float32")])
def test_the_command_agrees_and_says_so(arguments):
    done = CliRunner().invoke(main, ["bert", "check", *arguments])
    assert done.exit_code == 0
    assert "Everything agrees within its bound." in done.output and "GiB of memory" in done.output


def test_the_command_compares_real_weights_on_real_sentences():
    minilm()
    done = CliRunner().invoke(main, ["bert", "check", "--config", "minilm-l6", "--json"])
    data = json.loads(done.stdout)
    assert done.exit_code == 0 and data["ok"] and data["first_miss"] is None
    parameters = [row for row in data["rows"] if row["kind"] == "gradient" and row["name"].endswith(("weight", "bias"))]
    assert len(parameters) == 103


def test_the_command_exits_with_1_and_the_name_on_a_miss(monkeypatch):
    from graphlab.interop.torch import batches

    def faulty(config, dtype, make=batches.random_model):
        model = make(config, dtype)
        change_eps(model)
        return model

    monkeypatch.setattr(batches, "random_model", faulty)
    done = CliRunner().invoke(main, ["bert", "check", "--config", "parity"])
    assert done.exit_code == 1
    assert f"They part at {LAYER}.output.Y" in done.output


def test_the_command_answers_unknown_weights_with_what_there_is():
    done = CliRunner().invoke(main, ["bert", "check", "--weights", "nowhere"])
    assert done.exit_code == 2 and "neither the folder of a model" in done.stderr


def test_the_command_takes_a_text_only_for_weights_with_a_vocabulary():
    done = CliRunner().invoke(main, ["bert", "check", "--config", "parity", "--text", "a bank"])
    assert done.exit_code == 2 and "--text needs weights that have a vocabulary" in done.stderr


@pytest.mark.slow
def test_base_agrees_in_double_precision_within_its_limits():
    """206 parameter tensors; under 60 processor seconds for the graph and 8 GiB in all."""
    import resource

    module, batch = prepare("base", None, "float64", (), 2, 32)
    found = cross_check(module, batch)
    assert found.ok
    names = {name for name, _ in module.named_parameters()}
    assert len(names & {row.name for row in found.rows if row.kind == "gradient"}) == 206
    assert found.seconds < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 8 * 2**20
