"""Rung 7: how many words attention looks at as queries and keys get longer, with NumPy; its gradients, with torch."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.course import LESSONS

torch.set_num_threads(1)
KEY_SIZES, DRAWS, WORDS, SEED = (4, 16, 64, 256, 512), 400, 8, 7


@cache
def rows_at(size: int, *, scaled: bool) -> tuple[Any, Any]:
    """Entropy and length of the Jacobian, for each row of all draws."""
    random = np.random.default_rng(SEED)
    queries, keys = (random.normal(size=(DRAWS, WORDS, KEY_SIZES[-1]))[..., :size] for _ in range(2))
    scores = np.einsum("bid,bjd->bij", queries, keys) / (np.sqrt(size) if scaled else 1)
    logs = scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    p = np.exp(logs)
    jacobian = p[..., None] * (np.eye(WORDS) - p[..., None, :])
    return -np.sum(p * logs, axis=-1), np.linalg.norm(jacobian, axis=(-2, -1))


@cache
def expected() -> dict[str, Any]:
    """What the experiment must show."""
    found: dict[str, Any] = {}
    for name, scaled in (("raw", False), ("scaled", True)):
        rows = [rows_at(size, scaled=scaled) for size in KEY_SIZES]
        found[f"entropies_{name}"] = [entropy.mean() for entropy, _ in rows]
        found[f"medians_{name}"] = [np.median(length) for _, length in rows]
        found[f"dead_{name}"] = [np.mean(length < 1e-3) for _, length in rows]
    return found | {
        "words": np.exp(found["entropies_raw"][-1]),
        "words_scaled": np.exp(found["entropies_scaled"][-1]),
        "mean": rows_at(KEY_SIZES[-1], scaled=False)[1].mean(),
    }


def test_the_lecture_says_about_these_numbers() -> None:
    """The row of the experiments table, as near as other draws come."""
    found = expected()
    np.testing.assert_allclose(found["entropies_raw"], [1.28, 0.67, 0.32, 0.15, 0.10], atol=0.05)
    np.testing.assert_allclose(found["entropies_scaled"], 1.72, atol=0.05)
    np.testing.assert_allclose(found["dead_raw"], [0, 0.02, 0.18, 0.48, 0.60], atol=0.04)
    assert found["dead_scaled"] == [0] * 5
    assert found["medians_raw"][0] == pytest.approx(0.37, abs=0.02)
    assert 2e-5 < found["medians_raw"][-1] < 2e-4


def test_the_mean_hides_what_the_median_shows() -> None:
    """Most rows are dead, but the few that are not keep the mean up."""
    found = expected()
    assert found["mean"] > 300 * found["medians_raw"][-1]


def test_divided_by_d_all_words_weigh_nearly_the_same() -> None:
    """So √d is neither too little nor too much."""
    look = LESSONS["7"].experiment.run
    words = [look({"d": "512", "divided_by": by}).quantities["words"].value for by in ("nothing", "√d", "d")]
    assert words[0] < 1.2 < 5 < words[1] < 6.5 < 7.9 < words[2] <= 8


def test_the_gradients_of_every_screen_are_those_of_torch() -> None:
    programs = {
        "Scores": lambda x: (x["Q"] @ x["K"].T * x["U"]).sum(),
        "Weights and values": lambda x: (x["P"] @ x["V"] * x["U"]).sum(),
        "The matrices": lambda x: (x["X"] @ x["W_Q"].T * x["U"]).sum(),
        "The whole layer": whole_layer,
    }
    screens = {screen.title: screen.walk for screen in LESSONS["7"].screens}
    assert screens.keys() == programs.keys()
    for title, program in programs.items():
        walk = screens[title]
        assert walk is not None
        leaves = {
            name: torch.tensor(value, dtype=torch.float64).requires_grad_() for name, value in walk.values.items()
        }
        program(leaves).backward()
        for name, gradient in walk.graph.gradients(walk.values).items():
            np.testing.assert_allclose(gradient, leaves[name].grad.numpy(), atol=1e-12)  # type: ignore[union-attr]


def whole_layer(x: dict[str, torch.Tensor]) -> torch.Tensor:
    q, k, v = (x["X"] @ x[f"W_{name}"].T for name in "QKV")
    y = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    return (y * x["U"]).sum()
