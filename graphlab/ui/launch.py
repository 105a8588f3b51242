"""Starting the app from the command line, in this very process, so that ending it ends everything."""

from __future__ import annotations

from pathlib import Path

from streamlit.web.cli import main as streamlit

PAGE = Path(__file__).with_name("main.py")


def launch(port: int, *, headless: bool) -> None:
    """Serve the app on `port`. Opens a browser unless headless; does not return before the server stops."""
    options = {
        "server.port": str(port),
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
        "runner.magicEnabled": "false",
        "client.toolbarMode": "viewer",
        "theme.light.primaryColor": "#0b57c4",
        "theme.dark.primaryColor": "#7db4ff",
    }
    if headless:
        options["server.headless"] = "true"
    settings = [part for name, value in options.items() for part in (f"--{name}", value)]
    streamlit(["run", str(PAGE), *settings])
