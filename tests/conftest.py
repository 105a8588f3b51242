"""What every test shares: the NOT RUN summary, steady Hypothesis runs, and the Chromium of the machine."""

from __future__ import annotations

from collections import Counter
from typing import Any

import hypothesis
import pytest

from tests.requirements import needs

hypothesis.settings.register_profile("graphlab", deadline=None, derandomize=True)
hypothesis.settings.load_profile("graphlab")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what was not run and why, so that no gap goes unseen."""
    gaps = Counter(reason_of(report) for report in terminalreporter.stats.get("skipped", []))
    if not gaps:
        return
    terminalreporter.section("NOT RUN", yellow=True)
    for (place, reason), count in sorted(gaps.items()):
        terminalreporter.line(f"NOT RUN  {place} ({count}): {reason}")


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str]:
    """The file of a skipped test, and why."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return report.nodeid.partition("::")[0], reason.removeprefix("Skipped: ")


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """pytest-playwright's `page` drives the Chromium of the machine; no browser is downloaded."""
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
    return {"executable_path": needs("chromium"), "headless": True, "args": ["--no-sandbox", "--disable-gpu", *quiet]}
