"""Soft shade where a thing meets what it stands on: light that comes from everywhere and does not get there.

The one light that casts shadows gives hard ones, away from the light; where a thing stands is told by the shade right around its foot. It
is drawn as a dark patch, nearly flat on the support, that follows from the thing's own underside: a bowl has a round one, a chair four.
A patch is no object: it is not in what is counted, segmented or held, it casts nothing, and a thing in the air has none.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sim_bridge.backends.mujoco.engine.building import Builder, Furniture, Placed, World, rotation
from sim_bridge.backends.mujoco.meshes.shapes import Array

PIXELS = 48
"""Edge of a patch's image."""
DARKEST = 0.75
"""Share of the light that a wide, low underside takes away below its middle."""
FADE_M = 0.022
"""Height of the underside above the support over which its shade falls to 1/e."""
SOFT = (0.20, 0.006, 0.030)
"""Width of the soft edge: this share of the thing's height or foot, whichever is less, within these bounds in metres."""
LIFT_M = 0.0042
"""Above the support, and above the soft shade of walls and furniture (`house_shell.shade`)."""
OPEN_M = 0.002
"""Below the patch's own height, and this much more, the underside hides it from below and all around."""
TOUCH_M = 0.004
"""What is this near to a surface stands on it."""
LEVEL_M2 = 4e-4
"""The smallest level face that counts as a surface to stand on."""
ROUND_WIDER = 2.2
"""The round patch of a thing that has tipped is wider than what is low of it by this factor."""
UPRIGHT = 0.9995
"""Cosine of the tilt up to which a thing stands as it was modelled."""
WITHOUT = ("mirror", "ramp", "cloth", "robot")
"""Makers of things that get none: they have no foot of their own, or walk."""


@dataclass(frozen=True)
class Foot:
    """The patch of one object, in its own upright frame (its pose when built, turned back about the vertical)."""

    image: NDArray[np.uint8]
    """(PIXELS, PIXELS, 4): black, with the opacity of the shade; row 0 at +y."""
    centre: tuple[float, float]
    """Of the patch, from the object's centre."""
    half: tuple[float, float]
    bottom: float
    """Height of its lowest point from its centre."""


def foot(vertices: Array, faces: NDArray[np.int64]) -> Foot | None:
    """The patch of a shape that stands upright; None where nothing of it is low."""
    bottom = float(vertices[:, 2].min())
    height = vertices[:, 2] - bottom
    corners = vertices[faces]
    low = height[faces].min(1)
    corners, low = corners[low < 3 * FADE_M], height[faces][low < 3 * FADE_M].mean(1)
    if not len(corners):
        return None
    flat = corners[..., :2].reshape(-1, 2)
    soft = float(np.clip(SOFT[0] * min(height.max(), np.ptp(flat, axis=0).min()), SOFT[1], SOFT[2]))
    first, last = flat.min(0) - 2.5 * soft, flat.max(0) + 2.5 * soft
    scale = PIXELS / (last - first)
    drawn = Image.new("F", (PIXELS, PIXELS), 1.0)
    pen = ImageDraw.Draw(drawn)
    # The lowest is drawn last: seen from below it hides the others.
    for k in np.argsort(-low):
        x, y = ((corners[k, :, :2] - first) * scale).T
        pen.polygon([(float(a), float(PIXELS - b)) for a, b in zip(x, y, strict=True)], fill=float(low[k]))
    shade = DARKEST * np.exp(-np.asarray(drawn, float) / FADE_M)
    shade = _blurred(_blurred(shade, soft * float(scale[1]), 0), soft * float(scale[0]), 1)
    # The patch lies above the floor, and so above the bottom of a flat open box: nothing of it where the thing itself is that low.
    own = np.pad(np.asarray(drawn) < LIFT_M + OPEN_M, 1)
    shade[own[1:-1, 1:-1] & own[:-2, 1:-1] & own[2:, 1:-1] & own[1:-1, :-2] & own[1:-1, 2:]] = 0
    # What is see-through is drawn twice: from the front to the back and then from the back to the front.
    once = 1 - np.sqrt(1 - np.clip(shade, 0, 0.95))
    image = np.zeros((PIXELS, PIXELS, 4), np.uint8)
    image[..., 3] = np.round(255 * once)
    middle, half = (first + last) / 2, (last - first) / 2
    return Foot(image, (float(middle[0]), float(middle[1])), (float(half[0]), float(half[1])), bottom)


def _blurred(values: Array, sigma: float, axis: int) -> Array:
    """Gaussian along one axis; `sigma` in pixels."""
    reach = max(1, math.ceil(2.5 * sigma))
    weights = np.exp(-((np.arange(-reach, reach + 1) / max(sigma, 1e-6)) ** 2) / 2)
    return np.apply_along_axis(lambda line: np.convolve(np.pad(line, reach, mode="edge"), weights / weights.sum(), "valid"), axis, values)


@functools.lru_cache(maxsize=256)
def _cached(shape: bytes, faces: bytes) -> Foot | None:
    return foot(np.frombuffer(shape).reshape(-1, 3), np.frombuffer(faces, np.int64).reshape(-1, 3))


def add(builder: Builder, placed: list[Placed]) -> dict[int, Foot]:
    """Images of the patches of a world's objects: index of the object → its patch. They become materials `decal<index>`."""
    feet: dict[int, Foot] = {}
    for i, p in enumerate(placed):
        if p.match.maker in WITHOUT or not len(p.faces):
            continue
        standing = p.vertices @ _untwisted(rotation(p.home.quaternion_xyzw)).T
        found = _cached(np.round(standing, 5).tobytes(), np.ascontiguousarray(p.faces, np.int64).tobytes())
        if found is not None:
            feet[i] = found
            builder.decal(f"decal{i}", found.image)
    if feet:
        builder.decal("decal", round_patch())
    return feet


@functools.lru_cache(maxsize=1)
def round_patch() -> NDArray[np.uint8]:
    """The patch of what is low in its middle and rises all around, as an image."""
    y, x = np.mgrid[-1 : 1 : PIXELS * 1j, -1 : 1 : PIXELS * 1j]
    shade = DARKEST * np.clip(1 - np.hypot(x, y), 0, 1) ** 1.2
    image = np.zeros((PIXELS, PIXELS, 4), np.uint8)
    image[..., 3] = np.round(255 * (1 - np.sqrt(1 - shade)))
    return image


def _untwisted(turn: Array) -> Array:
    """A rotation without its turn about the vertical."""
    return _about_z(-_yaw(turn)) @ turn


def _yaw(turn: Array) -> float:
    """How far a rotation turns about the vertical: where the level-most own axis points."""
    axis = int(np.argmin(np.abs(turn[2])))
    return math.atan2(float(turn[1, axis]), float(turn[0, axis]))


def _about_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class Support:
    """What something may stand on: its box along the world's axes and the heights of its level faces."""

    low: Array
    high: Array
    levels: Array

    def carries(self, bottom: float, low: Array, high: Array) -> bool:
        """Whether a level face is there below a whole rectangle."""
        inside = (self.low[:2] <= low).all() and (high <= self.high[:2]).all()
        return bool(inside and len(self.levels) and np.abs(self.levels - bottom).min() < TOUCH_M)


def level_heights(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """Heights at which a shape has a level face that looks up, of `LEVEL_M2` or more, ascending."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1) / 2
    level = normal[:, 2] > 2 * 0.999 * area
    heights, which = np.unique(np.round(a[level, 2], 3), return_inverse=True)
    return heights[np.bincount(which, area[level], len(heights)) >= LEVEL_M2]


class Decals:
    """The patches of one world, as they lie in one picture."""

    def __init__(self, world: World, feet: dict[int, Foot]) -> None:
        self._world, self._feet = world, feet
        self._floor = world.scene.room.floor_z_m
        material = functools.partial(mujoco.mj_name2id, world.model, mujoco.mjtObj.mjOBJ_MATERIAL.value)
        self._materials = {i: int(material(f"decal{i}")) for i in feet}
        self._round = int(material("decal"))
        self._home = [_untwisted(rotation(p.home.quaternion_xyzw)) for p in world.objects]
        self._standing = [p.vertices @ turn.T for p, turn in zip(world.objects, self._home, strict=True)]
        self._levels = [level_heights(v, p.faces) for v, p in zip(self._standing, world.objects, strict=True)]
        self._furniture = [_support(f) for f in world.furniture]

    def draw(self, scene: mujoco.MjvScene, data: mujoco.MjData, without: NDArray[np.bool_] | None) -> None:
        """Add the patches of all that stands on something to an updated scene.

        Args:
            without: objects that get none (what is held).
        """
        supports = [self._support(i, data) for i in range(len(self._world.objects))]
        for i in self._feet:
            if (without is None or not without[i]) and scene.ngeom < scene.maxgeom:
                self._patch(scene, data, i, [q for k, q in enumerate(supports) if k != i and q is not None])

    def _patch(self, scene: mujoco.MjvScene, data: mujoco.MjData, index: int, supports: list[Support]) -> None:
        p, found, material = self._world.objects[index], self._feet[index], self._materials[index]
        turn, centre = data.xmat[p.body].reshape(3, 3), data.xpos[p.body]
        frame = _about_z(_yaw(turn))
        offset, half, bottom = np.array(found.centre), np.array(found.half), found.bottom
        if float((frame.T @ turn)[2] @ self._home[index][2]) < UPRIGHT:
            # It has tipped or rolled: a round patch below what is low of it.
            frame, material, shape = np.eye(3), self._round, p.vertices @ turn.T
            bottom = float(shape[:, 2].min())
            low = shape[shape[:, 2] < bottom + FADE_M, :2]
            offset, half = (low.max(0) + low.min(0)) / 2, np.ptp(low, axis=0) / 2 * ROUND_WIDER + SOFT[1]
        bottom += float(centre[2])
        middle, reach = centre[:2] + frame[:2, :2] @ offset, np.abs(frame[:2, :2]) @ half
        if abs(bottom - self._floor) > TOUCH_M:
            area = middle - reach, middle + reach
            if not any(q.carries(bottom, *area) for q in (*self._furniture, *supports)):
                return
        geom = scene.geoms[scene.ngeom]
        place = np.array([*middle, max(bottom, self._floor) + LIFT_M])
        black = np.array([0.0, 0.0, 0.0, 0.99], np.float32)
        mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_PLANE.value, np.array([*half, 0.01]), place, frame.ravel(), black)
        geom.matid, geom.category = material, mujoco.mjtCatBit.mjCAT_DECOR.value
        geom.emission = geom.specular = geom.shininess = geom.reflectance = 0.0
        scene.ngeom += 1

    def _support(self, index: int, data: mujoco.MjData) -> Support | None:
        """An object as what others stand on; None where it waits outside the world or is tilted."""
        p = self._world.objects[index]
        turn, centre = data.xmat[p.body].reshape(3, 3), data.xpos[p.body]
        if centre[2] < self._floor - 1.0 or float((_about_z(-_yaw(turn)) @ turn)[2] @ self._home[index][2]) < UPRIGHT:
            return None
        reach = np.abs(turn) @ (p.size_m / 2)
        return Support(centre - reach, centre + reach, self._levels[index] + float(centre[2]))


def _support(f: Furniture) -> Support:
    vertices = f.vertices @ f.rotation.T + f.centre
    return Support(vertices.min(0), vertices.max(0), level_heights(vertices, f.faces))
