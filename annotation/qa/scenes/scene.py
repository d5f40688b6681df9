"""The scene of a moment: its calibrated cameras and its true poses, where the source has them, and the grid around the known objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.qa.errors import UnknownItem
from annotation.qa.items import Item
from annotation.qa.scenes import geometry
from annotation.qa.scenes.geometry import Grid
from annotation.qa.scenes.moment import Moment, get_moment
from data.robot import episodes as robot
from data.robot.errors import RobotError
from data.robot.records import Body, Camera, Truth
from data.store import Store

LARGE_M = 0.6
"""What is longer than this is furniture: no object to box, and no part of the workspace."""


@dataclass(frozen=True)
class Scene:
    """What is known of an item's moment."""

    moment: Moment
    cameras: dict[str, Camera]
    """View → calibrated camera; views without calibration are left out."""
    truth: Truth | None


def scene_of(store: Store, item: Item) -> Scene | None:
    """The moment of an item with its calibrated cameras and truth; None where the item's moment is not here (imported items)."""
    try:
        moment = get_moment(store, item.moment)
    except UnknownItem:
        return None
    return scene_at(store, moment)


def scene_at(store: Store, moment: Moment, frame: int | None = None) -> Scene:
    """The same for a moment, or another frame of its episode. What the source no longer can tell is left out."""
    index = moment.frame_index if frame is None else frame
    try:
        episode = robot.get_episode(store, moment.episode_id)
        cameras = {view: camera for view, camera in robot.cameras(store, episode, index).items() if geometry.calibrated(camera)}
        truth = robot.truth(store, episode, index)
    except RobotError:
        return Scene(moment, {}, None)
    return Scene(moment, cameras, truth)


def known_objects(truth: Truth | None) -> list[Body]:
    """The objects of a truth that can be handled: furniture is left out."""
    return [thing for thing in truth.objects if max(thing.size) <= LARGE_M] if truth is not None else []


def grid_for(scene: Scene, view: str) -> Grid | None:
    """The 5×5×5 grid of a view: in its camera-bound frame, around the known objects; None where the view is not calibrated, looks straight
    down, or no object is known."""
    camera, things = scene.cameras.get(view), known_objects(scene.truth)
    if camera is None or scene.truth is None or not things:
        return None
    axes = geometry.bound_frame(camera, scene.truth.up)
    if axes is None:
        return None
    return geometry.grid_around(axes, np.concatenate([geometry.corners(thing.size, thing.pose) for thing in things]))
