"""The Explore page in Streamlit's own test harness: states, errors and what survives them. The browser has its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from graphlab.ui.gallery import GALLERY, Example
from graphlab.ui.state import PageState, to_link
from graphlab.ui.values import write_value

APP = Path(__file__).parents[2] / "app.py"


def page(formula: str = "", values: dict[str, str] | None = None, **state: object) -> AppTest:
    test = AppTest.from_file(str(APP), default_timeout=60)
    if formula:
        test.query_params["g"] = to_link(PageState(formula, values or {}, **state))
    test.session_state["panel"] = "Formulas"
    return test.run()


def fields(test: AppTest) -> dict[str, str]:
    return {field.label: field.value for field in test.text_input}


def latex(test: AppTest) -> list[str]:
    return [element.value for element in test.latex]


def test_the_first_screen_is_the_lectures_example_with_its_values() -> None:
    test = page()
    assert not test.exception and not test.error
    assert fields(test) == {"c": "-2", "a": "3", "b": "1"}
    assert any(r"\frac{\partial L}{\partial b} = 2 \, c = -4" in text for text in latex(test))


@pytest.mark.parametrize("example", GALLERY, ids=lambda e: e.key)
def test_every_example_opens_without_an_error(example: Example) -> None:
    test = page().button(key=f"example {example.key}").click().run()
    assert not test.exception and not test.error and not test.warning
    assert set(fields(test).values()) == {write_value(v) for v in example.values.values()}


def test_a_changed_value_changes_the_gradients() -> None:
    test = page()
    test.text_input(key="value c").set_value("−4").run()
    assert any(r"\frac{\partial L}{\partial b} = 2 \, c = -8" in text for text in latex(test))


def test_a_wrong_value_is_named_and_the_graph_stays() -> None:
    test = page()
    test.text_input(key="value a").set_value("three").run()
    assert "is not a number" in test.error[0].value and not test.exception
    assert test.error[0].value.startswith("a "), "the name keeps its case"
    test.text_input(key="value a").set_value("3").run()
    assert not test.error


def test_a_shape_error_says_which_sizes_differ() -> None:
    test = page("Y = A@B\nL = sum(Y)", {"A": "[[1, 2]]", "B": "[[1, 2]]"})
    assert "inner sizes must match" in test.error[0].value.replace("\\", "") and not test.exception


def test_a_new_formula_has_sensible_values_of_the_right_shapes() -> None:
    test = page("S = Q@K.T\nL = sum(S)")
    assert not test.error and not test.exception
    assert all(value.startswith("[[") for value in fields(test).values())


def test_an_ambiguous_name_can_be_read_the_other_way() -> None:
    test = page("y = k(x+1)")
    assert any("read as" in caption.value for caption in test.caption)
    flipped = next(button for button in test.button if str(button.key).startswith("flip ")).click().run()
    assert not flipped.exception


def test_undo_brings_back_what_was_there() -> None:
    test = page().button(key="example chain").click().run()
    assert fields(test) == {"x": "1"}
    test.button(key="undo button").click().run()
    assert fields(test) == {"c": "-2", "a": "3", "b": "1"}


@pytest.mark.parametrize("packed", ["nonsense", "eNqrVkrL", "AAAA" * 100])
def test_a_damaged_link_opens_the_lectures_example_and_says_so(packed: str) -> None:
    test = AppTest.from_file(str(APP), default_timeout=60)
    test.query_params["g"] = packed
    test.run()
    assert test.warning and not test.exception and fields(test) == {"c": "-2", "a": "3", "b": "1"}


@pytest.mark.parametrize(
    "formula", ["L = c(a+2b", "", "9**9**9", '__import__("os").system("x")', "sigmod(x)", "(" * 3000]
)
def test_a_bad_formula_leaves_the_page_standing(formula: str) -> None:
    test = page(formula or "   ")
    assert not test.exception


def test_nan_and_infinity_are_shown_without_an_exception() -> None:
    test = page("L = x*log(x) + 1/x", {"x": "0"})
    assert not test.exception and not test.error


def test_a_formula_that_becomes_wrong_leaves_the_last_good_graph() -> None:
    test = page("L = a*b", {"a": "2", "b": "5"})
    test.session_state["page"] = PageState("L = a*(b", {"a": "2", "b": "5"})
    test.run()
    assert not test.exception
    assert any("last formula that could be read" in caption.value for caption in test.caption)
    assert fields(test) == {"a": "2", "b": "5"} and latex(test)


@pytest.mark.parametrize("panel", ["Formulas", "Paths", "Second order", "Backward graph", "Rewriting", "SymPy"])
@pytest.mark.parametrize("example", GALLERY, ids=lambda e: e.key)
def test_every_panel_opens_for_every_example(panel: str, example: Example) -> None:
    test = AppTest.from_file(str(APP), default_timeout=60)
    test.query_params["g"] = to_link(example.as_page())
    test.session_state["panel"] = panel
    assert not test.run().exception


def test_forward_mode_moves_the_chosen_inputs() -> None:
    test = page("L = c(a+2b)", {"a": "3", "b": "1", "c": "-2"}, moving=["b"])
    assert not test.exception and not test.error
    assert test.toggle(key="forward mode").value is True


def test_a_formula_may_be_in_latex_and_is_shown_as_it_was_read() -> None:
    test = page(r"L = c(a+2b)", {"a": "3", "b": "1", "c": "-2"}, notation="latex")
    assert not test.exception and not test.error
    assert any(r"L = c \, (a + 2 \, b)" in text for text in latex(test))


def test_what_is_computed_carefully_is_said_and_can_be_computed_as_typed() -> None:
    test = page("L = log(sigmoid(z_1*z_2))", {"z_1": "1", "z_2": "2"})
    (notice,) = [caption.value for caption in test.caption if "is computed as" in caption.value.replace("\\", "")]
    assert r"z\_1\*z\_2" in notice, "nothing of the formula may be read as Markdown"
    flipped = next(button for button in test.button if button.label == "Compute it as typed").click().run()
    assert not flipped.exception and any("exactly as typed" in caption.value for caption in flipped.caption)
    back = next(button for button in flipped.button if button.label == "Compute it carefully").click().run()
    assert any("is computed as" in caption.value.replace("\\", "") for caption in back.caption)
