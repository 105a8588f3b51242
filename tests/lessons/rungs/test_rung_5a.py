"""Rung 5a: W̄ = q̄xᵀ and x̄ = Wᵀq̄ with torch; shapes prove nothing; entries reach what the text says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from graphlab.lessons.controls import first_settings
from graphlab.lessons.course import LESSONS
from graphlab.lessons.findings import Table
from graphlab.lessons.lesson import Walk

torch.set_num_threads(1)
W, X, UPSTREAM = [[1, 2, 0], [0, 1, 3]], [1, 2, 3], [1, -2]


def walk_of(title: str) -> Walk:
    (walk,) = [screen.walk for screen in LESSONS["5a"].screens if screen.title == title]
    assert walk is not None
    return walk


def expected() -> dict[str, Any]:
    """What the experiment must show."""
    w, x = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (W, X))
    upstream = torch.tensor(UPSTREAM, dtype=torch.float64)
    q = w @ x
    q.backward(upstream)  # type: ignore[no-untyped-call]
    assert w.grad is not None and x.grad is not None
    more = w.detach().clone()
    more[0, 1] += 1
    moved = (more @ x - q).detach()
    return {
        "q": q.detach().numpy(),
        "W_bar": w.grad.numpy(),
        "x_bar": x.grad.numpy(),
        "moved": moved.numpy(),
        "felt": float(upstream @ moved),
        "entry": float(w.grad[0, 1]),
        "entry_swapped": float(w.grad[1, 0]),
        "swapped": w.grad.T.numpy(),
    }


def test_the_lecture_says_these_numbers() -> None:
    """The row of the experiments table."""
    found = expected()
    np.testing.assert_array_equal(found["q"], [5, 11])
    np.testing.assert_array_equal(found["W_bar"], [[1, 2, 3], [-2, -4, -6]])
    np.testing.assert_array_equal(found["x_bar"], [1, 0, -6])
    assert found["felt"] == found["entry"] != found["entry_swapped"]


@pytest.mark.parametrize("entry", ["W₁₁", "W₁₂", "W₂₁", "W₂₂"])
@pytest.mark.parametrize("sizes", [0, 1], ids=["2 × 3", "2 × 2"])
def test_a_weight_moves_one_output_and_the_gradient_says_how_far_l_goes(entry: str, sizes: int) -> None:
    experiment = LESSONS["5a"].experiment
    settings = first_settings(experiment.controls)
    settings |= {"sizes": experiment.controls["sizes"].options[sizes], "entry": entry}  # type: ignore[union-attr]
    found = experiment.run(settings).quantities
    assert np.count_nonzero(found["moved"].value) == 1
    assert found["felt"].value == pytest.approx(found["entry"].value)


@pytest.mark.parametrize(("sizes", "fitting"), [(0, 2), (1, 4)], ids=["2 × 3", "2 × 2"])
def test_with_equal_sizes_every_product_fits_and_yet_one_is_right(sizes: int, fitting: int) -> None:
    experiment = LESSONS["5a"].experiment
    settings = first_settings(experiment.controls)
    settings["sizes"] = experiment.controls["sizes"].options[sizes]  # type: ignore[union-attr]
    (table,) = experiment.run(settings).views
    assert isinstance(table, Table)
    assert [row[-2] for row in table.texts].count("yes") == fitting
    assert [(row[0], row[1]) for row in table.texts if row[-1] == "yes"] == [("W̄", "q̄ xᵀ"), ("x̄", "Wᵀ q̄")]


@pytest.mark.parametrize("title", ["Opened", "Your turn"])
def test_in_the_opened_graph_w12_reaches_only_the_first_output(title: str) -> None:
    """And an input reaches both; each number is the entry of torch's gradient."""
    walk = walk_of(title)
    (path,) = walk.graph.paths("W_1_2", walk.values)
    assert "q_1" in path.nodes and "q_2" not in path.nodes
    ends = [set(path.nodes) & {"q_1", "q_2"} for path in walk.graph.paths("x_2", walk.values)]
    assert ends == [{"q_1"}, {"q_2"}] or ends == [{"q_2"}, {"q_1"}]
    gradients = walk.graph.gradients(walk.values)
    for (i, j), upstream in {(1, 2): "u_1", (2, 1): "u_2"}.items():
        assert gradients[f"W_{i}_{j}"] == walk.values[upstream] * walk.values[f"x_{j}"]


def test_the_outer_products_of_the_tokens_add_up_to_the_gradient_of_torch() -> None:
    walk = walk_of("Two tokens")
    x, w, upstream = (torch.tensor(walk.values[name], dtype=torch.float64) for name in ("X", "W", "U"))
    w.requires_grad_()
    (x @ w.T).backward(upstream)  # type: ignore[no-untyped-call]
    assert w.grad is not None
    (screen,) = [screen for screen in LESSONS["5a"].screens if screen.show is not None]
    assert screen.show is not None
    (table,) = screen.show().views
    assert isinstance(table, Table)
    *tokens, total = [row[-1] for row in table.rows]
    np.testing.assert_array_equal(total, w.grad.numpy())
    np.testing.assert_array_equal(np.add(*tokens), total)


def test_the_numbers_asked_tell_the_wrong_products_apart() -> None:
    """No blank has the answer of the transposed rule, of the weight itself or of its neighbour."""
    walk = walk_of("Your turn")
    gradients = walk.graph.gradients(walk.values)
    weights = {name: value for name, value in gradients.items() if name.startswith("W")}
    assert len(set(weights.values())) == len(weights)
    assert all(weights[name] != walk.values[name] for name in weights)
