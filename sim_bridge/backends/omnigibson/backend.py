"""OmniGibson behind the bridge's contract: one scene in the simulator, the other sessions as snapshots.

The simulator holds one scene, so at any time one session is in it. Another that is asked for is put in its place: its scene is built and
its snapshot loaded, which takes as long as loading. Give such a worker ``--max-sessions 1`` and start several.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.actions import CAMERA_ACTIONS, Action
from sim_bridge.backend import ActionOutcome
from sim_bridge.backends.omnigibson import config, deeds
from sim_bridge.backends.omnigibson.camera import same_place, settled, shown_by_depth
from sim_bridge.backends.omnigibson.engine import Engine, View
from sim_bridge.backends.omnigibson.releases import PINNED
from sim_bridge.backends.omnigibson.session import Session
from sim_bridge.backends.omnigibson.settings import PARTICLES, Settings
from sim_bridge.backends.omnigibson.stage import Stage
from sim_bridge.backends.omnigibson.world import missing_model, movable
from sim_bridge.encoding import encode_frame
from sim_bridge.errors import BadRequest, BridgeError
from sim_bridge.kinematics import moved
from sim_bridge.spec import Ability, Contact, Frame, Hands, ObjectState, Observation, PixelBox, Pose, Relation, Scene
from sim_bridge.timing import measure

log = logging.getLogger("sim_bridge.omnigibson")

NEAR_M = 0.05
"""Things whose boxes are farther apart than this have no relation."""
RELATIONS = {"Inside": "inside", "OnTop": "on", "Touching": "touching"}
"""OmniGibson's state → the bridge's relation."""
FEATURES = ("phases", "phase_light", "mirror", "dynamic", "hands", "camera_steps", "routes", "native_scene", "native_models", "transparent",
            "open_containers", "robot_walk")  # fmt: skip
COUNTING = ("view_counts", "masks")
FLUID = ("cloth", "liquid")
DEADLINES_S = {
    "load": 900.0,
    "restore": 600.0,
    "phase": 120.0,
    "act": 180.0,
    "observe": 600.0,
    "state": 600.0,
    "views": 600.0,
    "masks": 600.0,
}
"""How long a request may take here: a building is loaded in minutes, thirty tries to put a thing into another take one; and any request for
a session that is not in the simulator loads it first."""


class OmniGibsonBackend:
    """See the module's docstring.

    Args:
        settings: of this process.
    """

    name = "omnigibson"
    deterministic = False

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        fluid = settings.physics == PARTICLES
        able = [name for name in deeds.DEEDS if fluid or name not in deeds.WITH_PARTICLES]
        self.capabilities: tuple[str, ...] = (*CAMERA_ACTIONS, *able, *FEATURES)
        self.capabilities += (COUNTING if settings.segmentation else ()) + (FLUID if fluid else ())
        self.deadlines_s = dict(DEADLINES_S)
        self.stage = Stage(Engine(settings))
        self._sessions: dict[str, Session] = {}
        self._parked: dict[str, bytes] = {}
        """Sessions that are not in the simulator → their snapshot."""
        self._resident = ""

    # -- the process -----------------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Import OmniGibson; a worker calls it before it says where it listens."""
        self.stage.engine.start()

    def stop(self) -> None:
        """End the simulator's app; the process may end in it."""
        self.stage.engine.stop()

    def lacks(self, buildings: Iterable[str], models: Iterable[tuple[str, str | None]]) -> list[str]:
        """What of these the installed data set does not have, in words.

        Args:
            models: (category, model); model None: any.
        """
        self.start()
        known = self.stage.engine.scenes()
        missing = [f"building {name}" for name in buildings if name not in known]
        ours = (config.ROBOT, config.RAMP)
        for category, model in models:
            wanted = None if model == config.NATIVE else config.MIRROR_MODEL if category == config.MIRROR and model is None else model
            problem = "" if category in ours else missing_model(category, wanted)
            missing += [problem] if problem else []
        return missing

    def fingerprint(self) -> dict[str, str]:
        """Versions of what is installed, without starting it."""
        told = {"backend": f"omnigibson adapter 1 (for {PINNED})", "dynamics": self.settings.physics, "numpy": np.__version__}
        for package in ("omnigibson", "isaacsim", "torch", "bddl"):
            try:
                told[package] = metadata.version(package)
            except metadata.PackageNotFoundError:
                continue
        gpu = os.environ.get("OMNIGIBSON_GPU_ID")
        return told | ({"gpu": gpu} if gpu else {}) | ({"release": self.stage.engine.version} if self.stage.engine.version else {})

    # -- sessions --------------------------------------------------------------------------------------------------------------------

    def load(self, session: str, scene: Scene, start: Pose, seed: int, render: bool = True) -> Observation:
        config.check_world(scene, start)
        cloths = self.stage.cloths(scene)
        config.check_physics(scene, cloths, self.settings.physics)
        self._park()
        loaded = self.stage.build(scene, start, seed, cloths)
        self._sessions[session], self._resident = loaded, session
        return self._seen(loaded, render, render)

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)
        self._parked.pop(session, None)
        if session == self._resident:
            self._resident = ""

    def snapshot(self, session: str) -> bytes:
        if session in self._parked:
            return self._parked[session]
        return self.stage.saved(self._sessions[session])

    def restore(self, session: str, snapshot: bytes) -> None:
        here = self._in(session)
        self.stage.load_saved(here, snapshot)

    def _park(self) -> None:
        """Keep the session that is in the simulator as a snapshot."""
        if self._resident:
            self._parked[self._resident] = self.stage.saved(self._sessions[self._resident])
            self._resident = ""

    def _in(self, session: str) -> Session:
        """The session, in the simulator."""
        here = self._sessions[session]
        if session != self._resident:
            self._park()
            log.info("session %s comes back into the simulator", session)
            self._sessions[session] = here = self.stage.build(here.scene, here.start, here.seed, here.cloths)
            self._resident = session
            self.stage.load_saved(here, self._parked.pop(session))
        return here

    # -- acting ----------------------------------------------------------------------------------------------------------------------

    def act(self, session: str, action: Action, render: bool = True, visible: bool = True) -> ActionOutcome:
        here = self._in(session)
        doing = deeds.Doing(
            self.stage.engine, self.stage.world, here, lambda: self._counted(here), (lambda: self._frame(here)) if render else None
        )
        if self.stage.walk_on(here, 0.5):
            doing.picture()
            self.stage.walk_on(here, 0.5)
        if action.name in CAMERA_ACTIONS:
            here.record.camera = moved(here.scene.camera, here.record.camera, action.name)
            doing.carry()
            return ActionOutcome(True, "", self._with(doing.frames, self._seen(here, render, visible)))
        if action.name not in self.capabilities:
            raise BadRequest(f"action: this worker's physics ({self.settings.physics}) cannot {action.name}")
        reason = ""
        try:
            doing.do(action)
        except deeds.Failed as problem:
            reason = str(problem)
        self.stage.check_places(here)
        return ActionOutcome(not reason, reason, self._with(doing.frames, self._seen(here, render, visible)))

    @staticmethod
    def _with(before: Sequence[Frame], seen: Observation) -> Observation:
        """An observation with pictures of the way to it."""
        return Observation((*before, *seen.frames), seen.camera, seen.visible, seen.clipped, seen.phase, seen.boxes)

    def set_phase(self, session: str, phase: str, render: bool = True, visible: bool = True) -> Observation:
        here = self._in(session)
        if phase not in {p.name for p in here.scene.phases}:
            raise BadRequest(f"phase: expected one of {[p.name for p in here.scene.phases]}, got {phase!r}")
        self.stage.enter(here, phase)
        return self._seen(here, render, visible)

    # -- looking ---------------------------------------------------------------------------------------------------------------------

    def observe(self, session: str) -> Observation:
        return self._seen(self._in(session), True, True)

    def views(self, session: str, poses: Sequence[Pose]) -> list[Frame]:
        here = self._in(session)
        self._check_cameras(here, poses)
        return [encode_frame(self._look(here, pose).rgb) for pose in poses]

    def visible(self, session: str, poses: Sequence[Pose]) -> list[dict[str, int]]:
        here = self._in(session)
        self._check_cameras(here, poses)
        return [self._counts(here, pose, self._look(here, pose)) for pose in poses]

    def masks(self, session: str, pose: Pose | None) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        here = self._in(session)
        self._check_cameras(here, [pose] if pose is not None else [])
        view = self._look(here, pose or here.record.camera)
        assert view.numbers is not None
        handles = tuple(here.objects)
        shown = np.zeros(view.numbers.shape, np.int32)
        for number, handle in self._handles(here, view).items():
            shown[view.numbers == number] = handles.index(handle) + 1
        return shown, handles

    def _check_cameras(self, here: Session, poses: Iterable[Pose]) -> None:
        for i, pose in enumerate(poses):
            config.check_camera(here.scene, pose, f"poses[{i}]", BadRequest)

    def _look(self, here: Session, pose: Pose) -> View:
        """The view from a camera, rendered until two pictures in a row are the same.

        Raises:
            BridgeError: the simulator's camera is not where it was put.
        """
        engine, settings = self.stage.engine, self.settings
        with measure("render"):
            engine.look(pose, here.scene.camera.hfov_deg)
            more = self.stage.unsettled
            least, most = settings.least_renders + more, settings.most_renders + more
            view, renders, equal = settled(engine.render, engine.read, lambda v: v.rgb, least, most)
            self.stage.unsettled = 0
        if not equal:
            log.warning("after %d renders two pictures in a row still differed", renders)
        if not same_place(pose, engine.camera(), 1e-3, 0.1):
            raise BridgeError(f"The simulator's camera is at {engine.camera()}, it was put at {pose}: the session cannot go on here.")
        size = (here.scene.camera.height, here.scene.camera.width)
        if view.rgb.shape[:2] != size:
            raise BridgeError(f"The simulator renders {view.rgb.shape[1]}×{view.rgb.shape[0]}, the scene asks for {size[1]}×{size[0]}.")
        return view

    def _frame(self, here: Session) -> Frame:
        return encode_frame(self._look(here, here.record.camera).rgb)

    def _counted(self, here: Session) -> dict[str, int]:
        return self._counts(here, here.record.camera, self._look(here, here.record.camera))

    def _handles(self, here: Session, view: View) -> dict[int, str]:
        """Instance number → handle, of the things that are ours."""
        named = {str(thing.name): handle for handle, thing in self.stage.world.things.items() if not here.absent(handle)}
        return {number: named[name] for number, name in view.names.items() if name in named}

    def _counts(self, here: Session, pose: Pose, view: View) -> dict[str, int]:
        """handle → pixels."""
        if view.numbers is not None:
            counts = ((handle, int((view.numbers == number).sum())) for number, handle in self._handles(here, view).items())
            return {handle: count for handle, count in counts if count}
        assert view.depth_m is not None
        found = {}
        for handle in self._present(here):
            if count := shown_by_depth(here.scene.camera, pose, *self.stage.world.box(handle), view.depth_m):
                found[handle] = count
        return found

    def _boxes(self, here: Session, view: View) -> dict[str, PixelBox]:
        """handle → the rectangle around its pixels; empty without segmentation."""
        boxes: dict[str, PixelBox] = {}
        if view.numbers is None:
            return boxes
        for number, handle in self._handles(here, view).items():
            rows, columns = np.nonzero(view.numbers == number)
            if len(rows):
                boxes[handle] = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
        return boxes

    def _seen(self, here: Session, render: bool, visible: bool) -> Observation:
        camera, phase = here.record.camera, here.record.phase
        if not (render or visible):
            return Observation((), camera, {}, self._clipped(here), phase)
        view = self._look(here, camera)
        frames = (encode_frame(view.rgb),) if render else ()
        return Observation(frames, camera, self._counts(here, camera, view), self._clipped(here), phase, self._boxes(here, view))

    def _clipped(self, here: Session) -> bool:
        """The camera is outside the building or room, or in an object."""
        x, y, z = here.record.camera.position_m
        room, engine = here.scene.room, self.stage.engine
        if engine.rooms():
            outside = engine.room_at(x, y) is None
        else:
            x0, y0, x1, y1 = room.bounds_m
            outside = not (x0 < x < x1 and y0 < y < y1)
        if outside or not room.floor_z_m < z < room.floor_z_m + room.height_m:
            return True
        return any(deeds.distance((x, y, z), *self.stage.world.box(h)) == 0.0 for h in self._present(here) if h != here.record.held)

    # -- state -----------------------------------------------------------------------------------------------------------------------

    def _present(self, here: Session) -> list[str]:
        return [h for h in here.objects if h in self.stage.world.things and not here.absent(h)]

    def state(self, session: str) -> tuple[list[ObjectState], list[Relation]]:
        here = self._in(session)
        seen, present = self._counted(here), self._present(here)
        objects = [self._object_state(here, h, seen.get(h, 0), h in present) for h in here.objects]
        return objects, self._relations([h for h in present if h != here.record.held])

    def _object_state(self, here: Session, handle: str, pixels: int, present: bool) -> ObjectState:
        world = self.stage.world
        flags: dict[str, bool] = {}
        levels: dict[str, float] = {}
        pose = here.planned_pose(handle)
        low = high = pose.position_m
        if handle in world.things:
            pose, (low, high) = world.pose(handle), world.box(handle)
            flags["held"] = handle == here.record.held
            if world.opens(handle):
                flags["open"] = world.is_open(handle)
            if world.holds_water(handle):
                water = world.water_ml(handle)
                flags["filled"] = deeds.is_filled(water)
                levels |= dict(zip(("water_ml", "capacity_ml"), water, strict=True)) if water else {}
        if here.record.moved:
            flags["moved_on_resume"] = handle in here.record.moved
        room = self.stage.engine.room_at(*pose.position_m[:2]) or here.scene.source_room or here.scene.room.kind
        return ObjectState(handle, here.objects[handle].category, pose, low, high, pixels, present, room, flags, levels)

    def _relations(self, handles: Sequence[str]) -> list[Relation]:
        """Relations of things that are near each other; the simulator is asked for no others."""
        world = self.stage.world
        boxes = {h: world.box(h) for h in handles}
        found = []
        for i, a in enumerate(handles):
            for b in handles[i + 1 :]:
                if gap(boxes[a], boxes[b]) > NEAR_M:
                    continue
                for state, kind in RELATIONS.items():
                    pairs = ((a, b), (b, a)) if kind != "touching" else ((a, b),)
                    found += [Relation(kind, s, t) for s, t in pairs if world.related(state, s, t)]
        return found

    def hands(self, session: str) -> Hands:
        """By what the data set says its categories can do."""
        here = self._in(session)
        world = self.stage.world
        can: dict[str, tuple[Ability, ...]] = {}
        for handle, thing in here.objects.items():
            there = handle in world.things
            takes = there and movable(thing, world) and max(deeds.extents(world.box(handle))) <= deeds.HAND_MAX_M
            water = world.holds_water(handle)
            able: dict[Ability, bool] = {
                "take": takes and thing.category != config.RAMP,
                "open": world.opens(handle),
                "hold": water or world.opens(handle),
                "carry": there and not takes,
                "water": water,
                "cloth": handle in world.cloths,
            }
            can[handle] = tuple(a for a, yes in able.items() if yes)
        return Hands(deeds.REACH_M, can)

    def audit(self, session: str) -> tuple[dict[str, dict[str, bool]], list[Contact]]:
        raise BadRequest("audit: the source's own models are not looked through here")

    def route(
        self, session: str, start_xy_m: Sequence[float], goal_xy_m: Sequence[float]
    ) -> tuple[list[tuple[float, float]], float] | None:
        """The shortest way on the building's map of where one can walk; None: there is none."""
        self._in(session)
        return self.stage.engine.shortest_path(start_xy_m, goal_xy_m)

    def floor_map(self, session: str) -> tuple[NDArray[np.bool_], float] | None:
        """The building's map of where one can walk, and metres per cell; None outside a building."""
        self._in(session)
        return self.stage.engine.floor_map()


def gap(a: tuple[Any, Any], b: tuple[Any, Any]) -> float:
    """Distance of two boxes in metres; 0 where they meet or cross."""
    apart = [max(0.0, a[0][k] - b[1][k], b[0][k] - a[1][k]) for k in range(3)]
    return float(np.linalg.norm(apart))
