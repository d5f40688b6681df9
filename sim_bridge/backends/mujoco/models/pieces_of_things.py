"""Pieces that makers of several modules build with: leaves, ribs, curves, dials, lids, walls that hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Array, Cavity, Mobile, Part, Shape, Solid, lathe, model
from sim_bridge.backends.mujoco.models.turned import circle

STEM: dict[str, Any] = {"rgb": (0.34, 0.24, 0.12), "specular": 0.05}
LEAF: dict[str, Any] = {"rgb": (0.22, 0.48, 0.16), "specular": 0.1}
WOOD: dict[str, Any] = {"rgb": (0.72, 0.50, 0.28), "specular": 0.2}
GOLD: dict[str, Any] = {"rgb": (0.85, 0.66, 0.22), "specular": 0.9, "shininess": 0.8}
BRASS: dict[str, Any] = {"rgb": (0.85, 0.66, 0.24), "specular": 0.9, "shininess": 0.8, "tint": True}
WOODEN: dict[str, Any] = {"rgb": (0.58, 0.38, 0.22), "specular": 0.15}


def leaf(length: float, width: float, tilt_deg: float, turn_deg: float, bend: float = 0.3, **looks: Any) -> Part:
    """A pointed leaf from the origin outward along x, curved downward, two-sided."""
    t = np.linspace(0, 1, 8)
    w = width / 2 * np.sin(np.pi * np.clip(t * 0.96 + 0.04, 0, 1)) ** 0.8
    z = -bend * length * t**2
    rows = [np.stack([t * length, s * w, z + 0.15 * np.abs(s) * w], 1) for s in (-1.0, 0.0, 1.0)]
    v = np.concatenate(rows)
    n = len(t)
    faces = []
    for r in range(2):
        for i in range(n - 1):
            a, b, c, d = r * n + i, r * n + i + 1, (r + 1) * n + i, (r + 1) * n + i + 1
            faces += [(a, b, d), (a, d, c)]
    f = np.array(faces)
    two = Part(np.concatenate([v, v - np.array([0, 0, 1e-4])]), np.concatenate([f, f[:, ::-1] + len(v)]), **(LEAF | looks))
    return two.turned("y", -tilt_deg).turned("z", turn_deg)


def ribbed(part: Part, ribs: int, depth: float) -> Part:
    """Press vertical grooves into a round body (pumpkins, peppers)."""

    def groove(v: Array) -> Array:
        a = np.arctan2(v[:, 1], v[:, 0])
        factor = 1 - depth * (1 - np.abs(np.cos(ribs * a / 2)))
        return v * np.stack([factor, factor, np.ones(len(v))], 1)

    return part.mapped(groove)


_KEPT: dict[bytes, np.ndarray] = {}


def kept_image(image: np.ndarray) -> np.ndarray:
    """One array per content, so that equal images become one texture."""
    return _KEPT.setdefault(image.tobytes(), image)


def clock_dial(text: str = "", hours: bool = False) -> np.ndarray:
    """The face of a clock with hours, or of a gauge with words on it."""
    image = Image.new("RGB", (192, 192), (246, 244, 238))
    draw = ImageDraw.Draw(image)
    for k in range(12 if hours else 24):
        a = 2 * math.pi * k / (12 if hours else 24)
        x, y = 96 + 74 * math.sin(a), 96 - 74 * math.cos(a)
        if hours:
            draw.text((x, y), str(k or 12), fill=(20, 20, 24), font=tx.font(24), anchor="mm")
        else:
            draw.line(
                [96 + 66 * math.sin(a), 96 - 66 * math.cos(a), 96 + 84 * math.sin(a), 96 - 84 * math.cos(a)], fill=(20, 20, 24), width=3
            )
    if hours:
        draw.line([96, 96, 96 + 34 * math.sin(5.3), 96 - 34 * math.cos(5.3)], fill=(20, 20, 24), width=8)
        draw.line([96, 96, 96 + 56 * math.sin(1.05), 96 - 56 * math.cos(1.05)], fill=(20, 20, 24), width=5)
    else:
        draw.line([96, 96, 96 + 62 * math.sin(0.8), 96 - 62 * math.cos(0.8)], fill=(190, 30, 24), width=6)
        draw.text((96, 130), text, fill=(20, 20, 24), font=tx.font(24), anchor="mm")
    return kept_image(np.asarray(image))


def catmull(points: Any, steps: int = 5) -> Any:
    """A smooth curve through points in space."""
    p = np.asarray(points, float)
    p = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    out = []
    for i in range(1, len(p) - 2):
        a, b, c, d = p[i - 1], p[i], p[i + 1], p[i + 2]
        out += [
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            for t in np.arange(steps) / steps
        ]
    return np.array([*out, p[-2]])


def across(part: Part) -> Part:
    """A turned part laid on its side, along x."""
    return part.turned("y", 90.0)


def hinged_lid(cover: Iterable[Shape], radius: float, low: float, high: float, degrees: float = 105.0) -> Mobile:
    """A round lid between two heights that hangs at the back (+y) and opens upward."""
    disc = Solid(np.concatenate([circle(radius, low), circle(radius, (low + high) / 2), circle(radius * 0.4, high)]))
    return Mobile("lid", model(*cover).parts, "hinge", np.array([-1.0, 0, 0]), np.array([0, radius, low]), math.radians(degrees), (disc,))


def underside_disc(radius: float, z: float, **looks: Any) -> Part:
    """The lower face of a lid."""
    return lathe([(0.0, z), (radius, z)], 36, **looks)


def box_walls(x: float, y: float, z: float, t: float) -> tuple[Solid, ...]:
    """Contact shape of an open box that stands on z = 0: four walls and a floor of thickness `t`."""
    walls = [Solid.box([x / 2, t / 2, z / 2], [0, s * (y / 2 - t / 2), z / 2]) for s in (-1, 1)]
    walls += [Solid.box([t / 2, y / 2, z / 2], [s * (x / 2 - t / 2), 0, z / 2]) for s in (-1, 1)]
    return (*walls, Solid.box([x / 2, y / 2, t / 2], [0, 0, t / 2]))


def box_inside(x: float, y: float, z: float, t: float, door: str = "") -> Cavity:
    return Cavity(half=(x / 2 - t, y / 2 - t, (z - t) / 2), offset=np.array([0, 0, (z + t) / 2]), door=door)
