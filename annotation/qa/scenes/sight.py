"""What is seen of the known objects in the views of a moment: whole, uncovered, and not behind the robot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.qa.scenes import geometry
from annotation.qa.scenes.geometry import Array, Box
from annotation.qa.scenes.scene import Scene, known_objects
from data.robot import episodes as robot
from data.robot.episodes import Episode
from data.robot.errors import RobotError
from data.robot.images import opened
from data.robot.records import Body, Gripper
from data.store import Store

LEAST_PX = 14.0
"""An object is boxed only where its projection is at least so wide and high (pixels)."""
COVERED = 0.3
"""An object counts as hidden where a nearer one's box covers more than this of its own."""
WHOLE = 0.85
"""Least share of an object's box inside the image."""
PART = 0.5
"""The same in a view that moves with a gripper, which sees little at a time."""
OWN_HAND = 0.8
"""A gripper's view shows the gripper itself below this share of its height."""
COMPARED = 5
"""Other frames with which a place in the image is compared."""
CHANGED = 14.0
"""A place that differs from what other frames show there by more than this (grey levels, mean) is behind the robot now."""


@dataclass(frozen=True)
class Seen:
    """An object as it is seen in one view."""

    thing: Body
    box: Box
    depth: float
    """Metres along the optical axis."""

    @property
    def middle(self) -> Array:
        """(2,) pixels."""
        return np.array([(self.box[0][0] + self.box[1][0]) / 2, (self.box[0][1] + self.box[1][1]) / 2])


class Sight:
    """A moment's scene with what can be seen in it; looks into other frames where that tells more."""

    def __init__(self, store: Store, scene: Scene) -> None:
        self.store, self.scene = store, scene
        self._seen: dict[str, list[Seen]] = {}
        self._moving: dict[str, bool] = {}
        self._grey: dict[tuple[str, int], Array | None] = {}

    @cached_property
    def episode(self) -> Episode:
        """The moment's episode."""
        return robot.get_episode(self.store, self.scene.moment.episode_id)

    @property
    def hands(self) -> dict[str, Gripper]:
        """The grippers by name."""
        return self.scene.truth.grippers if self.scene.truth is not None else {}

    def seen(self, view: str) -> list[Seen]:
        """The known objects that can be seen well in a view, the nearest first."""
        if view not in self._seen:
            self._seen[view] = self._look(view)
        return self._seen[view]

    def _look(self, view: str) -> list[Seen]:
        camera = self.scene.cameras.get(view)
        if camera is None:
            return []
        moving = self.moves(view)
        found, whole = [], []
        for thing in known_objects(self.scene.truth):
            box = geometry.bounds(camera, thing.size, thing.pose)
            if box is None:
                continue
            pixels, depth = geometry.project(camera, geometry.corners(thing.size, thing.pose))
            (x0, y0), (x1, y1) = pixels.min(0), pixels.max(0)
            found.append(Seen(thing, box, float(depth.mean())))
            big = min(box[1][0] - box[0][0], box[1][1] - box[0][1]) >= LEAST_PX
            inside = geometry.area(box) >= (PART if moving else WHOLE) * float((x1 - x0) * (y1 - y0))
            if big and inside and not (moving and box[1][1] > OWN_HAND * camera.height):
                whole.append(found[-1])
        clear = []
        for one in whole:
            before = [other for other in found if other is not one and other.depth < one.depth + 0.02]
            covered = any(geometry.shared(one.box, other.box) > COVERED * geometry.area(one.box) for other in before)
            if not covered and not self._behind_hand(view, one) and (moving or not self._behind_robot(view, one)):
                clear.append(one)
        return sorted(clear, key=lambda one: one.depth)

    def _behind_hand(self, view: str, one: Seen) -> bool:
        """Whether a gripper's fingers are in front of an object in a view."""
        (x0, y0), (x1, y1) = one.box
        for hand in self.hands.values():
            pixels, depth = geometry.project(self.scene.cameras[view], [hand.pose[:3]])
            if 0 < depth[0] < one.depth - 0.02 and x0 <= pixels[0][0] <= x1 and y0 <= pixels[0][1] <= y1:
                return True
        return False

    def moves(self, view: str) -> bool:
        """Whether a camera moves in the episode, as those on hands do."""
        if view not in self._moving:
            self._moving[view] = view.endswith("gripper") or self._another_pose(view)
        return self._moving[view]

    def _another_pose(self, view: str) -> bool:
        camera = self.scene.cameras.get(view)
        if camera is None:
            return False
        here = np.asarray(camera.world_to_camera, float)
        for frame in (0, self.episode.frames - 1, self.episode.frames // 2):
            there = robot.cameras(self.store, self.episode, frame).get(view)
            if there is not None and there.world_to_camera is not None and np.abs(here - np.asarray(there.world_to_camera)).max() > 1e-3:
                return True
        return False

    def _behind_robot(self, view: str, one: Seen) -> bool:
        """Whether an object's place looks otherwise than in most frames in which the object lies there too: then the arm is before it.
        Nothing is said of an object that moves."""
        (x0, y0), (x1, y1) = ((int(a), int(b)) for a, b in one.box)
        now = self._pixels(view, self.scene.moment.frame_index)
        if now is None:
            return False
        others = []
        for frame in self._resting(one.thing):
            there = self._pixels(view, frame)
            if there is not None:
                others.append(there[y0 : y1 + 1, x0 : x1 + 1])
        if len(others) < 3:
            return False
        usual = np.median(np.stack(others), axis=0)
        return float(np.abs(now[y0 : y1 + 1, x0 : x1 + 1] - usual).mean()) > CHANGED

    def _resting(self, thing: Body) -> list[int]:
        """Frames over the episode in which an object lies where it lies now."""
        episode, here = self.episode, np.asarray(thing.pose, float)
        found = []
        for frame in np.unique(np.linspace(0, episode.frames - 1, 3 * COMPARED).astype(int)):
            truth = robot.truth(self.store, episode, int(frame))
            poses = [body.pose for body in truth.objects if body.name == thing.name] if truth is not None else []
            if poses and np.abs(np.asarray(poses[0], float) - here).max() < 0.004:
                found.append(int(frame))
        return found[:: max(1, len(found) // COMPARED)]

    def _pixels(self, view: str, frame: int) -> Array | None:
        """The grey image of a frame (rows, columns); None where it cannot be read."""
        if (view, frame) not in self._grey:
            try:
                data = robot.still(self.store, self.episode, view, frame).data
                grey = np.asarray(opened(data, f"{view} {frame}").convert("L"), np.float64)
            except RobotError:
                grey = None
            self._grey[view, frame] = grey
        return self._grey[view, frame]
