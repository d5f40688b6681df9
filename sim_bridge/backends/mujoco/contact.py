"""Whether a thing collides where it is seen: contact pieces from a model's own parts, and a measurement by rays.

`pieces` and `along` build convex contact pieces from the parts of a procedural model. `measure` shoots rays at the visible surface and at
the contact shape from above, from below and from around, and compares what they hit. ``python -m sim_bridge.backends.mujoco.contact``
prints a table over the catalogue. Importing this needs numpy alone; measuring needs MuJoCo and SciPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.shapes import Array, Model, Part, Solid

WELD_M = 1e-5
"""Vertices closer than this are one: makers repeat vertices at hard edges."""
THINNEST_M = 0.002
"""A hull thinner than this is thickened: a flat hull has no inside."""


# --- contact pieces ---------------------------------------------------------------------------------------------------


def components(vertices: Array, faces: NDArray[np.int64], weld: float = WELD_M) -> list[NDArray[np.int64]]:
    """Connected pieces of a mesh as arrays of faces, in the order of their first face."""
    key = np.round(vertices / weld).astype(np.int64)
    _, welded = np.unique(key, axis=0, return_inverse=True)
    corner = welded.reshape(-1)[faces]
    label = np.arange(int(corner.max()) + 1)
    while True:
        low = label[corner].min(1)
        before = label.copy()
        for k in range(3):
            np.minimum.at(label, corner[:, k], low)
        label = label[label]
        if np.array_equal(label, before):
            break
    of_face = label[corner[:, 0]]
    _, first = np.unique(of_face, return_index=True)
    return [faces[of_face == of_face[f]] for f in np.sort(first)]


def thick(points: Array) -> Array:
    """Points whose hull is at least `THINNEST_M` thick along its thinnest principal direction."""
    centred = points - points.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False) if len(points) > 2 else (0, 0, np.eye(3))
    for axis in axes[::-1]:
        width = float(np.ptp(points @ axis))
        if width < THINNEST_M:
            grow = (THINNEST_M - width) / 2 * axis
            points = np.concatenate([points - grow, points + grow])
    return points


def pieces(*parts: Part | Iterable[Part]) -> tuple[Solid, ...]:
    """One hull for each connected piece of the parts: a table is its top and its legs."""
    found: list[Solid] = []
    for part in parts:
        if not isinstance(part, Part):
            found.extend(pieces(*part))
            continue
        for faces in components(part.vertices, part.faces):
            points = np.unique(np.round(part.vertices[np.unique(faces)], 6), axis=0)
            found.append(Solid(thick(points)))
    return tuple(found)


MAX_PIECES = 48
"""Contact pieces of one procedural model; beyond, one hull serves."""
TOLERANCE_M, TOLERANCE_SHARE = 0.003, 0.012
"""How deep a connected piece may lie inside its own hull before it is cut up: the greater of a length and a share of the model's size."""
MAX_CUTS = 10
"""Pieces that one connected piece is cut into at most."""


def contact_shape(model: Model) -> tuple[Solid, ...]:
    """Convex pieces that collide where a procedural model is seen; empty where one primitive says it, or the model knows better.

    Every connected piece gets its hull; concave ones (bananas, handles, rings) are cut up. Pieces inside others are left out.
    """
    if model.solids or model.cavity is not None or model.mobiles or not model.parts:
        return ()
    groups = [(p.vertices, faces) for p in model.parts for faces in components(p.vertices, p.faces)]
    if _primitive(model, len(groups)):
        return ()
    from sim_bridge.backends.mujoco.decompose import DIRECTIONS, carve

    size = float(model.size.max())
    shapes = [v[np.unique(f)] for v, f in groups]
    reach = np.array([(v @ DIRECTIONS.T).max(0) for v in shapes])
    order = np.argsort(-np.array([float(np.linalg.norm(np.ptp(v, axis=0))) for v in shapes]), kind="stable")
    kept: list[int] = []
    for k in order:
        if not any((reach[k] <= reach[j] + HIDDEN_M).all() for j in kept):
            kept.append(int(k))
    if len(kept) > MAX_PIECES:
        return (Solid(np.concatenate(shapes)),)
    cuts = max(1, min(MAX_CUTS, MAX_GEOMS // len(kept)))
    found: list[Solid] = []
    for k in kept:
        v, f = groups[k]
        for points in carve(v, f, max(TOLERANCE_M, TOLERANCE_SHARE * size), cuts):
            found.append(Solid(thick(np.unique(np.round(points, 6), axis=0))))
    return tuple(found)


HIDDEN_M = 0.0005
"""A piece that reaches no further than another in every direction, by this much, is inside it."""
MAX_GEOMS = 48


def _primitive(model: Model, groups: int) -> bool:
    """Whether the model's own box, cylinder or sphere is what one sees: every corner lies on it."""
    low, high = model.bounds
    half, points = (high - low) / 2, np.concatenate([p.vertices[np.unique(p.faces)] for p in model.parts]) - (low + high) / 2
    slack = max(0.0008, 0.01 * float(half.min()))
    inset = half - np.abs(points)
    if model.collider == "box":
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
        filled = all((np.abs(points - c).max(1) < slack).any() for c in corners)
        return filled and bool((inset.min(1) < slack).all())
    if model.collider == "cylinder":
        wide = half[0] - np.hypot(points[:, 0], points[:, 1])
        rims = all(((wide < slack) & (np.abs(points[:, 2] - z) < slack)).sum() >= 8 for z in (-half[2], half[2]))
        return rims and abs(float(half[0] - half[1])) < slack and bool((np.minimum(wide, inset[:, 2]) < slack).all())
    if model.collider == "sphere":
        return groups == 1 and float(np.ptp(half)) < slack and bool((half[0] - np.linalg.norm(points, axis=1) < slack).all())
    return False


def _toward(direction: Array) -> Array:
    """A rotation whose x axis points along `direction`."""
    x = direction / np.linalg.norm(direction)
    side = np.cross([0.0, 0.0, 1.0] if abs(x[2]) < 0.9 else [0.0, 1.0, 0.0], x)
    side /= np.linalg.norm(side)
    return np.stack([x, side, np.cross(x, side)], 1)


# --- measurement ------------------------------------------------------------------------------------------------------

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
    import mujoco
    from scipy.spatial import cKDTree

    from sim_bridge.backends.mujoco import world
    from sim_bridge.backends.mujoco.catalogue import Match
    from sim_bridge.backends.mujoco.physical import Physical
    from sim_bridge.spec import Pose

    size = model.size
    builder = world.Builder()
    body = builder.spec.worldbody.add_body(name="thing")
    centred = model.normalised(size)
    for part in (*centred.parts, *(p for m in centred.mobiles for p in m.parts)):
        builder.show(body, part, world.GROUP_OPAQUE)
    home = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    placed = world.Placed("thing", "thing", Match("thing", "exact"), centred, size, home, False, physical=Physical(1.0))
    world.add_colliders(builder, body, placed)
    moving = [q for m in centred.mobiles for q in m.solids]
    if moving:
        world.add_solids(builder, body, moving, 1.0, world.collider_looks(placed.physical, False))
    compiled = builder.spec.compile()
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    directions = ((0, 0, 1), (0, 0, -1), *_AROUND)
    seen = [_hits(mujoco, compiled, data, d, size, world.GROUP_OPAQUE) for d in directions]
    touched = [_hits(mujoco, compiled, data, d, size, world.GROUP_COLLIDER) for d in directions]
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
    count = int((compiled.geom_group == world.GROUP_COLLIDER).sum())
    return Agreement(both(range(1)), worst([off(stands, trees[1], touched_cloud)]), both(range(2, len(directions))), count)


def _hits(mujoco: Any, compiled: Any, data: Any, direction: tuple[float, float, float], size: Array, group: int) -> tuple[Array, Array]:
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
