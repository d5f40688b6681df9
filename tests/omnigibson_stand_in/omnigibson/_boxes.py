"""Boxes, rays and falling: as much of a world as the adapter's tests need."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

FALL_M = 0.03
SKIN_M = 0.01
"""Thickness of the bottom of what is hollow."""


def matrix(quaternion: np.ndarray) -> np.ndarray:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def bounds(thing: Any) -> tuple[np.ndarray, np.ndarray]:
    turn = matrix(thing.quaternion)
    centre = thing.position + turn @ (thing.extent * thing.offset)
    reach = np.abs(turn) @ (thing.extent / 2)
    return centre - reach, centre + reach


def over(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> bool:
    return bool((a[0][:2] < b[1][:2]).all() and (b[0][:2] < a[1][:2]).all())


def support(thing: Any, others: list[Any], ground: bool) -> float:
    """Height of what is below a thing."""
    mine = bounds(thing)
    best = 0.0 if ground else -np.inf
    for other in others:
        if other is thing or other.ghost or not over(mine, bounds(other)):
            continue
        low, high = bounds(other)
        within = other.hollow and bool((mine[0][:2] >= low[:2]).all() and (mine[1][:2] <= high[:2]).all())
        top = low[2] + SKIN_M if within else high[2]
        if top <= mine[0][2] + 0.02:
            best = max(best, float(top))
    return best


def fall(thing: Any, others: list[Any], ground: bool) -> None:
    low = bounds(thing)[0][2]
    floor = support(thing, others, ground)
    thing.position[2] -= max(-0.02, min(FALL_M, low - floor)) if np.isfinite(floor) else FALL_M


def drip(drops: np.ndarray, vessels: list[Any]) -> np.ndarray:
    """Drops fall out of what is tipped by more than 60°, into what stands below, or onto the floor."""
    drops = drops.copy()
    for vessel in vessels:
        if matrix(vessel.quaternion)[2, 2] < 0.5:
            out = within(drops, vessel)
            below = [v for v in vessels if v is not vessel and over(bounds(v), bounds(vessel)) and bounds(v)[0][2] < bounds(vessel)[0][2]]
            if below and out.any():
                low, high = bounds(below[0])
                drops[out] = (low + high) / 2
                drops[out, 2] = low[2] + SKIN_M
            elif out.any():
                drops[out, 2] = 0.0
    return drops


def within(points: np.ndarray, vessel: Any) -> np.ndarray:
    if not len(points):
        return np.zeros(0, bool)
    turn = matrix(vessel.quaternion)
    local = (points - vessel.position) @ turn - vessel.extent * vessel.offset
    found: np.ndarray = (np.abs(local) <= vessel.extent / 2 + 1e-3).all(axis=1)
    return found


class Shape(NamedTuple):
    """A thing at one moment."""

    name: str
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    extent: tuple[float, ...]
    offset: tuple[float, ...]
    shown: bool
    colour: tuple[float, ...]

    @staticmethod
    def of(t: Any) -> Shape:
        return Shape(t._name, tuple(t.position), tuple(t.quaternion), tuple(t.extent), tuple(t.offset), t.shown, tuple(t.colour))


class Eye(NamedTuple):
    """A camera at one moment."""

    width: int
    height: int
    focal: float
    aperture: float
    position: tuple[float, ...]
    quaternion: tuple[float, ...]

    @staticmethod
    def of(c: Any) -> Eye:
        return Eye(c.width, c.height, c.focal, c.aperture, tuple(c.position), tuple(c.quaternion))


class Seen(NamedTuple):
    camera: Eye
    things: tuple[Shape, ...]
    light: float
    ground: bool


@functools.lru_cache(maxsize=8)
def drawn(seen: Seen) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same moment is drawn once."""
    return _picture(*seen)


def _picture(camera: Eye, things: tuple[Shape, ...], light: float, ground: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """rgb (H, W, 3), number of the thing (H, W; 0 none), distance along the axis (H, W)."""
    width, height = camera.width, camera.height
    pixel = camera.aperture / camera.focal / width
    x = (np.arange(width) + 0.5 - width / 2) * pixel
    y = (height / 2 - np.arange(height) - 0.5) * pixel
    turn, eye = matrix(np.array(camera.quaternion)), np.array(camera.position)
    rays = turn[:, 0, None, None] * x[None, None, :] + turn[:, 1, None, None] * y[None, :, None] - turn[:, 2, None, None]
    rgb = np.empty((height, width, 3))
    rgb[...] = (150 + 60 * rays[2])[..., None] + np.array([0.0, 15.0, 40.0]) + 6 * np.sin(9 * np.arctan2(rays[1], rays[0]))[..., None]
    depth = np.full((height, width), 1e6)
    ids = np.zeros((height, width), np.int64)
    if ground:
        t = np.where(rays[2] < -1e-9, -eye[2] / np.minimum(rays[2], -1e-9), np.inf)
        hit = (t > 1e-6) & (t < 200)
        at = eye[:, None, None] + rays * np.where(hit, t, 0.0)
        tiles = (np.floor(at[0] * 2) + np.floor(at[1] * 2)) % 2
        rgb[hit] = (np.array([110.0, 100.0, 90.0]) + 30.0 * tiles[..., None] + 5.0 * np.sin(at[0] * 3)[..., None])[hit]
        depth[hit] = t[hit]
    for number, thing in enumerate(things, 2):
        if not thing.shown:
            continue
        own, extent = matrix(np.array(thing.quaternion)), np.array(thing.extent)
        centre = np.array(thing.position) + own @ (extent * np.array(thing.offset))
        local, start = np.tensordot(own.T, rays, axes=1), (eye - centre) @ own
        inverse = 1.0 / np.where(np.abs(local) < 1e-12, 1e-12, local)
        a = (-extent / 2 - start)[:, None, None] * inverse
        b = (extent / 2 - start)[:, None, None] * inverse
        enter, leave = np.minimum(a, b).max(axis=0), np.maximum(a, b).min(axis=0)
        hit = (enter < leave) & (enter > 1e-6) & (enter < depth)
        shade = np.array([0.8, 0.65, 1.0])[np.minimum(a, b).argmax(axis=0)]
        rgb[hit] = (np.array(thing.colour) * shade[..., None])[hit]
        depth[hit], ids[hit] = enter[hit], number
    return np.clip(rgb * light, 0, 255).astype(np.uint8), ids, depth
