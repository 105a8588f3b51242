"""The model against the reference library: same weights, same numbers; and the classic mistakes are seen."""

from __future__ import annotations

import pytest

from tests.requirements import needs

torch = needs("torch")
transformers = needs("transformers")

from tests.transformer.pairs import SMALL, batch, difference, labels, largest, pair, reference_config  # noqa: E402
from transformer.config import BertConfig  # noqa: E402
from transformer.drawing import shaken  # noqa: E402
from transformer.model import (  # noqa: E402
    BertForClassification,
    BertForPreTraining,
    BertForQuestionAnswering,
    BertModel,
)
from transformer.record import Record  # noqa: E402


def parameters(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def test_parameter_counts_are_those_of_the_published_models():
    with torch.device("meta"):
        base = BertConfig.base()
        model = BertModel(base)
        assert parameters(model) == 109_482_240
        assert parameters(model.embeddings) == 23_837_184
        assert {parameters(layer) for layer in model.encoder.layer} == {7_087_872}
        assert parameters(model.pooler) == 590_592
        assert parameters(BertForPreTraining(base, sentences=False)) == 109_514_298
        assert parameters(BertForPreTraining(base)) == 110_106_428
        assert parameters(BertForClassification(base, 2)) == 109_483_778
        assert parameters(BertModel(BertConfig.minilm_l6())) == 22_713_216
        assert parameters(BertModel(BertConfig.tiny())) == 4_385_920
        heads = BertForPreTraining(base).cls
        assert parameters(heads.predictions.transform) + parameters(heads.seq_relationship) == 592_128 + 1_538


def test_the_keys_of_the_state_dict_are_the_references():
    for ours, theirs in [
        (BertForPreTraining(SMALL), transformers.BertForPreTraining),
        (BertForPreTraining(SMALL, sentences=False), transformers.BertForMaskedLM),
        (BertForPreTraining(SMALL, tokens=False), transformers.BertForNextSentencePrediction),
        (BertForClassification(SMALL, 2), transformers.BertForSequenceClassification),
        (BertForClassification(SMALL, 2, per_token=True), transformers.BertForTokenClassification),
        (BertForQuestionAnswering(SMALL), transformers.BertForQuestionAnswering),
        (BertModel(SMALL), transformers.BertModel),
    ]:
        assert set(ours.state_dict()) == set(theirs(reference_config(SMALL)).state_dict())


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_outputs_hidden_states_and_attentions_equal_the_references(dtype, bound):
    ours, theirs = pair(dtype)
    record = Record()
    words, follows = ours(**batch(), record=record)
    expected = theirs(**batch(), output_hidden_states=True, output_attentions=True)
    assert difference(words, expected.prediction_logits) <= bound * largest(words)
    assert difference(follows, expected.seq_relationship_logits) <= bound * largest(follows)
    assert len(record.hidden_states) == len(expected.hidden_states) == SMALL.num_hidden_layers + 1
    for mine, reference in zip(record.hidden_states, expected.hidden_states, strict=True):
        assert difference(mine, reference) <= bound * largest(*expected.hidden_states)
    for attention, reference in zip(record.attentions, expected.attentions, strict=True):
        assert difference(attention.probabilities, reference) <= bound


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 1e-4)])
def test_every_gradient_equals_the_references(dtype, tolerance):
    ours, theirs = pair(dtype)
    loss = ours.loss(**batch(), **labels())
    reference = theirs(**batch(), **labels()).loss
    assert difference(loss, reference) <= tolerance
    loss.backward()
    reference.backward()
    expected = {name: p.grad for name, p in theirs.named_parameters()}
    assert expected.keys() == {name for name, _ in ours.named_parameters()}
    floor = 1e-3 * float(torch.tensor([largest(g) for g in expected.values()]).median())
    for name, parameter in ours.named_parameters():
        bound = tolerance * max(largest(expected[name]), floor)
        assert difference(parameter.grad, expected[name]) <= bound, name


@pytest.mark.parametrize("rows", [False, True])
def test_fused_attention_gives_the_same_numbers_and_gradients(rows):
    model = shaken(BertModel(SMALL).double(), 0.1)
    fused = BertModel(SMALL, fused=True).double().eval()
    fused.load_state_dict(model.state_dict())
    given = batch()
    if rows:
        given["attention_mask"] = torch.ones(11, 11).tril().expand(3, 11, 11)
    outputs = [each(**given).hidden for each in (model, fused)]
    assert difference(*outputs) <= 1e-12 * largest(outputs[0])
    for hidden in outputs:
        hidden.square().sum().backward()
    for a, b in zip(model.parameters(), fused.parameters(), strict=True):
        if a.grad is not None:
            assert difference(a.grad, b.grad) <= 1e-10 * max(largest(a.grad), 1.0)


@pytest.mark.parametrize(
    "mistake",
    [{"hidden_act": "gelu_new"}, {"layer_norm_eps": 1e-5}],
    ids=["tanh GELU", "eps 1e-5"],
)
def test_a_classic_mistake_is_seen(mistake):
    ours, theirs = pair(torch.float64, **mistake)
    assert difference(ours(**batch())[0], theirs(**batch()).prediction_logits) > 1e-5


def test_a_forgotten_mask_is_seen():
    ours, theirs = pair()
    without = {name: value for name, value in batch().items() if name != "attention_mask"}
    assert difference(ours(**without)[0], theirs(**batch()).prediction_logits) > 1e-3


def test_tanh_gelu_equals_the_references_when_both_are_told_so():
    ours, theirs = pair(config=BertConfig(**{**vars(SMALL), "hidden_act": "gelu_new"}))
    assert difference(ours(**batch())[0], theirs(**batch()).prediction_logits) < 1e-10


def test_a_padded_sentence_gives_what_it_gives_alone():
    model = shaken(BertModel(SMALL), 0.1)
    given = batch()
    together = model(**given).hidden
    for row, length in enumerate(given["attention_mask"].sum(dim=1).tolist()):
        alone = {name: value[row : row + 1, :length] for name, value in given.items()}
        assert difference(model(**alone).hidden, together[row : row + 1, :length]) <= 1e-5


def test_a_token_that_may_look_at_nothing_gives_numbers():
    model = shaken(BertModel(SMALL), 0.1)
    nothing = {**batch(), "attention_mask": torch.zeros(3, 11)}
    assert bool(torch.isfinite(model(**nothing).hidden).all())


def test_a_causal_mask_hides_the_future():
    model = shaken(BertModel(SMALL).double(), 0.1)
    ids = batch()["input_ids"][:1]
    rows = torch.ones(11, 11).tril()[None]
    changed = ids.clone()
    changed[0, 6:] = 7
    before, after = (model(x, rows).hidden for x in (ids, changed))
    assert difference(before[:, :6], after[:, :6]) == 0
    assert difference(before[:, 6:], after[:, 6:]) > 1e-3


def test_too_many_tokens_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="21 tokens are more than the 20 positions"):
        BertModel(SMALL)(torch.ones(1, 21, dtype=torch.long))


def test_sentence_classes_of_label_0_are_learnt_although_padding_is_0():
    model = BertForPreTraining(SMALL)
    model.loss(**batch(), next_sentence_label=torch.zeros(3, dtype=torch.long)).backward()
    assert largest(model.cls.seq_relationship.weight.grad) > 0


def test_weights_begin_as_the_paper_says():
    torch.manual_seed(0)
    model = BertForPreTraining(BertConfig.tiny())
    words = model.bert.embeddings.word_embeddings.weight
    assert model.cls.predictions.decoder.weight is words
    assert bool((words[0] == 0).all())
    assert abs(float(words[1:].std().detach()) - 0.02) < 1e-3
    assert all(bool((p == 0).all()) for name, p in model.named_parameters() if name.endswith("bias"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_attention_heads": 5}, "768 hidden units cannot be shared evenly by 5 heads"),
        ({"hidden_act": "relu"}, "hidden_act must be gelu or gelu_new, not 'relu'"),
        ({"vocab_size": 0}, "vocab_size must be a whole number, not 0"),
        ({"hidden_size": "8"}, "hidden_size must be a whole number"),
        ({"hidden_dropout_prob": 2}, "hidden_dropout_prob must be a number from 0 to 1"),
    ],
)
def test_sizes_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        BertConfig(**changes)


def test_a_configuration_survives_json_and_the_reference_reads_it(tmp_path):
    config = BertConfig.tiny()
    assert BertConfig.from_json(config.to_json()) == config
    (tmp_path / "config.json").write_text(config.to_json())
    theirs = transformers.BertConfig.from_pretrained(tmp_path)
    assert (theirs.hidden_size, theirs.intermediate_size) == (128, 512)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "does not describe a BERT"),
        ('{"model_type": "gpt2"}', "does not describe a BERT"),
        ('{"position_embedding_type": "relative_key"}', "asks for position_embedding_type"),
    ],
)
def test_a_config_json_of_something_else_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        BertConfig.from_json(text)
