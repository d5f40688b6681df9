"""Make the pictures of docs/how-to/author-robot-questions.md: the demo's project in a fresh home, and an author who draws.

Usage: ``python tools/author_screenshots.py [--sample DIR] [--out docs/images]``. Needs Chromium and the sample episodes
(``python -m sim_bridge robot-sample --out DIR``); takes about a minute.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from annotation.qa.drawn import assist
from annotation.qa.projects import change_project
from annotation.qa.trying.demo import seed_qa_demo
from annotation.qa.work import pool
from data.home import Home
from data.store import Store
from study import access
from study.demo import seed_demo

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
SAMPLE = Path(sys.prefix) / "share" / "sim_bridge" / "robot-sample"
WIDTH = 1100
"""Of the pictures, pixels."""


class Author:
    """The author's pages in one browser."""

    def __init__(self, page: Page, store: Store, out: Path) -> None:
        self.page, self.store, self.out = page, store, out

    def shot(self, name: str, top: str | None = None) -> None:
        """A picture of the window, from a heading on if one is named."""
        main = self.page.locator('[data-testid="stMain"]')
        main.evaluate("e => e.scrollTo(0, 0)")
        if top is not None:
            y = self.page.locator(top).bounding_box()["y"] - 76  # type: ignore[index]
            main.evaluate("(e, y) => e.scrollTo(0, y)", y)
            self.page.wait_for_timeout(700)
            # below the pictures in small, where they have come
            if small := self.page.locator(".held").bounding_box():
                main.evaluate("(e, y) => e.scrollTo(0, y)", y - small["height"])
        self.page.wait_for_timeout(700)
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
        image.save(self.out / f"author-{name}.webp", "WEBP", quality=80, method=6)
        print(f"wrote {self.out / f'author-{name}.webp'}", flush=True)

    def begin(self, name: str) -> None:
        """A new item of a subtask on a dual-arm moment."""
        self.page.get_by_role("radio", name=name).check()
        self.page.locator(".moment").filter(has_text="dual arm").first.click()
        self.page.get_by_role("button", name=f"Begin {name}").click()
        self.page.locator(".canvas[data-ready=yes]").wait_for()
        self.page.wait_for_timeout(1500)

    def home(self) -> None:
        """Back to the project."""
        self.page.get_by_role("button", name="All items").click()
        self.page.locator(".starter").wait_for()

    def known(self) -> list[dict[str, Any]]:
        """The objects of the open item as geometry knows them: view, corners, name."""
        item = pool.get(self.store, self.page.url.partition("item=")[2]).item
        boxes: list[dict[str, Any]] = (assist.help_for(self.store, item) or {"boxes": []})["boxes"]
        return boxes

    def draw(self, view: str, points: list[list[float]], colour: str) -> None:
        """A box by mouse, in the colour of a key."""
        port = self.page.locator(f'[data-view="{view}"] .port')
        port.focus()
        self.page.keyboard.press("b")
        self.page.keyboard.press(colour)
        box = self.page.locator(f'[data-view="{view}"] .port img').bounding_box()
        width = int(self.page.locator(f'[data-view="{view}"] .vsize').inner_text().split(" × ")[0])
        (x0, y0), (x1, y1) = [(box["x"] + x * box["width"] / width, box["y"] + y * box["width"] / width) for x, y in points]  # type: ignore[index]
        self.page.mouse.move(x0, y0)
        self.page.mouse.down()
        self.page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
        self.page.mouse.move(x1, y1)
        self.page.mouse.up()


def tour(author: Author) -> None:
    """Every picture once."""
    page = author.page
    page.locator(".starter").wait_for()
    page.locator(".moment").first.click()
    page.wait_for_timeout(1500)
    author.shot("home")

    author.begin("Cross-View Matching")
    known = author.known()
    inside = [b for b in known if min(*b["points"][0]) > 2]
    seen = {b["label"] for b in inside if b["view"] == "head"}
    target = next(b for b in inside if b["view"] != "head" and b["label"] in seen)
    author.draw("head", next(b["points"] for b in inside if b["view"] == "head" and b["label"] == target["label"]), "1")
    author.draw(target["view"], target["points"], "2")
    for key, other in zip("345", (b for b in known if b["view"] == target["view"] and b is not target), strict=False):
        author.draw(target["view"], other["points"], key)
    page.get_by_label("What is in the red box").fill(target["label"])
    page.wait_for_timeout(1500)
    author.shot("matching")
    page.get_by_label("Option A is right").check()
    page.get_by_label("How option B was made").select_option(index=2)
    page.wait_for_timeout(1200)
    author.shot("options", top=".asked")
    author.home()

    author.begin("3D Spatial Consistency")
    for key, box in zip("12345", (b for b in author.known() if b["view"] == "head"), strict=False):
        author.draw("head", box["points"], key)
    for cell in ("x 1, y 3, z 1", "x 2, y 4, z 1", "x 3, y 2, z 1", "x 5, y 5, z 1", "x 4, y 1, z 1"):
        page.get_by_role("gridcell", name=cell).click()
    page.wait_for_timeout(1500)
    author.shot("cubes", top=".author > section:nth-of-type(2)")
    author.home()

    author.begin("Viewpoint Identification")
    author.shot("viewpoint", top=".asked")
    author.home()

    author.begin("Action Planning")
    for letter, moves in {"A": ("forward", "left", "downward"), "B": ("left", "forward", "downward")}.items():
        page.locator(f'.option[data-letter="{letter}"] .steps').focus()
        for move in moves:
            page.locator(f'.option[data-letter="{letter}"]').get_by_role("button", name=move).click()
    page.get_by_label("Option A is right").check()
    page.wait_for_timeout(1500)
    author.shot("directions", top=".answers")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=Path, default=SAMPLE)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    arguments = parser.parse_args()
    out: Path = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Home.from_env(Path(folder) / "vantage.db").prepare()
        store = Store.open(home)
        seed_demo(store)
        project = seed_qa_demo(store, arguments.sample, tell=lambda text: print(text, flush=True))
        change_project(store, project.project_id, actor="pictures", why="no training in the pictures", trial_batch=0)
        token = access.create_invite(store, "annotator", project.study_id or "", label="Ada")
        command = [sys.executable, "-P", "-m", "app.cli", "serve", "--db", str(home.db), "--port", "0"]
        serve = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})
        try:
            assert serve.stdout is not None
            found = re.search(r"http://\S+", serve.stdout.readline())
            assert found is not None, "the server did not start"
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
                page = browser.new_context(viewport={"width": 1440, "height": 900}, device_scale_factor=1.25).new_page()
                page.goto(f"{found[0]}/enter?invite={token}")
                page.get_by_role("button", name="Accept the invitation").click()
                tour(Author(page, store, out))
                browser.close()
        finally:
            serve.send_signal(signal.SIGINT)
            serve.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
