"""The Explore page in Chromium, as a student uses it: the first minute, an own formula, links, errors, touch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
from typing import Any

import pytest

from graphlab.ui.state import PageState, to_link
from tests.requirements import needs
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
pytestmark = pytest.mark.browser

from playwright.sync_api import Locator, Page, expect  # noqa: E402 - only where it is

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        yield url


def labelled(page: Page, start: str) -> Locator:
    """The box whose spoken label starts so."""
    return page.locator(f'.viewer .node[aria-label^="{start}"]')


def at_step(page: Page, k: int) -> None:
    expect(page.locator(".viewer")).to_have_attribute("data-step", str(k))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def type_formula(page: Page, text: str) -> None:
    page.locator("textarea").fill(text)
    page.locator("textarea").press("Enter")


def formula_link(formula: str, values: dict[str, str], **state: Any) -> str:
    return f"g={to_link(PageState(formula, values, **state))}"


def test_the_first_minute_by_keys_only(opened: Any) -> None:
    page = opened()
    sentence = page.locator(".sentence")
    expect(sentence).to_contain_text("Three numbers go in. Press → to work out d.")
    press(page, *["ArrowRight"] * 3)
    expect(labelled(page, "L equals")).to_have_attribute("aria-label", re.compile("value minus 10"))
    card = page.locator(".card")
    expect(card).to_contain_text("If b grows by 0.1, what happens to L?")
    right = card.locator(".choice").filter(has_text="−0.4").locator("kbd").inner_text()
    press(page, right)
    expect(card.locator(".nudge-line")).to_contain_text("L = −10.4")
    press(page, "ArrowRight")
    expect(sentence).to_contain_text("∂L/∂L = 1")
    press(page, *["ArrowRight"] * 5)
    expect(labelled(page, "b,")).to_have_attribute("aria-label", re.compile("gradient minus 4"))
    expect(sentence).to_contain_text("that is the −0.4 per 0.1 you saw")
    expect(sentence).to_contain_text("Your turn: type a formula, or hide the numbers and predict.")


def test_a_step_takes_less_than_a_frame(opened: Any) -> None:
    page = opened()
    taken = []
    for _ in range(9):
        press(page, "ArrowRight")
        taken.append(page.evaluate("window.__graphlab_step_ms"))
    assert median(taken) < 16, taken


def test_nudging_b_shows_the_promise_beside_what_really_happens(opened: Any) -> None:
    page = opened()
    press(page, "End")
    page.locator(".nudge-menu").select_option(label="b")
    slider = page.locator(".nudge-slider")
    slider.focus()
    press(page, "ArrowRight")
    expect(page.locator(".nudge-line")).to_contain_text("−4 · 0.1 = −0.4")
    expect(page.locator(".nudge-line")).to_contain_text("L = −10.4")


def test_a_formula_with_an_implicit_product_and_a_greek_letter_just_works(opened: Any) -> None:
    page = opened()
    type_formula(page, "y = 2α x₁ + sin x₁")
    expect(labelled(page, "y equals")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("textbox", name="α", exact=True)).to_be_visible()
    press(page, "Escape")
    page.locator(".sentence").click()
    press(page, "ArrowRight")
    at_step(page, 1)


def test_a_wrong_bracket_gets_a_caret_and_the_last_graph_stays(opened: Any) -> None:
    page = opened()
    type_formula(page, "L = c(a+2b")
    fault = page.locator(".fault")
    expect(fault).to_contain_text("Missing ) for the ( here.", timeout=15_000)
    assert fault.locator(".caret").inner_text().splitlines()[1].index("^") == 5
    expect(labelled(page, "e equals a plus d")).to_be_visible()
    type_formula(page, "L = c(a+3b)")
    expect(fault).to_be_hidden(timeout=15_000)


def test_typing_does_not_step_the_graph(opened: Any) -> None:
    page = opened()
    page.locator("textarea").click()
    press(page, "End", "Space", "p", "ArrowLeft", "t")
    page.wait_for_timeout(300)
    at_step(page, 0)


def test_a_link_reopens_the_same_step_and_node(opened: Any) -> None:
    page = opened()
    press(page, *["ArrowRight"] * 6)
    labelled(page, "e equals").click()
    page.wait_for_function("() => location.search.length > 20")
    page.wait_for_timeout(1500)
    again = opened(page.url.partition("?")[2])
    at_step(again, 6)
    expect(labelled(again, "e equals")).to_have_class(re.compile("selected"))


def test_undo_and_examples(opened: Any) -> None:
    page = opened()
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="Chain rule u(v(w(x)))").click()
    expect(labelled(page, "u equals")).to_be_visible(timeout=15_000)
    assert page.locator("textarea").input_value() == "w = x^2\nv = 3w + 1\nu = sqrt(v)"
    press(page, "Escape")
    page.get_by_test_id("stMain").get_by_role("button").nth(1).click()
    expect(labelled(page, "e equals a plus d")).to_be_visible(timeout=15_000)
    assert page.locator("textarea").input_value() == "L = c(a+2b)"


def test_a_shape_error_draws_what_is_right_and_marks_the_node(opened: Any) -> None:
    page = opened(formula_link("Y = A@B\nL = sum(Y)", {"A": "[[1, 2]]", "B": "[[1, 2]]"}))
    expect(page.locator(".viewer .node.fault")).to_have_count(1)
    expect(page.get_by_role("alert").filter(has_text="inner sizes must match")).to_be_visible()


def test_hostile_text_stays_text(opened: Any) -> None:
    page = opened()
    for text in (
        '<img src=x onerror="window.broken=1">',
        "L = a*b # <script>window.broken=1</script>",
        r"\href{javascript:1}{x}",
    ):
        type_formula(page, text)
        page.wait_for_timeout(1200)
        assert page.evaluate("window.broken") is None


def test_two_tabs_do_not_disturb_each_other(opened: Any) -> None:
    first, second = opened(), opened(formula_link("L = a*b", {"a": "2", "b": "5"}))
    press(first, "ArrowRight", "ArrowRight")
    press(second, "ArrowRight")
    type_formula(second, "L = a*b + 1")
    second.wait_for_timeout(1500)
    at_step(first, 2)
    assert first.locator("textarea").input_value() == "L = c(a+2b)"


def test_on_a_phone_the_minute_goes_by_touch(opened: Any) -> None:
    page = opened(**PHONE)
    for k in range(1, 10):
        page.locator(".step").tap()
        at_step(page, k)
    expect(page.locator(".sentence")).to_contain_text("So b gets −2 · 2 = −4.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("textarea").tap()
    page.locator("textarea").fill("")
    for sign in ("a", "·", "b"):
        page.locator(".keys button", has_text=re.compile(f"^{sign}$")).tap()
    assert page.locator("textarea").input_value() == "a·b"
    page.locator(".apply").tap()
    expect(labelled(page, "L equals")).to_have_attribute("aria-label", re.compile("a times b"), timeout=15_000)


def test_latex_is_typed_and_shown_as_it_was_read(opened: Any) -> None:
    page = opened()
    page.get_by_role("radio", name="LaTeX").or_(page.get_by_role("button", name="LaTeX", exact=True)).first.click()
    expect(page.locator("textarea")).to_have_value(re.compile(r"\\,"), timeout=15_000)
    type_formula(page, r"L = \frac{a + b}{c}")
    expect(page.locator(".katex").first).to_be_visible(timeout=15_000)
    expect(labelled(page, "L equals")).to_have_attribute("aria-label", re.compile("d divided by c|d over c|d / c"))


def test_forward_mode_carries_tangents_along(opened: Any) -> None:
    page = opened(formula_link("L = c(a+2b)", {"a": "3", "b": "1", "c": "-2"}, moving=["b"]))
    press(page, "End")
    expect(labelled(page, "L equals")).to_have_attribute("aria-label", re.compile("tangent minus 4"))
    expect(page.locator(".sentence")).to_contain_text("So L moves by 2 · (−2) = −4.")


@pytest.mark.parametrize("panel", ["Formulas", "Paths", "Second order", "Backward graph", "SymPy"])
def test_each_panel_opens_below_the_graph_and_stepping_goes_on(opened: Any, panel: str) -> None:
    page = opened()
    page.get_by_role("radio", name=panel).or_(page.get_by_role("button", name=panel, exact=True)).first.click()
    page.wait_for_timeout(2_000)
    assert page.get_by_test_id("stException").count() == 0
    page.locator(".sentence").click()
    press(page, "Home", "ArrowRight")
    at_step(page, 1)
    assert page.evaluate("window.__graphlab_step_ms") < 100


def test_a_formula_that_sympy_cannot_simplify_neither_hangs_nor_crashes_the_page(opened: Any) -> None:
    bomb = "L = " + "*".join(f"(x+{i}*y+sqrt(z+{i}))^{i}" for i in range(2, 14))
    page = opened(formula_link(bomb, {"x": "1", "y": "1", "z": "1"}))
    page.get_by_role("radio", name="SymPy").or_(page.get_by_role("button", name="SymPy", exact=True)).first.click()
    page.get_by_role("button", name="Simplify with SymPy").click()
    expect(page.get_by_role("alert").filter(has_text="within 2 seconds")).to_be_visible(timeout=30_000)
    page.locator(".sentence").click()
    press(page, "ArrowRight")
    at_step(page, 1)
