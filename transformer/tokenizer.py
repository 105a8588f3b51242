"""WordPiece: text → pieces of words that the model has a row for.

The work is done by the `tokenizers` library, fast and exactly as BERT was trained; `explain` shows the same work step
by step for a lesson: normalise, split into words, then cut each word greedily into the longest pieces that are known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tokenizers import AddedToken, Tokenizer
from tokenizers.decoders import WordPiece as WordPieceDecoder
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LONGEST_WORD = 100  # a longer run of characters is [UNK], as in the reference


class Attempt(NamedTuple):
    """One look into the vocabulary: is this piece an entry?"""

    piece: str
    known: bool


class Word(NamedTuple):
    """A word and how it was cut: every piece that was tried, longest first, and those that were taken."""

    text: str
    attempts: tuple[Attempt, ...]
    pieces: tuple[str, ...]


class Lesson(NamedTuple):
    """The steps from a text to its pieces."""

    text: str
    normalised: str
    words: tuple[Word, ...]

    @property
    def pieces(self) -> list[str]:
        return [piece for word in self.words for piece in word.pieces]


class WordPieceTokenizer:
    """Text ↔ ids with a given vocabulary; the id of an entry is its place in it. Raises ValueError for one that lacks a
    special token or has an entry twice."""

    def __init__(self, vocabulary: Iterable[str], *, lowercase: bool = True) -> None:
        self.vocabulary = list(vocabulary)
        ids = {entry: number for number, entry in enumerate(self.vocabulary)}
        missing = [token for token in SPECIAL if token not in ids]
        if missing:
            raise ValueError(f"the vocabulary lacks {', '.join(missing)}")
        if len(ids) < len(self.vocabulary):
            raise ValueError("an entry stands twice in the vocabulary")
        self.ids = ids
        self._tokenizer = self._build(lowercase)

    def _build(self, lowercase: bool) -> Tokenizer:
        made = Tokenizer(WordPiece(self.ids, unk_token=UNKNOWN, max_input_chars_per_word=LONGEST_WORD))
        made.normalizer = BertNormalizer(lowercase=lowercase)
        made.pre_tokenizer = BertPreTokenizer()
        made.decoder = WordPieceDecoder()
        made.post_processor = TemplateProcessing(
            single=f"{CLS} $A {SEP}",
            pair=f"{CLS} $A {SEP} $B:1 {SEP}:1",
            special_tokens=[(CLS, self.ids[CLS]), (SEP, self.ids[SEP])],
        )
        made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
        return made

    @classmethod
    def load(cls, folder: str | Path) -> WordPieceTokenizer:
        """The tokenizer of a model's folder. Raises ValueError where there is no usable vocab.txt."""
        path = Path(folder) / "vocab.txt"
        try:
            entries = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as fault:
            raise ValueError(f"{path} cannot be read as a vocabulary: {fault}") from None
        while entries and not entries[-1].strip():
            entries.pop()
        settings = Path(folder) / "tokenizer_config.json"
        told = json.loads(settings.read_text(encoding="utf-8")) if settings.is_file() else {}
        return cls((entry.rstrip("\r") for entry in entries), lowercase=bool(told.get("do_lower_case", True)))

    def __len__(self) -> int:
        return len(self.vocabulary)

    def pieces(self, text: str) -> list[str]:
        """The pieces of a text, without [CLS] and [SEP]."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def encode(self, text: str, second: str | None = None) -> tuple[list[int], list[int]]:
        """The ids of [CLS] text [SEP] (second [SEP]), and each one's sentence: 0 or 1."""
        found = self._tokenizer.encode(text, second)
        return list(found.ids), list(found.type_ids)

    def batch(self, texts: Sequence[str]) -> tuple[list[list[int]], list[list[bool]]]:
        """The ids of several texts, filled up with [PAD] to one length, and where they are real."""
        rows = [self.encode(text)[0] for text in texts]
        longest = max(map(len, rows), default=0)
        padded = [row + [self.ids[PAD]] * (longest - len(row)) for row in rows]
        return padded, [[place < len(row) for place in range(longest)] for row in rows]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The entries with these ids."""
        return [self.vocabulary[number] for number in ids]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids, without special tokens, pieces joined to words."""
        return str(self._tokenizer.decode(list(ids)))

    def explain(self, text: str) -> Lesson:
        """The same pieces as `pieces`, with every step on the way."""
        parts = _apart(text)
        normalised = [part if part in SPECIAL else self._tokenizer.normalizer.normalize_str(part) for part in parts]
        words: list[Word] = []
        for part in normalised:
            if part in SPECIAL:
                words.append(Word(part, (Attempt(part, True),), (part,)))
            else:
                words += [self._cut(word) for word, _ in self._tokenizer.pre_tokenizer.pre_tokenize_str(part)]
        return Lesson(text, "".join(normalised), tuple(words))

    def _cut(self, word: str) -> Word:
        """Greedy longest match: the longest beginning that is known, then the longest beginning of the rest …"""
        attempts: list[Attempt] = []
        pieces: list[str] = []
        start = 0 if len(word) <= LONGEST_WORD else len(word) + 1
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                attempts.append(Attempt(piece, piece in self.ids))
                if attempts[-1].known:
                    pieces.append(piece)
                    start = end
                    break
            else:
                start = len(word) + 1
        return Word(word, tuple(attempts), tuple(pieces) if start == len(word) else (UNKNOWN,))


def _apart(text: str) -> list[str]:
    """The text cut at special tokens, which are never normalised or split."""
    parts = [text]
    for token in SPECIAL:
        cut: list[str] = []
        for part in parts:
            if part in SPECIAL:
                cut.append(part)
                continue
            for number, rest in enumerate(part.split(token)):
                cut += [token] * (number > 0) + [rest] * bool(rest)
        parts = cut
    return parts
