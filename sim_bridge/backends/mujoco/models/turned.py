"""Turned hollow things (cups, bowls, bottles): one outline gives the visible wall, the space inside and the contact shape. Pure numpy.

The contact shape is a stack of rings of flat walls along the inner surface and convex discs below it. The inner faces lie on the visible
inner surface: each flat face stands half its own bulge inside and half outside, which is 0.5 % of the radius with 16 walls. Walls are made
thicker than they look where that is needed for physics, outwards, by at most `MAX_EXTRA_M`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes.shapes import Array, Cavity, Model, Part, Shape, Solid, axis_rotation, lathe, model

Profile = Sequence[tuple[float, float]]
"""(radius, height) points of an outline from the bottom up, metres."""

MIN_WALL_M = 0.004
"""Contact walls are at least this thick, or things fall through them at a metre per second (4 ms steps)."""
MAX_EXTRA_M = 0.0025
"""What a contact wall may be thicker than the visible one."""
BAND_TOLERANCE_M = 0.0015
"""Rings of walls follow the inner surface within this distance."""


def inner_profile(outside: Profile, wall: float, floor: float | None = None) -> list[tuple[float, float]]:
    """(height, inner radius) from the inner floor to the rim, for a wall of horizontal thickness `wall`."""
    heights, radii = [z for _, z in outside], [r for r, _ in outside]
    bottom = heights[0] + (wall if floor is None else floor)
    start = (bottom, max(float(np.interp(bottom, heights, radii)) - wall, 0.0))
    return [start, *((float(z), max(float(r) - wall, 0.0)) for r, z in outside if z > bottom + 1e-6)]


def shell(outside: Profile, inside: Sequence[tuple[float, float]], segments: int = 36, **looks: Any) -> Part:
    """The visible wall: the outer outline upwards, over the rim, and the inner surface down to the middle of its floor."""
    start = [] if outside[0][0] == 0 else [(0.0, outside[0][1])]
    return lathe([*start, *outside, *((r, z) for z, r in reversed(inside)), (0.0, inside[0][0])], segments, **looks)


def simplified(points: Sequence[tuple[float, float]], tolerance: float) -> list[tuple[float, float]]:
    """The polyline with fewer points, none of those left out further than `tolerance` from it."""
    p = np.asarray(points, float)
    if len(p) < 3:
        return [(float(a), float(b)) for a, b in p]
    along = p[-1] - p[0]
    length = max(float(np.linalg.norm(along)), 1e-12)
    away = np.abs((p[:, 0] - p[0, 0]) * along[1] - (p[:, 1] - p[0, 1]) * along[0]) / length
    k = int(np.argmax(away))
    if away[k] <= tolerance:
        return [(float(p[0, 0]), float(p[0, 1])), (float(p[-1, 0]), float(p[-1, 1]))]
    return simplified(points[: k + 1], tolerance)[:-1] + simplified(points[k:], tolerance)


def wall_count(radius: float) -> int:
    """Flat walls around a vessel of this inner radius."""
    return 12 if radius < 0.03 else 16 if radius < 0.09 else 20


def wall_solids(inside: Sequence[tuple[float, float]], thick: float, count: int | None = None) -> list[Solid]:
    """Rings of flat walls outside an inner surface given as (height, radius)."""
    n = count or wall_count(max(r for _, r in inside))
    # A flat face through the middle of its own bulge: as far inside the round surface as its edges are outside.
    flat = (1 + math.cos(math.pi / n)) / 2
    pieces = []
    points = simplified(inside, BAND_TOLERANCE_M)
    for (z0, r0), (z1, r1) in itertools.pairwise(points):
        a0, a1 = r0 * flat, r1 * flat
        slope = math.hypot(a1 - a0, z1 - z0)
        if slope < 1e-5 or max(r0, r1) < 1e-4:
            continue
        up = np.array([(a1 - a0) / slope, 0.0, (z1 - z0) / slope])
        out = np.array([up[2], 0.0, -up[0]])
        half_width = (max(a0, a1) + (thick if z1 - z0 > 0.3 * slope else 0.0)) * math.tan(math.pi / n)
        turn = np.stack([out, np.array([0.0, 1.0, 0.0]), up], axis=1)
        centre = np.array([(a0 + a1) / 2, 0.0, (z0 + z1) / 2]) + out * thick / 2
        for i in range(n):
            around = axis_rotation("z", 360.0 * i / n)
            pieces.append(Solid.box([thick / 2, half_width, slope / 2], around @ centre, around @ turn))
    return pieces


def circle(radius: float, z: float, count: int = 14) -> Array:
    """Points of a circle about the z axis."""
    a = 2 * math.pi * (np.arange(count) + 0.5) / count
    return np.stack([radius * np.cos(a), radius * np.sin(a), np.full(count, z)], 1)


def disc_solids(outside: Profile, top: float) -> list[Solid]:
    """What is solid below the inner floor at height `top`: convex discs along the outer outline (a base, a stem with its foot)."""
    heights, radii = [z for _, z in outside], [r for r, _ in outside]
    below = [(r, z) for r, z in outside if z < top - 1e-6]
    below.append((float(np.interp(top, heights, radii)), top))
    if len(below) < 2:
        below = [(below[0][0], top - 0.002), below[0]]
    points = simplified(below, 0.0015)
    return [
        Solid(np.concatenate([circle(max(r0, 0.002), z0), circle(max(r1, 0.002), z1)]))
        for (r0, z0), (r1, z1) in itertools.pairwise(points)
        if z1 - z0 > 1e-5
    ]


@dataclass(frozen=True)
class Turned:
    """A hollow body of one outline."""

    part: Part
    cavity: Cavity
    solids: tuple[Solid, ...]

    def moved(self, z: float) -> Turned:
        """The same, moved up by `z` metres: shape, cavity and solids."""
        eye, up = np.eye(3), np.array([0.0, 0.0, z])
        return Turned(self.part.moved(z=z), self.cavity.mapped(eye, up), tuple(q.mapped(eye, up) for q in self.solids))


def turned(
    outside: Profile,
    wall: float,
    floor: float | None = None,
    segments: int = 36,
    *,
    holds_liquid: bool = True,
    door: str = "",
    **looks: Any,
) -> Turned:
    """A vessel turned from one outline: the wall `wall` thick (horizontally), the floor `floor` above the lowest point."""
    inside = inner_profile(outside, wall, floor)
    return hollowed(outside, inside, wall, segments, holds_liquid=holds_liquid, door=door, **looks)


def hollowed(
    outside: Profile,
    inside: Sequence[tuple[float, float]],
    wall: float,
    segments: int = 36,
    *,
    holds_liquid: bool = True,
    door: str = "",
    **looks: Any,
) -> Turned:
    """A vessel with an inner surface of its own, (height, radius) from its floor to its rim."""
    thick = min(max(wall, MIN_WALL_M), wall + MAX_EXTRA_M)
    solids = (*wall_solids(inside, thick), *disc_solids(outside, inside[0][0]))
    cavity = Cavity(profile=tuple(inside), holds_liquid=holds_liquid, door=door)
    return Turned(shell(outside, inside, segments, **looks), cavity, solids)


def vessel_model(body: Turned, *shapes: Shape, solids: Iterable[Solid] = (), **options: Any) -> Model:
    """A model around one turned body: what else it shows (handles, marks), and the contact shape of that."""
    return model(body.part, *shapes, **{"hollow": True, "collider": "shell"} | options, cavity=body.cavity, solids=(*body.solids, *solids))


def loop_solids(radius: float, z: float, reach: float, height: float, thick: float) -> tuple[Solid, ...]:
    """Contact shape of a loop handle on the +x side: two arms and a grip."""
    middle, outer = radius + reach / 2, radius + reach - thick
    arms = [Solid.box([reach / 2, thick, thick], [middle, 0, z + s * (height / 2 - thick)]) for s in (-1, 1)]
    return (*arms, Solid.box([thick, thick, height / 2 - thick], [outer, 0, z]))


def tube_solids(path: Any, radius: float | Sequence[float]) -> tuple[Solid, ...]:
    """Contact shape of a tube: a box along every piece of its path."""
    p = np.asarray(path, float)
    radii = np.broadcast_to(np.asarray(radius, float), (len(p),))
    pieces = []
    for a, b, r in zip(p, p[1:], (radii[1:] + radii[:-1]) / 2, strict=False):
        length = float(np.linalg.norm(b - a))
        if length < 1e-6:
            continue
        along = (b - a) / length
        side = np.cross(along, [0.0, 0.0, 1.0] if abs(along[2]) < 0.9 else [1.0, 0.0, 0.0])
        side /= np.linalg.norm(side)
        pieces.append(Solid.box([r * 0.9, r * 0.9, length / 2], (a + b) / 2, np.stack([side, np.cross(along, side), along], 1)))
    return tuple(pieces)
