"""Rung 3: feed-forward networks and back-propagation. Why layers need an activation, and a start that is not 0."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Findings, Lines, Quantity, Table
from graphlab.lessons.laboratories.network import (
    EVERY,
    LONGEST,
    NONE,
    STARTS,
    TRAINING,
    XOR_POINTS,
    learnt,
    plane,
    solved,
)
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk

SHOWN_STEPS = (0, 50, 2000)
EXAMPLE_VALUES = {"x": [1, -2], "W": [[0.5, -1], [1, 0.5]], "b": [0, 1], "v": [2, -1], "c": 0.5, "y": 0}
ZERO_VALUES = {
    "X": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "y": [0, 1, 1, 0],
    "W": [[0, 0], [0, 0]],
    "b": [0, 0],
    "v": [0, 0],
    "c": 0,
}
TWO_MAPS = gl.parse("v@(W@x + b) + c", values=EXAMPLE_VALUES)
ONE_MAP = gl.parse("(v@W)@x + (v@b + c)", values=EXAMPLE_VALUES)
MERGED_WEIGHTS = gl.parse("v@W", values=EXAMPLE_VALUES)
OTHER_VALUES = ([1, -2], [0, 0], [3, 0.5], [-1, 4])


def train(settings: Settings) -> Findings:
    """XOR with and without an activation, from the chosen start; and from weights that are all 0."""
    activation, number, step = settings["activation"], settings["start"], settings["step"]
    look = step // EVERY
    curves = {
        "tanh": learnt("tanh").losses[:, number],
        "no activation": learnt(NONE).losses[:, number],
        "tanh, all weights 0": learnt("tanh").losses[:, 0],
    }
    tanh, none, zero = curves.values()
    weights = {name: array[number] for name, array in learnt(activation).weights[look].items()}
    steps = np.arange(0, LONGEST + 1, EVERY)
    return Findings(
        {
            **{f"tanh_{at}": Quantity("tanh", tanh[at // EVERY], in_view=True) for at in SHOWN_STEPS},
            "none_loss": Quantity("no activation", none[-1], in_view=True),
            "zero_loss": Quantity("all weights 0", zero[-1], in_view=True),
            "coin": Quantity("Loss of p = ½ everywhere: ln 2", gl.parse("-log(p)").evaluate(p=np.mean(XOR_POINTS))),
            "tanh_solved": Quantity("Starts that solve XOR, tanh", f"{solved('tanh')} of {STARTS}"),
            "none_solved": Quantity("Starts that solve XOR, no activation", f"{solved(NONE)} of {STARTS}"),
        },
        (
            losses(curves),
            Lines(f"The loss, every {EVERY} steps", steps, curves, "step", "loss"),
            plane(f"What the network says after step {look * EVERY}", activation, weights, XOR_POINTS),
        ),
    )


def losses(curves: dict[str, Any]) -> Table:
    """The losses at some steps."""
    rows: list[list[Any]] = [[name, *(line[at // EVERY] for at in SHOWN_STEPS)] for name, line in curves.items()]
    return Table("Loss on XOR", ["", *(f"step {at:,}" for at in SHOWN_STEPS)], rows)


def collapse() -> Findings:
    """Two affine maps and the one that they are, at several x."""
    weights = {name: EXAMPLE_VALUES[name] for name in ("W", "b", "v", "c")}
    rows: list[list[Any]] = [
        [x, TWO_MAPS.evaluate(x=x, **weights), ONE_MAP.evaluate(x=x, **weights)] for x in OTHER_VALUES
    ]
    merged = MERGED_WEIGHTS.evaluate(v=weights["v"], W=weights["W"])
    return Findings(
        {"merged": Quantity("v W, the weights of the one map", merged)},
        (Table("Score z", ["x", "v(Wx + b) + c", "(vW)x + (vb + c)"], rows),),
    )


LESSON = Lesson(
    key="3",
    title="Feed-forward and back-propagation",
    says="A layer is an affine map and an activation: $h = \\tanh(Wx + b)$. Stacked, they make a feed-forward network; "
    "back-propagation is the backward pass through it, and gradient descent takes a small step against every gradient.",
    needs=("4", "2", "1"),
    symbols={
        "W, b": "weights and biases of the hidden layer",
        "v, c": "weights and bias of the last one; c is no class here",
        "a, h": "the hidden units before and after the activation",
        "z": "the score",
        "y": "the label, 0 or 1",
    },
    predict=Question(
        "XOR: (0, 1) and (1, 0) are of class 1, (0, 0) and (1, 1) of class 0. No straight line separates them. We put "
        "a layer of four hidden units in between, but no activation. Does the network learn XOR?",
        (
            Choice(
                "Yes: it has many more weights",
                "More weights, but the same functions: from [[none_solved]] random starts it learns XOR, and its loss "
                "stays at [[none_loss]], what a coin has.",
                tempting=True,
            ),
            Choice(
                "No: two affine maps in a row are one affine map",
                "Yes: the loss stays at [[none_loss]]. With tanh in between, [[tanh_solved]] starts learn it.",
                right=True,
            ),
            Choice(
                "Only with a lucky start",
                "No start helps: [[none_solved]] learn it. Whatever the weights, the boundary is a straight line.",
            ),
        ),
    ),
    experiment=Experiment(
        question="Move the step and watch the ground. Choose other random starts: does one of them help? Start 0 has "
        "only zeros: why does nothing happen there, even with tanh?",
        controls={
            "activation": Choose("Ground of", "tanh", ("tanh", NONE)),
            "start": Slider("Start (0: all weights 0)", 1, 0, 20, 1),
            "step": Slider("Step", 2000, 0, 2000, 50),
        },
        run=train,
        expect=("tanh_0", "tanh_50", "tanh_2000", "none_loss", "zero_loss", "coin", "tanh_solved", "none_solved"),
    ),
    training=TRAINING,
    screens=(
        Screen(
            title="One example",
            says="Forward: affine, bend, affine, loss. Backward the same way in reverse; a weight's gradient is *what "
            "arrives at its output times what went in*.",
            walk=Walk(
                program="a = W@x + b; h = tanh(a); z = v@h + c; L = bce_with_logits(z, y)", values=EXAMPLE_VALUES
            ),
            formulas=("forward", "backward"),
            blanks=("a", "h", "z", "z_bar", "v_bar", "h_bar", "a_bar", "W_bar"),
        ),
        Screen(
            title="Without an activation",
            says="Multiply out: $v(Wx + b) + c = (vW)x + (vb + c)$. The two maps are one, and so are three or thirty.",
            show=collapse,
        ),
        Screen(
            title="All weights 0",
            says="The whole of XOR at once. With $v = 0$ nothing comes back to the hidden units; with $h = 0$ nothing "
            "arrives at $v$; and for $c$ the four examples cancel. No weight moves, ever.",
            walk=Walk(program="H = tanh(X@W.T + b); z = H@v + c; L = bce_with_logits(z, y)", values=ZERO_VALUES),
            formulas=("forward",),
            blanks=("z", "z_bar", "v_bar", "W_bar", "c_bar"),
        ),
    ),
    why=Question(
        "All weights and biases of a tanh network start at 0. Why does it never learn XOR?",
        (
            Choice(
                "Every gradient is 0: each is a product with a 0 in it, and for the last bias the examples cancel",
                "Yes: gradient descent has nothing to follow.",
                right=True,
            ),
            Choice(
                "It learns, only slowly",
                "The gradients are not small, they are 0: the loss stays at [[zero_loss]] for ever.",
                tempting=True,
            ),
            Choice(
                "tanh is flat at 0",
                "At 0 tanh is steepest: its slope there is 1. Look at what it is multiplied with.",
            ),
        ),
    ),
    recall="2",
)
