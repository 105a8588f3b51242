"""The Models page in Streamlit's own test harness: every model opens, settings hold, links and refusals work."""

from __future__ import annotations

from concurrent.futures import wait

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from graphlab.tracing.explaining import explain
from graphlab.tracing.folding import fold
from graphlab.tracing.outline import search
from graphlab.ui import drawing
from graphlab.ui.catalogue import MODELS, Model, Number
from graphlab.ui.drawing import plan
from graphlab.ui.state import ModelState, from_link, to_link


def script() -> None:
    """The page alone: AppTest does not follow links between pages."""
    from graphlab.ui.models import models

    models(lambda: None)


def page(state: ModelState | None = None) -> AppTest:
    test = AppTest.from_function(script, default_timeout=60)
    if state is not None:
        test.query_params["m"] = to_link(state) or ""
    return test.run()


def shown(test: AppTest) -> ModelState:
    """What the address says."""
    return from_link(str(test.query_params["m"]), ModelState)


def whole(test: AppTest) -> bool:
    return not (test.exception or test.error or test.warning)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_opens_with_its_settings(model: str) -> None:
    test = page(ModelState(model=model))
    assert whole(test)
    assert shown(test).model == model and test.selectbox(key="model").value == model
    assert {field.label for field in [*test.number_input, *test.toggle]} == {
        setting.title for setting in MODELS[model].settings.values()
    }


def ends(model: Model, end: str) -> dict[str, int]:
    """Every setting at one end of its range."""
    return {
        name: int(getattr(setting, end)) if isinstance(setting, Number) else int(end == "most")
        for name, setting in model.settings.items()
    }


@pytest.mark.parametrize("end", ["least", "most"])
@pytest.mark.parametrize("model", [key for key, model in MODELS.items() if model.numbers])
def test_every_model_runs_with_its_smallest_and_its_largest_settings(model: str, end: str) -> None:
    graph, values = MODELS[model].built(ends(MODELS[model], end))
    assert values is not None and np.isfinite(graph.evaluate(values))


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others() -> None:
    first = {name: setting.first for name, setting in MODELS["attention"].settings.items()}
    results = [MODELS["attention"].built({**first, "seed": seed}) for seed in (3, 3, 4)]
    one, same, other = (graph.evaluate(values) for graph, values in results)
    assert one == same != other


def test_another_model_begins_at_its_beginning() -> None:
    test = page(ModelState(model="encoder", step=7, opened=["s:encoder"], settings={"layers": 3}))
    test.selectbox(key="model").set_value("block").run()
    assert whole(test)
    assert (shown(test).model, shown(test).step, shown(test).selected) == ("block", 0, None)


def test_a_setting_changes_the_graph_and_keeps_the_others() -> None:
    test = page(ModelState(model="encoder", settings={"heads": 1}))
    test.number_input(key="setting layers").set_value(3).run()
    assert whole(test) and shown(test).settings["layers"] == 3 and shown(test).settings["heads"] == 1


def test_settings_outside_their_range_are_brought_into_it() -> None:
    test = page(ModelState(model="encoder", settings={"layers": 10**9, "evil": 3}))
    assert whole(test) and shown(test).settings["layers"] == MODELS["encoder"].settings["layers"].within(10**9) < 99


def test_open_boxes_that_are_not_there_are_forgotten_with_a_word() -> None:
    test = page(ModelState(model="attention", opened=["s:nowhere", "n999"]))
    assert not test.exception and test.warning


@pytest.mark.parametrize("packed", ["nonsense", "eNqrVkrL"])
def test_a_damaged_link_opens_the_first_model_and_says_so(packed: str) -> None:
    test = AppTest.from_function(script, default_timeout=60)
    test.query_params["m"] = packed
    test.run()
    assert test.warning and not test.exception and test.selectbox(key="model").value == "attention"


def test_an_unknown_model_is_said() -> None:
    test = page(ModelState(model="gpt"))
    assert test.warning and not test.exception


def test_a_model_without_numbers_is_walked_through_by_shapes() -> None:
    graph, values = MODELS["bert-base"].built({"tokens": 128})
    assert values is None
    whole = plan(graph.outline())
    sentences = [words.sentence for words in explain(whole)]
    assert sentences[0].startswith("This is a plan without numbers.")
    assert len(sentences) == 1 + sum(node.role == "operation" for node in whole.nodes)
    assert any("has shape (12, 128, 64)" in sentence for sentence in sentences)
    closed, opened = (fold(whole, boxes) for boxes in ([], ["s:bert", "s:bert.encoder", "s:bert.encoder.layer.*"]))
    assert len(opened.steps) >= len(closed.steps) + 12


def test_search_takes_several_words() -> None:
    graph, _ = MODELS["bert-base"].built({"tokens": 8})
    (found,) = search(graph.outline(), "layer.7 SOFTMAX")
    assert found.scope == "bert.encoder.layer.7.attention.self" and "s:bert.encoder.layer.*" in found.open
    assert search(graph.outline(), "layer.7 nothing") == []


def test_what_may_come_next_is_drawn_while_the_reader_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Going on into a box that was just uncovered draws nothing anew."""
    model = MODELS["encoder"]
    settings = {name: setting.within(None) for name, setting in model.settings.items()}
    source = drawing.Source("drawn ahead", lambda: model.built(settings))
    opened = (*drawing.first_opened(source), "s:encoder.layer.*")
    drawing.draw_ahead(source, opened, None)
    wait(drawing._coming)
    monkeypatch.setattr(drawing, "scene", None)
    assert drawing.model_scene(source, (*opened, "s:encoder.layer.0"), None)["svg"]
