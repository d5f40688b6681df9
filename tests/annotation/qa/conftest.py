"""Sceneries and sound items for tests of the QA studio."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.scenes import geometry
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from data.robot import episodes
from data.robot.episodes import Still
from data.robot.records import Body, Camera, EpisodeRecord, Gripper, Segment, Truth, TruthEvent, ViewRecord
from data.store import Store, new_id, now


def build_scenery(arm: str = "dual", name: str = "a") -> Scenery:
    """A moment whose images are names only."""

    def image(view: str, key: str) -> ViewImage:
        return ViewImage(view=view, image=hashlib.sha256(key.encode()).hexdigest(), width=640, height=480)

    return Scenery(
        "agibot" if arm == "dual" else "bridge",
        arm,  # type: ignore[arg-type]
        f"episode-{name}",
        f"moment-{name}",
        tuple(image(view, f"{name}/{view}") for view in VIEWS[arm]),
        tuple(image("left-gripper", f"{name}/stranger-{k}") for k in range(3)),
    )


def build_item(subtask: str, seed: int = 0, arm: str = "dual", **changes: object) -> Item:
    """A sound item of a subtask; `changes` replace fields."""
    item = SUBTASKS[subtask].sample(random.Random(seed), build_scenery(arm, str(seed)))
    return item.change(**{"item_id": f"qa-{subtask}-{seed}", **changes})


@pytest.fixture
def scenery() -> Callable[..., Scenery]:
    return build_scenery


@pytest.fixture
def sound() -> Callable[..., Item]:
    return build_item


# robot episodes without a source on disk: a table with blocks, grippers that move, cameras, images


class Robots:
    """Imported episodes whose images, cameras and poses are made up as they are asked for, in place of a source's files."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.spoilt: dict[tuple[str, str, int], Callable[[Any], Any]] = {}
        """(episode key, view, frame) → what is done to that image; it may raise."""
        self.late: dict[tuple[str, str], float] = {}
        """(episode key, view) → seconds by which its clock is late."""
        self.known = True
        """Whether poses and calibration are known."""
        self.blocks = 7
        self.sources = 0
        self._drawn: dict[tuple[str, str, int], bytes] = {}

    def add(self, arm: str = "single", tasks: int = 2, episodes: int = 2, frames: int = 90, name: str = "") -> str:
        """A source of `tasks` × `episodes` episodes; returns its id."""
        source_id = new_id("rs")
        self.sources += 1
        root = self.store.home.root / "sources" / str(self.sources)
        root.mkdir(parents=True)
        row = {"source_id": source_id, "kind": "agibot" if arm == "dual" else "bridge", "name": name, "root": str(root)}
        self.store.insert("robot_sources", row | {"created_at": now()})
        for task in range(tasks):
            for number in range(episodes):
                key = f"{arm}-{self.sources}-{task}/{number}"
                views = {
                    view: ViewRecord(kind="images", camera=view, file=view, frames=frames, width=WIDTH, height=HEIGHT)
                    for view in VIEWS[arm]
                }
                record = EpisodeRecord(
                    key=key, arm=arm, task=f"put block {task} into the bowl", fps=10, frames=frames, views=views,  # type: ignore[arg-type]
                    segments=(Segment(start=0, end=frames, text=f"move to block {task}"),),
                )  # fmt: skip
                self.store.insert(
                    "robot_episodes",
                    {"episode_id": new_id("re"), "source_id": source_id, "key": key, "arm": arm, "task": record.task, "frames": frames}
                    | {"fps": 10.0, "document": record.model_dump_json(), "created_at": now()},
                )
        return source_id

    def truth(self, store: Store, episode: Any, index: int) -> Any:
        if not self.known:
            return None
        rng = np.random.default_rng([len(episode.key), *episode.key.encode()])
        bodies = []
        cells = rng.permutation(12)[: self.blocks]
        for n, cell in enumerate(cells):
            size = rng.uniform(0.05, 0.09, 3)
            lift = 0.12 * (n % 3)
            place = (-0.36 + 0.24 * (cell % 4) + rng.uniform(-0.03, 0.03), -0.2 + 0.2 * (cell // 4) + rng.uniform(-0.03, 0.03))
            pose = (float(place[0]), float(place[1]), float(lift + size[2] / 2), 1.0, 0.0, 0.0, 0.0)
            bodies.append(Body(f"block {n}", "block", tuple(float(s) for s in size), pose))  # type: ignore[arg-type]
        t = index / episode.frames
        hands = {"left": -0.3, "right": 0.3} if episode.arm == "dual" else {"arm": 0.1}
        grippers = {
            side: Gripper((x + 0.25 * t, -0.45 + 0.5 * t, 0.55 - 0.3 * t * t, 1.0, 0.0, 0.0, 0.0), 0.08 * (1 - t))
            for side, x in hands.items()
        }
        hand = next(iter(grippers))
        events = (TruthEvent(episode.frames // 2, "grasp", "block 0", hand), TruthEvent(episode.frames - 3, "release", "block 0", hand))
        return Truth(index, (0.0, 0.0, 1.0), tuple(bodies), grippers, events)

    def cameras(self, store: Store, episode: Any, index: int) -> dict[str, Any]:
        if not self.known:
            return {}
        t = index / episode.frames
        places = {"view1": (0.0, -1.1, 0.9), "view2": (0.9, -0.8, 0.8), "view3": (-0.9, -0.7, 0.9), "view4": (0.2, 0.9, 1.1)}
        places |= {"head": (0.0, -0.9, 1.0), "left-gripper": (-0.45 + 0.1 * t, -0.7, 0.7), "right-gripper": (0.45 + 0.1 * t, -0.7, 0.7)}
        return {view: Camera(WIDTH, HEIGHT, K, looking(places[view], (0.0, 0.0, 0.05))) for view in VIEWS[episode.arm]}

    def _draw(self, episode: Any, view: str, index: int) -> bytes:
        rng = np.random.default_rng([len(view), *view.encode(), *episode.key.encode()])
        image = Image.fromarray(rng.integers(70, 190, (24, 32, 3), dtype=np.uint8)).resize((WIDTH, HEIGHT), Image.Resampling.NEAREST)
        pen = ImageDraw.Draw(image)
        known, self.known = self.known, True
        camera, truth = self.cameras(self.store, episode, index)[view], self.truth(self.store, episode, index)
        self.known = known
        for n, thing in enumerate(truth.objects):
            box = geometry.bounds(camera, thing.size, thing.pose)
            if box is not None:
                pen.rectangle((*box[0], *box[1]), fill=(30 * n, 200 - 20 * n, 90))
        for hand in truth.grippers.values():
            (x, y), _ = geometry.project(camera, [hand.pose[:3]])[0][0], None
            pen.ellipse((x - 30, y - 30, x + 30, y + 30), fill=(20, 20, 20))
        # a stripe that tells the frame, so that no two images are the same
        pen.rectangle((index * 3, 0, index * 3 + 40, 24), fill=(250, 250, 240))
        return png(image)

    def still(self, store: Store, episode: Any, view: str, index: int) -> Any:
        place = (episode.key, view, index)
        if place not in self._drawn:
            self._drawn[place] = self._draw(episode, view, index)
        data = self._drawn[place]
        if spoil := self.spoilt.get(place) or self.spoilt.get((episode.key, view, -1)):
            data = png(spoil(Image.open(io.BytesIO(data)).convert("RGB")))
        at = index / 10 + self.late.get((episode.key, view), 0.0)
        return Still(
            data=data, width=WIDTH, height=HEIGHT, file=f"{view}/{index}.png", frame_index=index, timestamp_s=at
        )  # fmt: skip


def png(image: Image.Image) -> bytes:
    """The image as PNG, quickly."""
    kept = io.BytesIO()
    image.save(kept, "PNG", compress_level=1)
    return kept.getvalue()


WIDTH, HEIGHT = 320, 240
K = ((260.0, 0.0, 160.0), (0.0, 260.0, 120.0), (0.0, 0.0, 1.0))


def looking(place: Sequence[float], at: Sequence[float]) -> Any:
    """World-to-camera matrix of a camera at `place` that looks at `at`, level."""
    forward = np.subtract(at, place) / np.linalg.norm(np.subtract(at, place))
    right = np.cross(forward, (0, 0, 1))
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward])
    pose[:3, 3] = -pose[:3, :3] @ np.asarray(place, float)
    return tuple(tuple(float(v) for v in row) for row in pose)


@pytest.fixture
def world(store: Store) -> Robots:
    """The same without taking a source's place."""
    return Robots(store)


@pytest.fixture
def robots(world: Robots, monkeypatch: pytest.MonkeyPatch) -> Robots:
    for name in ("still", "cameras", "truth"):
        monkeypatch.setattr(episodes, name, getattr(world, name))
    return world
