"""The app draws its viewer from a wheel in an empty environment, and from a checkout in which nothing is installed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from playwright.sync_api import Page, expect

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a new environment that holds the wheel with its `app` extra."""
    folder = tmp_path_factory.mktemp("installation")
    wheel = next(iter(WheelBuilder(str(ROOT)).build(directory=str(folder))))
    venv.create(folder / "environment", with_pip=True)
    bin_folder = folder / "environment" / "bin"
    pip = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, f"graphlab[app] @ {Path(wheel).as_uri()}"], check=True)
    return bin_folder


def test_a_wheel_serves_the_viewer(programs: Path, page: Page, tmp_path: Path) -> None:
    """As for somebody who installs the package and has no checkout."""
    port = free_port()
    with serving([str(programs / "graphlab"), "app", "--port", str(port)], tmp_path, port) as address:
        page.goto(address)
        assert_steps(page)


def test_a_bare_checkout_serves_the_viewer(programs: Path, page: Page, tmp_path: Path) -> None:
    """As on a host that runs app.py of a repository."""
    subprocess.run([programs / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "graphlab"], check=True)
    for name in ("graphlab", "transformer"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "app.py", tmp_path)
    port = free_port()
    command = [str(programs / "streamlit"), "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    with serving(command, tmp_path, port) as address:
        page.goto(address)
        assert_steps(page)


def assert_steps(page: Page) -> None:
    """The viewer is there, and an arrow key steps it."""
    expect(page.locator(".viewer .node").first).to_be_visible(timeout=60_000)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".viewer")).to_have_attribute("data-step", "1")


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def serving(command: list[str], folder: Path, port: int) -> Iterator[str]:
    """The address of a server that runs for the duration of the block."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        ) as server,
    ):
        try:
            address = f"http://localhost:{port}"
            assert answers(f"{address}/_stcore/health", server), (folder / "server.log").read_text()
            yield address
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)


def answers(url: str, server: subprocess.Popen[bytes]) -> bool:
    """Whether the page comes within a minute, while the server lives."""
    deadline = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except OSError:
            time.sleep(0.2)
    return False
