"""An author at the editor of robot questions: a project with kept moments, and one person's tab on it. For tests."""

from __future__ import annotations

import io
import random
from typing import Any

from PIL import Image, ImageDraw

from annotation.qa import moments, projects
from annotation.qa.items import LETTERS, VIEWS, ViewImage
from annotation.qa.projects import Project
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from annotation.qa.work import pool
from data.robot.images import ImageFolder
from data.robot.records import EpisodeRecord
from data.store import Store, dumps, new_id, now

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
        record = EpisodeRecord(key=f"episode-{number}", arm=arm, task=task, fps=30.0, frames=90, views={}, segments=[])  # type: ignore[arg-type]
        row = {"episode_id": episode, "source_id": source, "key": record.key, "arm": arm, "task": task, "frames": 90, "fps": 30.0}  # type: ignore[dict-item]
        store.insert("robot_episodes", row | {"document": record.model_dump_json(), "created_at": now()})
        for frame in (10, 50, 80):
            views = [
                ViewImage(
                    view=view, image=folder.keep(still(rng, view)), width=SIZE[0], height=SIZE[1], file=f"{view}.png", frame_index=frame
                )
                for view in VIEWS[arm]
            ]
            document = {"views": [view.model_dump(mode="json") for view in views]}
            row = {"moment_id": new_id("mo"), "project_id": project.project_id, "episode_id": episode, "frame_index": frame}  # type: ignore[dict-item]
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
        self.page.locator(".starter .note", has_text="Looking…").wait_for(state="hidden")  # other moments come with another subtask
        self.page.locator(".moment").nth(moment).click()
        self.page.get_by_role("button", name=f"Begin {name}").press("Enter")
        return self.opened()

    def opened(self) -> Desk:
        self.page.locator(".author[data-kept=saved]:not([data-busy])").wait_for()
        self.tab.drawn()  # the item that was left is gone
        self.page.locator(".canvas[data-ready=yes]").wait_for()
        return self

    @property
    def item(self) -> str:
        """The id of the open item."""
        found: str = self.page.url.partition("item=")[2].partition("&")[0]
        return found

    def stored(self) -> Any:
        return pool.get(self.store, self.item)

    def at(self, view: str, x: float, y: float) -> tuple[float, float]:
        """Where a pixel of a view is on the screen."""
        image = self.page.locator(f'[data-view="{view}"] .port img')
        # a picture is put in anew with each save: where it stands is asked until it is there
        box = next(box for _ in range(100) if (box := image.bounding_box()) or self.page.wait_for_timeout(50))
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
        given: str = found.get_attribute("data-letter")
        return given

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


def desks(server: Any, new_tab: Any, kit: Any) -> Any:
    """Opens an author's tab on a new project each time it is called."""

    def open_desk(role: str = "annotator", *, name: str = "Robot questions", width: int = 1440, height: int = 900, **fields: Any) -> Desk:
        options = {name: fields.pop(name) for name in ("color_scheme",) if name in fields}
        study = server.study(kit.make_task(f"qa-{new_id('t')}"), name=name)
        quotas = [quota.model_dump() for quota in projects.open_quotas(4)]
        project = seeded(
            server.store,
            study.study_id,
            **({"reviewers_per_item": 1, "trial_batch": 0, "quotas": quotas, "name": name} | fields),  # type: ignore[arg-type]
        )
        tab = new_tab(width=width, height=height, **options)
        kit.accept(tab, server.link(study, role))
        tab.page.locator(".starter").wait_for()
        return Desk(tab, server.store, project)

    return open_desk


def sound(store: Store, project: Project, slug: str, author: str, seed: int = 0) -> Any:
    """A ready item on kept moments of the project, by this author."""
    kept = [moment for moment in moments.moments(store, project.project_id, state="kept") if moment.arm == "dual"]
    strangers = tuple(moment.views[0] for moment in kept if moment.episode_id != kept[0].episode_id)
    first = kept[0]
    scenery = Scenery(first.source, "dual", first.episode, first.moment_id, first.views, strangers)
    return pool.create_item(store, project.project_id, SUBTASKS[slug].sample(random.Random(seed), scenery), author)


def me(store: Store) -> str:
    """The member of staff who came in last."""
    found: str = store.query("SELECT staff_id FROM staff ORDER BY created_at DESC, rowid DESC LIMIT 1")[0]["staff_id"]
    return found
