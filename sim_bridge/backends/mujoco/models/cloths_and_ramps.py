"""Cloths and ramps: surfaces that something else lies under or slides on."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from sim_bridge.backends.mujoco.meshes import coverings
from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.cloth import mesh
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Model, Part, Solid, Texture, box, grid_faces, model
from sim_bridge.backends.mujoco.models import fitted
from sim_bridge.backends.mujoco.models.making import maker

PATTERNS = ("plain", "stripes", "checks", "dots", "border")
"""What may be woven into a cloth beside its colour."""
PIXELS = 512
"""Edge of a cloth's image; it covers the whole sheet."""
WHITE: Colour = (0.94, 0.93, 0.90)

CLOTHS: dict[str, tuple[tuple[float, float], Colour, str]] = {
    "cloth": ((0.50, 0.50), (0.66, 0.24, 0.20), "plain"),
    "napkin": ((0.42, 0.42), (0.88, 0.85, 0.78), "border"),
    "dishtowel": ((0.62, 0.45), (0.22, 0.38, 0.62), "stripes"),
    "microfiber": ((0.38, 0.38), (0.20, 0.52, 0.56), "plain"),
    "rag": ((0.42, 0.38), (0.55, 0.52, 0.47), "plain"),
    "hand_towel": ((0.65, 0.42), (0.46, 0.62, 0.66), "border"),
    "bath_towel": ((1.10, 0.65), (0.82, 0.72, 0.58), "border"),
    "paper_towel": ((0.30, 0.30), (0.95, 0.95, 0.94), "dots"),
    "tablecloth": ((1.20, 0.90), (0.70, 0.16, 0.16), "checks"),
    "blanket": ((1.20, 0.90), (0.24, 0.36, 0.40), "checks"),
    "handkerchief": ((0.32, 0.32), (0.30, 0.36, 0.62), "dots"),
}
"""kind → (extents in metres, colour, pattern)."""


@functools.lru_cache(maxsize=32)
def woven(pattern: str, colour: Colour, size: tuple[float, float]) -> Texture:
    """Image of a whole sheet: v runs along the second extent, upward."""
    u, v = np.meshgrid((np.arange(PIXELS) + 0.5) / PIXELS * size[0], (np.arange(PIXELS)[::-1] + 0.5) / PIXELS * size[1])
    edge = np.minimum(np.minimum(u, size[0] - u), np.minimum(v, size[1] - v))
    accent = np.array(WHITE if float(np.dot(colour, (0.3, 0.6, 0.1))) < 0.6 else (0.36, 0.46, 0.62))
    share: Array = np.zeros((PIXELS, PIXELS))
    if pattern == "stripes":
        across: Array = np.abs((u / 0.11) % 1.0 - 0.5)
        share = np.where((across < 0.12) | ((across > 0.17) & (across < 0.20)), 1.0, 0.0)
    elif pattern == "checks":
        pitch = 0.09 if max(size) > 0.7 else 0.045
        share = 0.28 * ((u / pitch) % 1.0 < 0.5) + 0.28 * ((v / pitch) % 1.0 < 0.5)
        share = share + 0.3 * (np.abs((u / pitch) % 2.0 - 0.25) < 0.03) + 0.3 * (np.abs((v / pitch) % 2.0 - 0.25) < 0.03)
    elif pattern == "dots":
        pitch = 0.035
        row = np.floor(v / pitch)
        share = np.where(np.hypot((u / pitch + row % 2 / 2) % 1.0 - 0.5, (v / pitch) % 1.0 - 0.5) < 0.16, 0.8, 0.0)
    elif pattern == "border":
        share = np.where((edge > 0.028) & (edge < 0.042) | (edge > 0.048) & (edge < 0.053), 0.85, 0.0)
    threads = 0.94 + 0.05 * tx.noise(PIXELS, PIXELS, 3, 6, 2) + 0.03 * tx.noise(PIXELS, PIXELS, 4, 64, 3)
    # The hem: turned over once and sewn down.
    hem = np.where(edge < 0.009, 0.93, 1.0) * np.where(np.abs(edge - 0.010) < 0.0012, 0.86, 1.0)
    image = np.array(colour) * (1 - share[..., None]) + accent * share[..., None]
    return tx.to_image(image * (threads * hem)[..., None])


def sheet_looks(pattern: str, colour: Colour, size: tuple[float, float]) -> dict[str, Any]:
    """How a sheet looks: its image, white light on it, no gloss."""
    return {"texture": woven(pattern, colour, size), "rgb": (1.0, 1.0, 1.0), "specular": 0.0, "shininess": 0.0}


@maker
def cloth(kind: str = "cloth") -> Model:
    """A flat sheet; where it lies over something, the scene's builder lets it fall (`entities.cloth`)."""
    size, colour, pattern = CLOTHS[kind]
    x, y = np.meshgrid(np.linspace(-size[0] / 2, size[0] / 2, 9), np.linspace(-size[1] / 2, size[1] / 2, 9), indexing="ij")
    return model(
        mesh(np.stack([x, y, np.zeros_like(x)]), **sheet_looks(pattern, colour, size)).looks(tint=True), collider="box", solid=False
    )


@maker
def rug() -> Model:
    """A woven rug."""
    return fitted.rug(1.6, 1.1, 0)


RAMP_LENGTH_M, RAMP_WIDTH_M, RAMP_ANGLE_DEG = 0.6, 0.3, 20.0
"""Slope of a ramp that states no size, and its usual angle."""
COVERED_DIVIDE = 16
"""Quads per side of a face with a covering: its gloss is computed per vertex."""
_TOP: Colour = (0.74, 0.56, 0.36)
_SIDE: Colour = (0.62, 0.45, 0.28)


@maker
def ramp() -> Model:
    """A wooden wedge of the usual angle (`wedge`)."""
    angle = math.radians(RAMP_ANGLE_DEG)
    return wedge(RAMP_LENGTH_M * math.cos(angle), RAMP_WIDTH_M, RAMP_LENGTH_M * math.sin(angle))


def wedge(run: float, width: float, rise: float, surface: str = "") -> Model:
    """A wooden wedge that slopes down along +x, from `rise` to nothing over `run`; its box is centred at the origin.

    Its sliding face shows the covering `surface` (`coverings.COVERINGS`), the wood of old where none is stated.
    """
    x, y, z = run / 2, width / 2, rise / 2
    high = [(-x, -y, z), (-x, y, z)]
    low = [(x, -y, -z), (x, y, -z)]
    back = [(-x, -y, -z), (-x, y, -z)]
    length = math.hypot(run, rise)
    side_image = tx.wood(_SIDE, 5)
    if surface:
        top = _quad(high[0], low[0], low[1], high[1], 1.0, 1.0, COVERED_DIVIDE).looks(**coverings.looks(surface, length, width))
    else:
        top = _quad(high[0], low[0], low[1], high[1], length / 0.9, width / 0.5).looks(
            texture=tx.wood(_TOP, 21), rgb=(1, 1, 1), specular=0.1
        )
    sides = [
        _quad(back[1], back[0], high[0], high[1], width / 0.5, rise / 0.5),
        _quad(back[0], back[1], low[1], low[0], run / 0.5, width / 0.5),
        _triangle(back[0], low[0], high[0], run / 0.5, rise / 0.5),
        _triangle(low[1], back[1], high[1], run / 0.5, rise / 0.5),
    ]
    body = [s.looks(texture=side_image, rgb=(1, 1, 1), specular=0.1) for s in sides]
    return model(top, body, solids=(Solid(np.array([*high, *low, *back])),), collider="box")


def board(length: float, width: float, thick: float, surface: str = "") -> Model:
    """A plank whose upper side is the slope when it is tilted; both broad sides show the covering `surface` where one is stated."""
    wood: dict[str, Any] = {"texture": tx.wood(_TOP, 21), "rgb": (1, 1, 1), "specular": 0.1}
    if surface:
        down, across = max(length, width), min(length, width)
        face = box(down, across, thick, only=("top", "bottom"), divide=COVERED_DIVIDE, **coverings.looks(surface, down, across))
        face = face if length >= width else face.turned("z", 90.0)
        plank = [box(length, width, thick, only=("front", "right", "back", "left"), divide=4, **wood), face]
    else:
        plank = [box(length, width, thick, divide=4, **wood)]
    return model([part.moved(z=-thick / 2) for part in plank], solids=(Solid.box([length / 2, width / 2, thick / 2]),), collider="box")


def support(corners: Array) -> Part:
    """A wooden block from eight corners: four below and four above, each counter-clockwise seen from above."""
    b, t = corners[:4], corners[4:]
    faces = [(b[3], b[2], b[1], b[0]), tuple(t)] + [(b[k], b[(k + 1) % 4], t[(k + 1) % 4], t[k]) for k in range(4)]
    parts = [_quad(f[0], f[1], f[2], f[3], 1.0, 1.0) for f in faces]
    offsets = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    return Part(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.faces + o for p, o in zip(parts, offsets, strict=True)]),
        uv=np.concatenate([p.uv for p in parts if p.uv is not None]),
        texture=tx.wood(_SIDE, 5),
        rgb=(1, 1, 1),
        specular=0.1,
    )


def _quad(a: Any, b: Any, c: Any, d: Any, u: float, v: float, divide: int = 6) -> Part:
    """A quadrilateral, counter-clockwise, divided for lighting per vertex; the image repeats `u` × `v` times along a→b and a→d."""
    s, t = np.meshgrid(np.linspace(0, 1, divide + 1), np.linspace(0, 1, divide + 1))
    s, t = s.reshape(-1, 1), t.reshape(-1, 1)
    a, b, c, d = (np.asarray(q, float) for q in (a, b, c, d))
    points = a * (1 - s) * (1 - t) + b * s * (1 - t) + c * s * t + d * (1 - s) * t
    return Part(points, grid_faces(divide + 1, divide + 1), uv=np.concatenate([s * u, t * v], 1))


def _triangle(a: Any, b: Any, c: Any, u: float, v: float) -> Part:
    """A triangle, counter-clockwise; a→b carries u, the height over it v."""
    points = np.array([a, b, c], float)
    share = float(np.dot(points[2] - points[0], points[1] - points[0]) / max(np.dot(points[1] - points[0], points[1] - points[0]), 1e-12))
    return Part(points, np.array([[0, 1, 2]]), uv=np.array([[0, 0], [u, 0], [share * u, v]], float))
