"""The author's pages: one item of each of the eight subtasks by mouse and keyboard, reviewed, exported and checked."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from typing import Any

import pytest
from PIL import Image, ImageDraw

from annotation.qa import moments, pool, projects, rules
from annotation.qa.items import LETTERS, VIEWS, ViewImage
from annotation.qa.projects import Project
from annotation.qa.subtasks.base import NONE_TEXT
from data.robot.images import ImageFolder
from data.robot.records import EpisodeRecord
from data.store import Store, dumps, new_id, now
from study.studies import get_study

SIZE = (640, 480)
TASKS = ("put the cup on the plate", "open the drawer", "pour the water into the bowl")


def still(rng: random.Random, view: str) -> bytes:
    """A table with things on it, seen from somewhere: no two are the same."""
    image = Image.new("RGB", SIZE, (214, 208, 198))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, SIZE[0], 150), fill=(176 + rng.randrange(30), 186, 196))
    draw.polygon([(40, 170), (600, 170), (700, 480), (-60, 480)], fill=(166, 128, 92))
    for _ in range(7):
        x, y, r = rng.randrange(80, 560), rng.randrange(200, 420), rng.randrange(16, 40)
        colour = tuple(rng.randrange(40, 230) for _ in range(3))
        shape = draw.ellipse if rng.random() < 0.5 else draw.rectangle
        shape((x - r, y - r, x + r, y + r), fill=colour, outline=(60, 50, 40))
    if "gripper" in view:
        for x in (270, 370):
            draw.rectangle((x - 18, 330 + rng.randrange(40), x + 18, 480), fill=(52, 56, 62))
    kept = io.BytesIO()
    image.save(kept, "PNG", compress_level=1)
    return kept.getvalue()


def seeded(store: Store, study_id: str, *, name: str = "Robot questions", **fields: Any) -> Project:
    """A project with kept moments of three dual-arm episodes and one of a single arm."""
    project = projects.create_project(store, name, study_id=study_id, **fields)
    folder, rng = ImageFolder(store.home), random.Random(name)
    for number, (arm, task) in enumerate([*(("dual", task) for task in TASKS), ("single", TASKS[0])]):
        source, episode = new_id("rs"), new_id("re")
        kind = "agibot" if arm == "dual" else "bridge"
        row = {"source_id": source, "kind": kind, "name": kind, "root": f"/{source}", "created_at": now()}
        store.insert("robot_sources", row)
        record = EpisodeRecord(key=f"episode-{number}", arm=arm, task=task, fps=30.0, frames=90, views={}, segments=[])
        row = {"episode_id": episode, "source_id": source, "key": record.key, "arm": arm, "task": task, "frames": 90, "fps": 30.0}
        store.insert("robot_episodes", row | {"document": record.model_dump_json(), "created_at": now()})
        for frame in (10, 50, 80):
            views = [
                ViewImage(
                    view=view, image=folder.keep(still(rng, view)), width=SIZE[0], height=SIZE[1], file=f"{view}.png", frame_index=frame
                )
                for view in VIEWS[arm]
            ]
            document = {"views": [view.model_dump(mode="json") for view in views]}
            row = {"moment_id": new_id("mo"), "project_id": project.project_id, "episode_id": episode, "frame_index": frame}
            store.insert("moments", row | {"state": "candidate", "document": dumps(document), "created_at": now()})
            moments.decide(store, row["moment_id"], "keep", "useful", "fixture")
    return project


class Desk:
    """An author's page in one tab."""

    def __init__(self, tab: Any, store: Store, project: Project) -> None:
        self.tab, self.page, self.store, self.project = tab, tab.page, store, project

    def begin(self, name: str, moment: int = 0) -> Desk:
        """From the project to the editor of a new item."""
        self.page.get_by_role("radio", name=name).check()
        self.page.locator(".moment").nth(moment).click()
        self.page.get_by_role("button", name=f"Begin {name}").press("Enter")
        return self.opened()

    def opened(self) -> Desk:
        self.page.locator(".author[data-kept=saved]").wait_for()
        self.page.locator(".canvas[data-ready=yes]").wait_for()
        return self

    @property
    def item(self) -> str:
        """The id of the open item."""
        return self.page.url.partition("item=")[2].partition("&")[0]

    def stored(self) -> Any:
        return pool.get(self.store, self.item)

    def at(self, view: str, x: float, y: float) -> tuple[float, float]:
        """Where a pixel of a view is on the screen."""
        box = self.page.locator(f'[data-view="{view}"] .port img').bounding_box()
        return box["x"] + x * box["width"] / SIZE[0], box["y"] + y * box["height"] / SIZE[1]

    def tool(self, view: str, *keys: str) -> None:
        """Choose what to draw with, by keys."""
        self.page.locator(f'[data-view="{view}"] .port').focus()
        self.tab.press(*keys)

    def drag(self, view: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*self.at(view, *start))
        mouse.down()
        mouse.move(*self.at(view, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
        mouse.move(*self.at(view, *end))
        mouse.up()

    def boxes(self, view: str, colours: str, y: float = 200) -> None:
        """A box per colour key, side by side."""
        for number, key in enumerate(colours):
            self.tool(view, "b", key)
            self.drag(view, (40 + 115 * number, y), (120 + 115 * number, y + 90))

    def option(self, letter: str) -> Any:
        return self.page.locator(f'.option[data-letter="{letter}"]')

    def letter(self, text: str) -> str:
        """The letter under which an option says this: a letter, or its words."""
        if text in LETTERS:
            return text
        found = self.page.locator(".option").filter(has=self.page.get_by_text(text, exact=True))
        found.wait_for()
        return found.get_attribute("data-letter")

    def judge(self, gold: str, kinds: dict[str, str], hard: str) -> None:
        """Which option is right, how the others were made, which comes close; that no other reading is right."""
        self.page.get_by_label(f"Option {self.letter(gold)} is right").check()
        for text, words in kinds.items():
            self.page.get_by_label(f"How option {self.letter(text)} was made").select_option(label=words)
        self.option(self.letter(hard)).get_by_label("Comes close").check()
        self.page.get_by_label("Under every reading").press("Space")

    def send(self) -> Any:
        """Send the open item to review; returns it as stored."""
        item = self.item
        self.page.get_by_text("All rules are kept").wait_for()
        self.page.get_by_role("button", name="Send to review").press("Enter")
        self.page.get_by_text("It is in review.").wait_for()
        stored = pool.get(self.store, item)
        assert stored.state == "in_review"
        return stored

    def home(self) -> None:
        self.page.get_by_role("button", name="All items").press("Enter")
        self.page.locator(".starter").wait_for()


def matching(desk: Desk) -> None:
    desk.boxes("head", "1")
    desk.boxes("left-gripper", "2345")
    desk.boxes("right-gripper", "2")
    desk.page.get_by_label("What is in the red box").fill("cup")
    kinds = {
        "Green": "An object close to the right one.",
        "Blue": "Another object of the same kind.",
        "Pink": "Another object of the same kind.",
    }
    desk.judge("Yellow", kinds | {NONE_TEXT: "“None” although one box is right."}, "Green")


def distance(desk: Desk) -> None:
    desk.boxes("head", "12345")
    desk.page.get_by_role("radio", name="longest").check()
    desk.option("E").get_by_role("button", name="Left gripper instead").press("Enter")  # pink: the box lies to the right
    kinds = {
        "A": "Looks nearest (or farthest) in the image and is not.",
        "B": "Between the extremes.",
        "C": "Clearly not.",
        "D": "Clearly not.",
    }
    desk.judge("E", kinds, "A")


def viewpoint(desk: Desk) -> None:
    stored = desk.stored().item
    kinds = {"E": "The same episode at a distant moment, the gripper's pose clearly different."}
    hard = next(letter for letter in "ABCD" if letter not in (stored.gold, *stored.hard))
    desk.judge(stored.gold, kinds, hard)


def consistency(desk: Desk) -> None:
    desk.boxes("head", "12345")
    for number in range(1, 5):
        desk.page.get_by_role("gridcell", name=f"x {number}, y {number}, z 1").click()
    for axis, value in {"x": 5, "y": 2, "z": 3}.items():
        desk.page.get_by_label(f"{axis} of the pink cube").fill(str(value))
    desk.page.get_by_label("Under every reading").press("Space")


def planning(desk: Desk) -> None:
    for letter, moves in {"A": "left forward", "B": "forward left", "C": "left upward", "D": "right forward"}.items():
        desk.option(letter).locator(".steps").focus()
        for move in moves.split():
            desk.option(letter).get_by_role("button", name=move).click()
    desk.option("E").locator(".steps").focus()
    desk.tab.press("ArrowDown", "PageDown", "ArrowLeft", "Backspace")
    kinds = {
        "A": "The right steps in a wrong order.",
        "C": "Leads into something.",
        "D": "A direction turned round.",
        "E": "Ends beside the goal.",
    }
    desk.judge("B", kinds, "A")


def trajectory(desk: Desk) -> None:
    for number, key in enumerate("12345"):
        desk.tool("head", "t", key)
        for x, y in ((60 + 100 * number, 420), (90 + 100 * number, 330), (60 + 110 * number, 230)):
            desk.page.mouse.click(*desk.at("head", x, y))
        desk.page.get_by_role("button", name="Finish the track").click()
    kinds = {
        "B": "Passes beside the object.",
        "C": "Passes beside the object.",
        "D": "Ends at the wrong place.",
        "E": "Another wrong track.",
    }
    desk.judge("A", kinds, "D")


def affordance(desk: Desk) -> None:
    for number, (view, key) in enumerate(zip(("head", "head", "left-gripper", "right-gripper", "head"), "12345", strict=True)):
        desk.tool(view, "g", key)
        desk.drag(view, (80 + 100 * number, 220), (130 + 90 * number, 330))
    desk.page.get_by_label("What is to be grasped").fill("cup")
    kinds = dict.fromkeys("ABDE", "The fingers close along the wrong direction.")
    desk.judge("C", kinds, "E")


AUTHORING = {
    "Cross-View Matching": matching,
    "Distance Judgement": distance,
    "Viewpoint Identification": viewpoint,
    "3D Spatial Consistency": consistency,
    "Action Planning": planning,
    "Step Execution": planning,
    "Trajectory Selection": trajectory,
    "Affordance Recognition": affordance,
}


@pytest.fixture
def desk(server: Any, new_tab: Any, kit: Any) -> Any:
    """An author's tab on a new project."""

    def open_desk(role: str = "annotator", *, name: str = "Robot questions", width: int = 1440, height: int = 900, **fields: Any) -> Desk:
        study = server.study(kit.make_task(f"qa-{new_id('t')}"), name=name)
        quotas = [quota.model_dump() for quota in projects.open_quotas(4)]
        project = seeded(
            server.store, study.study_id, **({"reviewers_per_item": 1, "trial_batch": 0, "quotas": quotas, "name": name} | fields)
        )
        tab = new_tab(width=width, height=height)
        tab.page.goto(server.link(study, role))
        tab.page.locator(".starter").wait_for()
        return Desk(tab, server.store, project)

    return open_desk


def review_all(tab: Any, store: Store, project: Project, golds: dict[str, str]) -> None:
    """A second person answers and judges, by keys alone, until nothing waits."""
    for _ in golds:
        tab.page.locator(".judge .options input").first.wait_for()
        row = store.one(
            "SELECT r.item_id FROM qa_reviews r JOIN qa_items i USING (item_id) WHERE i.project_id = ? AND r.state = 'assigned'",
            [project.project_id],
        )
        tab.press(golds[row["item_id"]].lower(), "Enter")
        tab.page.locator(".judge .outcome").wait_for()
        tab.press("y", "Enter")
    tab.page.get_by_role("heading", name="Nothing to review now").wait_for()


def vantage(*arguments: str) -> str:
    """A command of ours; its standard output."""
    run = subprocess.run([sys.executable, "-P", "-m", "app.cli", *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_one_item_of_each_subtask_is_made_reviewed_exported_and_sound(desk: Any, server: Any, new_tab: Any, tmp_path: Any) -> None:
    author = desk()
    golds = {}
    for name, make in AUTHORING.items():
        author.begin(name)
        make(author)
        stored = author.send()
        assert not rules.check(stored.item) and stored.author
        golds[stored.item.item_id] = stored.item.gold
        author.home()
    reviewer = new_tab(width=1440, height=900)
    reviewer.page.goto(server.link(get_study(server.store, author.project.study_id), "reviewer"))
    review_all(reviewer, server.store, author.project, golds)
    assert [s.state for s in pool.items(server.store, author.project.project_id)] == ["accepted"] * 8

    out = tmp_path / "benchmark"
    vantage("qa", "export", "--out", str(out), "--project", author.project.project_id, "--db", str(server.home.db))
    report = json.loads(vantage("qa", "check", str(out), "--json"))
    assert (report["ok"], report["items"]) == (True, 8)
    assert {path.parent.name for path in out.glob("*/QA*")} and len(list(out.rglob("QA.json"))) == 8
