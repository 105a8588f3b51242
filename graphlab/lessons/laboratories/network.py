"""A network with one hidden layer on points of the plane: many starts at once for the experiment, one live to train.

A = X W₁ᵀ + b₁, H = the activation of A, z = H W₂ᵀ + b₂, and the loss is the cross-entropy of z. All arrays may have a
first axis of networks that learn side by side; none of them hears of the others, because their losses are added.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import graphlab as gl
from graphlab.api.plans import Plan
from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Findings, Lines, Plane, Quantity
from graphlab.lessons.lesson import State, Training
from graphlab.lessons.optimisers import OPTIMISERS, optimiser

Arrays = Mapping[str, Any]
NONE = "none"
ACTIVATIONS = {"tanh": "tanh(A)", NONE: "A", "ReLU": "relu(A)", "sigmoid": "sigmoid(A)"}
WEIGHTS = ("W_1", "b_1", "W_2", "b_2")
XOR_POINTS = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=float)
MOONS_SEED = 4
MOONS_SIZES = (2, 16)


@cache
def moons() -> Any:
    """Two half circles that reach into each other, a little shaken: rows [x₁, x₂, class]."""
    random = np.random.default_rng(MOONS_SEED)
    angles = np.linspace(0, np.pi, MOONS_SIZES[1])
    upper = np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    lower = np.column_stack([1 - np.cos(angles), 0.5 - np.sin(angles), np.ones_like(angles)])
    rows = np.concatenate([upper, lower])
    rows[:, :-1] += 0.1 * random.normal(size=(len(rows), 2))
    return rows.round(2)


def data_called(name: str) -> Any:
    """The points of "XOR" or "moons"."""
    return XOR_POINTS if name == "XOR" else moons()


class Network(NamedTuple):
    """What can be asked of networks with one activation, made ready to run."""

    total: Plan  # the sum of all losses: its gradients are those of each network's own mean
    losses: Plan  # one mean loss per network
    scores: Plan


@cache
def network(activation: str) -> Network:
    """The programs; they take one network or many."""
    scores = f"A = X@transpose(W_1) + b_1; H = {ACTIVATIONS[activation]}; z = H@transpose(W_2) + b_2"
    each = f"{scores}; l = y*softplus(-z) + (1 - y)*softplus(z)"
    weights = initial(4, np.random.default_rng(0))
    values = {"X": XOR_POINTS[:, :-1], "y": XOR_POINTS[:, -1:], **weights}
    programs = (f"{each}; L = sum(mean(l, axis=-2))", f"{each}; L = mean(l, axis=-2)", scores)
    return Network(*(gl.parse(text, values=values).compile() for text in programs))


def initial(hidden: int, random: np.random.Generator, *networks: int) -> dict[str, Any]:
    """Weights from a standard normal distribution, biases 0; of several networks at once with a first axis."""
    rows = (1,) if networks else ()
    return {
        "W_1": random.normal(size=(*networks, hidden, 2)),
        "b_1": np.zeros((*networks, *rows, hidden)),
        "W_2": random.normal(size=(*networks, 1, hidden)),
        "b_2": np.zeros((*networks, *rows, 1)),
    }


# ---- many starts, side by side ---------------------------------------------------------------------------------------
STARTS = 20
HIDDEN = 4
STARTS_SEED = 0
STARTS_RATE = 0.5
LONGEST = 2000
EVERY = 50  # steps between two looks


class Looks(NamedTuple):
    """What is seen of all networks every so many steps: losses (looks, networks), and the weights at each look."""

    losses: Any
    weights: list[dict[str, Any]]


def all_starts() -> dict[str, Any]:
    """The weights of the network that starts from 0 and of the STARTS others."""
    drawn = initial(HIDDEN, np.random.default_rng(STARTS_SEED), STARTS)
    return {name: np.concatenate([np.zeros_like(array[:1]), array]) for name, array in drawn.items()}


@cache
def learnt(activation: str) -> Looks:
    """Plain gradient descent on XOR, from every start at once."""
    plans, weights = network(activation), all_starts()
    x, y = XOR_POINTS[:, :-1], XOR_POINTS[:, -1:]
    seen: list[dict[str, Any]] = [weights]
    for step in range(1, LONGEST + 1):
        slopes = plans.total.gradients(X=x, y=y, borrow=True, **weights)
        weights = {name: weights[name] - STARTS_RATE * slopes[name] for name in WEIGHTS}
        if step % EVERY == 0:
            seen.append(weights)
    losses = [plans.losses.evaluate(X=x, y=y, **at)[:, 0] for at in seen]
    return Looks(np.array(losses), seen)


def solved(activation: str) -> int:
    """How many of the random starts have every point of XOR on its side in the end."""
    last = learnt(activation).weights[-1]
    scores = network(activation).scores.evaluate(X=XOR_POINTS[:, :-1], **last)[1:]
    return int(np.all((scores > 0) == (XOR_POINTS[:, -1:] == 1), axis=(1, 2)).sum())


def plane(title: str, activation: str, weights: Arrays, rows: Any) -> Plane:
    """The points on the ground that one network paints."""
    low, high = rows[:, :-1].min(axis=0) - 0.5, rows[:, :-1].max(axis=0) + 0.5
    xs, ys = (np.linspace(a, b, 29) for a, b in zip(low, high, strict=True))
    corners = np.array([[a, b] for b in ys for a in xs])
    scores = network(activation).scores.evaluate(X=corners, **weights)
    ground = gl.parse("sigmoid(z)").evaluate(z=scores.reshape(len(ys), len(xs)))
    return Plane(title, rows[:, :-1], rows[:, -1], (xs, ys, ground))


# ---- one network, live -----------------------------------------------------------------------------------------------
MEMORY = "memory "
ZERO, RANDOM = "all 0", "random"


def start(settings: Settings) -> State:
    """Weights drawn with the seed, or all 0."""
    drawn = initial(settings["hidden"], np.random.default_rng(settings["seed"]))
    weights = {name: np.zeros_like(array) if settings["start"] == ZERO else array for name, array in drawn.items()}
    return {**weights, "losses": np.array([loss_of(weights, settings)])}


def loss_of(weights: Arrays, settings: Settings) -> float:
    rows = data_called(settings["data"])
    return float(network(settings["activation"]).losses.evaluate(X=rows[:, :-1], y=rows[:, -1:], **weights)[0])


def step(state: State, settings: Settings) -> State:
    """One step of the optimiser on all points; what it remembers stands in the state too."""
    rows, weights = data_called(settings["data"]), {name: state[name] for name in WEIGHTS}
    memory = {name.removeprefix(MEMORY): value for name, value in state.items() if name.startswith(MEMORY)}
    slopes = network(settings["activation"]).total.gradients(X=rows[:, :-1], y=rows[:, -1:], **weights)
    wanted = {name: slopes[name] for name in WEIGHTS}
    moved = optimiser(settings["optimiser"], settings["rate"]).step(weights, wanted, memory)
    kept = {f"{MEMORY}{name}": value for name, value in moved.memory.items()}
    losses = np.append(state["losses"], loss_of(moved.weights, settings))
    return {**moved.weights, **kept, "losses": losses}


def findings(state: State, settings: Settings) -> Findings:
    """What the network says of every place, and its loss so far."""
    rows, weights = data_called(settings["data"]), {name: state[name] for name in WEIGHTS}
    scores = network(settings["activation"]).scores.evaluate(X=rows[:, :-1], **weights)
    right = np.count_nonzero((scores > 0) == (rows[:, -1:] == 1))
    losses = state["losses"]
    return Findings(
        {
            "loss": Quantity("Loss", loss_of(weights, settings)),
            "right": Quantity("Points on the right side", f"{right} of {len(rows)}"),
        },
        (
            plane("Where p = ½ the ground changes its colour", settings["activation"], weights, rows),
            Lines("Loss", np.arange(len(losses)), {settings["optimiser"]: losses}, "step", "loss"),
        ),
    )


TRAINING = Training(
    controls={
        "data": Choose("Points", "XOR", ("XOR", "moons")),
        "activation": Choose("Activation", "tanh", tuple(ACTIVATIONS)),
        "optimiser": Choose("Optimiser", OPTIMISERS[0], OPTIMISERS),
        "start": Choose("Weights at the start", RANDOM, (RANDOM, ZERO)),
        "hidden": Slider("Hidden units", 4, 1, 8, 1),
        "rate": Slider("Learning rate", 0.5, 0.01, 1.0, 0.01),
        "seed": Slider("Seed of the random start", 1, 1, 20, 1),
    },
    start=start,
    step=step,
    findings=findings,
    longest=2000,
    editable=WEIGHTS,
)
