"""Pictures of a world: one GL context for the process, one set of buffers per world (sized to its image), least recently used freed."""

from __future__ import annotations

import atexit
import functools
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco.rendering.classic import gl_context
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.engine.building import GROUP_CLEAR, GROUP_COLLIDER, GROUP_OPAQUE, World
from sim_bridge.backends.mujoco.engine.decals import Decals
from sim_bridge.backends.mujoco.engine.sight import Sight
from sim_bridge.backends.mujoco.engine.world import MAX_GEOMS
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.rooms import house_view
from sim_bridge.protocol import MAX_SESSIONS
from sim_bridge.timing import measure

MAX_RENDERERS = MAX_SESSIONS
"""Worlds with buffers at a time: as many as sessions, or those that act in turn would each make theirs again, 0.2 s. With its model each
costs 30–50 MB at 640×480 (measured)."""
SEGMENT_STEP = 2
"""The visibility of every step is counted at 1/2 of the image's width and height and multiplied by 4."""

SHADOW_BIAS = 0.0015
"""Share of its distance to the light by which a surface may lie behind another without being in its shadow: 4 mm on the floor."""

_flag = mujoco.mjtRndFlag
_BACKDROP_M = 40.0
"""How far behind the held things the white plane stands."""


@dataclass(frozen=True)
class Hand:
    """What is held. It is drawn before everything else, as what is near the eye: a floor or wall never cuts it."""

    objects: NDArray[np.bool_]
    """Which objects of the world."""
    lift_m: float
    """How far above the place where it is drawn its pose is."""


class WorldRenderer:
    """Buffers of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._context = mujoco.MjrContext(world.model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        _soften(self._context)
        self._scene = mujoco.MjvScene(world.model, maxgeom=MAX_GEOMS)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = 0
        self._all = mujoco.MjvOption()
        self._all.geomgroup[GROUP_COLLIDER] = 0
        self._opaque = mujoco.MjvOption()
        self._opaque.geomgroup[GROUP_COLLIDER] = 0
        self._opaque.geomgroup[GROUP_CLEAR] = 0
        self._opaque.skingroup[GROUP_CLEAR] = 0  # water
        self._owners: dict[bool, NDArray[np.int32]] = {}
        self._view = house_view.view_of(world.scene, world.model)
        self._sight = Sight(world.scene, world.model)
        self._decals = Decals(world, world.feet)
        self._mirror = next((p.body for p in world.objects if p.match.maker == "mirror"), None)
        for option in (self._all, self._opaque):
            option.geomgroup[house_view.HIDDEN_GROUP] = 0

    def activate(self) -> None:
        """Draw into this world's buffers from now on: the one GL context keeps the binding of whichever world drew last."""
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)

    def _update(
        self,
        data: mujoco.MjData,
        position: Array,
        rotation: Array,
        option: mujoco.MjvOption,
        segment: bool,
        hand: Hand | None,
        held: bool = False,
    ) -> None:
        """Bring the scene up to date: all of it, or with a `hand` what is not held, or what is `held` alone."""
        if self._view is not None:
            self._view.prepare(data, position, rotation, None if self._mirror is None else data.xpos[self._mirror])
        data.cam_xpos[0] = position
        if hand is not None and held:
            data.cam_xpos[0] += (0.0, 0.0, hand.lift_m)
        data.cam_xmat[0] = rotation.ravel()
        if not (segment or held):
            self._context.shadowScale = self._sight.shadow_scale(data, position, rotation)
        # A mirror shows what is beside and behind the camera.
        whole = segment or held or self._world.has_mirror
        with self._only(hand, held, None if whole else self._sight.unneeded(data, position, rotation)):
            mujoco.mjv_updateScene(self._world.model, data, option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)
        if not (segment or held):
            self._decals.draw(self._scene, data, None if hand is None else hand.objects)
        flags = self._scene.flags
        flags[_flag.mjRND_SHADOW] = not segment
        flags[_flag.mjRND_REFLECTION] = self._world.has_mirror and not (segment or held)
        flags[_flag.mjRND_SEGMENT] = flags[_flag.mjRND_IDCOLOR] = segment
        flags[_flag.mjRND_SKYBOX] = flags[_flag.mjRND_FOG] = flags[_flag.mjRND_HAZE] = 0

    @contextmanager
    def _only(self, hand: Hand | None, held: bool, unneeded: NDArray[np.bool_] | None) -> Iterator[None]:
        """Leave out of the next update what is held, or everything else, and geoms that are `unneeded`. Without a hand nothing is held."""
        model, world = self._world.model, self._world
        geoms, skins = model.geom_group.copy(), model.skin_group.copy()
        if unneeded is not None:
            model.geom_group[unneeded] = house_view.HIDDEN_GROUP
        if hand is not None:
            of_hand = np.append(hand.objects, False)  # the room's index is −1
            model.geom_group[of_hand[world.geom_object] != held] = house_view.HIDDEN_GROUP
            model.skin_group[of_hand[world.skin_object] != held] = house_view.HIDDEN_GROUP
        try:
            yield
        finally:
            model.geom_group[:], model.skin_group[:] = geoms, skins

    def picture(self, data: mujoco.MjData, position: Array, rotation: Array, hand: Hand | None = None) -> NDArray[np.uint8]:
        """RGB image, shape (H, W, 3), row 0 at the top; what is in the `hand` before everything else."""
        with measure("render"):
            self._update(data, position, rotation, self._all, False, hand)
            pixels = self._drawn()
            if hand is not None:
                # Over black one sees its own light, over white also how much shows of what is behind: glass and edges are right.
                self._update(data, position, rotation, self._all, False, hand, held=True)
                black = self._drawn()
                self._add_backdrop(position + np.array([0.0, 0.0, hand.lift_m]), rotation)
                white = self._drawn()
                through = np.maximum(white.astype(np.uint16), black) - black
                pixels = np.minimum(black + (pixels * through + 127) // 255, 255).astype(np.uint8)
            return np.ascontiguousarray(pixels[::-1])

    def _drawn(self) -> NDArray[np.uint8]:
        """The scene as it was updated last, row 0 at the bottom."""
        c = self._world.scene.camera
        rectangle = mujoco.MjrRect(0, 0, c.width, c.height)
        pixels = np.empty((c.height, c.width, 3), np.uint8)
        mujoco.mjr_render(rectangle, self._scene, self._context)
        mujoco.mjr_readPixels(pixels, None, rectangle, self._context)
        return pixels

    def _add_backdrop(self, position: Array, rotation: Array) -> None:
        """A white plane behind everything in the view."""
        geom = self._scene.geoms[self._scene.ngeom]
        size, centre = np.array([_BACKDROP_M * 5, _BACKDROP_M * 5, 0.01]), position - rotation[:, 2] * _BACKDROP_M
        mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_BOX.value, size, centre, rotation.ravel(), np.ones(4, np.float32))
        geom.emission, geom.specular = 1.0, 0.0
        self._scene.ngeom += 1

    def visible(
        self, data: mujoco.MjData, position: Array, rotation: Array, step: int = SEGMENT_STEP, hand: Hand | None = None
    ) -> NDArray[np.int64]:
        """Pixels per object in the view. What stands behind glass counts; what shows only in the mirror does not."""
        return self.seen(data, position, rotation, step, hand)[:, 0]

    def seen(
        self, data: mujoco.MjData, position: Array, rotation: Array, step: int = SEGMENT_STEP, hand: Hand | None = None
    ) -> NDArray[np.int64]:
        """`visible`, and where: for each object its pixels and the box around them (x0, y0, x1, y1; `spec.PixelBox`), shape (N, 5)."""
        world = self._world
        with measure("visibility"):
            counts = self._count(data, position, rotation, step, self._opaque if world.has_clear else self._all, hand)
            if world.has_clear:
                with_clear = self._count(data, position, rotation, step, self._all, hand)
                counts = np.where(world.clear_objects[:, None], with_clear, counts)
            return counts

    def through_glass(self, data: mujoco.MjData, position: Array, rotation: Array, index: int, hand: Hand | None = None) -> int:
        """Pixels of one object with all other glass, and water, left out: a glass in or behind another one is seen, but `visible` gives its
        pixels to the glass before it. 0 for what is not glass: of that `visible` tells all."""
        world = self._world
        if not world.clear_objects[index]:
            return 0
        groups = world.model.geom_group.copy()
        own = world.geom_object == index
        world.model.geom_group[(groups == GROUP_CLEAR) & own] = GROUP_OPAQUE
        known, self._owners = self._owners, {}  # other segments are drawn than in other pictures
        try:
            return int(self._count(data, position, rotation, 1, self._opaque, hand)[index, 0])
        finally:
            world.model.geom_group[:], self._owners = groups, known

    def segments(self, data: mujoco.MjData, position: Array, rotation: Array, hand: Hand | None = None) -> NDArray[np.int32]:
        """Index of the object that each pixel shows, shape (H, W), row 0 at the top; −1 for the room. Glass counts as opaque."""
        c = self._world.scene.camera
        return np.ascontiguousarray(self._owned(data, position, rotation, c.width, c.height, self._all, hand)[::-1])

    def masks(self, data: mujoco.MjData, position: Array, rotation: Array, hand: Hand | None = None) -> NDArray[np.int32]:
        """`segments`, except that what is seen through glass is told, and the glass where nothing is behind it but the room."""
        found = self.segments(data, position, rotation, hand)
        world = self._world
        if not world.has_clear:
            return found
        c = world.scene.camera
        behind = self._owned(data, position, rotation, c.width, c.height, self._opaque, hand)[::-1]
        glass = (found >= 0) & world.clear_objects[found]
        return np.where(glass & (behind >= 0), behind, found).astype(np.int32)

    def _count(
        self, data: mujoco.MjData, position: Array, rotation: Array, step: int, option: mujoco.MjvOption, hand: Hand | None
    ) -> NDArray[np.int64]:
        c = self._world.scene.camera
        width, height = max(1, c.width // step), max(1, c.height // step)
        owned = self._owned(data, position, rotation, width, height, option, hand)
        shown = _extents(owned[::-1], len(self._world.objects))
        shown[:, 0] = shown[:, 0] * (c.width * c.height) // (width * height)
        shown[:, 1:3] = shown[:, 1:3] * (c.width, c.height) // (width, height)
        shown[:, 3:] = -(-shown[:, 3:] * (c.width, c.height) // (width, height))
        return shown

    def _owned(
        self, data: mujoco.MjData, position: Array, rotation: Array, width: int, height: int, option: mujoco.MjvOption, hand: Hand | None
    ) -> NDArray[np.int32]:
        """Index of the object that each pixel shows, row 0 at the bottom; −1 for the room."""
        self._update(data, position, rotation, option, True, hand)
        owned = self._owners_drawn(width, height, option, hand)
        if hand is not None:
            self._update(data, position, rotation, option, True, hand, held=True)
            before = self._owners_drawn(width, height, option, hand)
            owned = np.where(before >= 0, before, owned)
        return np.asarray(owned, np.int32)

    def _owners_drawn(self, width: int, height: int, option: mujoco.MjvOption, hand: Hand | None) -> NDArray[np.int32]:
        """Index of the object that each pixel of the scene as updated last shows."""
        owner, identifiers = self._segment_owner(option is self._all, hand), self._identifiers(width, height)
        return owner[np.minimum(identifiers, len(owner) - 1)]

    def _identifiers(self, width: int, height: int) -> NDArray[np.int32]:
        """Number of the segment that each pixel of the scene shows, row 0 at the bottom; 0 where there is none."""
        rectangle = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(rectangle, self._scene, self._context)
        pixels = np.empty((height, width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, rectangle, self._context)
        return np.asarray(pixels.astype(np.int32) @ np.array([1, 256, 65536], np.int32))

    def _segment_owner(self, everything: bool, hand: Hand | None) -> NDArray[np.int32]:
        """Segment colour → object index, −1 for the room; the same for every frame of a world, unless something is left out."""
        if everything not in self._owners or self._view is not None or hand is not None:
            owner = np.full(self._scene.ngeom + 1, -1, np.int32)
            for geom in self._scene.geoms[: self._scene.ngeom]:
                if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                    owner[geom.segid + 1] = self._world.geom_object[geom.objid]
            if hand is not None:
                return owner
            self._owners[everything] = owner
        return self._owners[everything]

    def close(self) -> None:
        """Free its drawing context; it draws no more."""
        self._context.free()


def _soften(context: mujoco.MjrContext) -> None:
    """Let edges of shadows run over a texel of the shadow map instead of jumping.

    MuJoCo asks its shadow map for the nearest texel and drops every pixel whose alpha, which the answer scales, is below 0.99: the edge has
    the teeth of the map. Answers of four texels, which scale the light alone and not alpha, make it smooth at no cost. They reach one texel
    farther, so that a surface must lie a little farther behind another to be in its shadow.
    """
    from OpenGL import GL

    GL.glActiveTexture(GL.GL_TEXTURE1)
    GL.glBindTexture(GL.GL_TEXTURE_2D, context.shadowTex)
    GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_DEPTH_TEXTURE_MODE, GL.GL_LUMINANCE)
    for which in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, which, GL.GL_LINEAR)
    # Places in the map are (s, t, r, q); r / q falls as one over the distance to the light.
    GL.glMatrixMode(GL.GL_TEXTURE)
    GL.glLoadIdentity()
    GL.glScalef(1.0, 1.0, 1.0 + SHADOW_BIAS)
    GL.glMatrixMode(GL.GL_MODELVIEW)
    GL.glActiveTexture(GL.GL_TEXTURE0)


def _extents(owners: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Pixels of each of `n` objects in a picture of their indices (−1: none), and the box around them: shape (n, 5)."""
    height, width = owners.shape
    found = np.zeros((n, 5), np.int64)
    flat = owners.ravel()
    at = np.flatnonzero(flat >= 0)
    who, (y, x) = flat[at], np.divmod(at, width)
    found[:, 0] = np.bincount(who, minlength=n)
    found[:, 1:3] = width, height
    np.minimum.at(found[:, 1], who, x)
    np.minimum.at(found[:, 2], who, y)
    np.maximum.at(found[:, 3], who, x + 1)
    np.maximum.at(found[:, 4], who, y + 1)
    return found


@functools.lru_cache(maxsize=1)
def context() -> gl_context.GLContext:
    """The process's one GL context; buffers live off-screen, so its own size does not matter."""
    made = gl_context.GLContext(64, 64)
    # Freed here: at interpreter exit PyOpenGL is half gone and its destructor prints a traceback.
    atexit.register(made.free)
    return made


class Renderers:
    """The renderers of the process by world."""

    def __init__(self) -> None:
        self._gl = context()
        self._gl.make_current()
        self._open: OrderedDict[str, WorldRenderer] = OrderedDict()

    def get(self, world: World) -> WorldRenderer:
        """The renderer of a world, ready to draw; the one that was used longest ago makes room for a new one."""
        self._gl.make_current()
        if world.key not in self._open:
            while len(self._open) >= MAX_RENDERERS:
                self._open.popitem(last=False)[1].close()
            self._open[world.key] = WorldRenderer(world)
        self._open.move_to_end(world.key)
        self._open[world.key].activate()
        return self._open[world.key]

    def drop(self, key: str) -> None:
        """Close the renderer of a world by its key, if it is open."""
        renderer = self._open.pop(key, None)
        if renderer is not None:
            self._gl.make_current()
            renderer.close()

    def close(self) -> None:
        """Free every buffer."""
        for key in list(self._open):
            self.drop(key)

    def description(self) -> dict[str, str]:
        """GL renderer and version strings."""
        from OpenGL import GL

        self._gl.make_current()
        asked = {"gl_renderer": GL.GL_RENDERER, "gl_version": GL.GL_VERSION}
        return {name: (GL.glGetString(what) or b"").decode() for name, what in asked.items()}
