"""Starting the app from the command line, in this very process, so that ending it ends everything."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from threading import Thread

from streamlit.web.cli import main as streamlit

PAGE = Path(__file__).with_name("main.py")
SLOW_TO_IMPORT = ("graphlab.ui.main", "pandas", "altair", "ziamath")


def launch(port: int, *, headless: bool) -> None:
    """Serve the app on `port`. Opens a browser unless headless; does not return before the server stops."""
    options = {
        "server.port": str(port),
        "server.showEmailPrompt": "false",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "runner.magicEnabled": "false",
        "client.toolbarMode": "viewer",
        "theme.light.primaryColor": "#0b57c4",
        "theme.dark.primaryColor": "#7db4ff",
    }
    if headless:
        options["server.headless"] = "true"
    settings = [part for name, value in options.items() for part in (f"--{name}", value)]
    Thread(target=import_early, daemon=True).start()
    streamlit(["run", str(PAGE), *settings])


def import_early() -> None:
    """Import what the pages need while the browser is still on its way, so that the first reader does not wait."""
    for name in SLOW_TO_IMPORT:
        import_module(name)
