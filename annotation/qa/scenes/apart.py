"""Can two pictures of a gripper's camera be told apart? By the gripper's poses where they are known, and by the pictures themselves."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from annotation.qa.items import ViewImage
from annotation.qa.scenes import clarity, geometry
from data.home import Home
from data.robot import episodes as robot
from data.robot.episodes import Episode
from data.robot.errors import RobotError
from data.robot.images import ImageFolder, opened
from data.store import Store

MOVED_M = 0.08
"""A gripper that has moved so far shows a clearly different view,"""
TURNED_DEG = 25.0
"""or turned so far;"""
CHANGED = 8.0
"""where poses are unknown, an image that differs by so many grey levels (`clarity.difference`) is clearly another."""
ALIKE = clarity.Thresholds().duplicate
"""Pictures that differ by less (grey levels) look the same, whatever is known of poses."""


def pose_change(store: Store, episode: Episode, view: str, one: int, other: int) -> bool | None:
    """Whether a gripper's pose differs clearly between two frames; None where poses are unknown."""
    try:
        here, there = robot.truth(store, episode, one), robot.truth(store, episode, other)
    except RobotError:
        return None
    name = view.removesuffix("-gripper")
    if here is None or there is None or name not in here.grippers or name not in there.grippers:
        return None
    a, b = here.grippers[name].pose, there.grippers[name].pose
    turn = geometry.rotation(a[3:7]).T @ geometry.rotation(b[3:7])
    degrees = float(np.degrees(np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))))
    return bool(np.linalg.norm(np.subtract(a[:3], b[:3])) >= MOVED_M or degrees >= TURNED_DEG)


def difference(store: Store, one: ViewImage, other: ViewImage) -> float | None:
    """Mean difference of two pictures (`clarity.difference`, grey levels); None where one is not here or cannot be read."""
    if one.image == other.image:
        return 0.0
    try:
        return clarity.difference(_signature(store.home, one.image), _signature(store.home, other.image))
    except RobotError:
        return None


@lru_cache(maxsize=4096)
def _signature(home: Home, sha256: str) -> str:
    return clarity.signature(opened(ImageFolder(home)(sha256), sha256[:12]))


def alike(store: Store, one: ViewImage, other: ViewImage) -> bool:
    """Whether two pictures look the same; False where that is not known."""
    found = difference(store, one, other)
    return found is not None and found < ALIKE


def distant(store: Store, episode: Episode, here: tuple[int, ViewImage], there: tuple[int, ViewImage]) -> bool | None:
    """Whether a gripper is clearly elsewhere at another frame of its episode, and its picture shows it.

    Args:
        store: the database.
        episode: of both.
        here: a frame of the episode, and the gripper's picture of it.
        there: another, of the same gripper.

    Returns:
        None where neither the poses nor the pictures tell: then it is for a person to see.
    """
    moved = pose_change(store, episode, here[1].view, here[0], there[0])
    if moved is False:
        return False
    found = difference(store, here[1], there[1])
    if found is None:
        return moved
    return False if found < ALIKE else moved or (True if found >= CHANGED else None)
