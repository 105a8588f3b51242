"""The pages in docs/ are true: examples answer what they say, links lead somewhere, the op reference is up to date."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

from graphlab.engine.core import OPS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
EXAMPLES = [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")]


def name_of(page: Path) -> str:
    return str(page.relative_to(DOCS))


def test_the_op_reference_is_what_the_records_say() -> None:
    """`make docs` brings it up to date."""
    reference = runpy.run_path(str(DOCS / "make_ops.py"))["reference"]
    assert (DOCS / "ops.md").read_text(encoding="utf-8") == reference()


def test_the_op_reference_names_every_op_once() -> None:
    """Of every family."""
    headings = re.findall(r"^### (\w+)$", (DOCS / "ops.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(headings) == sorted(OPS)


@pytest.mark.parametrize("page", EXAMPLES, ids=name_of)
def test_the_examples_of_a_page_print_what_they_say(page: Path) -> None:
    """All python blocks, one after the other, in one session."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    differences: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(examples, out=differences.append)
    assert results.attempted == text.count("\n>>> ")
    assert not results.failed, "".join(differences)


def test_the_formula_language_is_shown_by_examples() -> None:
    """It would be easy to lose them all."""
    assert "formula-language.md" in map(name_of, EXAMPLES)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file(page: Path) -> None:
    """Links within the project."""
    for target in re.findall(r"\]\(([^)#:]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_decision_is_listed() -> None:
    """In the order of their numbers."""
    notes = [page.name for page in sorted((DOCS / "decisions").glob("0*.md"))]
    listed = re.findall(r"^- \[\d+: .*\]\((.*)\)$", (DOCS / "decisions" / "README.md").read_text("utf-8"), re.MULTILINE)
    assert listed == notes
