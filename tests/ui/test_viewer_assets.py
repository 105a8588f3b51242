"""The viewer's files: present, in one piece, and without a way for text to become markup."""

from __future__ import annotations

import re

import pytest

from tests.requirements import needs

needs("streamlit")

from graphlab.ui.viewer import component  # noqa: E402 - only where Streamlit is


def test_every_script_is_part_of_the_module() -> None:
    names = {path.stem for path in component.ASSETS.glob("*.js")}
    assert names == set(component.SCRIPTS)
    assert component.viewer_script().count("export default") == 1


def test_no_function_is_written_twice() -> None:
    names = re.findall(r"^function (\w+)", component.viewer_script(), re.MULTILINE)
    assert len(names) == len(set(names))


def test_markup_is_set_only_from_drawings_that_python_escaped() -> None:
    sources = re.findall(r"innerHTML = ([^;]+);", component.viewer_script())
    assert sources == [
        "view.scene.glyphs",
        "view.scene.svg[direction]",
        "one.words[view.prefs.notation].formula",
        "svg",
    ]


@pytest.mark.parametrize("forbidden", ["eval(", "insertAdjacentHTML", "document.write", "outerHTML"])
def test_nothing_else_turns_text_into_markup_or_code(forbidden: str) -> None:
    assert forbidden not in component.viewer_script()


def test_the_markup_has_no_handlers_and_loads_nothing() -> None:
    html, css = component.viewer_html(), component.viewer_css()
    assert not re.search(r"\son\w+=", html)
    assert "http" not in html and "url(" not in css and "@import" not in css


def test_every_button_has_an_action_and_a_name() -> None:
    html, script = component.viewer_html(), component.viewer_script()
    for button in re.findall(r"<button[^>]*>.*?</button>", html, re.DOTALL):
        action = re.search(r'data-do="(\w+)"', button)
        assert action and re.search(rf"^  {action[1]}: \(view\)", script, re.MULTILINE), button
        assert "aria-label=" in button or re.sub(r"<[^>]+>", "", button).strip(), button
