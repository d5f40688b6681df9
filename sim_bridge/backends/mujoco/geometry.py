"""Relations and clipping from geometry: boxes first, triangles where boxes do not decide. Pure numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.shapes import Array

NEAR_M = 0.012
"""Nearer to a surface than this, the near plane cuts it open: the view is clipped."""


def _directions() -> Array:
    d = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], float)
    d += 0.013 * np.array([0.7, -0.4, 0.3])  # off the axes, where rays would run along edges
    return d / np.linalg.norm(d, axis=1, keepdims=True)


_RAYS = _directions()


def enclosed(point: Array, vertices: Array, faces: NDArray[np.int64], share: float = 0.85) -> bool:
    """Whether triangles surround `point`: at least `share` of 26 rays hit one (open boxes and tables do not surround)."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    e1, e2, to = b - a, c - a, point - a
    q = np.cross(to, e1)
    hits = 0
    for ray in _RAYS:
        p = np.cross(ray, e2)
        det = (e1 * p).sum(1)
        with np.errstate(all="ignore"):
            inverse = 1.0 / det
            u = (to * p).sum(1) * inverse
            v = (q @ ray) * inverse
            t = (e2 * q).sum(1) * inverse
            hits += bool(((np.abs(det) > 1e-14) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)).any())
    return hits >= share * len(_RAYS)


def nearer_than(point: Array, vertices: Array, faces: NDArray[np.int64], distance: float = NEAR_M) -> bool:
    """Whether some triangle lies within `distance` of `point` (sampled at corners, middles and centres, refined in the plane)."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    keep = length > 1e-14
    a, b, c, normal = a[keep], b[keep], c[keep], normal[keep] / length[keep, None]
    height = ((point - a) * normal).sum(1)
    close = np.abs(height) < distance
    if not close.any():
        return False
    a, b, c, normal, height = a[close], b[close], c[close], normal[close], height[close]
    foot = point - height[:, None] * normal
    inside = np.ones(len(a), bool)
    for s, e in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(e - s, foot - s) * normal).sum(1) >= 0
    if inside.any():
        return True
    for s, e in ((a, b), (b, c), (c, a)):
        along = e - s
        t = np.clip(((point - s) * along).sum(1) / np.maximum((along**2).sum(1), 1e-18), 0, 1)
        if (np.linalg.norm(s + t[:, None] * along - point, axis=1) < distance).any():
            return True
    return False


def overlap_share(low_a: Array, high_a: Array, low_b: Array, high_b: Array) -> float:
    """Share of a's footprint (xy) that lies over b's."""
    w = np.minimum(high_a[:2], high_b[:2]) - np.maximum(low_a[:2], low_b[:2])
    if (w <= 0).any():
        return 0.0
    return float(np.prod(w) / max(float(np.prod(high_a[:2] - low_a[:2])), 1e-12))


def heights(vertices: Array, faces: NDArray[np.int64], points: Array) -> Array:
    """Greatest height of the surface over each (x, y) of `points` (N, 2); −inf where nothing is."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    e1, e2 = (b - a)[:, :2], (c - a)[:, :2]
    det = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
    keep = np.abs(det) > 1e-14
    a, b, c, e1, e2, det = a[keep], b[keep], c[keep], e1[keep], e2[keep], det[keep]
    found = np.full(len(points), -np.inf)
    for i, point in enumerate(points):
        to = point - a[:, :2]
        u = (to[:, 0] * e2[:, 1] - to[:, 1] * e2[:, 0]) / det
        v = (e1[:, 0] * to[:, 1] - e1[:, 1] * to[:, 0]) / det
        over = (u >= 0) & (v >= 0) & (u + v <= 1)
        if over.any():
            z = a[over, 2] + u[over] * (b[over, 2] - a[over, 2]) + v[over] * (c[over, 2] - a[over, 2])
            found[i] = float(z.max())
    return found
