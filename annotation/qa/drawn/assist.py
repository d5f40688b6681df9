"""Help from geometry for the author, where a source has calibration: epipolar lines, projected boxes, the grid in the reference view.

Help, never an answer: boxes carry the names of known objects and nothing of the item; where calibration or truth is missing, there is none.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from annotation.qa.items import Item
from annotation.qa.scenes import geometry
from annotation.qa.scenes.scene import grid_for, known_objects, scene_of
from annotation.qa.subtasks import SUBTASKS
from data.store import Store


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


def grid_matrix(store: Store, item: Item) -> list[float] | None:
    """The projection of the item's grid (0 to 5 along x right, y forward, z up) to pixels of its reference view: twelve numbers, row by
    row, as `app.components.cubes` takes them; None where calibration or known objects are missing."""
    scene = scene_of(store, item)
    grid = grid_for(scene, item.reference_view) if scene is not None else None
    if scene is None or grid is None:
        return None
    return [float(v) for v in grid.matrix(scene.cameras[item.reference_view]).ravel()]
