"""Rung 7: self-attention with queries, keys and values. Long vectors make softmax choose; √d keeps it open."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Settings
from graphlab.lessons.findings import Bars, Findings, Heat, Quantity, Table
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

WORDS_SIZES = 8
DRAWS_SIZES = 400
KEY_SIZES = (4, 16, 64, 256, 512)
DRAW_SEED = 7
DEAD_VALUES = 1e-3
DECIMALS_VALUES = 3
DIVISORS = {"nothing": "1", "√d": "sqrt(d)", "d": "d"}
SCORE_VALUES = {"Q": [[1.0, 2.0], [0.0, -1.0]], "K": [[2.0, 1.0], [1.0, 3.0], [-1.0, 0.0]]}
SCORE_UPSTREAM_VALUES = [[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]]
MIX_VALUES = {"P": [[0.5, 0.5, 0.0], [0.2, 0.2, 0.6]], "V": [[2.0, 0.0], [4.0, 1.0], [0.0, 5.0]]}
MIX_UPSTREAM_VALUES = [[1.0, 2.0], [5.0, 0.0]]
MAP_VALUES = {"X": [[1.0, 2.0, 3.0], [4.0, 0.0, -1.0]], "W_Q": [[1.0, 0.0, 2.0], [3.0, -1.0, 0.0]]}
MAP_UPSTREAM_VALUES = [[1.0, 0.0], [2.0, -3.0]]
LAYER_VALUES = {
    "X": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    "W_Q": [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [0.0, 1.0]],
    "W_K": [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]],
    "W_V": [[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]],
    "U": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 2.0]],
}

SOFTMAX = gl.parse("P = softmax(S)", values=("S",))
ENTROPY = gl.parse("-sum(P*log_softmax(S), axis=-1)", values=("P", "S"))
LENGTH = gl.parse("sqrt(sum(J*J, axis=(0, -1)))", values=("J",))
WORDS = gl.parse("exp(H)", values=("H",))
SCORES = {name: gl.parse(f"S = Q@K.T/{divisor}", values=("Q", "K", "d")) for name, divisor in DIVISORS.items()}


class Facts(NamedTuple):
    """What many random attentions with keys of one size are like; entropy in nats, shares from 0 to 1."""

    words: float
    entropy: float
    median: float
    mean: float
    dead: float
    pattern: Any


@cache
def draws() -> tuple[Any, Any]:
    """Random queries and keys in their longest form; shorter ones are their beginnings."""
    random = np.random.default_rng(seed=DRAW_SEED)
    shape = (DRAWS_SIZES, WORDS_SIZES, max(KEY_SIZES))
    return random.normal(size=shape), random.normal(size=shape)


@cache
def facts(size: int, divided_by: str) -> Facts:
    """Those of all draws. A row's Jacobian is ∂p/∂s of its softmax; its length is the root of its squares' sum."""
    queries, keys = (numbers[..., :size] for numbers in draws())
    graph = SCORES[divided_by]
    given = {"Q": queries, "K": keys, "d": float(size)}
    scores = graph.evaluate({name: given[name] for name in graph.inputs})
    weights = SOFTMAX.evaluate(S=scores)
    lengths = LENGTH.evaluate(J=np.stack([slopes_of(scores, j) for j in range(WORDS_SIZES)]))
    entropy = float(np.mean(ENTROPY.evaluate(P=weights, S=scores)))
    return Facts(
        words=WORDS.evaluate(H=entropy),
        entropy=entropy,
        median=float(np.median(lengths)),
        mean=float(np.mean(lengths)),
        dead=float(np.mean(lengths < DEAD_VALUES)),
        pattern=weights[0],
    )


def slopes_of(scores: Any, j: int) -> Any:
    """∂pⱼ/∂s in every row."""
    seed = np.broadcast_to(np.eye(WORDS_SIZES)[j], scores.shape)
    return SOFTMAX.gradients(S=scores, seed=seed)["S"]


def look(settings: Settings) -> Findings:
    """How many words a row looks at, and how much gradient its softmax lets through."""
    chosen = facts(int(settings["d"]), settings["divided_by"])
    raw, scaled = ([facts(size, name) for size in KEY_SIZES] for name in ("nothing", "√d"))
    longest, shortest = raw[-1], raw[0]
    places = [str(place) for place in range(1, 1 + WORDS_SIZES)]
    return Findings(
        {
            "words": Quantity("Words looked at", chosen.words),
            "entropy": Quantity("Entropy, its logarithm (nats)", chosen.entropy),
            "median": Quantity("Row Jacobian, median", chosen.median),
            "mean": Quantity("its mean", chosen.mean),
            "dead": Quantity(f"Share of dead rows (below {DEAD_VALUES})", chosen.dead),
            "words_long": Quantity("Words at the largest d", longest.words, in_view=True),
            "words_short": Quantity("Words at the smallest d", shortest.words, in_view=True),
            "words_scaled": Quantity("Words at the largest d, divided by √d", scaled[-1].words, in_view=True),
            **columns_of("raw", raw),
            **columns_of("scaled", scaled),
        },
        (
            Bars(
                "Words looked at",
                [f"d = {size}" for size in KEY_SIZES],
                {"scores as they are": [row.words for row in raw], "divided by √d": [row.words for row in scaled]},
            ),
            side_by_side("Scores as they are", raw),
            side_by_side("Scores divided by √d", scaled),
            Heat(
                "Weights P of the first draw, to three places: row i looks at column j",
                np.round(chosen.pattern, DECIMALS_VALUES),
                places,
                places,
            ),
        ),
    )


def columns_of(name: str, found: list[Facts]) -> dict[str, Quantity]:
    """What a table shows, column by column."""
    return {
        f"entropies_{name}": Quantity(f"Entropy, {name}", [row.entropy for row in found], in_view=True),
        f"medians_{name}": Quantity(f"Median row Jacobian, {name}", [row.median for row in found], in_view=True),
        f"dead_{name}": Quantity(f"Dead rows, {name}", [row.dead for row in found], in_view=True),
    }


def side_by_side(title: str, found: list[Facts]) -> Table:
    columns = ["d", "entropy", "median row Jacobian", "mean row Jacobian", "dead rows"]
    rows = [[size, row.entropy, row.median, row.mean, row.dead] for size, row in zip(KEY_SIZES, found, strict=True)]
    return Table(title, columns, rows)


LESSON = Lesson(
    key="7",
    title="Self-attention, extended",
    says="Each word now has three roles, each with a matrix of its own: it asks with a query $q_i = W^Q x_i$, is found "
    "by a key $k_i = W^K x_i$, and passes on a value $v_i = W^V x_i$. The score is $q_i \\cdot k_j$, and "
    "$y_i = \\sum_{j \\le i} P_{ij}\\,v_j$ with $P = \\mathrm{softmax}(S)$ row by row.",
    needs=("5a", "5b", "6"),
    symbols={
        "Q, K, V": "queries, keys, values: a row for each word (Q = X Wᵀ: all words at once)",
        "W_Q, W_K, W_V": "their matrices, stored (out, in)",
        "S, P": "scores; attention weights, α in the lecture",
        "Q̄, S̄, …": "gradient of L with respect to Q, S, …: shaped like them",
        "d": "number of entries of a query or key, d_k; no node",
        "U": "upstream gradient: what L says to the last result",
    },
    predict=Question(
        "Eight words; queries and keys are random numbers (mean 0, variance 1). With $d = 4$ entries each, a row "
        "spreads its weight over a few words. Now $d = 512$, and scores are not divided by anything. Over how many "
        "words?",
        (
            Choice(
                "As many as before: all are equally random",
                "Equally random, but not equally large: a sum of more products spreads further, and softmax makes a "
                "winner of the largest. [[words_short]] words become [[words_long]].",
                tempting=True,
            ),
            Choice(
                "Hardly more than one",
                "Yes: [[words_short]] words become [[words_long]]. Divided by √d it stays at [[words_scaled]].",
                right=True,
            ),
            Choice(
                "Over all eight: with so many entries differences even out",
                "They would in a mean. A score is a sum: [[words_short]] words become [[words_long]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Every number here is over many random draws. Follow the median of the row Jacobian (how much "
        "gradient gets through a row's softmax) as $d$ grows, and compare it with the mean: what does the mean hide? "
        "Then divide the scores: by $\\sqrt d$, and by $d$.",
        controls={
            "d": Choose("d", str(KEY_SIZES[-1]), tuple(map(str, KEY_SIZES))),
            "divided_by": Choose("Scores divided by", "nothing", tuple(DIVISORS)),
        },
        run=look,
        expect=(
            "words",
            "mean",
            "words_scaled",
            "entropies_raw",
            "entropies_scaled",
            "medians_raw",
            "medians_scaled",
            "dead_raw",
            "dead_scaled",
        ),
    ),
    screens=(
        Screen(
            title="Scores",
            says="Two queries, three keys: $S$ has a row for each query and a column for each key. $S_{ij}$ uses row "
            "$i$ of $Q$ and row $j$ of $K$. So $\\bar Q$ collects along a row of $\\bar S$, $\\bar K$ along a column.",
            walk=Walk(program="S = Q@K.T; L = sum(S*U)", values={**SCORE_VALUES, "U": SCORE_UPSTREAM_VALUES}),
            formulas=("forward", "backward"),
            blanks=("S", "S_bar", "Q_bar", "K_bar"),
        ),
        Screen(
            title="Weights and values",
            says="Each result is a mean of the values. A value that many rows look at collects from all of them: "
            "$\\bar V = P^\\top \\bar Y$. A weight is worth what its value does for the loss: "
            "$\\bar P = \\bar Y V^\\top$.",
            walk=Walk(program="Y = P@V; L = sum(Y*U)", values={**MIX_VALUES, "U": MIX_UPSTREAM_VALUES}),
            formulas=("forward", "backward"),
            blanks=("Y", "Y_bar", "P_bar", "V_bar"),
        ),
        Screen(
            title="The matrices",
            says="One matrix makes the queries of all words: $q_i = W^Q x_i$ for one word, $Q = X W_Q^\\top$ for all. "
            "So it collects an outer product from each word, $\\bar W_Q = \\bar Q^\\top X$. Keys and values do the "
            "same.",
            walk=Walk(program="Q = X@W_Q.T; L = sum(Q*U)", values={**MAP_VALUES, "U": MAP_UPSTREAM_VALUES}),
            formulas=("forward", "backward"),
            blanks=("Q", "Q_bar", "W_Q_bar", "X_bar"),
        ),
        Screen(
            title="The whole layer",
            says="All together, causal, and divided by $\\sqrt{d}$ with $d = 4$. The root stands in $\\bar Q$ and in "
            "$\\bar K$ once more. $X$ is used three times, and so its gradient has three parts.",
            walk=Walk(
                program="Q = X@W_Q.T; K = X@W_K.T; V = X@W_V.T; S = causal_mask(Q@K.T/sqrt(4)); P = softmax(S); "
                "Y = P@V; L = sum(Y*U)",
                values=LAYER_VALUES,
            ),
            formulas=("forward", "backward"),
        ),
    ),
    why=Question(
        "Why are scores divided by $\\sqrt d$, and not by $d$?",
        (
            Choice(
                "A sum of d random products spreads like √d, so this keeps scores the same size for every d",
                "Yes: their variances add, and the deviation is the root of the variance.",
                right=True,
            ),
            Choice(
                "It should be d, because d products are added",
                "Then it would be their mean, and shrink as d grows: all weights would become equal. Try it above.",
                tempting=True,
            ),
            Choice(
                "So that the weights of a row add up to 1",
                "Softmax sees to that, whatever the scores are.",
            ),
        ),
    ),
    recall="6",
)
