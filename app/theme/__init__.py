"""Look and Streamlit settings: passed to the server by code, so no ``.streamlit`` folder is read from or needed in the current one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FONT = "'Source Sans', system-ui, sans-serif"
"""Streamlit ships this font; nothing is fetched from elsewhere."""

CONFIG: dict[str, Any] = {
    "browser.gatherUsageStats": False,
    # Pages of other origins that may send the front end commands when it lies in their frame: none.
    "client.allowedOrigins": [],
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "global.developmentMode": False,
    "logger.hideWelcomeMessage": True,
    # A press that comes while the page is drawn waits for its next element; otherwise a second thread would draw beside the first, and both
    # would do what was pressed twice.
    "runner.fastReruns": False,
    "runner.magicEnabled": False,
    # A forced garbage collection after every run costs about 50 ms; Python's own collector stays on.
    "runner.postScriptGC": False,
    "server.disconnectedSessionTTL": 900,
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxMessageSize": 50,
    "server.maxUploadSize": 20,
    "server.runOnSave": False,
    "server.showEmailPrompt": False,
    "theme.font": FONT,
    "theme.baseRadius": "8px",
    "theme.baseFontSize": 16,
    "theme.light.primaryColor": "#1f5fbf",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f4f6f9",
    "theme.light.textColor": "#1a1f29",
    "theme.light.linkColor": "#1a56ad",
    "theme.light.borderColor": "#d5dae2",
    "theme.dark.primaryColor": "#2f6fd6",
    "theme.dark.backgroundColor": "#171717",
    "theme.dark.secondaryBackgroundColor": "#222222",
    "theme.dark.textColor": "#e8ebf0",
    "theme.dark.linkColor": "#8db6f5",
    "theme.dark.borderColor": "#363c47",
}
"""Streamlit options of every server this program starts."""


def page_css(*, bare: bool = False) -> str:
    """Style of the Streamlit shell around our pages; `bare` leaves the whole window to the play page."""
    css = (Path(__file__).with_name("page.css")).read_text(encoding="utf-8")
    if bare:
        css += (Path(__file__).with_name("bare.css")).read_text(encoding="utf-8")
    return f"<style>\n{css}\n</style>"
