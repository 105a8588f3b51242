"""Real weights: nothing missing, the reference's numbers, and the lecture's facts about words in context."""

from __future__ import annotations

import pytest

from tests.requirements import needs

torch = needs("torch")
transformers = needs("transformers")

from tests.transformer.minilm import minilm  # noqa: E402
from tests.transformer.pairs import difference  # noqa: E402
from transformer.checkpoint import load_into, load_model, read_config, save_model  # noqa: E402
from transformer.config import BertConfig  # noqa: E402
from transformer.model import BertModel  # noqa: E402
from transformer.record import Record  # noqa: E402
from transformer.tokenizer import WordPieceTokenizer  # noqa: E402

BANK = [
    "i went to the bank to get money .",
    "i rushed to the bank for a loan .",
    "i sat on the bank of the river .",
    "i stood on the bank of the stream .",
]
CAT = "the cat sat on the mat because it was tired ."


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return load_model(minilm())


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.load(minilm())


def run(model, tokenizer, texts):
    ids, real = tokenizer.batch(texts)
    record = Record()
    with torch.no_grad():
        model(torch.tensor(ids), torch.tensor(real), record=record)
    return record


def test_the_folder_loads_with_nothing_missing():
    assert read_config(minilm()) == BertConfig.minilm_l6()
    report = load_into(BertModel(BertConfig.minilm_l6()), minilm())
    assert (len(report.loaded), report.missing, report.unexpected) == (103, (), ())


def test_hidden_states_equal_the_references(model, tokenizer):
    theirs = transformers.BertModel.from_pretrained(minilm(), attn_implementation="eager")
    ids, real = map(torch.tensor, tokenizer.batch([*BANK, CAT]))
    with torch.no_grad():
        expected = theirs.eval()(ids, real, output_hidden_states=True)
    record = run(model, tokenizer, [*BANK, CAT])
    for ours, reference in zip(record.hidden_states, expected.hidden_states, strict=True):
        assert difference(ours, reference) <= 1e-5


@pytest.mark.parametrize(
    ("mistake", "size"), [({"hidden_act": "gelu_new"}, 4.5e-3), ({"layer_norm_eps": 1e-5}, 8.3e-4)]
)
def test_a_classic_mistake_differs_by_its_known_size(model, tokenizer, mistake, size):
    wrong = BertModel(BertConfig(**{**vars(BertConfig.minilm_l6()), **mistake})).eval()
    load_into(wrong, minilm())
    found = difference(run(wrong, tokenizer, BANK).hidden_states[-1], run(model, tokenizer, BANK).hidden_states[-1])
    assert size / 5 < found < size * 5


def test_the_same_word_differs_by_its_context_and_more_so_by_its_sense(model, tokenizer):
    record = run(model, tokenizer, BANK)
    place = tokenizer.pieces(BANK[0]).index("bank") + 1
    assert all(tokenizer.pieces(text)[place - 1] == "bank" for text in BANK)

    def cosines(layer):
        rows = torch.nn.functional.normalize(record.hidden_states[layer][:, place], dim=-1)
        return rows @ rows.T

    assert difference(cosines(0), torch.ones(4, 4)) < 1e-5
    last = cosines(-1)
    assert float(last[0, 1]) == pytest.approx(0.912, abs=0.005)
    assert float(last[2, 3]) == pytest.approx(0.936, abs=0.005)
    across = last[:2, 2:]
    assert float(across.min()) == pytest.approx(0.796, abs=0.005)
    assert float(across.max()) == pytest.approx(0.852, abs=0.005)


def test_heads_look_where_the_lecture_says(model, tokenizer):
    record = run(model, tokenizer, [CAT])
    tokens = ["[CLS]", *tokenizer.pieces(CAT), "[SEP]"]
    previous = record.attentions[0].probabilities[0, 2]  # layer 1, head 3, counted from 1
    assert float(torch.diagonal(previous, offset=-1)[1:-1].min()) > 0.9
    it, cat = tokens.index("it"), tokens.index("cat")
    assert float(record.attentions[5].probabilities[0, 11, it, cat]) == pytest.approx(0.71, abs=0.005)


def test_a_padded_sentence_gives_what_it_gives_alone(model, tokenizer):
    together = run(model, tokenizer, [*BANK, CAT]).hidden_states[-1]
    for row, text in enumerate(BANK):
        alone = run(model, tokenizer, [text]).hidden_states[-1][0]
        assert difference(alone, together[row, : len(alone)]) <= 1e-5


def test_the_real_checkpoint_is_saved_as_the_same_bytes_twice(model, tokenizer, tmp_path):
    save_model(model, tmp_path / "a", vocabulary=tokenizer.vocabulary)
    save_model(
        load_model(tmp_path / "a"), tmp_path / "b", vocabulary=WordPieceTokenizer.load(tmp_path / "a").vocabulary
    )
    for name in ("config.json", "vocab.txt", "model.safetensors"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    _, told = transformers.BertModel.from_pretrained(tmp_path / "a", output_loading_info=True)
    assert not told["missing_keys"] and not told["unexpected_keys"]
