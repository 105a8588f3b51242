"""Rung 11: masked training. Two masks on one sentence, what each model is asked, and which words a loss reaches."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import graphlab as gl
from graphlab import layers
from graphlab.layers.bert import IGNORED
from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Bars, Findings, Heat, Quantity, Table
from graphlab.lessons.laboratories.encoders import seeded_weights, word_rows
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

SENTENCE_VALUES = "the cat sat on the mat ."
WORDS = SENTENCE_VALUES.split()[:-1]
MASK = "[MASK]"
VOCABULARY = [MASK, *dict.fromkeys(SENTENCE_VALUES.split())]
ENCODER_SIZES = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
SPREAD_VALUES = 0.4
WEIGHTS_SEED = 11
WORDS_SEED = 3
BOTH_WAYS, CAUSAL = MODELS = ("bidirectional", "causal")
SCORES_VALUES = [[1.0, 2.0, 0.0], [0.0, 0.0, 5.0], [1.0, 0.0, 2.0]]
ROW_VALUES = [[0.0, 0.0, 0.0], [3.0, 1.0, 7.0], [0.0, 0.0, 0.0]]
NEW_HEAD_VALUES = {"W": [[0.5, -1.0], [1.0, 0.5]], "h": [2.0, 1.0], "w": [2.0, -1.0], "t": 1}


# ---- the two models --------------------------------------------------------------------------------------------------
@cache
def model(kind: str, blocks: int) -> gl.Graph:
    """The loss of a stack of blocks on the rows X, where `labels` names a word; the scores are products with words."""
    x, words, labels = gl.variables("X V labels")
    config = layers.Config(num_hidden_layers=blocks, **ENCODER_SIZES)  # type: ignore[arg-type]
    hidden = layers.encoder(x, config, layers.Sight(causal=kind == CAUSAL))
    return gl.graph(L=gl.cross_entropy(hidden @ words.T, labels, ignore=IGNORED))


@cache
def weights(blocks: int) -> dict[str, Any]:
    """The same numbers for both models."""
    config = layers.Config(num_hidden_layers=blocks, **ENCODER_SIZES)  # type: ignore[arg-type]
    shapes = layers.parameter_shapes(layers.encoder(gl.variable("X"), config))
    return seeded_weights(shapes, seed=WEIGHTS_SEED, spread=SPREAD_VALUES)


def asked(kind: str, row: int) -> tuple[list[str], str]:
    """What the model reads, and the word that it must say at this row (from 0): a hidden one, or the one after it."""
    if kind == CAUSAL:
        return WORDS, SENTENCE_VALUES.split()[row + 1]
    return [MASK if place == row else word for place, word in enumerate(WORDS)], WORDS[row]


@cache
def reached(kind: str, blocks: int, row: int) -> Any:
    """How large a gradient each word's row gets from the loss at this row."""
    reads, says = asked(kind, row)
    labels = np.full(len(WORDS), IGNORED)
    labels[row] = VOCABULARY.index(says)
    size = ENCODER_SIZES["hidden_size"]
    rows = word_rows(reads, size, seed=WORDS_SEED)
    values = {
        "X": rows + gl.sinusoids(rows),
        "V": word_rows(VOCABULARY, size, seed=WORDS_SEED),
        "labels": labels,
        **weights(blocks),
    }
    return np.linalg.norm(model(kind, blocks).gradients(values)["X"], axis=-1)


# ---- the experiment --------------------------------------------------------------------------------------------------
def compare(settings: Settings) -> Findings:
    """One loss at one row, in both models; and every row's loss in one of them."""
    row, blocks, mask = int(settings["row"]) - 1, int(settings["blocks"]), settings["mask"]
    sizes = {kind: reached(kind, blocks, row) for kind in MODELS}
    all_rows = np.array([reached(mask, blocks, place) for place in range(len(WORDS))])
    return Findings(
        {
            "both_ways": Quantity("Bidirectional: gradient at each word", sizes[BOTH_WAYS], in_view=True),
            "causal": Quantity("Causal: gradient at each word", sizes[CAUSAL], in_view=True),
            "number_both_ways": Quantity("Words reached, bidirectional", np.count_nonzero(sizes[BOTH_WAYS])),
            "number_causal": Quantity("Words reached, causal", np.count_nonzero(sizes[CAUSAL])),
            "future": Quantity("Causal: largest gradient after the row", np.max(sizes[CAUSAL][row + 1 :], initial=0.0)),
        },
        (
            questions(row),
            Bars("Size of the gradient that each word's row gets", labels(), sizes),
            Heat(f"{mask}: what the loss at each row (down) sends to each word", all_rows, labels(), labels()),
        ),
    )


def labels() -> list[str]:
    return [f"{place} {word}" for place, word in enumerate(WORDS, start=1)]


def questions(row: int) -> Table:
    """What the two models read, and what each must say at this row."""
    rows = []
    for kind in MODELS:
        reads, says = asked(kind, row)
        seen = reads[: row + 1] if kind == CAUSAL else reads
        rows.append([kind, " ".join(seen), says])
    return Table(f"What is asked at row {row + 1}", ["Model", "It sees", "It must say"], rows)


def all_questions() -> Findings:
    """Every question that one sentence gives to each model."""
    rows = [[str(place + 1), *(asked(kind, place)[1] for kind in MODELS)] for place in range(len(WORDS))]
    return Findings(views=(Table("The word asked at each row", ["Row", *MODELS], rows),))


LESSON = Lesson(
    key="11",
    title="Masked training and fine-tuning",
    says="A sentence is its own teacher: hide a word and ask for it. Either every word may look at every other one and "
    "some words are hidden (*bidirectional*), or each word sees only what stands before it and must say the next one "
    "(*causal*). One encoder, two masks; there is no decoder.",
    needs=("6", "8", "10"),
    symbols={
        "X": "rows that the encoder reads: words and positions added",
        "S, P": "scores, and their softmax in every row",
        "U": "upstream gradient: what L says to each output",
        "t": "label: the word that must be said",
        "h, w": "the output of the encoder; weights of a new head. h is no head here",
    },
    predict=Question(
        "Six words go through two blocks, and the loss is read at row 3. Which words' rows get gradient?",
        (
            Choice(
                "Row 3 only: the loss is there",
                "Row 3 has looked at other words, so they count for the loss too. The bidirectional mask reaches "
                "[[number_both_ways]] words, the causal one [[number_causal]].",
                tempting=True,
            ),
            Choice(
                "All six with the bidirectional mask; the first three with the causal one",
                "Yes: gradient goes back along every look, and along no other way. After row 3 the causal mask leaves "
                "exactly [[future]].",
                right=True,
            ),
            Choice(
                "All six in both: two blocks mix everything",
                "More blocks do not open the mask: a causal row 3 has seen nothing of words 4 to 6, in no block. They "
                "get exactly [[future]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Move the row of the loss, add blocks, flip the mask. Does a word after the row ever get gradient "
        "from a causal model?",
        controls={
            "row": Slider("Loss at row", 3, 1, 6, 1),
            "blocks": Slider("Blocks", 2, 1, 4, 1),
            "mask": Choose("Mask", BOTH_WAYS, MODELS),
        },
        run=compare,
        expect=("both_ways", "causal", "number_both_ways", "number_causal", "future"),
    ),
    screens=(
        Screen(
            title="What is asked",
            says="Bidirectional: row $m$ is read with word $m$ replaced by [MASK], and must say that word. If it were "
            "not hidden, the answer would stand in the question. Causal: row $m$ must say word $m + 1$, which it "
            "cannot see; nothing needs hiding, and every row asks at once.",
            show=all_questions,
        ),
        Screen(
            title="The mask, backward",
            says="The loss speaks at row 2 only, and word 3 would count most there (upstream 7). But the mask made "
            "$P_{23} = 0$, and softmax's backward multiplies by $P$: no gradient comes through, in row 2 or anywhere "
            "above the diagonal.",
            walk=Walk(
                program="P = softmax(causal_mask(S)); L = sum(P*U)", values={"S": SCORES_VALUES, "U": ROW_VALUES}
            ),
            formulas=("forward", "backward"),
            blanks=("P", "P_bar", "S_bar"),
        ),
        Screen(
            title="Without the mask",
            says="The same numbers, bidirectional: now word 3 counts, and the scores of row 2 all get gradient. The "
            "other rows get none: nobody asked them.",
            walk=Walk(program="P = softmax(S); L = sum(P*U)", values={"S": SCORES_VALUES, "U": ROW_VALUES}),
            formulas=("forward", "backward"),
            blanks=("P_bar", "S_bar"),
        ),
        Screen(
            title="Fine-tuning",
            says="Afterwards the same encoder gets a small new head and a new question, with few labels: here yes or "
            "no, $t$, from one row $h$. The gradient does not stop at the head: $\\bar h$ goes on into the encoder, "
            "whose weights were learnt before and now move a little.",
            walk=Walk(program="c = tanh(W@h); z = w@c; L = bce_with_logits(z, t)", values=NEW_HEAD_VALUES),
            formulas=("forward", "backward"),
            blanks=("z", "z_bar", "w_bar"),
        ),
    ),
    why=Question(
        "Why must a bidirectional model have hidden words, and a causal one not?",
        (
            Choice(
                "A bidirectional row would see the word that it must say",
                "Yes: it would only have to copy it.",
                right=True,
            ),
            Choice(
                "Hidden words make training harder, and harder is better",
                "Then a causal model would need them too. What does row 3 of each model see of the word that is asked?",
                tempting=True,
            ),
            Choice(
                "The causal mask is the same as hiding words",
                "It hides what comes after, from everybody before it; [MASK] hides one word from all. Look who gets "
                "gradient: [[number_causal]] words there, [[number_both_ways]] here.",
            ),
        ),
    ),
    recall="5b",
)
