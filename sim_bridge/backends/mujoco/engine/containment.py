"""What is inside what, and where a thing fits: cavities in the world. Pure geometry on poses."""

from __future__ import annotations

import math

import numpy as np

from sim_bridge.backends.mujoco.engine.building import Placed
from sim_bridge.backends.mujoco.engine.session import Session
from sim_bridge.backends.mujoco.meshes.shapes import Array, Cavity

UNKNOWN_WALL = 0.06
"""Share of each extent taken as wall on either side where a hollow model states no cavity."""


def cavity_of(p: Placed) -> Cavity | None:
    """The object's cavity in its own frame; for hollow models that state none, its box less some wall. None: it has no inside."""
    if p.model.cavity is not None:
        return p.model.cavity
    if not (p.match.hollow or p.model.hollow):
        return None
    half = p.size_m / 2 * (1 - 2 * UNKNOWN_WALL)
    return Cavity(half=(float(half[0]), float(half[1]), float(half[2])))


def to_local(s: Session, p: Placed, cavity: Cavity, points: Array) -> Array:
    """World points (N, 3) in the cavity's local frame."""
    body = _carrier(p)
    own = (points - s.data.xpos[body]) @ s.data.xmat[body].reshape(3, 3)
    return np.asarray((own - cavity.offset) @ np.linalg.inv(cavity.matrix).T)


def to_world(s: Session, p: Placed, cavity: Cavity, points: Array) -> Array:
    """Cavity-local points (N, 3) in the world."""
    own = points @ cavity.matrix.T + cavity.offset
    body = _carrier(p)
    return np.asarray(own @ s.data.xmat[body].reshape(3, 3).T + s.data.xpos[body])


def _carrier(p: Placed) -> int:
    """The body that the cavity goes with: the object, or its drawer."""
    return next((e.cavity_body for e in p.entities if e.cavity_body >= 0), p.body)


def bottom_and_rim(cavity: Cavity) -> tuple[float, float]:
    """Local heights of the cavity's floor and rim."""
    return (cavity.profile[0][0], cavity.profile[-1][0]) if cavity.round else (-cavity.half[2], cavity.half[2])


def room_at(cavity: Cavity, heights: Array) -> Array:
    """Local radius that is free from each height all the way up to the rim: what gets in must pass everything above."""
    z, r = np.array(cavity.profile, float).T
    free = np.minimum.accumulate(r[::-1])[::-1]
    # Between two rings the narrower of the two ends decides only beyond the line that joins them.
    return np.asarray(np.minimum(np.interp(heights, z, r), np.interp(heights, z, np.append(free[1:], free[-1]))))


def contained(cavity: Cavity, points: Array, slack_m: float = 0.0005) -> bool:
    """Whether local points lie in the cavity; beyond the opening they are free."""
    if cavity.round:
        z0, z1 = bottom_and_rim(cavity)
        if (points[:, 2] < z0 - slack_m).any():
            return False
        inside = points[:, 2] <= z1
        radius = np.hypot(points[:, 0], points[:, 1])
        # What sticks out above the rim may not be wider than the rim, or it would rest on it.
        allowed = room_at(cavity, np.clip(points[:, 2], z0, z1))
        return bool((radius[inside] <= allowed[inside] + slack_m).all())
    low, high = points[:, 2].min(), points[:, 2].max()
    if any(low < top - slack_m and high > under + slack_m for under, top in cavity.shelves):
        return False
    half, way = np.asarray(cavity.half), np.asarray(cavity.opening)
    over = np.abs(points) - half > slack_m
    beyond_opening = (points * way > 0) & (np.abs(way) > 0.5)
    return not bool((over & ~beyond_opening).any())


def holds(s: Session, container: Placed, p: Placed) -> bool:
    """Whether `p` is inside `container`: the centre of its box is in the cavity, below the rim. Of two hollow things with one middle, the
    smaller one is in the larger one."""
    if not _has_middle(s, container, p):
        return False
    return math.prod(p.size_m) <= math.prod(container.size_m) or not _has_middle(s, p, container)


def _has_middle(s: Session, container: Placed, p: Placed) -> bool:
    cavity = cavity_of(container)
    if cavity is None or p is container:
        return False
    centre = to_local(s, container, cavity, np.array(s.data.xpos[p.body])[None])[0]
    if cavity.round:
        z0, z1 = bottom_and_rim(cavity)
        z, r = np.array(cavity.profile, float).T
        return bool(z0 <= centre[2] <= z1 and np.hypot(centre[0], centre[1]) <= np.interp(centre[2], z, r))
    return bool((np.abs(centre) <= np.asarray(cavity.half)).all())


def contents(s: Session, container: Placed) -> list[Placed]:
    """What is inside, with what is inside that."""
    return [p for p in s.world.objects if not s.absent(p.handle) and holds(s, container, p)]


def closed(s: Session, p: Placed) -> bool:
    """Whether a lid or door bars the way into the object."""
    return any(level < 0.5 for level in _openings(s, p))


def opened(s: Session, p: Placed) -> bool:
    """Whether it can be closed and is not: what has no lid or door is neither."""
    return any(level >= 0.5 for level in _openings(s, p))


def _openings(s: Session, p: Placed) -> list[float]:
    return [level for e in p.entities if (level := e.levels(s).get("open")) is not None]
