"""From a scene of the bridge to what OmniGibson is told: building and room, physics, objects. Plain functions, no simulator.

What the released exploration loop does is done here too (30 Hz, 120 Hz physics; ceilings, carpets and walls left out; one room unless the
task needs the whole building), except for its robot, which takes no part in what a person does: it is loaded only where a scene shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sim_bridge.backends.omnigibson.settings import PARTICLES, PHYSICS
from sim_bridge.backends.omnigibson.walking import check_walk
from sim_bridge.errors import BadRequest, SceneError
from sim_bridge.spec import Object, Pose, Scene, Vec3

FREQUENCIES = {"action_frequency": 30, "rendering_frequency": 30, "physics_frequency": 120}
CLOTH_FREQUENCIES = {"action_frequency": 60, "rendering_frequency": 60, "physics_frequency": 240}
"""Hz. Without a window, one step of actions must be one of rendering."""
NOT_LOADED = ("ceilings", "carpet", "walls")
"""Categories of a building that the released loop leaves out."""
WHOLE_BUILDING = "full_scene"
"""What a released row has as its room where it needs the whole building."""
ROBOT, RAMP, MIRROR = "robot", "ramp", "mirror"
"""Categories of a scene that are no category of the data set: its robot, a plain block; and one whose single model is used."""
ROBOT_TYPE = "R1"
MIRROR_MODEL = "tytkbq"
NATIVE = "scene_native"
"""Model of a thing that stands in the building already, as released rows write it."""
KNOWN_PARAMS = ("color", "open", "cloth", "drape", "path", "step_m")
"""``color``: the source's models have their own, so it is not used. ``open`` (bool): whether it stands open at the start. ``cloth`` (bool):
it is a cloth, whatever its category; ``drape``: it lies over something, as every cloth does here. ``path`` ([[x, y], …], metres) and
``step_m``: where a robot walks, and how far with every action."""
WORLD_M = 200.0
"""How far from the middle of the scene's room things and cameras may be."""
SAME_PLACE_M = 0.3
"""A thing of the building whose box has its middle within this, on the map, of an object of the same kind is that object."""
NATIVE_PLACE_M = 0.5
"""The same for things that the scene says stand there already, whose recorded pose is that of their root; and what heights may differ."""
DROP_M = 0.10
DROP_SPEED_MPS = 1.75
CLOTH_STEPS = (20, 16, 40)
"""A cloth is added over the item, let initialise, and thrown down (released recipe): steps before it is there, after, and of its fall."""


@dataclass(frozen=True)
class Planned:
    """What to do for one object of a scene."""

    handle: str
    how: str
    """add, cloth, block, robot, find (it is in the building), stand (furniture that carries something, without a model: where the building
    has none of its kind there, it has other furniture)."""
    config: dict[str, Any]
    """What its class takes, without the pose."""


def stage_key(scene: Scene, cloths: Collection[str] = ()) -> tuple[Any, ...]:
    """Scenes with equal keys can be shown one after the other without building the surroundings again.

    Args:
        cloths: handles of the objects that are cloths (`cloths_of`); the same below.
    """
    robots = tuple((o.handle, o.pose) for o in scene.objects if o.category == ROBOT)
    size = (scene.camera.width, scene.camera.height)
    return (scene.source_scene, rooms_to_load(scene), left_out(cloths), frequencies(cloths)["physics_frequency"], size, robots)


def rooms_to_load(scene: Scene) -> tuple[str, ...] | None:
    """Room instances of the building to load; None: all. Mirrors and scenes in phases need what is around them, as released."""
    whole = scene.source_room in (None, WHOLE_BUILDING) or bool(scene.phases) or any(o.category == MIRROR for o in scene.objects)
    return None if whole else (str(scene.source_room),)


def cloths_of(scene: Scene, abilities: Callable[[str], Collection[str]]) -> frozenset[str]:
    """Handles of the objects that are cloths: they say so, or their category is one in the data set.

    Args:
        abilities: category → what the data set says its things can do or be.
    """
    ours = (ROBOT, RAMP)
    return frozenset(
        o.handle for o in scene.objects if o.params.get("cloth") or (o.category not in ours and "cloth" in abilities(o.category))
    )


def left_out(cloths: Collection[str]) -> tuple[str, ...]:
    """Categories of the building that are not loaded; the released loop leaves nothing out where a cloth is dropped."""
    return () if cloths else NOT_LOADED


def frequencies(cloths: Collection[str]) -> dict[str, int]:
    """Hz of actions, rendering and physics."""
    return dict(CLOTH_FREQUENCIES if cloths else FREQUENCIES)


def environment_config(scene: Scene, cloths: Collection[str] = ()) -> dict[str, Any]:
    """The configuration that ``og.Environment`` takes, without the scene's objects: they are added afterwards, so that they can be
    taken away again."""
    robots = [o for o in scene.objects if o.category == ROBOT]
    return {
        "env": {**frequencies(cloths), "device": None, "automatic_reset": False, "external_sensors": None},
        "render": {"viewer_width": scene.camera.width, "viewer_height": scene.camera.height},
        "scene": building(scene, cloths),
        "robots": [
            {
                "type": ROBOT_TYPE,
                "name": name_of(o.handle),
                "obs_modalities": [],
                "position": list(o.pose.position_m),
                "orientation": list(o.pose.quaternion_xyzw),
            }
            for o in robots
        ],
        "objects": [],
        "task": {"type": "DummyTask"},
    }


def building(scene: Scene, cloths: Collection[str] = ()) -> dict[str, Any]:
    """The part ``scene`` of the configuration: a building of the data set, or a floor under the sky."""
    if scene.source_scene is None:
        return {"type": "Scene", "use_floor_plane": True, "floor_plane_visible": True, "use_skybox": True}
    rooms, without = rooms_to_load(scene), left_out(cloths)
    return {
        "type": "InteractiveTraversableScene",
        "scene_model": scene.source_scene,
        "load_room_instances": list(rooms) if rooms else None,
        "not_load_object_categories": list(without) or None,
        "trav_map_resolution": 0.1,
        "default_erosion_radius": 0.0,
        "trav_map_with_objects": True,
        "waypoint_resolution": 0.2,
        "seg_map_resolution": 0.1,
        "load_task_relevant_only": False,
        "include_robots": False,
    }


def clear_arguments(config: dict[str, Any]) -> dict[str, Any]:
    """What ``og.clear`` takes so that the next environment fits: a second one in a process must have the same times and picture size."""
    env, render = config["env"], config["render"]
    return {
        "physics_dt": 1.0 / env["physics_frequency"],
        "rendering_dt": 1.0 / env["rendering_frequency"],
        "sim_step_dt": 1.0 / env["action_frequency"],
        "viewer_width": render["viewer_width"],
        "viewer_height": render["viewer_height"],
    }


def name_of(handle: str) -> str:
    """Name of an object in the simulator; no name of a building's own starts like it."""
    return f"bridge_{handle}"


def plan(scene: Scene, cloths: Collection[str] = ()) -> tuple[Planned, ...]:
    """What to do for every object, in the scene's order."""
    return tuple(_planned(o, scene, o.handle in cloths) for o in scene.objects)


def _planned(thing: Object, scene: Scene, cloth: bool) -> Planned:
    name, moves = name_of(thing.handle), thing.dynamic
    if thing.category == ROBOT:
        return Planned(thing.handle, "robot", {"name": name})
    if thing.category == RAMP:
        size = list(_times(thing.size_m or (1.0, 0.6, 0.04), thing.scale))
        common = {"name": name, "primitive_type": "Cube", "category": RAMP, "fixed_base": True}
        # Its cube has sides of 1 m, so the scale is the size, as in the released code.
        return Planned(thing.handle, "block", {**common, "scale": size, "rgba": (0.55, 0.5, 0.45, 1.0)})
    if thing.model == NATIVE:
        return Planned(thing.handle, "find", {"name": name})
    if scene.source_scene is not None and thing.model is None and not cloth and carries(thing, scene):
        return Planned(thing.handle, "stand", {"name": name})
    model = MIRROR_MODEL if thing.category == MIRROR and not thing.model else thing.model
    config: dict[str, Any] = {"name": name, "category": thing.category, "model": model, "fixed_base": not moves}
    if cloth:
        return Planned(thing.handle, "cloth", {**config, "fixed_base": False})
    if thing.size_m is not None and thing.category != MIRROR:
        config["bounding_box"] = list(_times(thing.size_m, thing.scale))
    elif thing.scale != (1.0, 1.0, 1.0):
        config["scale"] = list(thing.scale)
    return Planned(thing.handle, "add", config)


def carries(thing: Object, scene: Scene) -> bool:
    """Whether another object of the scene stands on one, by their boxes."""
    if thing.size_m is None:
        return False
    x, y, z = thing.pose.position_m
    wide, deep, high = _times(thing.size_m, thing.scale)
    top = z + (high if thing.origin == "base" else high / 2)
    for other in scene.objects:
        at, half = other.pose.position_m, (other.size_m or (0.0, 0.0, 0.0))[2] / 2
        bottom = at[2] - (0.0 if other.origin == "base" else half)
        if other.handle != thing.handle and abs(at[0] - x) < wide / 2 and abs(at[1] - y) < deep / 2 and abs(bottom - top) < 0.06:
            return True
    return False


def _times(size: Vec3, scale: Vec3) -> Vec3:
    x, y, z = (s * k for s, k in zip(size, scale, strict=True))
    return x, y, z


def centre_of(thing: Object, pose: Pose, height_m: float, floor_z_m: float) -> Vec3:
    """Where the centre of an object's box belongs, by what its position refers to.

    Args:
        pose: of this phase.
        height_m: of its box, world frame.
        floor_z_m: height of the floor, on which it stands where it says so.
    """
    x, y, z = pose.position_m
    if thing.on_floor:
        return x, y, floor_z_m + height_m / 2
    return (x, y, z + height_m / 2) if thing.origin == "base" else (x, y, z)


@dataclass(frozen=True)
class There:
    """A thing that stands in the building."""

    name: str
    category: str
    model: str
    centre_m: Vec3


def already_there(thing: Object, things: Iterable[There]) -> str | None:
    """The name of the building's own thing that an object of the scene is: of its category (and model, where it says one), nearest to its
    place and near enough; None: there is none."""
    limit = NATIVE_PLACE_M if thing.model == NATIVE else SAME_PLACE_M
    x, y, z = thing.pose.position_m
    same = [t for t in things if t.category == thing.category and thing.model in (None, NATIVE, t.model)]
    near = sorted((math.dist(t.centre_m[:2], (x, y)), t.name) for t in same if abs(t.centre_m[2] - z) <= NATIVE_PLACE_M)
    return near[0][1] if near and near[0][0] <= limit else None


def check_world(scene: Scene, start: Pose) -> None:
    """What the bridge's own checks leave to a backend: places and settings.

    Raises:
        SceneError: names the field.
    """
    middle = middle_of(scene)
    if scene.source_scene is not None and ":" in scene.source_scene:
        raise SceneError(f"scene.source_scene: expected a building of the data set, got {scene.source_scene[:80]!r}")
    if scene.source_scene is None and abs(scene.room.floor_z_m) > 1e-6:
        raise SceneError(f"scene.room.floor_z_m: outside a building the floor is at 0, got {scene.room.floor_z_m!r}")
    check_camera(scene, start, "start", SceneError)
    for i, thing in enumerate(scene.objects):
        if math.dist(thing.pose.position_m, middle) > WORLD_M:
            where = f"scene.objects[{i}].pose.position_m"
            raise SceneError(
                f"{where}: expected a place within {WORLD_M:g} m of the room, got {thing.pose.position_m!r} ({thing.category})"
            )
        for name, value in thing.params.items():
            if name not in KNOWN_PARAMS or (name in ("path", "step_m") and thing.category != ROBOT):
                where = f"scene.objects[{i}].params.{name}"
                raise SceneError(
                    f"{where}: OmniGibson's objects know {', '.join(KNOWN_PARAMS)} (the last two are a robot's), got {value!r}"
                )
        if thing.category == ROBOT:
            check_walk(thing, f"scene.objects[{i}].params")


def check_camera(scene: Scene, pose: Pose, where: str, error: type[SceneError] | type[BadRequest]) -> None:
    """A camera is not so far away that it could only show nothing."""
    if math.dist(pose.position_m, middle_of(scene)) > WORLD_M:
        raise error(f"{where}.position_m: expected a camera within {WORLD_M:g} m of the room, got {pose.position_m!r}")


def middle_of(scene: Scene) -> Vec3:
    """Middle of the scene's room, on its floor."""
    x0, y0, x1, y1 = scene.room.bounds_m
    return (x0 + x1) / 2, (y0 + y1) / 2, scene.room.floor_z_m


def check_rooms(scene: Scene, known: Sequence[str]) -> None:
    """The room exists in the building: an unknown one would only be logged, and nothing at all would be loaded.

    Raises:
        SceneError: it does not; the message names those that do.
    """
    wanted = rooms_to_load(scene) or ()
    missing = [room for room in wanted if room not in known]
    if missing:
        raise SceneError(f"scene.source_room: {scene.source_scene} has the rooms {', '.join(sorted(known))}, got {missing[0]!r}")


def check_physics(scene: Scene, cloths: Collection[str], physics: str) -> None:
    """Cloths need physics that a process has from its start or not at all.

    Raises:
        SceneError: this process does not have it.
    """
    for i, thing in enumerate(scene.objects):
        if thing.handle in cloths and physics != PARTICLES:
            hint = f"start a worker with {PHYSICS}={PARTICLES}"
            raise SceneError(f"scene.objects[{i}].category: a cloth ({thing.category}) needs the GPU's dynamics; {hint}")
