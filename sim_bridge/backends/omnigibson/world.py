"""The objects of one scene in OmniGibson: put there, moved, asked, hidden, taken away. With `engine` the only module that calls it."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from typing import Any

import numpy as np

from sim_bridge.backends.omnigibson.camera import as_pose
from sim_bridge.backends.omnigibson.config import ROBOT, There, already_there, name_of, plan
from sim_bridge.backends.omnigibson.engine import Engine, numbers, vec3
from sim_bridge.errors import BadRequest, SceneError
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Object, Pose, Scene, Vec3

log = logging.getLogger("sim_bridge.omnigibson")

WATER = "water"
AWAY: Vec3 = (0.0, 0.0, -50.0)
"""Where what is absent in a phase waits, out of every view and falling nowhere."""


class World:
    """The objects of a scene.

    Args:
        engine: opened on the scene's surroundings.
        scene: what to show.
        cloths: handles of its cloths.
    """

    def __init__(self, engine: Engine, scene: Scene, cloths: Collection[str]) -> None:
        self._engine, self.scene, self.cloths = engine, scene, frozenset(cloths)
        self.things: dict[str, Any] = {}
        """handle → OmniGibson's object; what the building has instead, or nothing has, is not in it."""
        self._middles: dict[str, np.ndarray] = {}
        """handle → middle of its box from its own origin, in its own axes, metres."""
        self.own: frozenset[str] = frozenset()
        """Handles of what was added here, and so can be taken away."""

    # -- coming and going ------------------------------------------------------------------------------------------------------------

    def check_models(self) -> None:
        """Every object's category and model are in the installed data set.

        Raises:
            SceneError: names the first that is not.
        """
        for i, planned in enumerate(plan(self.scene, self.cloths)):
            if planned.how in ("add", "cloth"):
                category, model = planned.config["category"], planned.config["model"]
                problem = missing_model(category, model)
                if problem:
                    field = "category" if model is None or "model" not in problem else "model"
                    raise SceneError(f"scene.objects[{i}].{field}: the installed data set has no {problem}")

    def populate(self) -> None:
        """Add every object, or find it in the building; initialised, not yet where it belongs."""
        from omnigibson.objects import DatasetObject, PrimitiveObject
        from omnigibson.utils.asset_utils import get_all_object_category_models
        from omnigibson.utils.constants import PrimType

        scene = self._engine.scene
        there = self._there()
        own = []
        for thing, planned in zip(self.scene.objects, plan(self.scene, self.cloths), strict=True):
            config = dict(planned.config)
            native = already_there(thing, there) if self.scene.source_scene is not None and planned.how != "robot" else None
            if planned.how == "robot":
                self.things[thing.handle] = scene.object_registry("name", name_of(thing.handle))
                continue
            if native is not None:
                self.things[thing.handle] = scene.object_registry("name", native)
                continue
            if planned.how in ("find", "stand"):
                log.info("%s (%s) is not added: the building has what it stands for", thing.handle, thing.category)
                continue
            if planned.how == "block":
                made = PrimitiveObject(**config)
            else:
                if config.get("model") is None:
                    # A fixed choice, where OmniGibson would draw one.
                    config["model"] = sorted(get_all_object_category_models(thing.category))[0]
                if planned.how == "cloth":
                    config |= {"prim_type": PrimType.CLOTH, "abilities": {"cloth": {}}}
                    config["load_config"] = {"default_point_configuration": "settled"}
                else:
                    config["prim_type"] = PrimType.RIGID
                made = DatasetObject(**config)
            scene.add_object(made)
            self.things[thing.handle] = made
            own.append(thing.handle)
        self.own = frozenset(own)
        self._engine.step(1)
        for handle in self.things:
            self.measure(handle)

    def _there(self) -> list[There]:
        """What stands in the building."""
        if self.scene.source_scene is None:
            return []
        listed = [o for o in self._engine.scene.objects if not str(o.name).startswith(name_of(""))]
        return [There(str(o.name), str(o.category), str(getattr(o, "model", "")), vec3(o.aabb_center)) for o in listed]

    def remove(self) -> None:
        """Take away what was added, at once: one by one the state would be saved and loaded each time."""
        mine = [self.things[h] for h in self.things if h in self.own]
        self.set_particles(b"")
        self.dry()
        if mine:
            self._engine.og.sim.batch_remove_objects(mine)
            self._engine.step(1)
        self.things, self.own, self._middles = {}, frozenset(), {}

    # -- places ----------------------------------------------------------------------------------------------------------------------

    def box(self, handle: str) -> tuple[Vec3, Vec3]:
        """World box (low, high) in metres."""
        low, high = self.things[handle].aabb
        return vec3(low), vec3(high)

    def pose(self, handle: str) -> Pose:
        """Centre of its box, and its orientation."""
        low, high = self.box(handle)
        _, quaternion = self.things[handle].get_position_orientation()
        x, y, z = ((a + b) / 2 for a, b in zip(low, high, strict=True))
        return as_pose((x, y, z), numbers(quaternion).tolist())

    def put(self, handle: str, centre: Pose) -> None:
        """Put the centre of its box at a pose, at rest, with the water in it."""
        before, inside = self.pose(handle), self._drops_in(handle)
        self.turn(handle, centre)
        self.things[handle].keep_still()
        if inside is not None:
            places = np.frombuffer(self.particles(), "<f4").reshape(-1, 3).copy()
            places[inside] = carried(places[inside], before, centre)
            self.water().set_particles_position_orientation(positions=self._tensor(places), orientations=None)

    def measure(self, handle: str) -> None:
        """Learn where the middle of its box is from its own origin. After a step: the box of what has joints is that of the step before."""
        thing = self.things[handle]
        at, quaternion = thing.get_position_orientation()
        turn = np.array(rotation_matrix(as_pose((0, 0, 0), numbers(quaternion).tolist()).quaternion_xyzw))
        away = numbers(thing.aabb_center).astype(np.float64) - numbers(at).astype(np.float64)
        self._middles[handle] = away @ turn

    def turn(self, handle: str, centre: Pose) -> None:
        """Put the centre of its box at a pose, and leave what is in it to the physics."""
        turn = np.array(rotation_matrix(centre.quaternion_xyzw))
        origin = np.array(centre.position_m) - turn @ self._middles[handle]
        self.things[handle].set_position_orientation(position=origin.tolist(), orientation=list(centre.quaternion_xyzw))

    def stand(self, handle: str, pose: Pose) -> None:
        """Put its own origin at a pose (a robot's is between its wheels), at rest."""
        self.things[handle].set_position_orientation(position=list(pose.position_m), orientation=list(pose.quaternion_xyzw))
        self.things[handle].keep_still()

    def ghost(self, handle: str, ghost: bool) -> None:
        """Whether it touches nothing and does not fall."""
        self.things[handle].visual_only = ghost

    def show(self, handle: str, shown: bool) -> None:
        """Whether it is seen."""
        self._engine.edit(lambda: setattr(self.things[handle], "visible", shown))

    def throw_down(self, handle: str, speed_mps: float) -> None:
        """Let it fall with a speed."""
        self.things[handle].set_linear_velocity(self._tensor(np.array([0.0, 0.0, -speed_mps])))

    # -- states ----------------------------------------------------------------------------------------------------------------------

    def _state(self, handle: str, name: str) -> Any:
        """A state of an object; None: its kind does not have it."""
        from omnigibson import object_states

        kind = getattr(object_states, name)
        return self.things[handle].states.get(kind)

    def opens(self, handle: str) -> bool:
        """Whether its kind opens."""
        return handle in self.things and self._state(handle, "Open") is not None

    def is_open(self, handle: str) -> bool:
        """Whether something that opens is open now; False for what does not open."""
        state = self._state(handle, "Open")
        return state is not None and bool(state.get_value())

    def set_open(self, handle: str, wanted: bool) -> bool:
        """Open or close it the whole way (else the joint would stop anywhere); whether it then is."""
        state = self._state(handle, "Open")
        state.set_value(wanted, fully=True)
        self._engine.step(1)
        return bool(state.get_value()) == wanted

    def related(self, kind: str, subject: str, target: str) -> bool:
        """Whether Inside, OnTop or Touching holds; cloths have no such relations among themselves."""
        state = self._state(subject, kind)
        try:
            return state is not None and bool(state.get_value(self.things[target]))
        except (ValueError, NotImplementedError):
            return False

    def sample(self, relation: str, subject: str, target: str, trials: int) -> bool:
        """Let the simulator find a place: kinematic sampling, which lets the thing fall and settle."""
        from omnigibson.utils.object_state_utils import sample_kinematics

        objects = (self.things[subject], self.things[target])
        return bool(sample_kinematics(relation, *objects, max_trials=trials, **self._engine.sampling))

    # -- water -----------------------------------------------------------------------------------------------------------------------

    def water(self) -> Any:
        """The system of water, started where it is not."""
        return self._engine.scene.get_system(WATER)

    def has_water(self) -> bool:
        """Whether there is any."""
        scene = self._engine.scene
        return WATER in scene.available_systems and scene.is_system_active(WATER) and int(self.water().n_particles) > 0

    def holds_water(self, handle: str) -> bool:
        """Whether its kind can be filled."""
        return handle in self.things and self._state(handle, "Filled") is not None

    def fill(self, handle: str) -> bool:
        """Fill it with water; whether it then is full enough."""
        state = self._state(handle, "Filled")
        state.set_value(self.water(), True)
        self._engine.step(1)
        return bool(state.get_value(self.water()))

    def wet(self, handle: str) -> bool:
        """Whether there is any water in it."""
        state = self._state(handle, "Contains")
        return self.has_water() and state is not None and bool(state.get_value(self.water()))

    def full(self, handle: str) -> bool:
        """Whether it is filled, by the simulator's measure (a fifth of its volume)."""
        state = self._state(handle, "Filled")
        return self.has_water() and state is not None and bool(state.get_value(self.water()))

    def water_ml(self, handle: str) -> tuple[float, float] | None:
        """Water in it and how much it holds, millilitres; particles count as cubes, as the simulator counts them. None: it is no vessel."""
        inside = self._state(handle, "ContainedParticles")
        if inside is None:
            return None
        capacity = float(inside.volume) * 1e6
        if not self.has_water():
            return 0.0, capacity
        count = int(inside.get_value(self.water()).n_in_volume)
        return count * (2.0 * float(self.water().particle_radius)) ** 3 * 1e6, capacity

    def _drops_in(self, handle: str) -> np.ndarray | None:
        """Which drops are in a vessel, (N,) bool; None: none are."""
        if not self.has_water():
            return None
        inside = self._state(handle, "ContainedParticles")
        if inside is None:
            return None
        mask = numbers(inside.get_value(self.water()).in_volume).astype(bool).reshape(-1)
        return mask if mask.any() else None

    def dry(self) -> None:
        """End the system of water where there is none left: a dump says which systems run."""
        scene = self._engine.scene
        if WATER in scene.available_systems and scene.is_system_active(WATER) and not self.has_water():
            scene.clear_system(WATER)
            self._engine.step(1)

    def particles(self) -> bytes:
        """Places of all drops, float32; empty: there is no water."""
        if not self.has_water():
            return b""
        return numbers(self.water().get_particles_position_orientation()[0]).astype("<f4").tobytes()

    def set_particles(self, places: bytes) -> None:
        """Put drops at places: as many as are wanted."""
        wanted = np.frombuffer(places, "<f4").reshape(-1, 3)
        if not len(wanted):
            if self.has_water():
                self.water().remove_all_particles()
            return
        system = self.water()
        if int(system.n_particles) != len(wanted):
            system.remove_all_particles()
            system.generate_particles(positions=self._tensor(wanted))
        system.set_particles_position_orientation(positions=self._tensor(wanted), orientations=None)

    def _tensor(self, values: np.ndarray) -> Any:
        """A tensor like the simulator's own."""
        like = self._engine.og.sim.viewer_camera.get_position_orientation()[0]
        return like.new_tensor(values.tolist())

    # -- cloth -----------------------------------------------------------------------------------------------------------------------

    def lay_out(self, handle: str) -> None:
        """Give a cloth its settled form, where the release has forms."""
        cloth = self.things[handle].root_link
        known = getattr(cloth, "get_available_configurations", lambda: ())()
        if "settled" in known:
            cloth.reset_points_to_configuration("settled")

    def cloth_points(self, handle: str) -> bytes:
        """Places of a cloth's particles, float32."""
        return numbers(self.things[handle].root_link.compute_particle_positions()).astype("<f4").tobytes()

    def set_cloth_points(self, handle: str, places: bytes) -> None:
        """Put them back."""
        wanted = np.frombuffer(places, "<f4").reshape(-1, 3)
        try:
            self.things[handle].root_link.set_particle_positions(self._tensor(wanted))
        except AssertionError as problem:
            raise BadRequest(f"snapshot: a cloth of another form than the scene's ({problem})") from None


def carried(points: np.ndarray, before: Pose, after: Pose) -> np.ndarray:
    """Points that go with a body from one pose to another.

    Args:
        points: (N, 3), world frame, metres, when the body was at `before`.
        before, after: poses of the body.
    """
    old, new = (np.array(rotation_matrix(p.quaternion_xyzw)) for p in (before, after))
    local = (points.astype(np.float64) - np.array(before.position_m)) @ old
    return np.asarray(local @ new.T + np.array(after.position_m))


def missing_model(category: str, model: str | None) -> str:
    """What the installed data set lacks of a category or one of its models, in words; empty: nothing."""
    from omnigibson.objects import DatasetObject
    from omnigibson.utils.asset_utils import get_all_object_category_models

    try:
        models = list(get_all_object_category_models(category))
    except OSError:
        models = []
    if not models:
        return f"category {category!r}"
    if model is None:
        return ""
    path = str(DatasetObject.get_usd_path(category, model))
    if os.path.exists(path) or os.path.exists(path.replace(".usd", ".encrypted.usd")):  # noqa: PTH110
        return ""
    return f"model {model!r} of {category} (it has {', '.join(sorted(models)[:8])})"


def movable(thing: Object, world: World) -> bool:
    """Whether a hand can take an object: it was put there, and is no robot, block or cloth."""
    return thing.handle in world.own and thing.category != ROBOT and thing.handle not in world.cloths


def abilities_of(engine: Engine, category: str) -> frozenset[str]:
    """What the data set says the things of a category can do or be; empty for a category it does not know."""
    _ = engine.og
    from omnigibson.utils.bddl_utils import OBJECT_TAXONOMY

    try:
        synset = OBJECT_TAXONOMY.get_synset_from_category(category)
    except ValueError:
        return frozenset()
    return frozenset() if synset is None else frozenset(OBJECT_TAXONOMY.get_abilities(synset))
