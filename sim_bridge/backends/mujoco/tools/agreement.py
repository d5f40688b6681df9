"""Whether a thing collides where it is seen: a measurement by rays, for the tools that build the pack and describe its objects.

`measure` shoots rays at the visible surface and at the contact shape from above, from below and from around, and compares what they hit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.catalogue.lookup import Match
from sim_bridge.backends.mujoco.catalogue.physical import Physical
from sim_bridge.backends.mujoco.engine import building
from sim_bridge.backends.mujoco.meshes.shapes import Array, Model
from sim_bridge.spec import Pose

GRID = 32
"""Rays per direction and edge."""
STANDS_M = 0.003
_AROUND: tuple[tuple[float, float, float], ...] = (
    (1, 0, 0),
    (-1, 0, 0),
    (0, 1, 0),
    (0, -1, 0),
    (1, 1, 1),
    (-1, 1, 1),
    (1, -1, 1),
    (-1, -1, 1),
)


@dataclass(frozen=True)
class Agreement:
    """How far apart the visible and the colliding surface are, 95th percentiles in millimetres."""

    top_mm: float
    """Seen from straight above: where things are put on or in."""
    under_mm: float
    """Where it stands: its visible underside within `STANDS_M` of its lowest point."""
    around_mm: float
    """From the sides and from diagonally above."""
    geoms: int

    @property
    def worst_mm(self) -> float:
        return max(self.top_mm, self.under_mm, self.around_mm)

    @property
    def rounded(self) -> list[float]:
        return [round(v, 1) for v in (self.top_mm, self.under_mm, self.around_mm)]


def measure(model: Model) -> Agreement:
    """Compare the surface that is seen with the one that collides, at the model's own size."""
    from scipy.spatial import cKDTree

    size = model.size
    builder = building.Builder()
    body = builder.spec.worldbody.add_body(name="thing")
    centred = model.normalised(size)
    for part in (*centred.parts, *(p for m in centred.mobiles for p in m.parts)):
        builder.show(body, part, building.GROUP_OPAQUE)
    home = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    placed = building.Placed("thing", "thing", Match("thing", "exact"), centred, size, home, False, physical=Physical(1.0))
    building.add_colliders(builder, body, placed)
    moving = [q for m in centred.mobiles for q in m.solids]
    if moving:
        building.add_solids(builder, body, moving, 1.0, building.collider_looks(placed.physical, False))
    compiled = builder.spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    directions = ((0, 0, 1), (0, 0, -1), *_AROUND)
    seen = [_hits(compiled, data, d, size, building.GROUP_OPAQUE) for d in directions]
    touched = [_hits(compiled, data, d, size, building.GROUP_COLLIDER) for d in directions]
    seen_cloud, touched_cloud = (tuple(np.concatenate(a) for a in zip(*hits, strict=True)) for hits in (seen, touched))
    trees = cKDTree(seen_cloud[0]), cKDTree(touched_cloud[0])
    spacing = float(np.sort(size)[1:].mean()) / GRID * 2.5

    def off(points: Array, tree: Any, cloud: Any) -> Array:
        """Distance of points to a surface known by points and normals: to the nearest tangent planes, or to the nearest point."""
        if not len(points):
            return np.zeros(0)
        distance, index = tree.query(points, k=4)
        plane = np.abs(((points[:, None] - cloud[0][index]) * cloud[1][index]).sum(2))
        return np.asarray(np.where(distance < spacing, np.minimum(plane, distance), distance).min(1))

    def worst(errors: list[Array]) -> float:
        return 1000 * float(np.percentile(np.concatenate(errors), 95))

    def both(views: range) -> float:
        return worst([off(seen[k][0], trees[1], touched_cloud) for k in views] + [off(touched[k][0], trees[0], seen_cloud) for k in views])

    under = seen[1][0]
    stands = under[under[:, 2] < under[:, 2].min() + STANDS_M]
    count = int((compiled.geom_group == building.GROUP_COLLIDER).sum())
    return Agreement(both(range(1)), worst([off(stands, trees[1], touched_cloud)]), both(range(2, len(directions))), count)


def _hits(compiled: Any, data: Any, direction: tuple[float, float, float], size: Array, group: int) -> tuple[Array, Array]:
    """Points where rays along −direction first meet the geoms of a group, and the surface normals there."""
    d = np.asarray(direction, float)
    d /= np.linalg.norm(d)
    turn = _toward(d)
    radius = float(np.linalg.norm(size)) / 2
    half = np.abs(turn[:, 1:].T) @ size / 2
    u, v = np.meshgrid(np.linspace(-1, 1, GRID) * half[0] * 0.995, np.linspace(-1, 1, GRID) * half[1] * 0.995)
    # From one point far away, so that one call shoots them all; they are parallel to 1 in 60.
    eye = d * radius * 60
    target = turn[:, 1:2] * u.ravel() + turn[:, 2:3] * v.ravel()
    ray = target.T - eye
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    groups = np.zeros(6, np.uint8)
    groups[group] = 1
    n = len(ray)
    ids, distance, normal = np.full(n, -1, np.int32), np.zeros(n), np.zeros(3 * n)
    mujoco.mj_multiRay(compiled, data, eye, np.ascontiguousarray(ray).ravel(), groups, 1, -1, ids, distance, normal, n, mujoco.mjMAXVAL)
    hit = distance >= 0
    return np.asarray(eye + ray[hit] * distance[hit, None]), normal.reshape(-1, 3)[hit]


def _toward(direction: Array) -> Array:
    """A rotation whose x axis points along `direction`."""
    x = direction / np.linalg.norm(direction)
    side = np.cross([0.0, 0.0, 1.0] if abs(x[2]) < 0.9 else [0.0, 1.0, 0.0], x)
    side /= np.linalg.norm(side)
    return np.stack([x, side, np.cross(x, side)], 1)
