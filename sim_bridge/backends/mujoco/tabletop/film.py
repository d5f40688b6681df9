"""Pictures, depth and segmentation of a set-up from its named cameras, with each camera's matrices.

Cameras are pinholes with square pixels; K has the image's middle at (width / 2, height / 2), with (0, 0) the top-left corner of the
top-left pixel. Camera axes are OpenCV's: x right, y down, z forward. Depth is along z, metres.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.engine import gl
from sim_bridge.backends.mujoco.engine.building import GROUP_ROOM
from sim_bridge.backends.mujoco.engine.render import context
from sim_bridge.backends.mujoco.engine.world import MAX_GEOMS
from sim_bridge.backends.mujoco.meshes.shapes import Array
from sim_bridge.backends.mujoco.tabletop.arm import GROUP_MOVES
from sim_bridge.backends.mujoco.tabletop.setting import GROUP_TABLE, HEIGHT, WIDTH

_flag = mujoco.mjtRndFlag
_TO_OPENCV = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True)
class Shot:
    """One picture."""

    rgb: NDArray[np.uint8]
    """(H, W, 3)."""
    raw: NDArray[np.float32]
    """(H, W) reverse-z buffer: 1 at the near plane, 0 at the far."""
    near_m: float
    far_m: float

    @property
    def depth_m(self) -> NDArray[np.float32]:
        """(H, W) metres along the optical axis."""
        near, far = self.near_m, self.far_m
        return (near * far / (near + self.raw.astype(np.float64) * (far - near))).astype(np.float32)


def intrinsics(model: mujoco.MjModel, camera: str) -> Array:
    """K, 3×3."""
    f = HEIGHT / 2 / math.tan(math.radians(float(model.camera(camera).fovy[0])) / 2)
    return np.array([[f, 0, WIDTH / 2], [0, f, HEIGHT / 2], [0, 0, 1.0]])


def world_to_camera(data: mujoco.MjData, camera: str) -> Array:
    """4×4 for the state that `data` holds."""
    found = data.camera(camera)
    turn = (found.xmat.reshape(3, 3) @ _TO_OPENCV).T
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, -turn @ found.xpos
    return out


def _showing(*groups: int) -> mujoco.MjvOption:
    option = mujoco.MjvOption()
    option.geomgroup[:] = 0
    option.sitegroup[:] = 0
    for group in groups:
        option.geomgroup[group] = 1
    return option


class Film:
    """A renderer of one model. Use from one thread; close it at the end.

    The room does not change, so it is drawn once for each fixed camera and laid behind what moves and the table (shadows fall on these).
    A hand camera sees the room seldom; it is drawn where it does.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        gl.check()
        self._model = model
        self._gl = context()
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        self.activate()
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR.value
        self._scene = mujoco.MjvScene(model, maxgeom=MAX_GEOMS)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._rectangle = mujoco.MjrRect(0, 0, WIDTH, HEIGHT)
        self._all = _showing(GROUP_ROOM, GROUP_TABLE, GROUP_MOVES)
        self._still = _showing(GROUP_ROOM, GROUP_TABLE)
        self._near = _showing(GROUP_TABLE, GROUP_MOVES)
        self._planes = float(model.vis.map.znear) * float(model.stat.extent), float(model.vis.map.zfar) * float(model.stat.extent)
        self._behind: dict[str, tuple[NDArray[np.uint8], NDArray[np.float32]]] = {}

    def activate(self) -> None:
        """Draw into this renderer's buffers from now on: the process has one GL context, which keeps the binding of whoever drew last."""
        self._gl.make_current()
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)

    def _draw(self, data: mujoco.MjData, camera: str, option: mujoco.MjvOption, segment: bool = False) -> None:
        self._camera.fixedcamid = self._model.camera(camera).id
        mujoco.mjv_updateScene(self._model, data, option, None, self._camera, mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)
        flags = self._scene.flags
        flags[_flag.mjRND_SHADOW] = not segment
        flags[_flag.mjRND_REFLECTION] = 0
        flags[_flag.mjRND_SEGMENT] = flags[_flag.mjRND_IDCOLOR] = segment
        flags[_flag.mjRND_SKYBOX] = flags[_flag.mjRND_FOG] = flags[_flag.mjRND_HAZE] = 0
        mujoco.mjr_render(self._rectangle, self._scene, self._context)

    def _read(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """(picture, reverse-z buffer: 1 at the near plane, 0 where nothing was drawn), row 0 at the bottom."""
        rgb, raw = np.empty((HEIGHT, WIDTH, 3), np.uint8), np.empty((HEIGHT, WIDTH), np.float32)
        mujoco.mjr_readPixels(rgb, raw, self._rectangle, self._context)
        return rgb, raw

    def _background(self, data: mujoco.MjData, camera: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        if camera not in self._behind:
            self._draw(data, camera, self._still)
            self._behind[camera] = self._read()
        return self._behind[camera]

    def shot(self, data: mujoco.MjData, camera: str) -> Shot:
        """Picture and depth, row 0 at the top."""
        fixed = int(self._model.camera(camera).bodyid[0]) == 0
        self._draw(data, camera, self._near)
        rgb, raw = self._read()
        empty = raw <= 0
        if empty.any() and fixed:
            room, far = self._background(data, camera)
            np.copyto(rgb, room, where=empty[..., None])
            np.copyto(raw, far, where=empty)
        elif empty.any():
            self._draw(data, camera, self._all)
            rgb, raw = self._read()
        return Shot(np.ascontiguousarray(rgb[::-1]), raw[::-1], *self._planes)

    def bodies(self, data: mujoco.MjData, camera: str) -> NDArray[np.int32]:
        """Body that each pixel shows, (H, W), −1 where there is none."""
        self._draw(data, camera, self._all, segment=True)
        pixels = np.empty((HEIGHT, WIDTH, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rectangle, self._context)
        identifiers = pixels[::-1].astype(np.int32) @ np.array([1, 256, 65536], np.int32)
        owner = np.full(self._scene.ngeom + 1, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                owner[geom.segid + 1] = self._model.geom_bodyid[geom.objid]
        return np.asarray(owner[identifiers], np.int32)

    def close(self) -> None:
        """Free its drawing context; it draws no more."""
        self._context.free()


def footage(model: mujoco.MjModel, states: NDArray[np.float64], cameras: Sequence[str]) -> Iterator[dict[str, tuple[Shot, Array]]]:
    """Every frame of an episode: (picture, world to camera) of each camera. `states` is (N, nq)."""
    data = mujoco.MjData(model)
    film = Film(model)
    try:
        for qpos in states:
            data.qpos[:] = qpos
            mujoco.mj_forward(model, data)
            yield {c: (film.shot(data, c), world_to_camera(data, c)) for c in cameras}
    finally:
        film.close()
