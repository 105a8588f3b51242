"""Rung 8a: layer norm backward, with torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.course import LESSONS

torch.set_num_threads(1)
ROW, UPSTREAM = [1.0, 1.0, 5.0, 5.0], [1.0, 0.0, 0.0, 0.0]


def tensor(numbers: Any) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def gradient_of(row: list[float], upstream: list[float], eps: float) -> Any:
    x = tensor(row).requires_grad_()
    torch.nn.functional.layer_norm(x, x.shape, eps=eps).backward(tensor(upstream))
    assert x.grad is not None
    return x.grad.numpy()


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    x = tensor(ROW)
    normal = torch.nn.functional.layer_norm(x, x.shape, eps=0)
    gradient = gradient_of(ROW, UPSTREAM, 0)
    return {
        "x_hat": normal.numpy(),
        "gradient": gradient,
        "direct": np.asarray(UPSTREAM) / x.std(correction=0).item(),
        "second": gradient[1],
        "total": 0.0,
        "along": 0.0,
        "std": x.std(correction=0).item(),
        "torch_std": normal.std().item(),
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table; torch's own std is another one."""
    found = expected()
    np.testing.assert_allclose(found["gradient"], [1 / 4, -1 / 4, 0, 0], atol=1e-15)
    np.testing.assert_allclose(found["direct"], [1 / 2, 0, 0, 0])
    assert found["torch_std"] == pytest.approx(1.1547, abs=5e-5)


def test_the_three_paths_add_up_to_the_gradient() -> None:
    """And the sum is torch's, whatever the row, the upstream and ε."""
    random = np.random.default_rng(8)
    for eps in (0.0, 0.5, 4.0):
        row, upstream = random.normal(size=4).tolist(), random.normal(size=4).tolist()
        found = LESSONS["8a"].experiment.run({"x": row, "upstream": upstream, "epsilon": eps})
        *paths, together = found.views[1].as_table().rows
        gradient = gradient_of(row, upstream, eps)
        np.testing.assert_allclose(np.sum([path[1:] for path in paths], axis=0), gradient, atol=1e-13)
        np.testing.assert_allclose(list(together[1:]), gradient, atol=1e-13)


def test_epsilon_lets_through_a_part_along_x_hat_and_none_along_the_ones() -> None:
    """x̂·x̄ = rstd · ε/(var + ε) · Σ ȳx̂, and the sum stays 0."""
    row, upstream, eps = [1.0, 1.0, 5.0, 5.0], [1.0, 2.0, 0.0, -1.0], 0.5
    found = LESSONS["8a"].experiment.run({"x": row, "upstream": upstream, "epsilon": eps}).quantities
    x = np.asarray(row)
    rstd = (x.var() + eps) ** -0.5
    x_hat = (x - x.mean()) * rstd
    assert found["total"].shown == "0"
    assert found["along"].value == pytest.approx(rstd * eps / (x.var() + eps) * (upstream @ x_hat))
    assert found["along"].shown != "0"


def test_the_numbers_that_are_asked_tell_the_right_rule_from_each_path_left_out() -> None:
    """Without a path, without ½ or by 1/(d − 1), something else comes out."""
    (walk,) = [s.walk for s in LESSONS["8a"].screens if s.title == "Opened"]
    assert walk is not None
    x, u = (np.asarray(walk.values[name]) for name in "xu")
    std = x.std()
    x_hat = (x - x.mean()) / std
    right = (u - u.mean() - x_hat * (u * x_hat).mean()) / std
    np.testing.assert_allclose(walk.graph.gradients(walk.values)["x"], right, atol=1e-14)
    for wrong in (
        u / std,
        (u - u.mean()) / std,
        (u - x_hat * (u * x_hat).mean()) / std,
        right * std / x.std(ddof=1),
        right * std,
    ):
        assert np.abs(wrong - right).max() > 0.05


def test_every_row_of_the_table_of_slopes_adds_up_to_zero() -> None:
    (screen,) = [screen for screen in LESSONS["8a"].screens if screen.show is not None]
    assert screen.show is not None
    (heat,) = screen.show().views
    numbers = np.asarray(heat.numbers)  # type: ignore[union-attr]
    jacobian = torch.func.jacrev(lambda x: torch.nn.functional.layer_norm(x, x.shape, eps=0))(tensor(ROW))
    np.testing.assert_allclose(numbers, jacobian.numpy(), atol=1e-14)
    np.testing.assert_allclose(numbers.sum(axis=1), 0, atol=1e-14)
