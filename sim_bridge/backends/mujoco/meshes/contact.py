"""The contact shape of a procedural model: convex pieces from its own parts, so that it collides where it is seen. Numpy alone.

`agreement.measure` says how well that holds.
"""

from __future__ import annotations

import numpy as np

from sim_bridge.backends.mujoco.meshes.decompose import DIRECTIONS, carve
from sim_bridge.backends.mujoco.meshes.pieces import components, thick
from sim_bridge.backends.mujoco.meshes.shapes import Model, Solid

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
