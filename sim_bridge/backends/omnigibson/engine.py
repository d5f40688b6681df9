"""OmniGibson itself: started once on the main thread, opened on one scene at a time, stepped, rendered, saved.

With `world` the only module that calls OmniGibson; every call is declared in `calls`. Macros are locked when first read, so they are set
right after the import. Tensors stay here: arrays and plain numbers go out.
"""

from __future__ import annotations

import functools
import inspect
import logging
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.omnigibson.camera import as_pose, focal_length_mm
from sim_bridge.backends.omnigibson.config import clear_arguments
from sim_bridge.backends.omnigibson.releases import Release, release_of
from sim_bridge.backends.omnigibson.settings import PARTICLES, Settings
from sim_bridge.errors import BadRequest, BridgeError, SceneError
from sim_bridge.spec import Pose, Vec3

log = logging.getLogger("sim_bridge.omnigibson")

MODALITIES = ("seg_semantic", "seg_instance")
"""Added in this order: instances need the categories, and `add_modality` does not add those by itself."""
DIMMED = {"dim": 0.08, "night": 0.01, "evening": 0.3, "side": 0.5}
"""Share of every light's intensity that is left; the data set's dark phases have 0.01 to 0.08."""


class NotInstalled(BridgeError):
    """OmniGibson is not in this Python, or cannot start here."""

    code = "not_installed"


@dataclass(frozen=True)
class View:
    """What the camera sees.

    Attributes:
        rgb: (H, W, 3) uint8, row 0 at the top.
        numbers: (H, W) instance numbers; None without segmentation.
        names: instance number → name of the thing.
        depth_m: (H, W) float32 along the camera's axis; None with segmentation.
    """

    rgb: NDArray[np.uint8]
    numbers: NDArray[np.int64] | None
    names: dict[int, str]
    depth_m: NDArray[np.float32] | None


class Engine:
    """See the module's docstring.

    Args:
        settings: of this process.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.release: Release | None = None
        self.version = ""
        self.sampling: dict[str, Any] = {}
        """Arguments of `sample_kinematics` that later releases want."""
        self._og: Any = None
        self._env: Any = None
        self._lights: dict[str, float] = {}

    # -- the application -------------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Import OmniGibson and set its macros; again is no error. Its app starts with the first scene.

        Raises:
            NotInstalled: it is not there, or this is not the main thread: it installs signal handlers when it is imported.
        """
        if self._og is not None:
            return
        if threading.current_thread() is not threading.main_thread():
            raise NotInstalled("omnigibson: it can be imported on the main thread of a process only; run a worker for it")
        try:
            import omnigibson as og
            from omnigibson.macros import gm
        except (ImportError, AssertionError) as problem:
            raise NotInstalled(f"omnigibson: cannot be imported in {sys.executable}: {problem}") from problem
        self.version = str(og.__version__)
        self.release = release_of(self.version, self.settings.any_release)
        gpu = self.settings.physics == PARTICLES
        gm.HEADLESS = True
        gm.RENDER_VIEWER_CAMERA = True
        gm.USE_GPU_DYNAMICS = gpu
        # Reflections, and water as a surface instead of balls.
        gm.ENABLE_HQ_RENDERING = True
        gm.ENABLE_FLATCACHE = False
        gm.ENABLE_OBJECT_STATES = True
        gm.ENABLE_TRANSITION_RULES = False
        self._og = og
        from omnigibson.utils.object_state_utils import sample_kinematics

        wanted = {"use_last_ditch_effort": True, "use_trav_map": False}
        self.sampling = {k: v for k, v in wanted.items() if k in inspect.signature(sample_kinematics).parameters}
        log.info("OmniGibson %s (%s physics), sampling takes %s", self.version, self.settings.physics, sorted(self.sampling) or "no more")

    @property
    def started(self) -> bool:
        return self._og is not None

    @property
    def og(self) -> Any:
        """The package, imported."""
        self.start()
        return self._og

    @property
    def scene(self) -> Any:
        """OmniGibson's scene."""
        return self._env.scene

    def stop(self) -> None:
        """End the app; the process may end with it."""
        if self._og is not None and self._og.app is not None:
            self._og.shutdown()

    # -- a scene ---------------------------------------------------------------------------------------------------------------------

    def scenes(self) -> list[str]:
        """Buildings of the installed data set."""
        _ = self.og
        from omnigibson.utils.asset_utils import get_available_og_scenes

        return list(get_available_og_scenes())

    def open(self, config: dict[str, Any]) -> None:
        """Build the surroundings. A simulator that is there is cleared first, for it can hold one scene.

        Raises:
            SceneError: the data set has no such building.
        """
        og = self.og
        wanted = config["scene"].get("scene_model")
        if wanted is not None and wanted not in self.scenes():
            raise SceneError(f"scene.source_scene: the installed data set has no building {wanted!r}")
        if og.sim is not None:
            og.clear(**clear_arguments(config))
        self._env = og.Environment(configs=config)
        self._lights = {}
        camera = og.sim.viewer_camera
        for name in MODALITIES if self.settings.segmentation else ("depth_linear",):
            camera.add_modality(name)

    def step(self, count: int) -> None:
        """Let time pass: `count` steps of actions, each rendered."""
        for _ in range(count):
            self.og.sim.step()

    def render(self) -> None:
        """Render once; no time passes."""
        self.og.sim.render()

    def seed(self, seed: int) -> None:
        """Random numbers of the simulator's samplers."""
        import random

        random.seed(seed)
        np.random.seed(seed % 2**32)
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.manual_seed(seed)

    # -- camera ----------------------------------------------------------------------------------------------------------------------

    def look(self, pose: Pose, hfov_deg: float) -> None:
        """Put the camera somewhere, with a field of view."""
        camera = self.og.sim.viewer_camera
        camera.set_position_orientation(position=list(pose.position_m), orientation=list(pose.quaternion_xyzw))
        camera.focal_length = focal_length_mm(hfov_deg, float(camera.horizontal_aperture))

    def camera(self) -> Pose:
        """Where the simulator's camera is."""
        return as_pose(*(numbers(v).tolist() for v in self.og.sim.viewer_camera.get_position_orientation()))

    def read(self) -> View:
        """What was rendered last."""
        seen, told = self.og.sim.viewer_camera.get_obs()
        rgb = np.ascontiguousarray(numbers(seen["rgb"])[..., :3]).astype(np.uint8)
        if not self.settings.segmentation:
            return View(rgb, None, {}, numbers(seen["depth_linear"]).astype(np.float32))
        names = {int(k): str(v) for k, v in told.get("seg_instance", {}).items()}
        return View(rgb, numbers(seen["seg_instance"]).astype(np.int64), names, None)

    # -- light -----------------------------------------------------------------------------------------------------------------------

    def light(self, lighting: str) -> None:
        """Set every light of the stage to its own intensity, or to a share of it."""
        share = DIMMED.get(lighting, 1.0)
        if share == 1.0 and not self._lights:
            # Nobody has changed them, and a building has very many prims to look through.
            return
        for prim in self.og.sim.world_prim.GetStage().Traverse():
            attribute = prim.GetAttribute("inputs:intensity") if prim.GetTypeName().endswith("Light") else None
            if attribute:
                own = self._lights.setdefault(str(prim.GetPath()), float(attribute.Get()))
                self.edit(functools.partial(attribute.Set, own * share))

    def edit(self, change: Callable[[], object]) -> None:
        """Change the stage; later releases want that said."""
        editing = getattr(self.og.sim, "editing_usd", None)
        if editing is None:
            change()
        else:
            with editing():
                change()

    # -- state -----------------------------------------------------------------------------------------------------------------------

    def dump(self) -> bytes:
        """Poses, joints and particles of everything, as float32."""
        return numbers(self.og.sim.dump_state(serialized=True)).astype("<f4").tobytes()

    def restore(self, state: bytes) -> None:
        """Set everything to a dump of the same things, and take the step without which relations would be those of before.

        Raises:
            BadRequest: it is of other things.
        """
        now = self.og.sim.dump_state(serialized=True)
        values = np.frombuffer(state, "<f4")
        try:
            self.og.sim.load_state(now.new_tensor(values.tolist()), serialized=True)
        except (AssertionError, IndexError, RuntimeError, ValueError) as problem:
            raise BadRequest(f"snapshot: of other things than the scene has ({problem})") from None
        self.step(1)

    # -- maps ------------------------------------------------------------------------------------------------------------------------

    def rooms(self) -> dict[str, int]:
        """Rooms of the building → their number; none outside a building."""
        segments = getattr(self.scene, "seg_map", None)
        return {} if segments is None else {str(k): int(v) for k, v in segments.room_ins_name_to_ins_id.items()}

    def room_at(self, x_m: float, y_m: float) -> str | None:
        """The room that a place of the floor is in; None: none, or there is no building."""
        segments = getattr(self.scene, "seg_map", None)
        if segments is None:
            return None
        try:
            found = segments.get_room_instance_by_point([x_m, y_m])
        except (IndexError, KeyError):
            return None
        return None if found is None else str(found)

    def floor_map(self) -> tuple[NDArray[np.bool_], float] | None:
        """Where one can walk on the ground floor, rows and columns as the map has them, and metres per cell; None outside a building."""
        walkable = getattr(self.scene, "trav_map", None)
        if walkable is None:
            return None
        return numbers(walkable.floor_map[0]) > 0, float(walkable.map_resolution)

    def walkable(self, x_m: float, y_m: float) -> bool | None:
        """Whether one can walk at a place; None: there is no map."""
        found = self.floor_map()
        if found is None:
            return None
        row, column = (int(v) for v in numbers(self.scene.trav_map.world_to_map([x_m, y_m])).tolist())
        inside = 0 <= row < found[0].shape[0] and 0 <= column < found[0].shape[1]
        return inside and bool(found[0][row, column])

    def shortest_path(self, start: Sequence[float], goal: Sequence[float]) -> tuple[list[tuple[float, float]], float] | None:
        """The shortest way between two places of the ground floor, by its map of where one can walk.

        Returns:
            Points (x, y) in metres and its length; None: there is no way, or no map.
        """
        if getattr(self.scene, "trav_map", None) is None:
            return None
        path, length = self.scene.get_shortest_path(0, list(start), list(goal), entire_path=True, robot=None)
        if path is None:
            return None
        return [(float(x), float(y)) for x, y in numbers(path)[:, :2].tolist()], float(numbers(length))


def numbers(values: Any) -> NDArray[Any]:
    """A tensor of any device, or a sequence, as an array."""
    for name in ("detach", "cpu", "numpy"):
        method = getattr(values, name, None)
        values = method() if method is not None else values
    return np.asarray(values)


def vec3(values: Any) -> Vec3:
    """Three numbers."""
    x, y, z = (float(v) for v in numbers(values).reshape(-1)[:3])
    return x, y, z
