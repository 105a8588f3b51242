"""The project's own files agree with each other: pyproject, constraints, Makefile, pages and the wheel."""

from __future__ import annotations

import re
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.requirements import needs

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCUMENTS = ["README.md", "CONTRIBUTING.md"]


def requirements() -> Iterator[Requirement]:
    """Everything that pyproject.toml asks for, except graphlab's own extras."""
    groups = [PROJECT["build-system"]["requires"], PROJECT["project"]["dependencies"]]
    groups += PROJECT["project"]["optional-dependencies"].values()
    groups += PROJECT["dependency-groups"].values()
    for group in groups:
        yield from (r for r in map(Requirement, group) if r.name != "graphlab")


def pins() -> dict[str, str]:
    """Package → version, as constraints.txt has them."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines if line)}


def commands(document: str) -> list[str]:
    """The lines of the document's sh blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / document).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]


def test_every_requirement_has_one_fitting_constraint() -> None:
    """So an installation with -c constraints.txt is the one that was tested."""
    pinned = pins()
    for requirement in requirements():
        name = canonicalize_name(requirement.name)
        assert name in pinned, f"{name} is missing in constraints.txt"
        assert requirement.specifier.contains(pinned[name]), f"constraints.txt has {name} {pinned[name]}: {requirement}"


def test_the_bare_engine_needs_numpy_and_scipy_only() -> None:
    """All else is an extra."""
    assert {Requirement(r).name for r in PROJECT["project"]["dependencies"]} == {"numpy", "scipy"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_command_of_a_page_exists(document: str) -> None:
    """A command that a reader pastes must be a rule of the Makefile."""
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    named = {command.split()[1] for command in commands(document) if command.startswith("make ")}
    assert named
    assert named <= rules


def test_the_readme_installs_by_hand_what_make_installs() -> None:
    """The same extras and groups."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    by_hand = re.findall(r"-c constraints\.txt .*", (ROOT / "README.md").read_text("utf-8"))
    assert len(by_hand) == 2
    assert all(arguments in makefile for arguments in by_hand)


def test_the_contributing_page_stays_short() -> None:
    """Under fifty lines."""
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) < 50


def test_the_wheel_holds_every_file_of_both_packages(tmp_path: Path) -> None:
    """The viewer's JavaScript, CSS and HTML among them."""
    builder = needs("hatchling.builders.wheel").WheelBuilder(str(ROOT))
    wheel = next(iter(builder.build(directory=str(tmp_path))))
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert package_files() <= packed
    assert not {name for name in packed if name.startswith(("tests/", "docs/"))}


def package_files() -> set[str]:
    """The files of the packages that git has or would add."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "graphlab", "transformer"]
    output = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in output.splitlines() if (ROOT / name).is_file()}


def test_optional_things_are_asked_for_in_one_place() -> None:
    """A test that skips by itself would leave a gap that .ci/run does not see."""
    forbidden = re.compile(r"pytest\.(skip|importorskip|mark\.skip|mark\.skipif|mark\.xfail)\b")
    allowed = {ROOT / "tests" / "requirements.py", Path(__file__)}
    files = [path for path in ROOT.glob("tests/**/*.py") if path not in allowed]
    assert not [str(path.relative_to(ROOT)) for path in files if forbidden.search(path.read_text("utf-8"))]
