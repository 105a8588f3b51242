"""Words in context and attention maps: what the pages show is what the model computes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.requirements import needs

torch = needs("torch")
needs("tokenizers")

from transformer.attention_maps import attention_maps  # noqa: E402
from transformer.config import BertConfig  # noqa: E402
from transformer.contexts import cosines, plane, word_in_context  # noqa: E402
from transformer.drawing import shaken  # noqa: E402
from transformer.model import BertModel  # noqa: E402
from transformer.record import Record  # noqa: E402
from transformer.tokenizer import SPECIAL, WordPieceTokenizer  # noqa: E402

TOKENIZER = WordPieceTokenizer([*SPECIAL, "a", "bank", "##s", "river", "money", "."])
CONFIG = BertConfig(**{**vars(BertConfig.parity()), "vocab_size": len(TOKENIZER)})


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return shaken(BertModel(CONFIG), 0.1)


def test_a_words_vectors_are_the_models_hidden_states_at_its_place(model):
    found = word_in_context(model, TOKENIZER, ["a bank .", "money a river bank"], "bank")
    assert found.places == (range(2, 3), range(4, 5))
    record = Record()
    model(torch.tensor([TOKENIZER.encode("money a river bank")[0]]), record=record)
    for layer, state in enumerate(record.hidden_states):
        np.testing.assert_allclose(found.vectors[layer, 1], state.detach()[0, 4].numpy(), atol=1e-6)


def test_a_word_of_several_pieces_has_their_mean(model):
    whole, first = (word_in_context(model, TOKENIZER, ["a banks ."], word) for word in ("banks", "bank"))
    assert whole.pieces[0][2:4] == ("bank", "##s")
    record = Record()
    model(torch.tensor([TOKENIZER.encode("a banks .")[0]]), record=record)
    mean = record.hidden_states[-1].detach()[0, 2:4].mean(dim=0).numpy()
    np.testing.assert_allclose(whole.vectors[-1, 0], mean, atol=1e-6)
    assert not np.allclose(first.vectors, whole.vectors)


@pytest.mark.parametrize(("word", "message"), [("river", "does not stand in 'a bank'"), (" ", "no word was given")])
def test_a_word_that_is_not_there_is_said_with_the_sentence(model, word, message):
    with pytest.raises(ValueError, match=message):
        word_in_context(model, TOKENIZER, ["a bank"], word)


def test_the_plane_keeps_the_distances_of_points_that_lie_on_one():
    flat = np.array([[1.0, 2, 0, 0], [3, 1, 0, 0], [0, 0, 0, 0], [5, 5, 0, 0]]) @ np.linalg.qr(np.eye(4) + 0.3)[0]
    points, share = plane(flat)
    assert share == pytest.approx(1)
    for i in range(4):
        for j in range(4):
            assert np.linalg.norm(points[i] - points[j]) == pytest.approx(np.linalg.norm(flat[i] - flat[j]))


def test_one_point_alone_has_a_plane_too():
    points, share = plane(np.ones((1, 8)))
    assert points.shape == (1, 2) and not points.any() and share == 1


def test_cosines_are_those_of_the_rows():
    found = cosines(np.array([[1.0, 0], [1, 1], [-2, 0]]))
    np.testing.assert_allclose(found, [[1, 0.5**0.5, -1], [0.5**0.5, 1, -(0.5**0.5)], [-1, -(0.5**0.5), 1]])


def test_maps_hold_every_heads_probabilities_and_the_parts_of_its_scores(model):
    maps = attention_maps(model, TOKENIZER, "a river bank", "money .", (3, 5))
    assert maps.tokens == ("[CLS]", "a", "river", "bank", "[SEP]", "money", ".", "[SEP]")
    assert maps.probabilities.shape == maps.gradients.shape == (2, 2, 8, 8)
    np.testing.assert_allclose(maps.probabilities.sum(axis=-1), 1, atol=1e-6)
    scores = np.array([[maps.score_parts(1, 0, i, j).sum() for j in range(8)] for i in range(8)])
    row = np.exp(scores - scores.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(row / row.sum(axis=-1, keepdims=True), maps.probabilities[1, 0], atol=1e-5)


def test_the_gradient_of_a_map_is_the_slope_of_the_likeness(model):
    """Nudge one attention weight of the last layer by hand and compare."""
    model = model.double()
    maps = attention_maps(model, TOKENIZER, "a river bank", pair=(1, 3))
    attention = model.encoder.layer[-1].attention.self
    merge = type(attention).merge
    step, head, i, j = 1e-5, 1, 3, 2

    def likeness(by):
        def nudged(context):
            record_value = attention.split(attention.value(states[-2]))
            context = context.clone()
            context[0, head, i] += by * record_value[0, head, j]
            return merge(attention, context)

        record = Record()
        ids = torch.tensor([TOKENIZER.encode("a river bank")[0]])
        with torch.no_grad():
            model(ids, record=record)
            states = record.hidden_states
            attention.merge = nudged
            try:
                hidden = model(ids).hidden[0]
            finally:
                del attention.merge
        return float(torch.nn.functional.cosine_similarity(hidden[1], hidden[3], dim=0))

    slope = (likeness(step) - likeness(-step)) / (2 * step)
    assert maps.gradients[1, head, i, j] == pytest.approx(slope, rel=1e-4, abs=1e-7)
    model.float()


def test_a_place_beyond_the_text_means_its_last_token(model):
    assert attention_maps(model, TOKENIZER, "a", pair=(1, 99)).second == 2


def test_more_tokens_than_positions_are_refused(model):
    with pytest.raises(ValueError, match="more than the 16 positions"):
        attention_maps(model, TOKENIZER, "a " * 20)
