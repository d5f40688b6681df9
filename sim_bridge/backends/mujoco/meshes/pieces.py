"""Convex contact pieces from the parts of a mesh: what hangs together, and hulls thick enough to have an inside. Numpy alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.meshes.shapes import Array, Part, Solid

WELD_M = 1e-5
"""Vertices closer than this are one: makers repeat vertices at hard edges."""
THINNEST_M = 0.002
"""A hull thinner than this is thickened: a flat hull has no inside."""


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
