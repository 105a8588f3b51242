"""A lesson that learns something: a straight line through points of one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import graphlab as gl
from graphlab.lessons.controls import Choose, Points, Settings, Slider, Switch, Text
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Drawing, Findings, Formula, Lines, Plane, Quantity
from graphlab.lessons.lesson import Experiment, State, Training
from graphlab.lessons.optimisers import OPTIMISERS, optimiser

LOSS = gl.parse("z = X@w\nL = mean(softplus(z) - y*z)", values={"X": np.ones((4, 2)), "y": np.ones(4), "w": [0.0, 0.0]})
POINTS = [[-2.0, 0.5, 0.0], [-1.0, -0.5, 0.0], [1.0, 0.5, 1.0], [2.0, -0.5, 1.0]]


def data(settings: Settings) -> dict[str, Any]:
    rows = np.asarray(settings["points"])
    return {"X": rows[:, :2], "y": rows[:, 2]}


def start(settings: Settings) -> State:
    return {"w": np.zeros(2), "memory": {}, "losses": np.array([])}


def step(state: State, settings: Settings) -> State:
    at = {**data(settings), "w": state["w"]}
    losses = np.append(state["losses"], LOSS.evaluate(at))
    moved = optimiser(settings["optimiser"], settings["rate"]).step(
        {"w": state["w"]}, {"w": LOSS.gradients(at)["w"]}, state["memory"]
    )
    return {"w": moved.weights["w"], "memory": moved.memory, "losses": losses}


def findings(state: State, settings: Settings) -> Findings:
    given = data(settings)
    ticks = np.linspace(-3, 3, 7)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1)
    p = gl.sigmoid(grid @ state["w"])
    arrows = np.hstack([given["X"], 0.2 * given["X"]])
    curve = {"L": state["losses"] if len(state["losses"]) else np.zeros(1)}
    return Findings(
        {"loss": Quantity("L", LOSS.evaluate({**given, "w": state["w"]}))},
        (
            Plane("The plane", given["X"], given["y"], (ticks, ticks, p), arrows),
            Lines("Loss", np.arange(len(curve["L"])), curve, "step", "L", {"start": (0.0, float(curve["L"][0]))}),
        ),
    )


def every_view(settings: Settings) -> Findings:
    walk = LESSONS["4"].screens[0].walk
    assert walk is not None
    words = Quantity("words", str(len(settings["words"].split())))
    return Findings({"words": words}, (Formula("Formula", LOSS.latex), Drawing("Drawing", walk)))


CONTROLS = {"words": Text("Words", "the cat sat", 40), "on": Switch("On", True)}
SAMPLE = replace(
    LESSONS["4"],
    key="sample",
    experiment=Experiment(question="What?", controls=CONTROLS, run=every_view, expect=("words",)),
    training=Training(
        controls={
            "points": Points("Points", POINTS, 3.0, 20),
            "optimiser": Choose("Optimiser", "SGD", OPTIMISERS),
            "rate": Slider("Rate", 0.5, 0.1, 2.0, 0.1),
        },
        start=start,
        step=step,
        findings=findings,
        longest=200,
        editable=("w",),
    ),
)
