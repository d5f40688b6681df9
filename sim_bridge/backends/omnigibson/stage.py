"""Building a scene in the simulator, entering its phases, saving and loading a session: what happens between requests."""

from __future__ import annotations

import logging
import math
from typing import Any

import msgspec

from sim_bridge.backends.omnigibson import config, walking
from sim_bridge.backends.omnigibson.camera import same_place
from sim_bridge.backends.omnigibson.deeds import extents, held_pose, take_away
from sim_bridge.backends.omnigibson.engine import Engine
from sim_bridge.backends.omnigibson.session import MOVED_DEG, MOVED_M, Record, Session, read_record
from sim_bridge.backends.omnigibson.world import World, abilities_of
from sim_bridge.errors import BridgeError
from sim_bridge.spec import Camera, Pose, Room, Scene

log = logging.getLogger("sim_bridge.omnigibson")

AFTER_CHANGE = 14
"""More renders after the scene, its light or what is seen of it has changed than after a move of the camera."""


class Stage:
    """What is in the simulator.

    Attributes:
        world: the objects of the scene in it.
        unsettled: renders that the next picture needs beyond the usual ones.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.world: World = World(engine, Scene(Camera(), Room()), ())
        self.unsettled = 0
        self._key: tuple[Any, ...] | None = None
        self._empty = b""
        """Dump of the surroundings before anything was added."""
        self._abilities: dict[str, frozenset[str]] = {}

    def cloths(self, scene: Scene) -> frozenset[str]:
        """Handles of the scene's cloths, by what the data set says of its categories."""
        return config.cloths_of(scene, self._able)

    def _able(self, category: str) -> frozenset[str]:
        if category not in self._abilities:
            self._abilities[category] = abilities_of(self.engine, category)
        return self._abilities[category]

    def build(self, scene: Scene, start: Pose, seed: int, cloths: frozenset[str]) -> Session:
        """Show a scene from its beginning.

        Raises:
            SceneError: names what the data set lacks.
        """
        engine = self.engine
        engine.start()
        world = World(engine, scene, cloths)
        world.check_models()
        self._surround(scene, cloths)
        engine.seed(seed)
        self.world = world
        try:
            world.populate()
            here = Session(scene, start, seed, cloths, config.plan(scene, cloths), Record(start))
            self.enter(here, scene.phases[0].name if scene.phases else "")
            self._settle(here)
        except BaseException:
            # Half a scene is of no use to the next one.
            self._key = None
            raise
        return here

    def _surround(self, scene: Scene, cloths: frozenset[str]) -> None:
        """The building or floor: as it is where it fits, without what the scene before had added, or built anew."""
        key = config.stage_key(scene, cloths)
        if key == self._key:
            self.world.remove()
            self.engine.restore(self._empty)
            return
        self._key = None
        self.engine.open(config.environment_config(scene, cloths))
        if scene.source_scene is not None:
            config.check_rooms(scene, tuple(self.engine.rooms()))
        self.engine.step(1)
        self._empty, self._key = self.engine.dump(), key

    def enter(self, here: Session, phase: str) -> None:
        """Everything where the phase has it, in its light; the camera at the start."""
        record, world = here.record, self.world
        record.phase, record.camera, record.held, record.removed, record.first, record.gone_m = phase, here.start, "", [], {}, {}
        placed: list[str] = []
        for handle, thing in here.objects.items():
            if handle not in world.things or handle in world.cloths:
                continue
            if here.absent(handle):
                take_away(world, handle)
                continue
            if thing.category == config.ROBOT:
                self.walk(here, handle, 0.0)
                continue
            if handle in world.own:
                world.show(handle, True)
            if handle in world.own or (here.phase is not None and handle in here.phase.moved):
                placed.append(handle)
                # A ghost does not fall while its box is measured in its attitude.
                world.ghost(handle, True)
                world.put(handle, here.planned_pose(handle))
        self.engine.step(1)
        for handle in placed:
            pose, height = here.planned_pose(handle), extents(world.box(handle))[2]
            world.measure(handle)
            centre = config.centre_of(here.objects[handle], pose, height, here.scene.room.floor_z_m)
            world.put(handle, Pose(centre, pose.quaternion_xyzw))
            world.ghost(handle, False)
        self.engine.step(1)
        for handle, thing in here.objects.items():
            if "open" in thing.params and world.opens(handle) and not here.absent(handle):
                world.set_open(handle, bool(thing.params["open"]))
        self.engine.light(here.lighting)
        self.unsettled = AFTER_CHANGE

    def walk(self, here: Session, handle: str, gone_m: float) -> None:
        """Put a robot where it is after a way on its path."""
        here.record.gone_m[handle] = gone_m
        start = here.planned_pose(handle)
        self.world.stand(handle, walking.along(start, walking.points(here.objects[handle]), gone_m))

    def walk_on(self, here: Session, share: float) -> bool:
        """Let every robot go a share of its step on; whether one moved."""
        moved = False
        for handle, thing in here.objects.items():
            if thing.category == config.ROBOT and handle in self.world.things and not here.absent(handle):
                gone = here.record.gone_m.get(handle, 0.0)
                length = walking.length_m(here.planned_pose(handle), walking.points(thing))
                if gone < length:
                    self.walk(here, handle, min(length, gone + share * walking.step_m(thing)))
                    moved = True
        return moved

    def _settle(self, here: Session) -> None:
        """Let things come to rest; throw the cloths over what they cover."""
        if not here.cloths:
            self.engine.step(here.scene.settle_steps)
            return
        before, after, fall = config.CLOTH_STEPS
        self.engine.step(before)
        for handle in here.cloths:
            self.world.lay_out(handle)
            self.engine.step(after)
            self.world.turn(handle, here.planned_pose(handle))
            self.world.throw_down(handle, config.DROP_SPEED_MPS)
        self.engine.step(fall)

    def check_places(self, here: Session) -> None:
        """Nothing has flown away: physics that starts with things in each other may throw them anywhere.

        Raises:
            BridgeError: something is out of the world; the session goes on from its last snapshot.
        """
        middle = config.middle_of(here.scene)
        for handle in self.world.things:
            low, high = self.world.box(handle)
            inside = all(math.isfinite(v) for v in (*low, *high)) and math.dist(low, middle) < 2 * config.WORLD_M
            if not (inside or here.absent(handle)):
                self._key = None
                raise BridgeError(f"{handle} has flown out of the world, to {low}: load the session again from its last snapshot.")

    # -- saving ----------------------------------------------------------------------------------------------------------------------

    def saved(self, here: Session) -> bytes:
        """The session as it is now."""
        record, world = here.record, self.world
        world.dry()
        record.poses = {h: world.pose(h) for h in world.things if not here.absent(h)}
        record.cloths = {h: world.cloth_points(h) for h in world.cloths if h in world.things}
        record.drops = world.particles()
        record.state = self.engine.dump()
        return msgspec.msgpack.encode(record)

    def load_saved(self, here: Session, snapshot: bytes) -> None:
        """Set the session to a snapshot, and see whether everything is where it was.

        Raises:
            BadRequest: it is none of this scene.
        """
        record, world = read_record(snapshot, here), self.world
        world.set_particles(record.drops)
        world.dry()
        was = here.record
        here.record = record
        try:
            for handle in world.own:
                world.show(handle, not here.absent(handle))
                if handle not in world.cloths:
                    world.ghost(handle, here.absent(handle) or handle == record.held)
            self.engine.restore(record.state)
            for handle, places in record.cloths.items():
                world.set_cloth_points(handle, places)
            world.set_particles(record.drops)
        except BaseException:
            here.record = was
            raise
        if record.held:
            world.put(record.held, held_pose(here.scene.camera, record.camera, extents(world.box(record.held))))
        self.engine.light(here.lighting)
        self.unsettled = AFTER_CHANGE
        record.moved = [
            h for h, pose in record.poses.items() if h in world.things and not same_place(pose, world.pose(h), MOVED_M, MOVED_DEG)
        ]
        if record.moved:
            log.warning("after resuming, these are not where they were: %s", ", ".join(record.moved))
