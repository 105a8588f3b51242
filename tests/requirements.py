"""The one door to what a machine may lack: `torch = needs("torch")`, `path = needs("chromium")`.

A test whose need is missing is listed as NOT RUN in pytest's summary (tests/conftest.py). With GRAPHLAB_REQUIRE_ALL=1,
as in .ci/run, a missing need is a failure. Call it in a test, in a fixture, or at the top of a test module.
"""

from __future__ import annotations

import importlib
import os
import shutil
from typing import Any

import pytest

PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "dot": ("dot",),
}


def needs(name: str) -> Any:
    """The path of the program called `name` in PROGRAMS, otherwise the imported module `name`.

    Ends the test as NOT RUN where it is missing.
    """
    found = find_program(name) if name in PROGRAMS else find_module(name)
    if found is not None:
        return found
    if os.environ.get("GRAPHLAB_REQUIRE_ALL") == "1":
        pytest.fail(f"{name} is required here (GRAPHLAB_REQUIRE_ALL=1) but not installed", pytrace=False)
    return pytest.skip(f"{name} is not installed", allow_module_level=True)


def find_program(name: str) -> str | None:
    """The path of the first of the program's usual names that is on PATH."""
    return next(filter(None, map(shutil.which, PROGRAMS[name])), None)


def find_module(name: str) -> Any:
    """The imported module, or None where its package is not installed. A package that is broken still raises."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        return None
