"""Help from geometry for the author, where a source has calibration: epipolar lines, projected boxes, the grid in the reference view.

Help, never an answer: boxes carry the names of known objects and nothing of the item; where calibration or truth is missing, there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from annotation.qa import geometry
from annotation.qa.errors import UnknownItem
from annotation.qa.geometry import Grid
from annotation.qa.items import Item
from annotation.qa.moments.records import Moment, get_moment
from annotation.qa.subtasks import SUBTASKS
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


def help_for(store: Store, item: Item) -> dict[str, Any] | None:
    """What `app.components.canvas` takes as ``help``.

    Returns:
        ``pairs`` (a fundamental matrix for each ordered pair of calibrated views, row by row), ``boxes`` (the projected box of each known
        object in each view where it lies in the image) and ``lines`` (none); None where there is nothing to help with.
    """
    scene = scene_of(store, item) if SUBTASKS[item.subtask].draws else None
    if scene is None:
        return None
    # marks lie on the pixels of the item's images: a camera of another size is of another image
    cameras = {
        view.view: scene.cameras[view.view]
        for view in item.views
        if view.view in scene.cameras and (scene.cameras[view.view].width, scene.cameras[view.view].height) == (view.width, view.height)
    }
    pairs = []
    for one, other in permutations(cameras, 2):
        matrix = geometry.fundamental(cameras[one], cameras[other])
        if matrix is not None:
            pairs.append({"from": one, "to": other, "matrix": [float(v) for v in matrix.ravel()]})
    boxes = []
    for name, camera in cameras.items():
        for thing in known_objects(scene.truth):
            box = geometry.bounds(camera, thing.size, thing.pose)
            if box is not None:
                boxes.append({"view": name, "points": [[round(x, 2), round(y, 2)] for x, y in box], "label": thing.name})
    return {"pairs": pairs, "boxes": boxes, "lines": []} if pairs or boxes else None


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


def grid_matrix(store: Store, item: Item) -> list[float] | None:
    """The projection of the item's grid (0 to 5 along x right, y forward, z up) to pixels of its reference view: twelve numbers, row by
    row, as `app.components.cubes` takes them; None where calibration or known objects are missing."""
    scene = scene_of(store, item)
    grid = grid_for(scene, item.reference_view) if scene is not None else None
    if scene is None or grid is None:
        return None
    return [float(v) for v in grid.matrix(scene.cameras[item.reference_view]).ravel()]
