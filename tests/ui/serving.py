"""A Streamlit page, served for the length of a test session."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60
ROOT = Path(__file__).parents[2]


@contextmanager
def served(script: Path | None = None) -> Iterator[str]:
    """Run the app, or another script under Streamlit, on a free port and give its address."""
    port = free_port()
    options = [f"--server.port={port}", "--server.headless=true", "--server.fileWatcherType=none"]
    app = ["graphlab", "app", f"--port={port}", "--headless"]
    command = [
        sys.executable,
        "-m",
        *(["streamlit", "run", str(script), *options, "--browser.gatherUsageStats=false"] if script else app),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://localhost:{port}"
        wait_until_healthy(process, address)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=10)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_healthy(process: subprocess.Popen[bytes], address: str) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, f"streamlit stopped with code {process.returncode}"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"streamlit did not start within {START_SECONDS} s")
