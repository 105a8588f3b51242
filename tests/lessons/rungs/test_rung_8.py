"""Rung 8: towers of transformer blocks with parts switched off, with torch."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.course import LESSONS

torch.set_num_threads(1)
BLOCKS, TOKENS, WIDTH, HEADS, BETWEEN, SEED = 12, 16, 64, 4, 256, 2
SHAPES = [(WIDTH, WIDTH)] * 4 + [(BETWEEN, WIDTH), (WIDTH, BETWEEN)]


@cache
def draws() -> tuple[torch.Tensor, torch.Tensor, list[list[torch.Tensor]]]:
    random = np.random.default_rng(SEED)
    bottom, top = (torch.tensor(random.normal(size=(TOKENS, WIDTH))) for _ in range(2))
    return bottom, top, [[torch.tensor(random.normal(size=s)) for s in SHAPES] for _ in range(BLOCKS)]


def attention(x: torch.Tensor, weights: list[torch.Tensor]) -> torch.Tensor:
    q, k, v = ((x @ w.T).reshape(TOKENS, HEADS, -1).transpose(0, 1) for w in weights[:3])
    mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return mixed.transpose(0, 1).reshape(TOKENS, WIDTH) @ weights[3].T


def network(x: torch.Tensor, weights: list[torch.Tensor]) -> torch.Tensor:
    return torch.nn.functional.gelu(x @ weights[4].T) @ weights[5].T


def normal(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, (WIDTH,), eps=1e-12)


@cache
def ends(residual: bool, norm: str, deviation: float) -> tuple[float, float]:
    """The gradient at the input in lengths of that at the top, and the mean cosine of the tokens at the top."""
    bottom, top, matrices = draws()
    x = start = bottom.clone().requires_grad_()
    for drawn in matrices:
        for made in (attention, network):
            y = made(normal(x) if norm == "before" else x, [deviation * w for w in drawn])
            y = x + y if residual else y
            x = normal(y) if norm == "after" else y
    x.backward(top)
    assert start.grad is not None
    directions = x / x.norm(dim=-1, keepdim=True)
    pairs = (directions @ directions.T)[~torch.eye(TOKENS, dtype=torch.bool)]
    return (start.grad.norm() / top.norm()).item(), pairs.mean().item()


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    found = {
        "on": ends(True, "after", 0.02),
        "no_residual": ends(False, "after", 0.02),
        "no_norm": ends(True, "off", 0.02),
        "off": ends(False, "off", 0.02),
        "blown": ends(True, "off", 0.125),
    }
    return {
        "gradient": found["on"][0],
        "similarity": found["on"][1],
        "similarity_on": found["on"][1],
        "similarity_no_residual": found["no_residual"][1],
        **{f"gradient_{name}": gradient for name, (gradient, _) in found.items()},
    }


def test_the_lecture_says_about_these_numbers() -> None:
    """The row of the experiments table, in orders of magnitude: other draws give other digits."""
    found = expected()
    assert found["gradient_on"] == pytest.approx(0.98, abs=0.1) and abs(found["similarity_on"]) < 0.05
    assert 0.2 < found["gradient_no_residual"] < 4
    assert found["similarity_no_residual"] == pytest.approx(1, abs=5e-5)
    assert 1e-40 < found["gradient_off"] < 1e-38
    assert 1e4 < found["gradient_blown"] < 1e8


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize(("title", "norm"), [("after (BERT)", "after"), ("before", "before"), ("off", "off")])
def test_both_meters_of_every_tower_are_those_of_torch(residual: bool, title: str, norm: str) -> None:
    """Also for other weights than at first."""
    found = LESSONS["8"].experiment.run({"residual": residual, "norm": title, "deviation": 0.05}).quantities
    gradient, similarity = ends(residual, norm, 0.05)
    assert found["gradient"].value == pytest.approx(gradient, rel=1e-8)
    assert found["similarity"].value == pytest.approx(similarity, abs=1e-9)


def test_the_meters_begin_at_the_input_and_end_at_the_top() -> None:
    """So the lines go one way, the gradient's from 1 at the top."""
    _, gradients, similarities = LESSONS["8"].experiment.at_first.views
    for lines in (gradients, similarities):
        assert len(lines.x) == BLOCKS + 1  # type: ignore[union-attr]
    assert gradients.lines["as switched"][-1] == 0  # type: ignore[union-attr]
    bottom = torch.nn.functional.normalize(draws()[0], dim=-1)
    mean = ((bottom @ bottom.T).sum().item() - TOKENS) / (TOKENS * (TOKENS - 1))
    assert similarities.lines["as switched"][0] == pytest.approx(mean, abs=1e-12)  # type: ignore[union-attr]


def test_a_norm_before_lets_the_upstream_arrive_whole_and_one_after_does_not() -> None:
    """With F = 0 the gradient of x is the upstream itself, or what layer norm makes of it."""
    screens = {screen.title: screen.walk for screen in LESSONS["8"].screens}
    arrived = {}
    for title in ("Norm before", "Norm after"):
        walk = screens[title]
        assert walk is not None
        values = {**walk.values, "W": np.zeros((4, 4))}
        arrived[title] = walk.graph.gradients(values)["x"]
    np.testing.assert_allclose(arrived["Norm before"], values["u"])
    assert np.abs(arrived["Norm after"] - values["u"]).max() > 0.5
