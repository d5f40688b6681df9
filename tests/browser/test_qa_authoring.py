"""The author's pages: one item of each of the eight subtasks by mouse and keyboard, reviewed, exported and checked."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from PIL import Image, ImageDraw

from annotation.qa import moments, projects
from annotation.qa.items import VIEWS, ViewImage
from annotation.qa.projects import Project
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
        record = EpisodeRecord(key=f"episode-{number}", arm=arm, task=task, fps=30.0, frames=90, views={}, segments=[])
        row = {"episode_id": episode, "source_id": source, "key": record.key, "arm": arm, "task": task, "frames": 90, "fps": 30.0}
        store.insert("robot_episodes", row | {"document": record.model_dump_json(), "created_at": now()})
        for frame in (10, 50, 80):
            views = [
                ViewImage(view=view, image=folder.keep(still(rng, view)), width=SIZE[0], height=SIZE[1], file=f"{view}.png", frame_index=frame)
                for view in VIEWS[arm]
            ]
            document = {"views": [view.model_dump(mode="json") for view in views]}
            row = {"moment_id": new_id("mo"), "project_id": project.project_id, "episode_id": episode, "frame_index": frame}
            store.insert("moments", row | {"state": "candidate", "document": dumps(document), "created_at": now()})
            moments.decide(store, row["moment_id"], "keep", "useful", "fixture")
    return project
