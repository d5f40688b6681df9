"""Do right answers agree with the world? Items held to the true poses, by the judges of their subtasks, where a source has poses.

A box stands for the object whose projection it overlaps best (`annotation.qa.scenes.findings`).
"""

from __future__ import annotations

from annotation.qa.errors import Problem
from annotation.qa.items import Item
from annotation.qa.scenes.findings import UNKNOWN, Finding
from annotation.qa.scenes.scene import Scene, known_objects, scene_of
from annotation.qa.subtasks import SUBTASKS
from data.store import Store


def check_truth(store: Store, item: Item) -> list[Problem]:
    """What in an item contradicts the poses, or cannot be told from them; empty where all agrees or nothing is known."""
    return examine(store, item).problems


def examine(store: Store, item: Item) -> Finding:
    """Hold an item to the poses of its moment."""
    scene = scene_of(store, item) if SUBTASKS[item.subtask].truth is not None else None
    return UNKNOWN if scene is None else against(scene, item)


def against(scene: Scene, item: Item) -> Finding:
    """As `examine`, with the scene at hand."""
    judge = SUBTASKS[item.subtask].truth
    if judge is None or scene.truth is None or item.reference_view not in scene.cameras or not known_objects(scene.truth):
        return UNKNOWN
    return judge(scene, item)
