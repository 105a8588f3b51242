"""The viewer in Chromium: the first sixty seconds by keys, touch on a phone, and what must survive a rerun."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.render.test_style import contrast, luminance
from tests.requirements import needs
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
pytestmark = pytest.mark.browser

from playwright.sync_api import Locator, Page, expect  # noqa: E402 - only where it is

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(Path(__file__).with_name("viewer_page.py")) as url:
        yield url


def node(page: Page, name: str) -> Locator:
    return page.locator(f'.viewer .node[data-id="{name}"]')


def slot(page: Page, name: str, role: str) -> Locator:
    return node(page, name).locator(f".slot.{role} .number")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def told(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.locator("[data-testid=stCode] code").inner_text())
    return found


def at_step(page: Page, k: int) -> None:
    expect(page.locator(".viewer")).to_have_attribute("data-step", str(k))


def test_the_first_sixty_seconds_by_keys_only(opened: Any) -> None:
    page = opened("tour=yes")
    sentence, card = page.locator(".sentence"), page.locator(".card")
    expect(sentence).to_contain_text("Three numbers go in. Press → to work out d.")
    expect(page.locator(".step")).to_have_class(re.compile("pulsing"))
    expect(slot(page, "n4", "value")).to_have_text("")
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    expect(slot(page, "n6", "value")).to_have_text("−10")
    expect(card).to_contain_text("If b grows by 0.1, what happens to L?")
    press(page, "1")
    expect(sentence).to_contain_text("Yes: L falls by 0.4.")
    expect(card.locator(".nudge-line")).to_contain_text("L = −10.4")
    expect(node(page, "n6").locator(".nudged")).to_have_text("→ −10.4")
    press(page, "ArrowRight")
    expect(slot(page, "n6", "gradient")).to_have_text("1")
    press(page, *["ArrowRight"] * 5)
    expect(slot(page, "n3", "gradient")).to_have_text("−4")
    expect(sentence).to_contain_text("That is the −0.4 per 0.1 you saw.")
    expect(sentence).to_contain_text("Your turn")


def test_the_question_never_blocks(opened: Any) -> None:
    page = opened("tour=yes")
    press(page, *["ArrowRight"] * 4)
    at_step(page, 4)
    expect(page.locator(".choice")).to_have_count(0)


def test_every_key_of_a_presenter_steps(opened: Any) -> None:
    page = opened()
    for key, step in [
        ("PageDown", 1),
        (" ", 2),
        ("ArrowRight", 3),
        ("PageUp", 2),
        ("ArrowLeft", 1),
        ("End", 9),
        ("Home", 0),
    ]:
        press(page, key)
        at_step(page, step)


def test_a_step_takes_less_than_a_frame(opened: Any) -> None:
    page = opened()
    taken = []
    for _ in range(9):
        press(page, "ArrowRight")
        taken.append(page.evaluate("window.__graphlab_step_ms"))
    assert median(taken) < 16, taken


def test_python_hears_of_the_step_and_the_chosen_node(opened: Any) -> None:
    page = opened()
    press(page, "ArrowRight", "ArrowRight")
    node(page, "n5").click()
    expect(page.locator("[data-testid=stCode]")).to_contain_text('"selected": "n5"', timeout=10_000)
    expect(page.locator("[data-testid=stCode]")).to_contain_text('"step": 2')
    assert told(page)["step"] == 2


def test_a_click_selects_at_once_and_keeps_the_zoom(opened: Any) -> None:
    page = opened()
    page.locator("[data-do=zoomIn]").click()
    before = page.locator(".canvas > svg").get_attribute("viewBox")
    node(page, "n4").click()
    expect(node(page, "n4")).to_have_class(re.compile("selected"), timeout=200)
    expect(page.locator(".details")).to_contain_text("Used by")
    expect(page.locator("[data-testid=stCode]")).to_contain_text('"selected": "n4"', timeout=10_000)
    assert page.locator(".canvas > svg").get_attribute("viewBox") == before
    press(page, "Escape")
    expect(page.locator(".details")).to_be_hidden()


def test_details_lead_on_to_inputs_and_users(opened: Any) -> None:
    page = opened()
    press(page, "End")
    node(page, "n3").click()
    details = page.locator(".details")
    expect(details.locator("code").first).to_have_text("1")
    details.get_by_role("button", name="d", exact=True).click()
    expect(node(page, "n4")).to_have_class(re.compile("selected"))


def test_a_late_reply_does_not_undo_newer_steps(opened: Any) -> None:
    page = opened()
    press(page, "ArrowRight")
    page.wait_for_timeout(300)
    press(page, *["ArrowRight"] * 5)
    page.wait_for_timeout(1500)
    at_step(page, 6)


def test_python_can_send_the_viewer_to_a_step(opened: Any) -> None:
    page = opened()
    press(page, "ArrowRight")
    page.get_by_role("button", name="Go to step 4").click()
    at_step(page, 4)


def test_predicting_hides_what_comes_and_answers_a_guess_kindly(opened: Any) -> None:
    page = opened()
    press(page, "p")
    expect(node(page, "n4").locator(".slot.value .ask")).to_be_visible()
    guess = page.locator(".guess")
    guess.fill("2.001")
    guess.press("Enter")
    expect(page.locator(".note")).to_have_text("Yes: d = 2.")
    page.locator(".guess").fill("7")
    page.locator(".guess").press("Enter")
    expect(page.locator(".note")).to_contain_text("You said 7; it is 5.")
    at_step(page, 2)


def test_symbols_and_notation_switch_everything(opened: Any) -> None:
    page = opened()
    press(page, "End", "s")
    expect(node(page, "n6").locator(".slot.value .symbols")).to_be_visible()
    expect(slot(page, "n6", "value")).to_be_hidden()
    page.locator("[data-pref=notation]").select_option("dot")
    expect(page.locator(".sentence")).to_contain_text("d.grad")
    expect(node(page, "n6").locator(".label.dot")).to_be_visible()
    expect(node(page, "n6").locator(".label.fraction")).to_be_hidden()


def test_the_table_follows_and_its_rows_lead_to_steps(opened: Any) -> None:
    page = opened()
    press(page, "t", "ArrowRight")
    current = page.locator(".paper tr[aria-current=step]")
    expect(current).to_contain_text("d = 2 · b")
    page.locator(".paper").get_by_role("button", name="5", exact=True).click()
    expect(current).to_contain_text("L → c")
    expect(current).to_contain_text("1 · 5 = 5")


def test_paper_gets_the_table_too(opened: Any) -> None:
    page = opened()
    press(page, "End")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator(".paper")).to_be_visible()
    expect(page.locator(".paper tr").last).to_contain_text("∂L/∂b = −4")
    expect(page.locator(".transport")).to_be_hidden()


def test_a_nudge_shows_the_promise_beside_the_truth(opened: Any) -> None:
    page = opened("tour=yes")
    press(page, "End")
    page.locator(".nudge-menu").select_option(label="b")
    page.locator(".nudge-slider").press("ArrowRight")
    expect(page.locator(".nudge-line")).to_contain_text("slope · Δ = −4 · 0.1 = −0.4; L really changes by −0.4")
    expect(node(page, "n4").locator(".nudged")).to_have_text("→ 2.2")
    page.get_by_role("button", name="Done").click()
    expect(node(page, "n4").locator(".nudged")).to_have_text("")


def test_by_node_one_press_sends_along_all_edges(opened: Any) -> None:
    page = opened()
    page.locator("[data-pref=grain]").select_option("node")
    page.locator(".sentence").click()
    press(page, "Home", *["ArrowRight"] * 5)
    at_step(page, 6)
    expect(page.locator(".viewer .edge.sending")).to_have_count(2)


def test_a_screen_reader_hears_one_sentence_a_step(opened: Any) -> None:
    page = opened()
    live = page.locator("[aria-live=polite]")
    press(page, *["ArrowRight"] * 6)
    expect(live).to_contain_text("gradient of e is minus 2")
    expect(node(page, "n5")).to_have_attribute("aria-label", "e equals a plus d, value 5, gradient minus 2")


def test_nodes_are_reached_by_keyboard_in_the_order_of_the_graph(opened: Any) -> None:
    page = opened()
    node(page, "n3").focus()
    press(page, "Tab")
    expect(node(page, "n4")).to_be_focused()
    press(page, "Enter")
    expect(node(page, "n4")).to_have_class(re.compile("selected"))


def test_on_a_phone_the_step_is_large_in_view_and_moves_by_touch(opened: Any) -> None:
    page = opened("tour=yes", **PHONE)
    button = page.locator(".step")
    for k in range(1, 10):
        button.tap()
        at_step(page, k)
        page.wait_for_timeout(250)
        current = page.locator(".viewer .node.current")
        box, stage = current.bounding_box(), page.locator(".canvas").bounding_box()
        assert box and stage
        assert stage["y"] <= box["y"] + 1 and box["y"] + box["height"] <= stage["y"] + stage["height"] + 1
        assert stage["x"] <= box["x"] + 1 and box["x"] + box["width"] <= stage["x"] + stage["width"] + 1
        size = current.locator(".slot.gradient .number").evaluate(
            "text => parseFloat(text.getAttribute('font-size')) * text.getScreenCTM().a"
        )
        assert size >= 16
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_swipe_steps(opened: Any) -> None:
    page = opened(**PHONE)
    page.wait_for_timeout(500)  # until the layout stands still
    box = page.locator(".canvas").bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    for kind, x in [("touchStart", 300.0), ("touchMove", 220.0), ("touchMove", 120.0)]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    at_step(page, 1)


def test_hostile_names_stay_text(opened: Any) -> None:
    page = opened("hostile=yes")
    press(page, "End", "t")
    page.locator(".viewer .node").first.click()
    expect(page.locator(".details")).to_contain_text("<script>alert(1)</script>")
    expect(page.locator(".viewer :is(script, img, a, iframe)")).to_have_count(0)


def test_two_fingers_zoom_and_fit_undoes_it(opened: Any) -> None:
    page = opened(**PHONE)
    svg = page.locator(".canvas > svg")
    page.wait_for_timeout(500)
    before = svg.get_attribute("viewBox")
    box = page.locator(".canvas").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    for kind, apart in [("touchStart", 30), ("touchMove", 60), ("touchMove", 90)]:
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    zoomed = svg.get_attribute("viewBox")
    assert float(str(zoomed).split()[2]) < float(str(before).split()[2])
    page.wait_for_timeout(600)  # a tap right after a pinch is part of the pinch to Chromium
    page.locator("[data-do=fit]").tap()
    expect(svg).to_have_attribute("viewBox", str(before))


COLOURS = """root => {
    const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const probe = root.appendChild(document.createElement("i"));
    const colours = {};
    for (const role of "paper box leaf value-tint gradient-tint ink muted value gradient line".split(" ")) {
        probe.style.color = `var(--gl-${role})`;
        pen.fillStyle = getComputedStyle(probe).color;
        pen.fillRect(0, 0, 1, 1);
        const bytes = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
        colours[role] = "#" + bytes.map(byte => byte.toString(16).padStart(2, "0")).join("");
    }
    probe.remove();
    return colours;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast_on_the_page_as_it_is(opened: Any, scheme: str) -> None:
    colours = opened(color_scheme=scheme).locator(".viewer").evaluate(COLOURS)
    grounds = ("paper", "box", "leaf", "value-tint", "gradient-tint")
    texts = [(t, g) for t in ("ink", "muted", "value", "gradient") for g in grounds]
    assert [pair for pair in texts if contrast(colours[pair[0]], colours[pair[1]]) < 4.5] == []
    assert contrast(colours["line"], colours["paper"]) >= 3
    assert (luminance(colours["paper"]) > 0.5) == (scheme == "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible_in_both_themes(opened: Any, scheme: str) -> None:
    axe = needs("axe_playwright_python.sync_playwright").Axe()
    page = opened("tour=yes", color_scheme=scheme)
    press(page, *["ArrowRight"] * 7)
    page.wait_for_timeout(400)
    violations = axe.run(page).response["violations"]
    ours = [(v["id"], n["html"][:120]) for v in violations for n in v["nodes"] if isinstance(n["target"][0], list)]
    assert ours == []
