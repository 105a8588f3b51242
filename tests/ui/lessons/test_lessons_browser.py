"""The lessons in Chromium: a student by touch and by table, a lecturer with Page down only, what a projector shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from graphlab.lessons.course import LESSONS
from graphlab.lessons.lesson import Question, Screen
from graphlab.ui.lessons.lecture import slides
from graphlab.ui.state import LessonState, from_link, to_link
from tests.requirements import needs
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
pytestmark = pytest.mark.browser

from playwright.sync_api import Page, expect  # noqa: E402 - only where it is

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
PROJECTOR = {"viewport": {"width": 1280, "height": 720}}
RADIO, BAR = "[data-testid=stRadio] [role=radiogroup] label", ".bar .place"
PATIENCE = 20_000
LEAST_NUMBER, LEAST_TEXT, LEAST_GRAPH = 0.03, 0.02, 0.7


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        yield url


def viewer_step(page: Page) -> int | None:
    """The step now; None on a beat without a graph. It does not wait, for the graph may be about to go."""
    steps = page.locator(".viewer").evaluate_all("viewers => viewers.map(viewer => viewer.dataset.step ?? '0')")
    return int(steps[0]) if steps else None


def place(page: Page) -> tuple[str, int | None]:
    return page.locator(BAR).inner_text(), viewer_step(page)


def wait_for_python(page: Page) -> None:
    """Until the page is drawn to its end."""
    page.wait_for_timeout(100)
    expect(page.locator("[data-testid=stApp]")).to_have_attribute(
        "data-test-script-state", "notRunning", timeout=PATIENCE
    )


def press_and_wait(page: Page, key: str) -> None:
    """Until the key has done something."""
    before = place(page)
    page.keyboard.press(key)
    page.wait_for_timeout(30)
    for _ in range(PATIENCE // 50):
        if place(page) != before:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{key} did nothing at {before}")


def steps_in(url: str) -> int:
    """The step that an address holds."""
    packed = parse_qs(urlsplit(url).query).get("s")
    return from_link(packed[0], LessonState).step if packed else 0


def fits(page: Page) -> bool:
    """Nothing is wider than the screen."""
    width: bool = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return width


# ---- a student -------------------------------------------------------------------------------------------------------
@pytest.mark.timeout(300)
@pytest.mark.parametrize("key", ["4", "5b"])
def test_a_lesson_at_a_desk(opened: Any, key: str) -> None:
    """Predict wrongly, look, step, and answer why."""
    lesson = LESSONS[key]
    page = opened("", place=f"lesson-{key}", ready=RADIO)
    tempting = next(choice for choice in lesson.predict.choices if choice.tempting)
    page.locator(RADIO, has_text=tempting.text).first.click()
    page.locator(".viewer .node").first.wait_for(timeout=PATIENCE)
    expect(page.locator("[data-testid=stAlert]").first).to_be_visible()
    for name in lesson.experiment.expect:
        quantity = lesson.experiment.at_first.quantities[name]
        if not quantity.in_view:
            expect(page.locator("[data-testid=stMetric]", has_text=quantity.label).first).to_contain_text(
                quantity.shown
            )
    page.locator(".viewer .step").click()
    expect(page.locator(".viewer")).to_have_attribute("data-step", re.compile(r"[1-9]"), timeout=PATIENCE)
    page.wait_for_url(lambda url: steps_in(url) > 0, timeout=PATIENCE)
    again = opened(page.url.partition("?")[2], place=f"lesson-{key}")
    assert viewer_step(again)
    assert fits(page)


def test_softmax_by_touch_on_a_phone(opened: Any) -> None:
    """The whole page: predict, change the upstream, go through all screens, fill a blank in, say why."""
    lesson = LESSONS["5b"]
    page = opened("", place="lesson-5b", ready=RADIO, **PHONE)
    page.locator(RADIO, has_text=right(lesson.predict)).first.tap()
    page.locator(".viewer .node").first.wait_for(timeout=PATIENCE)
    assert fits(page)
    field = page.get_by_label("Upstream p̄")
    field.fill("[1, 1, 1]")
    field.press("Enter")
    expect(page.locator("[data-testid=stMetric]", has_text="Gradient s̄")).to_contain_text("[0, 0, 0]", timeout=PATIENCE)
    for number, screen in reversed(list(enumerate(lesson.screens))):
        turn_to(page, number, screen)
        if screen.walk is not None:
            page.locator(".viewer .step").tap()
            expect(page.locator(".viewer")).to_have_attribute("data-step", re.compile(r"[1-9]"), timeout=PATIENCE)
            expect(page.locator(".viewer .sentence")).not_to_be_empty()
        assert fits(page)
    page.get_by_role("radio", name="Last step blank").tap()
    blank = page.get_by_label("∂p/∂s₂", exact=True)
    blank.fill("-z_bar")
    blank.press("Enter")
    expect(page.get_by_text("All filled in.")).to_be_visible(timeout=PATIENCE)
    page.locator(RADIO, has_text=right(lesson.why)).first.tap()
    expect(page.locator("[data-testid=stAlert]")).to_have_count(3, timeout=PATIENCE)  # predicted, filled in, why
    assert fits(page)


def right(question: Question) -> str:
    return next(choice.text for choice in question.choices if choice.right)


def turn_to(page: Page, number: int, screen: Screen) -> None:
    """Choose a screen and wait until it is there, and the one before is gone."""
    page.get_by_role("radio", name=f"{number + 1} {screen.title}").click()
    expect(page.get_by_text(f"{screen.title}.", exact=True)).to_be_visible(timeout=PATIENCE)
    wait_for_python(page)
    if screen.walk is not None:
        expect(page.locator(".viewer")).to_have_count(1, timeout=PATIENCE)
        expect(page.locator(".viewer")).to_have_attribute("data-step", "0", timeout=PATIENCE)


def test_softmax_with_tables_only(opened: Any) -> None:
    """Every screen can be stepped on paper; with the last one the pictures come back."""
    lesson = LESSONS["5b"]
    page = opened(f"s={to_link(LessonState(step=1))}", place="lesson-5b")
    switch = page.locator("label", has_text="Tables only")
    switch.click()
    expect(page.locator("[data-testid=stTable]").first).to_be_visible(timeout=PATIENCE)
    wait_for_python(page)
    for number, screen in reversed(list(enumerate(lesson.screens))):
        turn_to(page, number, screen)
        expect(page.locator("[data-testid=stVegaLiteChart]")).to_have_count(0)
        if screen.walk is not None:
            expect(page.locator(".viewer .stage")).to_be_hidden()
            page.locator(".viewer [data-do=last]").click()
            expect(page.locator(".viewer .paper tr.current")).to_be_visible(timeout=PATIENCE)
    turn_to(page, 4, lesson.screens[4])
    page.locator(".viewer [data-do=last]").click()
    expect(page.locator(".viewer .paper")).to_contain_text("[0, 0.5, −0.5]")
    switch.click()
    expect(page.locator(".viewer .node.current").first).to_be_visible(timeout=PATIENCE)


def test_the_list_leads_to_the_lessons_and_remembers(opened: Any) -> None:
    page = opened("", place="lessons", ready="text=Computational graphs")
    page.get_by_role("link", name="4 · Computational graphs").click()
    page.locator(RADIO).first.click(timeout=PATIENCE)
    page.locator(".viewer .node").first.wait_for(timeout=PATIENCE)
    page.get_by_role("link", name="Lessons", exact=True).click()
    expect(page.get_by_text("predicted")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="Softmax and its backward").click()
    page.get_by_role("link", name="4 Computational graphs").first.click(timeout=PATIENCE)
    expect(page.locator("h1")).to_contain_text("Computational graphs", timeout=PATIENCE)


def test_a_graph_of_a_lesson_opens_on_the_explore_page(opened: Any) -> None:
    page = opened(f"s={to_link(LessonState(screen=1, step=1))}", place="lesson-4")
    page.get_by_role("button", name="Open in Explore").click()
    page.wait_for_url(re.compile(r"explore|/\?g="), timeout=PATIENCE)
    expect(page.get_by_label("a", exact=True)).to_have_value("5", timeout=PATIENCE)


def test_nothing_serious_is_found_by_axe(opened: Any) -> None:
    axe = needs("axe_playwright_python.sync_playwright").Axe()
    for key in ("4", "5b"):
        page = opened(f"s={to_link(LessonState(step=1))}", place=f"lesson-{key}")
        page.wait_for_timeout(1000)
        found = axe.run(page).response["violations"]
        assert not [
            (one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")
        ]


# ---- a lecturer ------------------------------------------------------------------------------------------------------
@pytest.mark.timeout(600)
@pytest.mark.parametrize("key", ["4", *(pytest.param(key, marks=pytest.mark.slow) for key in ("5b", "7", "8"))])
def test_a_lecture_with_page_down_only(opened: Any, key: str) -> None:
    """Every beat, every step; then one beat back, at its end. Numbers are large, the graph larger."""
    lesson = LESSONS[key]
    page = opened("lecture=1", place=f"lesson-{key}", ready=BAR, **PROJECTOR)
    beats = slides(lesson, LessonState())
    seen = {place(page)[0]}
    while place(page)[0] != f"{len(beats)} / {len(beats)}":
        press_and_wait(page, "PageDown")
        if place(page)[0] not in seen:
            page.wait_for_timeout(600)
        seen.add(place(page)[0])
        if page.locator(".viewer.lecture .node.current").count():
            look_at_graph(page)
    assert len(seen) == len(beats)
    assert page.locator("[data-testid=stHeader]").is_hidden()
    press_and_wait(page, "PageUp")
    assert place(page)[0].startswith(f"{len(beats) - 1} ")


def look_at_graph(page: Page) -> None:
    """The current node is on the screen, and what must be read can be."""
    page.wait_for_timeout(220)  # until it has slid there
    sizes = page.evaluate(MEASURE)
    assert sizes["graph"] >= LEAST_GRAPH
    assert sizes["number"] >= LEAST_NUMBER - 1e-3, sizes
    assert sizes["text"] >= LEAST_TEXT - 1e-3, sizes
    assert sizes["inView"], place(page)


MEASURE = """() => {
  const hosts = [...document.querySelectorAll('*')].filter((one) => one.shadowRoot);
  const root = hosts.map((one) => one.shadowRoot.querySelector('.viewer.lecture')).find(Boolean)
    ?? document.querySelector('.viewer.lecture');
  const svg = root.querySelector('.canvas > svg');
  const scale = svg.getScreenCTM().a, height = window.innerHeight;
  const size = (one) => (parseFloat(getComputedStyle(one).fontSize) * scale) / height;
  const seen = (one) => one.getBoundingClientRect().width > 0 && one.textContent.trim();
  const texts = [...svg.querySelectorAll('text')].filter(seen);
  const numbers = texts.filter((one) => one.matches('.number, .cell, .sent'));
  const words = parseFloat(getComputedStyle(root.querySelector('.sentence')).fontSize) / height;
  const nodes = [...svg.querySelectorAll('.node.current .box')].map((one) => one.getBoundingClientRect());
  const stage = root.querySelector('.canvas').getBoundingClientRect();
  return {
    graph: stage.height / height,
    number: Math.min(words, ...numbers.map(size)),
    text: Math.min(...texts.map(size)),
    inView: stage.bottom <= height + 1 && (!nodes.length || nodes.some((node) =>
      node.right > stage.left && node.left < stage.right && node.bottom > stage.top && node.top < stage.bottom)),
  };
}"""


def test_the_keys_of_a_lecture(opened: Any) -> None:
    """In and out, black, size, from the beginning, and a code of this very step."""
    page = opened("", place="lesson-4", ready=RADIO, **PROJECTOR)
    wait_for_python(page)
    page.keyboard.press("l")
    expect(page.locator(BAR)).to_have_text("1 / 7", timeout=PATIENCE)
    for _ in range(4):
        press_and_wait(page, "PageDown")
    page.keyboard.press("b")
    expect(page.locator(".black")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".black")).to_be_hidden()
    page.keyboard.press("+")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--gl-size')") == "1.100"
    page.keyboard.press("-")
    page.keyboard.press("q")
    expect(page.locator(".code svg")).to_be_visible(timeout=PATIENCE)
    page.keyboard.press("q")
    expect(page.locator(".code")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.locator(BAR)).to_have_text("1 / 7", timeout=PATIENCE)
    page.keyboard.press("l")
    expect(page.locator(RADIO).first).to_be_visible(timeout=PATIENCE)
    assert "lecture" not in page.url
