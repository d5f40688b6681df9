"""Make the pictures of README and docs: start the demo in a fresh home, walk through it as a participant and a researcher.

Usage: ``python tools/screenshots.py [--out docs/images]``. Needs Chromium; takes about a minute.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def start(home: Path) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """`vantage run` with its links by role."""
    run = subprocess.Popen(
        [sys.executable, "-P", "-m", "app.cli", "run", "--port", "0"],
        env={**os.environ, "VANTAGE_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
        cwd=home,
    )
    links: dict[str, str] = {}
    assert run.stdout is not None
    for line in run.stdout:
        if found := re.match(r"\s+(\w+)\s+(http\S+)", line):
            links[found[1]] = found[2]
        if "Ctrl-C" in line:
            break
    return run, links


def visit(browser: Browser, link: str, dark: bool = False) -> Page:
    """A page of its own browser, entered by `link`."""
    context = browser.new_context(viewport={"width": 1280, "height": 860}, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(link)
    return page


def act(page: Page, *keys: str) -> None:
    """Press keys one by one, each when the step before it is done: the page takes no more than three that wait."""
    for key in keys:
        page.keyboard.press(key)
        page.locator(".vantage[data-waiting='0']").wait_for()


def tour(browser: Browser, links: dict[str, str], out: Path) -> None:
    """Every page once, in the order in which people meet them."""
    page = visit(browser, links["participant"])

    def shot(name: str, of: Page = page) -> None:
        of.wait_for_timeout(700)
        of.screenshot(path=out / f"{name}.png")
        print(f"wrote {out / name}.png", flush=True)

    page.get_by_role("button", name="Take part").wait_for()
    shot("welcome")
    for box in page.get_by_role("checkbox").all():
        box.press("Space")
    page.get_by_role("button", name="Take part").click()
    page.get_by_role("heading", name="Instructions").wait_for()
    page.get_by_role("button", name="Go on").click()
    page.locator("canvas").first.wait_for()
    page.wait_for_timeout(2500)
    shot("practice")
    page.keyboard.press("w")  # the practice asks for a move before the answer
    page.wait_for_timeout(1500)
    page.keyboard.press("1")
    page.get_by_role("slider").press("ArrowRight")
    page.get_by_role("button", name="Give final answer").click()
    page.get_by_role("button", name="Submit").click()
    page.locator(".done button").click()
    page.locator(".done").wait_for(state="detached")
    page.locator("canvas").first.wait_for()
    page.wait_for_timeout(2500)
    act(page, "w", "ArrowLeft", "w", "d", "ArrowRight", "q", "ArrowDown")
    shot("play")
    staff = visit(browser, links["researcher"])
    staff.get_by_role("button", name="Accept the invitation").click()
    staff.wait_for_timeout(4000)
    shot("researcher", staff)
    staff.get_by_test_id("stHeader").get_by_text("Study", exact=True).click()
    staff.get_by_test_id("stTopNavPopoverBody").get_by_text("Episode", exact=True).click()
    staff.wait_for_timeout(3000)
    shot("episode", staff)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    out: Path = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run, links = start(Path(folder))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
                tour(browser, links, out)
                browser.close()
        finally:
            run.send_signal(signal.SIGINT)
            run.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
