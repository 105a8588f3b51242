"""The Models page in Chromium: BERT-base opens folded and is opened down to single operations, and the view stays."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from graphlab.ui.state import ModelState, PageState, to_link
from tests.requirements import needs
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
pytestmark = pytest.mark.browser

from playwright.sync_api import Locator, Page, expect  # noqa: E402 - only where it is

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FIRST_SECONDS, OPEN_MS, MOVED_PIXELS = 20, 10_000, 40  # far above what a quiet machine needs: 2 s and 300 ms
LAYERS = "s:bert.encoder.layer.*"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        yield url


def model_link(model: str, **state: Any) -> str:
    return f"m={to_link(ModelState(model=model, **state))}"


def box(page: Page, box_id: str) -> Locator:
    """What stands for an id in the drawing: a closed box or node, or the frame of an open one."""
    return page.locator(f'.viewer :is(.node, .opened)[data-id="{box_id}"]')


def handle(page: Page, box_id: str) -> Locator:
    return page.locator(f'.viewer .handle[data-id="{box_id}"]')


def view(page: Page) -> tuple[float, float]:
    """The width and height of what is seen, in the drawing's units: the zoom."""
    width, height = map(float, str(page.locator(".canvas > svg").get_attribute("viewBox")).split()[2:])
    return width, height


def corner(page: Page, box_id: str) -> tuple[float, float]:
    """Where a box's handle is on the screen."""
    place = handle(page, box_id).locator(".knob").bounding_box()
    assert place
    return place["x"], place["y"]


def toggle(page: Page, box_id: str) -> float:
    """Open or close a box by its handle; the view stays. Returns the milliseconds until the new picture stood."""
    before, at = view(page), corner(page, box_id)
    sign = handle(page, box_id).get_attribute("class")
    page.evaluate("window.__graphlab_open_ms = 0")
    handle(page, box_id).locator(".knob").click()
    page.wait_for_function("window.__graphlab_open_ms > 0", timeout=20_000)
    assert handle(page, box_id).get_attribute("class") != sign
    now = corner(page, box_id)
    assert abs(now[0] - at[0]) < MOVED_PIXELS and abs(now[1] - at[1]) < MOVED_PIXELS, (box_id, at, now)
    assert view(page) == pytest.approx(before, rel=1e-3)
    taken: float = page.evaluate("window.__graphlab_open_ms")
    assert taken < OPEN_MS
    return taken


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at_step(page: Page, k: int) -> None:
    expect(page.locator(".viewer")).to_have_attribute("data-step", str(k))


def nodes_called(page: Page, start: str) -> Locator:
    return page.locator(f'.viewer .node[aria-label^="{start}"]')


def reveal(page: Page, words: str) -> str:
    """Search, press Enter, and wait until the way is open. Returns the id of what was found."""
    page.keyboard.press("/")
    page.locator(".search").fill(words)
    expect(page.locator(".found .place").first).to_be_visible(timeout=15_000)
    page.keyboard.press("Enter")
    found = page.locator(".viewer .node.selected")
    expect(found).to_have_count(1, timeout=15_000)
    found_id = str(found.get_attribute("data-id"))
    page.get_by_role("button", name="Close the contents").click()
    page.keyboard.press("Escape")
    page.wait_for_timeout(400)  # until the picture has slid there
    return found_id


def is_seen(page: Page, box_id: str) -> bool:
    """Whether a box stands inside the stage."""
    place, stage = box(page, box_id).bounding_box(), page.locator(".canvas").bounding_box()
    assert place and stage
    inside = [stage[side] <= place[side] for side in ("x", "y")]
    ends = [place[a] + place[b] <= stage[a] + stage[b] for a, b in (("x", "width"), ("y", "height"))]
    return all([*inside, *ends])


def test_bert_base_opens_with_few_boxes_and_one_stack_of_twelve(opened: Any) -> None:
    start = time.monotonic()
    page = opened(model_link("bert-base"), place="models")
    assert time.monotonic() - start < FIRST_SECONDS
    assert page.locator(".viewer .node").count() <= 25
    expect(page.locator(".viewer .node.scope", has_text="× 12")).to_have_count(1)
    expect(box(page, LAYERS)).to_contain_text("85,054,464 parameters")


def test_bert_base_opens_down_to_single_operations_and_the_view_stays(opened: Any) -> None:
    page = opened(model_link("bert-base"), place="models")
    page.wait_for_timeout(600)  # until the first picture has slid into place
    layer = "s:bert.encoder.layer.3"
    for box_id in (LAYERS, layer, f"{layer}.attention", f"{layer}.attention.self"):
        toggle(page, box_id)
    softmax = reveal(page, "layer.7 softmax")
    assert all(
        box(page, f"s:bert.encoder.layer.7{inner}").is_visible() for inner in ("", ".attention", ".attention.self")
    )
    assert is_seen(page, softmax)
    toggle(page, softmax)
    expect(page.locator(f'.viewer .node[data-id^="{softmax}."]')).not_to_have_count(0)
    reveal(page, "cls")
    toggle(page, "s:cls")
    toggle(page, "s:cls.predictions")
    press(page, "Home", *["PageDown"] * 5)
    assert int(str(page.locator(".viewer").get_attribute("data-step"))) >= 5
    expect(page.locator(".viewer .node.current").first).to_be_visible()


def test_opening_stays_at_the_same_place_of_the_pass(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models")
    page.wait_for_timeout(600)
    current = page.locator(".viewer .node.current")
    press(page, "ArrowRight")
    expect(current).to_have_attribute("data-id", "s:encoder.layer.*")
    toggle(page, "s:encoder.layer.*")
    expect(current).to_have_attribute("data-id", "s:encoder.layer.1")
    toggle(page, "s:encoder.layer.*")
    expect(current).to_have_attribute("data-id", "s:encoder.layer.*")
    press(page, "End")
    expect(current).to_have_attribute("data-id", "n0")
    toggle(page, "s:encoder")
    expect(current).to_have_attribute("data-id", "n0")


def test_the_whole_pass_is_stepped_by_boxes_in_every_grain(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models")
    for grain in ("edge", "node", "layer"):
        page.locator("[data-pref=grain]").select_option(grain)
        page.locator(".sentence").click()
        press(page, "Home")
        presses = 0
        while not page.locator(".step").is_disabled():
            press(page, "PageDown")
            presses += 1
            assert page.locator(".viewer .node.current").count() >= 1 and presses < 100
        expect(page.locator(".viewer .node.current")).to_have_attribute("data-id", "n0")


def test_the_contents_lead_to_boxes_and_open_and_close_them_all(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models")
    page.get_by_role("button", name="Contents and search").click()
    tree = page.locator(".tree")
    expect(tree).to_contain_text("layer ×2")
    page.locator(".search").fill("no such thing")
    expect(page.locator(".found")).to_contain_text("Nothing is called so.", timeout=15_000)
    page.locator(".search").fill("")
    page.get_by_role("button", name="Open all").click()
    expect(box(page, "s:encoder.layer.1")).to_be_visible(timeout=15_000)
    page.get_by_role("button", name="Close all").click()
    expect(box(page, "s:encoder")).to_be_visible(timeout=15_000)
    expect(page.locator(".viewer .opened")).to_have_count(0)


def test_keys_alone_open_and_close_a_box(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models")
    stack = page.locator('.viewer .node[data-id="s:encoder.layer.*"]')
    expect(stack).to_have_attribute("aria-label", re.compile("can be opened"))
    stack.focus()
    press(page, "Enter")
    expect(page.locator('.viewer .handle.closes[data-id="s:encoder.layer.*"]')).to_be_focused(timeout=15_000)
    press(page, "Backspace")
    expect(stack).to_be_focused(timeout=15_000)
    press(page, " ")
    expect(stack).to_have_class(re.compile("selected"))


def test_two_clicks_open_a_box(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models")
    page.wait_for_timeout(600)
    page.locator('.viewer .node[data-id="s:encoder.layer.*"]').dblclick()
    expect(box(page, "s:encoder.layer.1")).to_be_visible(timeout=15_000)


def test_a_link_reopens_the_open_boxes_the_step_and_the_node(opened: Any) -> None:
    page = opened(model_link("encoder", settings={"layers": 3}), place="models")
    page.wait_for_timeout(600)
    toggle(page, "s:encoder.layer.*")
    press(page, *["ArrowRight"] * 2)
    box(page, "s:encoder.layer.2").click()
    page.wait_for_timeout(1_500)
    again = opened(page.url.partition("?")[2], place="models")
    expect(box(again, "s:encoder.layer.2")).to_have_class(re.compile("selected"))
    at_step(again, 2)


def test_a_composite_opens_on_the_explore_page_and_the_link_has_it(opened: Any) -> None:
    values = {"s": "[0.6931, 0, 0]", "u": "[2, 4, 0]"}
    link = to_link(PageState("p = softmax(s)\nL = sum(p*u)", values))
    page = opened(f"g={link}")
    page.wait_for_timeout(600)
    press(page, "End")
    softmax = str(nodes_called(page, "p equals softmax").get_attribute("data-id"))
    toggle(page, softmax)
    expect(page.locator(f'.viewer .node[data-id^="{softmax}."]')).not_to_have_count(0)
    expect(box(page, "n0").locator(".slot.gradient")).to_have_class(re.compile("known"))  # still at the end
    page.wait_for_timeout(1_500)
    again = opened(page.url.partition("?")[2])
    expect(again.locator(f'.viewer .opened[data-id="{softmax}"]')).to_have_count(1)
    toggle(page, softmax)
    expect(nodes_called(page, "p equals softmax")).to_have_count(1)


def test_details_show_a_heat_map_whose_cells_tell_their_number(opened: Any) -> None:
    page = opened(model_link("attention"), place="models")
    press(page, "End")
    nodes_called(page, "P equals softmax").press(" ")
    cell = page.locator(".details .heat.value rect").nth(4)
    cell.hover()
    expect(page.locator(".details .heat-map").first).to_contain_text("row 2, column 2: 0.")
    expect(page.locator(".details .heat.gradient")).to_have_count(1)


def test_on_a_phone_a_box_opens_by_touch(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models", **PHONE)
    page.wait_for_timeout(800)
    handle(page, "s:encoder.layer.*").locator(".knob").tap()
    expect(box(page, "s:encoder.layer.1")).to_be_visible(timeout=15_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".step").tap()
    at_step(page, 1)
    reach = handle(page, "s:encoder.layer.0").locator(".reach").bounding_box()
    assert reach and min(reach["width"], reach["height"]) >= 40


def test_pages_keep_their_place_when_the_other_is_visited(opened: Any) -> None:
    page = opened(model_link("encoder"), place="models")
    press(page, "ArrowRight", "ArrowRight")
    page.wait_for_timeout(1_000)
    page.get_by_role("link", name="Explore").click()
    expect(nodes_called(page, "e equals a plus d")).to_be_visible(timeout=15_000)
    at_step(page, 0)
    page.get_by_role("link", name="Models").click()
    expect(box(page, "s:encoder.layer.*")).to_be_visible(timeout=15_000)
    at_step(page, 2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contents_and_boxes_are_legible_and_named_in_both_themes(opened: Any, scheme: str) -> None:
    axe = needs("axe_playwright_python.sync_playwright").Axe()
    page = opened(model_link("encoder"), place="models", color_scheme=scheme)
    press(page, *["ArrowRight"] * 3, "/")
    page.wait_for_timeout(500)
    violations = axe.run(page).response["violations"]
    ours = [(v["id"], n["html"][:120]) for v in violations for n in v["nodes"] if isinstance(n["target"][0], list)]
    assert ours == []
