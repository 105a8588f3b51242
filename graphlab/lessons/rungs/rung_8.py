"""Rung 8: the transformer block. Residual connections and layer norm, switched off one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphlab as gl
from graphlab.engine.core import Node
from graphlab.layers import Config, parameter_shapes
from graphlab.layers import block as layer_block
from graphlab.lessons.controls import Choose, Settings, Slider, Switch
from graphlab.lessons.findings import Findings, Lines, Quantity, Table
from graphlab.lessons.laboratories.tower import Meters, Norm, Tower, measure
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

SMALL_VALUES = 0.02
LARGE_VALUES = 0.125
BLOCK_SIZES = Config(hidden_size=4, num_attention_heads=2, intermediate_size=8)
BLOCK_SEED = 8
ROWS_VALUES = [[1.0, -1.0, 0.5, 2.0], [0.0, 1.5, -0.5, 1.0], [-1.0, 0.5, 1.0, 0.0]]
SHORT_VALUES = {"x": [4.0, 2.0], "W": [[0.5, -1.0], [0.0, 0.25]], "u": [3.0, -2.0]}
PART_VALUES = {
    "W": [[0.0, 1.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
    "u": [9.0, 3.0, 3.0, -3.0],
}
AFTER_VALUES = {"x": [4.0, 1.0, 2.0, 3.0], **PART_VALUES}
BEFORE_VALUES = {"x": [9.0, 1.0, 3.0, 3.0], **PART_VALUES}
NORMS: dict[str, Norm] = {"after (BERT)": "after", "before": "before", "off": "off"}
POWER = gl.parse("log(g)/log(10)", values=("g",))


def switch(settings: Settings) -> Findings:
    """Both meters at every floor of the chosen tower, and at the ends of the others."""
    deviation = settings["deviation"]
    chosen = measure(Tower(settings["residual"], NORMS[settings["norm"]], deviation))
    found = {name: measure(tower) for name, tower in board(deviation).items()}
    rows = [[title, meters.gradients[0], meters.similarities[-1]] for title, meters in found.items()]
    steps = np.arange(len(chosen.gradients))
    lines = {"as switched": chosen, **{name: found[name] for name in list(found)[:-1]}}
    powers = {name: POWER.evaluate(g=np.asarray(meters.gradients)) for name, meters in lines.items()}
    return Findings(
        {
            "gradient": Quantity("Gradient at the input, × top", chosen.gradients[0]),
            "similarity": Quantity("Token similarity at the top", chosen.similarities[-1]),
            **{
                name: quantity
                for key, meters in zip(("on", "no_residual", "no_norm", "off", "blown"), found.values(), strict=True)
                for name, quantity in ends(key, meters).items()
            },
        },
        (
            Table("The switch board", ["", "gradient at the input, × top", "token similarity at the top"], rows),
            Lines("Gradient, × top, as a power of ten", steps, powers, "blocks below", "log₁₀"),
            Lines("Token similarity", steps, {n: m.similarities for n, m in lines.items()}, "blocks below"),
        ),
    )


def board(deviation: float) -> dict[str, Tower]:
    """The four positions of the two switches; and one of them with large weights."""
    return {
        "residual on, norm on": Tower(True, "after", deviation),
        "residual off, norm on": Tower(False, "after", deviation),
        "residual on, norm off": Tower(True, "off", deviation),
        "both off": Tower(False, "off", deviation),
        f"residual on, norm off, weights {LARGE_VALUES}": Tower(True, "off", LARGE_VALUES),
    }


def ends(key: str, meters: Meters) -> dict[str, Quantity]:
    return {
        f"gradient_{key}": Quantity(f"Gradient, {key}", meters.gradients[0], in_view=True),
        f"similarity_{key}": Quantity(f"Similarity, {key}", meters.similarities[-1], in_view=True),
    }


def small_block() -> Node:
    """A whole block on three tokens."""
    loss: Node = gl.sum(layer_block(gl.variable("X"), BLOCK_SIZES) * gl.variable("U"))
    return loss


def small_values() -> dict[str, Any]:
    """Random weights with one digit behind the point."""
    random = np.random.default_rng(seed=BLOCK_SEED)
    shapes = parameter_shapes(layer_block(gl.variable("X"), BLOCK_SIZES))
    values: dict[str, Any] = {
        name: np.round(random.normal(size=tuple(map(int, shape))), 1) for name, shape in shapes.items()
    }
    return {**values, "X": ROWS_VALUES, "U": np.eye(len(ROWS_VALUES), len(ROWS_VALUES[0]))}


LESSON = Lesson(
    key="8",
    title="The transformer block",
    says="A block is attention, where tokens look at each other, and a feed-forward network, where each token is on "
    "its own. Around both stand two helpers: a *residual connection*, $x + F(x)$, and a *layer norm*. What is each of "
    "them for? Switch it off, and read two meters.",
    needs=("7", "8a"),
    symbols={
        "F": "attention or feed-forward network: what a connection goes around",
        "X": "rows of tokens; Y what the block makes of them",
        "gradient, × top": "length of the gradient there, divided by its length at the top",
        "token similarity": "mean cosine between two tokens: 1 = all point the same way",
        "H, G": "inside the feed-forward network, before and after GELU; no heads here",
        "u, U": "upstream gradient",
    },
    predict=Question(
        "Twelve blocks as in BERT (layer norm after each part), small random weights, 16 different tokens. You take "
        "out all residual connections and keep the layer norms. What dies first?",
        (
            Choice(
                "The gradient: without shortcuts nothing comes through twelve blocks",
                "Layer norm scales it up again in every block: [[gradient_no_residual]] times the top's gradient "
                "arrives. But the tokens have become the same: similarity [[similarity_no_residual]], not "
                "[[similarity_on]].",
                tempting=True,
            ),
            Choice(
                "The differences between the tokens",
                "Yes: similarity [[similarity_no_residual]] instead of [[similarity_on]], while "
                "[[gradient_no_residual]] times the top's gradient still arrives. One meter is not enough.",
                right=True,
            ),
            Choice(
                "Nothing: layer norm keeps all numbers in order",
                "Their size, yes. But attention averages, and nobody puts the differences back: similarity "
                "[[similarity_no_residual]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Read both meters for all four positions of the switches. Which helper keeps the tokens apart, and "
        "what does the other one do when weights are large? Then put the norm before each part.",
        controls={
            "residual": Switch("Residual connections", True),
            "norm": Choose("Layer norm", "after (BERT)", tuple(NORMS)),
            "deviation": Slider("Deviation of the weights", SMALL_VALUES, 0.005, 0.2, 0.005),
        },
        run=switch,
        expect=(
            "gradient",
            "similarity",
            "gradient_on",
            "similarity_on",
            "gradient_no_residual",
            "similarity_no_residual",
            "gradient_no_norm",
            "gradient_off",
            "gradient_blown",
        ),
    ),
    screens=(
        Screen(
            title="Around a part",
            says="$x$ is used twice: by $F$ and by the sum. The sum sends $\\bar y$ on unchanged. So even if nothing "
            "came through $F$, all of $\\bar y$ would arrive.",
            walk=Walk(program="F = W@x; y = x + F; L = sum(y*u)", values=SHORT_VALUES),
            formulas=("forward", "backward"),
            blanks=("y", "y_bar", "F_bar", "W_bar", "x_bar"),
        ),
        Screen(
            title="Norm after",
            says="As in BERT: what goes around $F$ is normalised too. On its way back *every* gradient goes through "
            "the norm, also that of the connection.",
            walk=Walk(program="F = W@x; r = x + F; y = layer_norm(r, eps=0); L = sum(y*u)", values=AFTER_VALUES),
            formulas=("forward", "backward"),
            blanks=("r", "r_bar", "x_bar"),
        ),
        Screen(
            title="Norm before",
            says="Here the connection goes around the norm as well: $\\bar y$ arrives at $x$ untouched, from the top "
            "of the tower down to its ground.",
            walk=Walk(program="n = layer_norm(x, eps=0); F = W@n; y = x + F; L = sum(y*u)", values=BEFORE_VALUES),
            formulas=("forward", "backward"),
            blanks=("y", "n_bar", "x_bar"),
        ),
        Screen(
            title="A whole block",
            says="Three tokens of four numbers, two heads. Open and close its boxes; find the two connections, and the "
            "norm after each.",
            walk=Walk(program=small_block, values=small_values()),
            formulas=("forward",),
        ),
    ),
    why=Question(
        "The weights are tiny, so next to nothing comes back through $F$. Why does the gradient at the bottom survive "
        "with residual connections?",
        (
            Choice(
                "x + F(x) sends back all of the upstream, plus what comes through F",
                "Yes: a sum passes a gradient on unchanged, and twelve times unchanged is unchanged.",
                right=True,
            ),
            Choice(
                "Because the connection makes F larger",
                "F stays as it is: on its own, both switches off, it lets through [[gradient_off]].",
                tempting=True,
            ),
            Choice(
                "Because gradients go around the loss",
                "All begin at the loss. Look at what the sum sends to x.",
            ),
        ),
    ),
    recall="8a",
)
