"""Rung 13: training BERT. What knowing nothing costs, one masked batch, and one real step."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import graphlab as gl
from graphlab import layers
from graphlab.engine.core import Node
from graphlab.layers.bert import HEADS, IGNORED
from graphlab.lessons.controls import Choose, Settings, Slider, Switch
from graphlab.lessons.findings import Findings, Quantity, Table
from graphlab.lessons.laboratories.encoders import seeded_weights
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.lessons.optimisers import Adam

VOCABULARY_SIZES = {"30,522 (BERT)": 30522, "8,192 (small)": 8192, "2 (yes or no)": 2}
SENTENCE_SIZES = 2
TOKENS_SIZES = 4096
CHOSEN_RATE = 0.15
STEP_RATE = 0.001
DRAW_SEED = 13
COLOURED_STEPS = (2, 3)
SHARES_VALUES = {"[MASK]": 0.8, "another word": 0.1, "itself": 0.1}
TEXT_VALUES = (
    ("the cat sat on the mat because it was tired", "it slept there all day", 0),
    ("i went to the bank to get some money", "the clerk gave me the coins", 0),
    ("we sat on the bank of the river", "a star is a very hot thing", 1),
    ("the dog runs after the small cat", "the cat climbs up a tall tree", 0),
)
PAD, FIRST, LAST, MASK = SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
KEPT = "itself"
COLOURS = {"[MASK]": "orange", "another word": "violet", KEPT: "green"}
TINY_SIZES = {
    "num_hidden_layers": 2,
    "hidden_size": 128,
    "num_attention_heads": 2,
    "intermediate_size": 512,
    "max_position_embeddings": 32,
}
BEGIN_VALUES = 0.02
WEIGHTS_SEED = 13
SCORES_VALUES = {"Z": [[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]], "k": np.array([1, -100, 3])}
TIED_VALUES = {"W": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], "ids": np.array([2, 0]), "k": np.array([2, 1])}


# ---- knowing nothing -------------------------------------------------------------------------------------------------
@cache
def loss_of_nothing(choices: int) -> float:
    """Cross-entropy where every one of so many answers gets the same score."""
    loss = gl.parse("L = cross_entropy(z, k)", values={"z": [0, 0], "k": np.array(1)})
    return float(loss.evaluate(z=np.zeros(choices), k=np.array(1)))


def count(settings: Settings) -> Findings:
    """The loss before anything is learnt, how many tokens are asked for, and one masked batch."""
    words = VOCABULARY_SIZES[settings["vocabulary"]]
    nothing, sentence = loss_of_nothing(words), loss_of_nothing(SENTENCE_SIZES)
    small, large = VOCABULARY_SIZES["8,192 (small)"], VOCABULARY_SIZES["30,522 (BERT)"]
    chosen = settings["rate"] * TOKENS_SIZES
    parts = [whole_number(chosen * share) for share in SHARES_VALUES.values()]
    return Findings(
        {
            "nothing": Quantity("Loss of a model that knows nothing", nothing + settings["pairs"] * sentence),
            "large": Quantity(f"V = {large:,}", loss_of_nothing(large)),
            "small": Quantity(f"V = {small:,}", loss_of_nothing(small)),
            "large_pairs": Quantity(f"V = {large:,}, and pairs", loss_of_nothing(large) + sentence),
            "small_pairs": Quantity(f"V = {small:,}, and pairs", loss_of_nothing(small) + sentence),
            "chosen": Quantity(f"Of {TOKENS_SIZES:,} tokens, chosen", whole_number(chosen)),
            "hidden": Quantity("read as [MASK]", parts[0]),
            "swapped": Quantity("as another word", parts[1]),
            "kept": Quantity("as themselves", parts[-1]),
        },
        shown_batch(settings["rate"], int(settings["draw"])),
    )


def whole_number(expected: float) -> int:
    return int(np.rint(expected))


# ---- one batch -------------------------------------------------------------------------------------------------------
@cache
def vocabulary() -> list[str]:
    """The special tokens, and every word of the text once."""
    return [*SPECIAL, *dict.fromkeys(" ".join(" ".join(pair[:-1]) for pair in TEXT_VALUES).split())]


def tokens_of(first: str, second: str) -> list[str]:
    return [FIRST, *first.split(), LAST, *second.split(), LAST]


@cache
def masked_batch(rate: float, draw: int) -> tuple[dict[str, Any], list[tuple[int, int, str]]]:
    """What the model is given, padded to one length; and the chosen tokens: pair, place, and what became of each.

    A special token is never chosen, and one token of every pair at least.
    """
    numbers, words = np.random.default_rng(draw), vocabulary()
    rows = [tokens_of(first, second) for first, second, _ in TEXT_VALUES]
    shape = (len(rows), max(map(len, rows)))
    ids = np.full(shape, words.index(PAD))
    labels, types, real = np.full(shape, IGNORED), np.zeros(shape, dtype=int), np.zeros(shape, dtype=bool)
    chosen = []
    for pair, row in enumerate(rows):
        ids[pair, : len(row)] = [words.index(token) for token in row]
        types[pair, row.index(LAST) + 1 : len(row)], real[pair, : len(row)] = 1, True
        may = [place for place, token in enumerate(row) if token not in SPECIAL]
        drawn = [place for place in may if numbers.random() < rate] or [int(numbers.choice(may))]
        for place in drawn:
            labels[pair, place] = ids[pair, place]
            kind = str(numbers.choice(list(SHARES_VALUES), p=list(SHARES_VALUES.values())))
            ids[pair, place] = replacement(kind, ids[pair, place], numbers)
            chosen.append((pair, place, kind))
    follows = np.array([label for *_, label in TEXT_VALUES])
    given = {"input_ids": ids, "token_type_ids": types, "attention_mask": real, "labels": labels}
    return given | {"next_sentence_label": follows}, chosen


def replacement(kind: str, word: int, numbers: np.random.Generator) -> int:
    """The id that is read in the place of a chosen word: [MASK], some other word, or the word itself."""
    if kind == MASK:
        return vocabulary().index(MASK)
    others = [other for other in range(len(SPECIAL), len(vocabulary())) if other != word]
    return word if kind == KEPT else int(numbers.choice(others))


def shown_batch(rate: float, draw: int) -> tuple[Table, Table]:
    """The pairs as they are read; and each chosen token, coloured by what became of it."""
    given, chosen = masked_batch(rate, draw)
    words, ids, labels = vocabulary(), given["input_ids"], given["labels"]
    pairs = []
    for pair, (real, follows) in enumerate(zip(given["attention_mask"], given["next_sentence_label"], strict=True)):
        reads = " ".join(words[token] for token in ids[pair][real])
        pairs.append([str(pair + 1), reads, "no" if follows else "yes"])
    rows = [
        [str(pair + 1), str(place), kind, words[ids[pair, place]], words[labels[pair, place]]]
        for pair, place, kind in chosen
    ]
    kinds = [kind for *_, kind in chosen]
    coloured = {(row, column): COLOURS[kind] for row, kind in enumerate(kinds) for column in COLOURED_STEPS}
    titles = ["Pair", "Token", "Replaced by", "The model reads", "It must say"]
    return (
        Table("One batch, as the model reads it", ["Pair", "Reads", "Second follows first"], pairs),
        Table("The chosen tokens: the loss is read here, and nowhere else", titles, rows, coloured=coloured),
    )


# ---- one step --------------------------------------------------------------------------------------------------------
@cache
def tiny() -> tuple[gl.Graph, dict[str, Any]]:
    """A BERT of the sizes of "tiny" with both heads, for the words of the batch; and its weights at the beginning."""
    config = layers.Config(vocab_size=len(vocabulary()), **TINY_SIZES)  # type: ignore[arg-type]
    loss = layers.bert(config, HEADS, ids_shape=("b", "n")).loss
    assert loss is not None
    weights = seeded_weights(layers.parameter_shapes(loss), seed=WEIGHTS_SEED, spread=BEGIN_VALUES)
    return gl.graph(L=loss), weights


@cache
def one_step() -> Findings:
    """Loss, gradients, one step of Adam, and the loss afterwards, on the batch that the experiment shows first."""
    graph, weights = tiny()
    given, _ = masked_batch(CHOSEN_RATE, DRAW_SEED)
    before, slopes = graph.compile().value_and_gradients({**given, **weights})
    gradients = {name: slopes[name] for name in weights}
    moved = Adam(STEP_RATE).step(weights, gradients, {}).weights
    after = graph.evaluate({**given, **moved})
    parts = {
        "word table (used twice)": "embeddings_word",
        "positions": "embeddings_position",
        "first block": "encoder_layer_0",
        "second block": "encoder_layer_1",
        "head for masked tokens": "cls_predictions",
        "head for pairs": "cls_seq",
    }
    rows = [
        [title, f"{sum(weights[name].size for name in names):,}", size_of(gradients, names), size_of(changes, names)]
        for changes in [{name: moved[name] - weights[name] for name in weights}]
        for title, path in parts.items()
        for names in [[name for name in weights if path in name]]
    ]
    nothing = loss_of_nothing(len(vocabulary())) + loss_of_nothing(SENTENCE_SIZES)
    return Findings(
        {
            "nothing": Quantity(f"Knowing nothing: ln {len(vocabulary())} + ln 2", nothing),
            "before": Quantity("Loss before", before),
            "after": Quantity("Loss after one step, same batch", after),
        },
        (Table("One step of Adam", ["Part", "Numbers", "Size of gradient", "Size of the move"], rows),),
    )


def size_of(arrays: dict[str, Any], names: list[str]) -> float:
    return math.sqrt(sum(float(np.sum(np.square(arrays[name]))) for name in names))


def ignored_loss() -> Node:
    """Three places, of which the middle one is not asked for."""
    loss: Node = gl.cross_entropy(gl.variable("Z"), gl.variable("k"), ignore=IGNORED)
    return loss


LESSON = Lesson(
    key="13",
    title="Training BERT",
    says="Choose 15 in 100 tokens, hide most of them, and ask for them; beside that, ask whether the second sentence "
    "really followed the first. The loss is cross-entropy, as on page 5c, over the whole vocabulary. No label was "
    "written by anybody.",
    needs=("5c", "11", "12"),
    symbols={
        "V": "number of entries of the vocabulary; no value here",
        "Z": "scores, a row for each token; z is no pre-activation here",
        "k": "ids of the words to say; −100 where nothing is asked",
        "W": "the word table: rows to look up, and rows to compare with",
        "L": "loss; the two losses are added",
    },
    predict=Question(
        "A model that knows nothing gives all 30,522 entries of the vocabulary the same score. What is its loss at a "
        "masked token?",
        (
            Choice(
                "Close to 1: it is wrong nearly always",
                "Being wrong costs what the right word's probability says, and that is 1/V: ln V = [[large]].",
                tempting=True,
            ),
            Choice(
                "About 10: the logarithm of 30,522",
                "Yes: −ln(1/V) = ln V = [[large]]; with 8192 entries it would be [[small]].",
                right=True,
            ),
            Choice(
                "About 30,000: one for each entry that could be right",
                "The loss is the logarithm of that: [[large]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="What does a loss mean before training? Change the vocabulary; draw other batches. Which of the "
        "chosen tokens could a model get right by copying?",
        controls={
            "vocabulary": Choose("Vocabulary", "30,522 (BERT)", tuple(VOCABULARY_SIZES)),
            "pairs": Switch("Ask for the next sentence too", False),
            "rate": Slider("Share of tokens chosen", CHOSEN_RATE, 0.05, 0.5, 0.05),
            "draw": Slider("Draw", DRAW_SEED, 1, 20, 1),
        },
        run=count,
        expect=("nothing", "large", "small", "large_pairs", "small_pairs", "chosen", "hidden", "swapped", "kept"),
    ),
    screens=(
        Screen(
            title="Only chosen places count",
            says="Three places, four entries. At the first and the third all scores are equal: the loss is ln 4. The "
            "second was not chosen: whatever its scores, it gets no gradient, and the mean is over two.",
            walk=Walk(program=ignored_loss, values=SCORES_VALUES),
            formulas=("forward",),
            blanks=("L", "Z_bar"),
        ),
        Screen(
            title="One table, used twice",
            says="The word table gives a token its row, and its rows are what the scores are products with. Two uses: "
            "two contributions to $\\bar W$, added.",
            walk=Walk(program="X = embedding(W, ids); Z = X@W.T; L = cross_entropy(Z, k)", values=TIED_VALUES),
            formulas=("forward",),
            blanks=("X", "Z"),
        ),
        Screen(
            title="One real step",
            says="A BERT of two blocks of 128 and a vocabulary of just these words, with weights as at the beginning: "
            "its loss is close to that of knowing nothing. Every gradient comes from the graph; Adam makes one step.",
            show=one_step,
        ),
    ),
    why=Question(
        "Why is a chosen token sometimes replaced by another word, or left as it is, and not always by [MASK]?",
        (
            Choice(
                "Else the model would only have to think where it sees [MASK], which no later text contains",
                "Yes: so any word may be wrong or asked for, and each row must be ready.",
                right=True,
            ),
            Choice(
                "To make the task easier: some answers are given away",
                "Of [[chosen]] chosen tokens only [[kept]] are left, and the model is not told which.",
                tempting=True,
            ),
            Choice(
                "So that the loss is read at every token",
                "It is read at the chosen ones only.",
            ),
        ),
    ),
    recall="11",
)
