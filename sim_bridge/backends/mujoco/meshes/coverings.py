"""What the sliding face of a ramp is covered with: images drawn at true scale, and how they shine.

A covering is a look alone: it sets no friction. It lies on the sliding face and nowhere else, so that a ramp does not tell from behind,
or at the height of the face, what it is covered with. Images have row 0 at the upper end of the slope's far side: the first axis of an
image runs across the slope, the second down it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Texture

PIXELS_PER_M = 1000.0
MAX_PIXELS = 1024
"""Of an image's longer side; longer ramps are drawn coarser."""


@dataclass(frozen=True)
class Sheet:
    """The face to be drawn on."""

    length: float
    """Down the slope, metres."""
    width: float
    scale: float
    """Pixels per metre."""

    @property
    def shape(self) -> tuple[int, int]:
        return max(8, round(self.width * self.scale)), max(8, round(self.length * self.scale))

    def metres(self) -> tuple[Array, Array]:
        """(across, down) of every pixel's middle."""
        height, width = self.shape
        down, across = np.meshgrid((np.arange(width) + 0.5) / self.scale, (np.arange(height) + 0.5) / self.scale)
        return across, down

    def edge(self) -> Array:
        """Distance of every pixel to the nearest edge of the face, metres."""
        across, down = self.metres()
        return np.asarray(np.minimum(np.minimum(across, self.width - across), np.minimum(down, self.length - down)))

    def noise(self, seed: int, grain_m: float, octaves: int = 2, stretch: float = 1.0) -> Array:
        """Cloudy values in 0..1 with patches of `grain_m`, drawn out down the slope by `stretch`."""
        height, width = self.shape
        return tx.noise(height, width, seed, max(1, round(grain_m * self.scale)), octaves, stretch)


def _of(base: Colour, brightness: Array) -> Array:
    return np.asarray(np.array(base) * brightness[..., None])


def _mixed(a: Array, b: Colour, share: Array) -> Array:
    return np.asarray(a * (1 - share[..., None]) + np.array(b) * share[..., None])


def _sandpaper(sheet: Sheet) -> Array:
    """Aluminium-oxide paper: red-brown, with light and dark grains of one to three millimetres."""
    coarse = sheet.noise(31, 0.003, 1) - 0.5
    out = _of((0.60, 0.31, 0.20), 0.94 + 0.75 * coarse + 0.10 * (sheet.noise(32, 0.06) - 0.5))
    out = _mixed(out, (0.92, 0.74, 0.58), np.clip((sheet.noise(33, 0.0025, 1) - 0.66) * 8, 0, 1))
    return _mixed(out, (0.22, 0.10, 0.07), np.clip((sheet.noise(34, 0.0025, 1) - 0.68) * 8, 0, 1))


def _rubber(sheet: Sheet) -> Array:
    """A black mat with round studs, 22 mm apart, lit from above."""
    across, down = sheet.metres()
    pitch, radius = 0.022, 0.0068
    row = np.floor(across / pitch)
    x, y = (down / pitch + 0.5 * (row % 2)) % 1.0 - 0.5, (across / pitch) % 1.0 - 0.5
    far = np.hypot(x, y) * pitch
    stud, rim = np.clip((radius - far) / 0.001, 0, 1), np.exp(-(((far - radius) / 0.0012) ** 2))
    lit = np.clip(-(x + y) * pitch / radius, -1, 1)
    grey = 0.125 + 0.10 * stud + rim * (0.16 * lit - 0.03)
    return _of((1.0, 1.0, 1.02), grey * (0.94 + 0.12 * sheet.noise(35, 0.02)))


def _cork(sheet: Sheet) -> Array:
    """Pressed cork: light brown crumbs of half a centimetre, some of them dark."""
    crumbs = sheet.noise(36, 0.006, 2)
    out = _of((0.74, 0.55, 0.36), 0.80 + 0.42 * crumbs)
    out = _mixed(out, (0.34, 0.20, 0.11), np.clip((sheet.noise(37, 0.006, 2) - 0.63) * 9, 0, 1))
    return _mixed(out, (0.90, 0.76, 0.56), np.clip((sheet.noise(38, 0.005, 1) - 0.70) * 9, 0, 1))


def _carpet(sheet: Sheet) -> Array:
    """Loop pile in rows down the slope, grey-green."""
    across, down = sheet.metres()
    pitch = 0.0065
    row = np.floor(across / pitch)
    loop = np.abs(np.sin(np.pi * across / pitch)) * (0.45 + 0.55 * np.abs(np.sin(np.pi * (down / pitch + 0.5 * (row % 2)))))
    tuft = np.random.default_rng([39]).random((int(row.max()) + 1, int(down.max() / pitch) + 2))
    shade = tuft[row.astype(int), (down / pitch).astype(int)]
    return _of((0.36, 0.46, 0.38), 0.48 + 0.52 * loop + 0.22 * (shade - 0.5) + 0.12 * sheet.noise(40, 0.05))


def _wood(sheet: Sheet) -> Array:
    """A planed board: grain down the slope, two knots."""
    across, down = sheet.metres()
    waves = sheet.noise(41, 0.05, 4, 10.0)
    knots = np.zeros(sheet.shape)
    for u, v in ((0.27, 0.30), (0.66, 0.72)):
        away = np.hypot((down - u * sheet.length) / 2.2, across - v * sheet.width)
        knots = knots + np.exp(-((away / 0.016) ** 2))
    grain = 0.5 + 0.5 * np.sin((across / 0.012 + 5.0 * waves + 3.0 * knots) * 2 * np.pi)
    out = _of((0.80, 0.62, 0.42), 0.86 + 0.14 * waves + 0.13 * grain)
    return _mixed(out, (0.36, 0.21, 0.11), np.clip(knots * 0.85, 0, 1))


def _leather(sheet: Sheet) -> Array:
    """Brown hide with a fine grain, and a seam of light thread along its edge."""
    across, down = sheet.metres()
    cells = np.abs(sheet.noise(42, 0.007, 2) - 0.5)
    out = _of((0.36, 0.19, 0.10), 0.72 + 1.0 * np.clip(cells * 4, 0, 0.45) + 0.25 * (sheet.noise(43, 0.09) - 0.4))
    edge = sheet.edge()
    along = np.where(np.minimum(across, sheet.width - across) < np.minimum(down, sheet.length - down), down, across)
    thread = (np.abs(edge - 0.012) < 0.0014) & (along / 0.011 % 1.0 < 0.68)
    out = _mixed(out, (0.16, 0.08, 0.05), np.where(np.abs(edge - 0.012) < 0.0028, 0.6, 0.0))
    return _mixed(out, (0.86, 0.74, 0.52), thread.astype(float))


def _steel(sheet: Sheet) -> Array:
    """A brushed sheet: hair lines down the slope, broad bands of light across it, a screw in each corner."""
    across, down = sheet.metres()
    lines = np.random.default_rng([44]).random((sheet.shape[0], 1)) * 0.6 + sheet.noise(45, 0.004, 1, 40.0) * 0.4
    band = 0.5 + 0.5 * np.sin((down / sheet.length * 1.7 + 0.12 * across / sheet.width) * 2 * np.pi + 0.8)
    out = _of((0.66, 0.69, 0.73), 0.78 + 0.12 * (lines - 0.5) + 0.30 * band**2)
    for u in (0.028, sheet.length - 0.028):
        for v in (0.028, sheet.width - 0.028):
            away = np.hypot(down - u, across - v)
            out = _mixed(out, (0.25, 0.26, 0.28), np.clip((0.0085 - away) / 0.001, 0, 1))
            out = _mixed(out, (0.72, 0.73, 0.75), np.clip((0.0068 - away) / 0.001, 0, 1))
            slot = (away < 0.006) & (np.abs((down - u) * 0.8 - (across - v) * 0.6) < 0.0013)
            out = _mixed(out, (0.12, 0.12, 0.13), slot.astype(float))
    return _mixed(out, (0.30, 0.31, 0.33), np.where(sheet.edge() < 0.003, 0.8, 0.0))


def _glass(sheet: Sheet) -> Array:
    """A pane: dark green-grey, with slanting reflections and a polished edge."""
    across, down = sheet.metres()
    slant = (down + 0.8 * across) / (sheet.length + 0.8 * sheet.width)
    streak = np.zeros(sheet.shape)
    for middle, half in ((0.30, 0.06), (0.42, 0.02), (0.74, 0.035)):
        streak = np.maximum(streak, np.clip((half - np.abs(slant - middle)) / 0.006, 0, 1))
    out = _mixed(_of((0.34, 0.50, 0.47), 0.92 + 0.16 * slant), (0.90, 0.97, 0.96), 0.62 * streak)
    edge = sheet.edge()
    out = _mixed(out, (0.30, 0.66, 0.56), np.where(edge < 0.010, 0.85, 0.0))
    return _mixed(out, (0.88, 1.0, 0.96), np.where(np.abs(edge - 0.010) < 0.0014, 0.9, 0.0))


def _ice(sheet: Sheet) -> Array:
    """A slab of ice: blue-white, cloudy in the middle, with cracks and bubbles."""
    height, width = sheet.shape
    cloud = sheet.noise(46, 0.12, 3)
    out = _mixed(_of((0.62, 0.80, 0.90), 0.90 + 0.16 * cloud), (0.90, 0.95, 0.97), np.clip((cloud - 0.42) * 2, 0, 0.45))
    drawn = Image.new("L", (width, height), 0)
    pen = ImageDraw.Draw(drawn)
    rng = np.random.default_rng([47])
    for _ in range(12):
        at, heading = rng.uniform((0, 0), (width, height)), rng.uniform(0, 2 * np.pi)
        for _ in range(int(rng.integers(5, 10))):
            heading += rng.normal(0, 0.5)
            to = at + rng.uniform(0.02, 0.05) * sheet.scale * np.array([np.cos(heading), np.sin(heading)])
            pen.line([*map(float, at), *map(float, to)], fill=int(rng.integers(150, 256)), width=max(1, round(0.0016 * sheet.scale)))
            at = to
    for x, y in rng.uniform((0, 0), (width, height), (70, 2)):
        r = rng.uniform(0.0012, 0.0035) * sheet.scale
        pen.ellipse([x - r, y - r, x + r, y + r], outline=190)
    out = _mixed(out, (1.0, 1.0, 1.0), np.asarray(drawn, float) / 255)
    return _mixed(out, (0.50, 0.72, 0.86), np.clip((0.016 - sheet.edge()) / 0.016, 0, 1) * 0.7)


@dataclass(frozen=True)
class Covering:
    """One material that is seen."""

    words: str
    """What people call it."""
    draw: Callable[[Sheet], Array]
    specular: float = 0.0
    shininess: float = 0.0


COVERINGS: dict[str, Covering] = {
    "sandpaper": Covering("sandpaper", _sandpaper),
    "rubber": Covering("a rubber mat", _rubber, 0.05, 0.1),
    "cork": Covering("cork", _cork),
    "carpet": Covering("carpet", _carpet),
    "wood": Covering("bare wood", _wood, 0.05, 0.2),
    "leather": Covering("leather", _leather, 0.15, 0.3),
    "steel": Covering("a steel sheet", _steel, 0.6, 0.6),
    "glass": Covering("a pane of glass", _glass, 0.8, 0.9),
    "ice": Covering("ice", _ice, 0.7, 0.8),
}
"""Value of a ramp's ``surface`` → what is drawn. Which friction goes with it is for whoever states the scene."""


@functools.lru_cache(maxsize=32)
def image(name: str, length: float, width: float) -> Texture:
    """The whole face, drawn at true scale: shape (H, W, 3); H runs across the slope, W down it."""
    sheet = Sheet(length, width, min(PIXELS_PER_M, MAX_PIXELS / max(length, width)))
    return tx.to_image(COVERINGS[name].draw(sheet))


def looks(name: str, length: float, width: float) -> dict[str, Any]:
    """Fields of a `Part` that shows a covering on a face `length` × `width` metres, its image laid over it once."""
    c = COVERINGS[name]
    return {"texture": image(name, round(length, 4), round(width, 4)), "rgb": (1, 1, 1), "specular": c.specular, "shininess": c.shininess}
