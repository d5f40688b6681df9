"""Sceneries and sound items for tests of the QA studio."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotation.qa.items import VIEWS, Item, ViewImage
from annotation.qa.subtasks import SUBTASKS
from annotation.qa.subtasks.base import Scenery
from data.home import Home
from data.store import Store


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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Home.from_env(tmp_path / "vantage.db"))
    yield store
    store.close()
