"""Every lesson's experiment in Chromium, driven by hand; and every page read by axe, as an outline, and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from graphlab.lessons.controls import Choose, Control, Numbers, Points, Slider, Switch, Text
from graphlab.lessons.course import LESSONS
from graphlab.lessons.lesson import Lesson
from graphlab.ui.state import LessonState, from_link, to_link
from graphlab.ui.values import write_value
from tests.requirements import needs
from tests.ui.serving import served

needs("streamlit")
needs("playwright")
pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

from playwright.sync_api import Locator, Page, expect  # noqa: E402 - only where it is

EVERY = pytest.mark.parametrize("lesson", LESSONS.values(), ids=list(LESSONS))
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PATIENCE = 20_000
LONGEST_STEPS = 200


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        yield url


Open = Callable[..., Page]


@pytest.fixture
def lesson_page(opened: Any) -> Open:
    """lesson_page(lesson, **context) → its page with the experiment in sight: the link says that a step was made."""

    def open_page(lesson: Lesson, **context: Any) -> Page:
        link = to_link(LessonState(step=1))
        page: Page = opened(f"s={link}", place=f"lesson-{lesson.key}", ready="[data-testid=stMetric]", **context)
        page.locator(".viewer .node, .katex").first.wait_for(timeout=PATIENCE)
        return page

    return open_page


def chosen(page: Page) -> dict[str, Any]:
    """The settings that the address holds."""
    packed = parse_qs(urlsplit(page.url).query).get("s")
    return from_link(packed[0], LessonState).chosen if packed else {}


def metric(page: Page, lesson: Lesson, name: str) -> Locator:
    """The number under its label."""
    label = lesson.experiment.at_first.quantities[name].label
    return page.locator("[data-testid=stMetric]", has=page.get_by_text(label, exact=True)).first


def option(page: Page, control: Choose, name: str) -> Locator:
    return page.get_by_role("radiogroup", name=control.title).get_by_role("radio", name=name, exact=True)


def slider(page: Page, control: Control) -> Locator:
    place = page.locator("[data-testid=stSlider]", has=page.get_by_text(control.title, exact=True))
    return place.get_by_role("slider")


def drive(page: Page, control: Control) -> None:
    """Set a control to something else, as a reader does."""
    if isinstance(control, Slider):
        slider(page, control).press("Home" if control.first == control.most else "End")
    elif isinstance(control, Switch):
        page.locator("[data-testid=stCheckbox] label", has_text=control.title).click()
    elif isinstance(control, Choose):
        option(page, control, next(one for one in control.options if one != control.first)).click()
    elif isinstance(control, Numbers | Text):
        field = page.get_by_label(control.title, exact=True)
        first = control.first
        field.fill(
            first[: len(first) // 2] if isinstance(first, str) else re.sub("[02-9]", "1", write_value(first), count=1)
        )
        field.press("Enter")


def has_no_fault(page: Page) -> bool:
    return not page.locator("[data-testid=stException], .katex-error").count()


# ---- the experiments -------------------------------------------------------------------------------------------------
@pytest.mark.slow
@EVERY
def test_every_control_is_moved_by_hand_and_the_address_keeps_it(lesson_page: Open, lesson: Lesson) -> None:
    page = lesson_page(lesson)
    for name, control in lesson.experiment.controls.items():
        assert not isinstance(control, Points)
        drive(page, control)
        page.wait_for_function(f"location.href !== {page.url!r}", timeout=PATIENCE)
        page.wait_for_timeout(100)
        assert name in chosen(page)
        assert has_no_fault(page)


def test_alpha_of_the_leaky_relu_is_moved(lesson_page: Open) -> None:
    """The gradient that is left of twenty in a row, from the left of 0, is α²⁰."""
    lesson = LESSONS["2"]
    page = lesson_page(lesson)
    row = page.locator("[data-testid=stTable] tr", has_text="leaky ReLU")
    expect(row).to_contain_text(lesson.experiment.at_first.quantities["leaky_relu_negative"].shown)
    slider(page, lesson.experiment.controls["alpha"]).press("End")
    expect(row.locator("td").last).to_have_text("1", timeout=PATIENCE)


def test_the_mask_of_self_attention_is_flipped(lesson_page: Open) -> None:
    """With 0 instead of −∞ the first word sees later ones, as much as the page had said."""
    lesson = LESSONS["6"]
    mask = lesson.experiment.controls["mask"]
    assert isinstance(mask, Choose)
    page = lesson_page(lesson)
    expect(metric(page, lesson, "leak")).to_contain_text("0")
    option(page, mask, "0").click()
    leaked = lesson.experiment.at_first.quantities["leak_zero"].shown
    expect(metric(page, lesson, "leak")).to_contain_text(leaked, timeout=PATIENCE)


def test_the_residual_connections_are_switched_off(lesson_page: Open) -> None:
    """Then all tokens become alike."""
    lesson = LESSONS["8"]
    page = lesson_page(lesson)
    drive(page, lesson.experiment.controls["residual"])
    alike = lesson.experiment.at_first.quantities["similarity_no_residual"].shown
    expect(metric(page, lesson, "similarity")).to_contain_text(alike, timeout=PATIENCE)


# ---- training --------------------------------------------------------------------------------------------------------
def steps_taken(page: Page) -> int:
    found = re.search(r"step ([\d,]+) of", page.get_by_text(re.compile(r"^step [\d,]+ of")).inner_text())
    assert found
    return int(found[1].replace(",", ""))


def loss(page: Page) -> float:
    label = page.get_by_text("Loss", exact=True)
    return float(page.locator("[data-testid=stMetric]", has=label).locator("[data-testid=stMetricValue]").inner_text())


def test_a_network_learns_before_ones_eyes_and_stops_when_told(lesson_page: Open) -> None:
    """After 200 steps the loss is less than half of what it was at the start."""
    page = lesson_page(LESSONS["3"])
    began = loss(page)
    page.get_by_role("radio", name="100", exact=True).click()
    run = page.get_by_test_id("stBaseButton-primary")  # Streamlit itself shows a Stop while it runs
    expect(run).to_have_text("Start")
    run.click()
    page.wait_for_function(
        f"[...document.querySelectorAll('p')].some(p => (p.textContent.match(/^step ([\\d,]+) of/) ?? [])[1]"
        f"?.replace(',', '') >= {LONGEST_STEPS})",
        timeout=3 * PATIENCE,
    )
    run.click()
    expect(run).to_have_text("Start", timeout=PATIENCE)
    page.wait_for_timeout(500)
    stopped = steps_taken(page)
    assert stopped >= LONGEST_STEPS and loss(page) < began / 2
    page.wait_for_timeout(1_500)
    assert steps_taken(page) == stopped


def test_a_point_is_added_by_a_click(lesson_page: Open) -> None:
    page = lesson_page(LESSONS["1"])
    right = page.locator("[data-testid=stMetric]", has=page.get_by_text("Points on the right side"))
    expect(right).to_contain_text("of 14")
    page.get_by_role("button", name="Points").click()
    plane = page.get_by_role("dialog").locator("canvas, svg.marks").first
    plane.wait_for(timeout=PATIENCE)
    plane.click(position={"x": 150, "y": 100})
    expect(right).to_contain_text("of 15", timeout=PATIENCE)


def test_a_weight_is_changed_by_hand(lesson_page: Open) -> None:
    page = lesson_page(LESSONS["3"])
    began = loss(page)
    page.get_by_text("Weights", exact=True).click()
    cells = page.locator("[data-testid=stDataFrame] canvas").first
    cells.wait_for(timeout=PATIENCE)
    page.wait_for_timeout(1_000)  # until the table stands still
    cells.scroll_into_view_if_needed()
    place = cells.bounding_box()
    assert place
    page.mouse.dblclick(place["x"] + 40, place["y"] + 52)
    entry = page.locator("#portal input, #portal textarea").first
    entry.wait_for(timeout=PATIENCE)
    entry.fill("9")
    page.keyboard.press("Enter")
    expect(page.locator("[data-testid=stMetric]", has=page.get_by_text("Loss", exact=True))).not_to_contain_text(
        f"{began:.4g}", timeout=PATIENCE
    )


# ---- every page ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@EVERY
def test_a_page_is_sound_for_everybody(lesson_page: Open, lesson: Lesson, scheme: str) -> None:
    """axe finds nothing serious, at a desk and on a phone; nothing is wider than the screen; one title, and below it
    the beats in their order."""
    axe = needs("axe_playwright_python.sync_playwright").Axe()
    for context in ({}, PHONE):
        page = lesson_page(lesson, color_scheme=scheme, **context)
        page.wait_for_timeout(1_000)
        found = axe.run(page).response["violations"]
        assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")]
        assert not page.evaluate(WIDER)
        assert has_no_fault(page)
        titles = page.get_by_role("heading").all_inner_texts()
        assert titles[0] == f"{lesson.key} · {lesson.title}"
        assert [title.split(" ")[0] for title in titles[1:]] == [str(n + 1) for n in range(len(titles) - 1)]


WIDER = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return main.scrollWidth > main.clientWidth || document.documentElement.scrollWidth > innerWidth;
}"""
