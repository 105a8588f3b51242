"""WordPiece: the strings of the reference, and the lesson's view of the same work."""

from __future__ import annotations

import random

import pytest

from tests.requirements import needs

tokenizers = needs("tokenizers")

from tests.transformer.minilm import minilm  # noqa: E402
from transformer.tokenizer import SPECIAL, WordPieceTokenizer  # noqa: E402

STRINGS = {
    "Contextual embeddings are unbelievable.": "context ##ual em ##bed ##ding ##s are unbelievable .",
    "naïve café don't U.S.A. 東京": "naive cafe don ' t u . s . a . 東 京",
    "##s [MASK] foo": "# # s [MASK] foo",
    "a" * 120: "[UNK]",
    "": "",
}
SMALL = WordPieceTokenizer([*SPECIAL, "un", "##able", "##believ", "be", "##l", "x", "."])


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.load(minilm())


@pytest.mark.parametrize("text", STRINGS)
def test_the_pieces_of_the_check_strings(tokenizer, text):
    assert tokenizer.pieces(text) == STRINGS[text].split()


@pytest.mark.parametrize("text", STRINGS)
def test_the_lesson_comes_to_the_same_pieces(tokenizer, text):
    assert tokenizer.explain(text).pieces == STRINGS[text].split()


def random_texts(count):
    """Letters with and without marks, signs, other scripts, emoji, control characters, special tokens."""
    draw = random.Random(0)
    pools = [
        "abcdefgh ",
        "ABCäöüéñçß ",
        ".,;:!?'\"()[]#$-_",
        "東京日本語",
        "абвгд",
        "😀🎉",
        "\t\n\x00\u200b\u00ad",
        "ﬁ½²",
    ]
    pools += ["".join(map(chr, range(0xC0, 0x250))), "".join(map(chr, range(0x300, 0x340)))]
    for _ in range(count):
        text = "".join(draw.choice(draw.choice(pools)) for _ in range(draw.randint(1, 30)))
        yield text if draw.random() < 0.7 else f"{text}{draw.choice(SPECIAL)}{text}"


def test_the_lesson_equals_the_library_on_random_unicode(tokenizer):
    differing = [text for text in random_texts(500) if tokenizer.explain(text).pieces != tokenizer.pieces(text)]
    assert differing == []


def test_the_pieces_equal_the_references_on_random_unicode(tokenizer):
    reference = tokenizers.BertWordPieceTokenizer(str(minilm() / "vocab.txt"), lowercase=True)
    differing = [
        text
        for text in random_texts(500)
        if tokenizer.pieces(text) != reference.encode(text, add_special_tokens=False).tokens
    ]
    assert differing == []


def test_a_word_is_cut_greedily_and_every_try_is_told():
    word = SMALL.explain("unable").words[0]
    assert [(attempt.piece, attempt.known) for attempt in word.attempts] == [
        ("unable", False), ("unabl", False), ("unab", False), ("una", False), ("un", True), ("##able", True),
    ]  # fmt: skip
    assert word.pieces == ("un", "##able")


def test_a_word_whose_end_is_unknown_is_unknown_as_a_whole():
    assert SMALL.explain("unx").words[0].pieces == ("[UNK]",) == tuple(SMALL.pieces("unx"))


def test_a_pair_of_sentences_is_told_apart_by_its_types():
    ids, types = SMALL.encode("un x", "be")
    assert SMALL.tokens(ids) == ["[CLS]", "un", "x", "[SEP]", "be", "[SEP]"]
    assert types == [0, 0, 0, 0, 1, 1]


def test_a_batch_is_padded_to_its_longest_text():
    ids, real = SMALL.batch(["un x .", "be"])
    assert SMALL.tokens(ids[1]) == ["[CLS]", "be", "[SEP]", "[PAD]", "[PAD]"]
    assert real == [[True] * 5, [True, True, True, False, False]]


def test_pieces_are_joined_to_words_again():
    assert SMALL.decode(SMALL.encode("unable x.")[0]) == "unable x."


@pytest.mark.parametrize(("vocabulary", "message"), [(["a"], "lacks .PAD."), ([*SPECIAL, "a", "a"], "stands twice")])
def test_a_vocabulary_that_cannot_be_is_refused(vocabulary, message):
    with pytest.raises(ValueError, match=message):
        WordPieceTokenizer(vocabulary)


def test_a_folder_without_a_vocabulary_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be read as a vocabulary"):
        WordPieceTokenizer.load(tmp_path)
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ValueError, match="cannot be read as a vocabulary"):
        WordPieceTokenizer.load(tmp_path)
