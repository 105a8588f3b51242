"""The rewriting panel in Streamlit's own test harness: steps, results and the empty state."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from graphlab.ui.state import PageState, to_link

APP = Path(__file__).parents[2] / "app.py"


def panel(formula: str, values: dict[str, str], kind: str = "simplify", what: str = "The formula") -> AppTest:
    test = AppTest.from_file(str(APP), default_timeout=60)
    test.query_params["g"] = to_link(PageState(formula, values))
    test.session_state["panel"] = "Rewriting"
    test.session_state["rewriting kind"] = kind
    test.session_state["rewriting what"] = what
    test.run()
    assert not test.exception and not test.error
    return test


def formulas(test: AppTest) -> list[str]:
    return [element.value.strip("$\n") for element in test.latex]


def captions(test: AppTest) -> list[str]:
    return [caption.value for caption in test.caption]


def test_every_step_stands_in_the_table_with_its_reason_and_check() -> None:
    test = panel("y = x*2*1", {"x": "3"})
    table = test.dataframe[0].value
    assert list(table["before → after"]) == ["x · 2 → 2 · x", "2 · x · 1 → 2 · x"]
    assert list(table["rule"]) == ["number first", "drop ·1"]
    assert list(table["check"]) == ["equal", "equal"]
    assert captions(test)[-1] == "The formula, before and after: Equal at 5 random points (largest difference 0)."
    assert formulas(test) == [r"y = x \cdot 2 \cdot 1", r"y = 2 \, x"]


def test_the_panel_opens_on_a_derivative_as_the_chain_rule_builds_it() -> None:
    test = AppTest.from_file(str(APP), default_timeout=60)
    test.query_params["g"] = to_link(PageState("L = c(a+2b)", {"a": "3", "b": "1", "c": "-2"}))
    test.session_state["panel"] = "Rewriting"
    assert not test.run().exception
    assert formulas(test)[-1] == r"a + 2 \, b", "the first input is c"
    test = panel("L = c(a+2b)", {"a": "3", "b": "1", "c": "-2"}, what="The derivative by b")
    assert formulas(test)[-1] == r"2 \, c" and "1 · c → c" in list(test.dataframe[0].value["before → after"])


def test_equal_parts_and_fragile_formulas_have_their_own_rules() -> None:
    merged = panel("d = x*x; e = x*x; L = d + e", {"x": "3"}, "merge")
    assert merged.dataframe[0].value["why"][0].startswith("d and e are the same: x · x.")
    safer = panel("L = log(sigmoid(z))", {"z": "3"}, "stabilise")
    assert any("only the new form has a finite value" in caption for caption in captions(safer))


def test_where_no_rule_fits_the_panel_says_so() -> None:
    test = panel("L = a*b", {"a": "3", "b": "1"})
    assert "Nothing to rewrite." in captions(test) and not test.dataframe
