"""A researcher's pages in Chromium while people play (`bench.load --watch`)."""

from __future__ import annotations

import os
import shutil
import threading
from typing import Any
from urllib.parse import urlencode

PAGES = ("watch", "results")
"""Addresses of the pages that are loaded by turns."""
EACH_S = 5.0
"""How long each stays open."""


def keep_open(base: str, invite: str, options: list[str], stop: threading.Event, trouble: list[str]) -> None:
    """Load the pages again and again until told to stop; `trouble` gets what went wrong."""
    from playwright.sync_api import Error, sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=options)
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{base}/enter?{urlencode({'invite': invite})}")
            page.get_by_role("button").first.click()
            page.wait_for_load_state("networkidle")
            turn = 0
            while not stop.is_set():
                _look(page, f"{base}/{PAGES[turn % len(PAGES)]}", trouble)
                turn += 1
                stop.wait(EACH_S)
            if turn < len(PAGES):
                trouble.append("the pages were never all loaded")
        except Error as error:
            trouble.append(str(error).splitlines()[0])
        finally:
            browser.close()


def _look(page: Any, address: str, trouble: list[str]) -> None:
    page.goto(address)
    page.locator("h1").first.wait_for(timeout=30_000)
    if page.locator("[data-testid=stException]").count():
        trouble.append(f"{address} shows an error")
