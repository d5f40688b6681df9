"""A scene compiled to a MuJoCo model: validation, placement of objects, materials, lights, mirror.

Frames: world z up, metres. Every object is a body whose origin is the centre of its box; fixed objects are mocap bodies, so that
phases may move them without a new model.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import msgspec
import mujoco
import numpy as np

from sim_bridge import validation
from sim_bridge.backends.mujoco import entities
from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue, Match, colour_of
from sim_bridge.backends.mujoco.catalogue.physical import Physical, physical
from sim_bridge.backends.mujoco.engine import decals, overlaps, rubbing
from sim_bridge.backends.mujoco.engine.building import (
    GROUP_CLEAR,
    GROUP_COLLIDER,
    GROUP_OPAQUE,
    GROUP_ROOM,
    Builder,
    Furniture,
    Placed,
    World,
    add_colliders,
    rotation,
    wxyz,
)
from sim_bridge.backends.mujoco.meshes.shapes import Array, Model, Part
from sim_bridge.backends.mujoco.rooms import furnished, lights
from sim_bridge.errors import SceneError
from sim_bridge.spec import Object, Phase, Pose, Scene

MAX_OBJECTS = 500
MAX_WIDTH, MAX_HEIGHT = 1920, 1080
SHADOW_MAP = 2048
"""Shadow map edge in pixels: where it spans `lights.SHADOW_DEG` a texel is 5.7 mm on the floor below the light, less where the camera sees
a part of the room (`sight`). At 1024 the shadow beside a candle is as wide as a gap between things that do not touch."""
MAX_GEOMS = 4000
"""Capacity of the abstract scene; a room with furniture has 100–400 geoms."""
KNOWN_PARAMS = ("color", "label", "glass", "mass_kg", "friction", "restitution", "bears_at_rim")
"""Object parameters of this backend: ``color`` (a name or three numbers 0..1) repaints; ``label`` replaces a package's printed words;
``glass`` true makes vases, bottles, jars and pitchers empty and see-through; ``mass_kg``, ``friction`` (sliding coefficient) and
``restitution`` (0..1) replace the catalogue's; ``bears_at_rim`` true lets what is put on it go above the highest point under its whole
outline, so that a rim carries what covers it, whatever its size (without, nine points of the outline are looked at). Entities know more
(`entities.known_params`)."""


def world_key(scene: Scene, start: Pose, catalogue_hash: str) -> str:
    """Identity of a compiled world: everything that may change its pixels."""
    return hashlib.sha256(msgspec.msgpack.encode((scene, start)) + catalogue_hash.encode()).hexdigest()


def in_phase(scene: Scene, phase: Phase | None) -> Scene:
    """The scene as it is lit in a phase; the scene itself where the phase says nothing of light."""
    if phase is None or not (phase.lighting or phase.lit):
        return scene
    lit = phase.lit
    objects = tuple(msgspec.structs.replace(o, params={**o.params, "lit": lit[o.handle]}) if o.handle in lit else o for o in scene.objects)
    return msgspec.structs.replace(scene, lighting=phase.lighting or scene.lighting, objects=objects)


# --- validation -------------------------------------------------------------------------------------------------------


def check_scene(scene: Scene, start: Pose) -> None:
    """Refuse what cannot be built here, after the checks that hold for every backend; every message names the field."""
    validation.check_scene(scene)
    validation.check_pose(start, "start", SceneError)
    c, r = scene.camera, scene.room
    if c.width > MAX_WIDTH or c.height > MAX_HEIGHT:
        raise SceneError(f"scene.camera: expected at most {MAX_WIDTH}×{MAX_HEIGHT} pixels, got {c.width}×{c.height}")
    width, depth = r.bounds_m[2] - r.bounds_m[0], r.bounds_m[3] - r.bounds_m[1]
    if not (0.5 <= width <= 100 and 0.5 <= depth <= 100):
        raise SceneError(f"scene.room.bounds_m: expected (x_min, y_min, x_max, y_max) spanning 0.5 to 100 m, got {r.bounds_m!r}")
    if not 0.3 <= r.height_m <= 20:
        raise SceneError(f"scene.room.height_m: expected 0.3 to 20 m, got {r.height_m!r}")
    if len(scene.objects) > MAX_OBJECTS:
        raise SceneError(f"scene.objects: expected at most {MAX_OBJECTS} objects, got {len(scene.objects)}")
    for i, o in enumerate(scene.objects):
        known = (*KNOWN_PARAMS, *entities.known_params())
        for name in o.params:
            if name not in known:
                raise SceneError(f"scene.objects[{i}].params: unknown setting {name!r}; this backend knows {', '.join(known)}")
        for name, low, high in (("mass_kg", 0.0005, 500.0), ("friction", 0.0, 4.0), ("restitution", 0.0, 1.0)):
            value = o.params.get(name)
            if value is not None and not (isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high):
                raise SceneError(f"scene.objects[{i}].params.{name}: expected a number from {low} to {high}, got {value!r}")
        if not isinstance(o.params.get("bears_at_rim", False), bool):
            raise SceneError(f"scene.objects[{i}].params.bears_at_rim: expected true or false, got {o.params['bears_at_rim']!r}")
        for kind in entities.KINDS:
            kind.check(o, f"scene.objects[{i}]")


# --- placement --------------------------------------------------------------------------------------------------------

_PERMUTATIONS: tuple[tuple[tuple[int, int, int], tuple[tuple[str, float], ...]], ...] = (
    ((0, 1, 2), ()),
    ((1, 0, 2), (("z", 90.0),)),
    ((0, 2, 1), (("x", 90.0),)),
    ((2, 1, 0), (("y", 90.0),)),
    ((2, 0, 1), (("z", 90.0), ("y", 90.0))),
    ((1, 2, 0), (("z", 90.0), ("x", 90.0))),
)
"""Which own axis of the model ends up along x, y, z, and the turns that do it."""


def fit(model: Model, size: Array) -> Model:
    """The model turned in right angles, where its own proportions fit `size` clearly better so, and scaled to it exactly.

    Sources store different models of a thing in different attitudes (a brush lying along x or standing); only its box is known.
    """
    natural = np.maximum(model.size, 1e-4)

    def distortion(order: tuple[int, int, int]) -> float:
        ratio = np.log(size / natural[list(order)])
        return float(np.ptp(ratio))

    ranked = sorted(_PERMUTATIONS, key=lambda entry: distortion(entry[0]))
    upright, turned, best = distortion((0, 1, 2)), distortion((1, 0, 2)), distortion(ranked[0][0])
    turns: tuple[tuple[str, float], ...] = ()
    if min(upright, turned) - best > 0.5 and model.solid:  # a table does not lie on its side, whatever its size
        turns = ranked[0][1]
    elif upright - turned > 0.15:
        turns = _PERMUTATIONS[1][1]
    for axis, degrees in turns:
        model = model.turned(axis, degrees)
    return model.normalised(size)


def place(o: Object, where: str, scene: Scene, catalogue: Catalogue) -> Placed:
    """Choose the model of one object, its size and its pose."""
    match = catalogue.lookup(o.category)
    if match.grade == "none":
        raise SceneError(f"{where}.category: no recognisable model of {o.category!r} in the catalogue: {match.reason}")
    label_words = o.params.get("label")
    if label_words is not None and not (isinstance(label_words, str) and 0 < len(label_words) <= 60):
        raise SceneError(f"{where}.params.label: expected 1 to 60 characters, got {label_words!r}")
    glass = o.params.get("glass", False)
    if not isinstance(glass, bool) or (glass and not match.glass_possible):
        raise SceneError(
            f"{where}.params.glass: expected true or false, and true only for vessels that exist in glass, got {glass!r} for {o.category!r}"
        )
    model = catalogue.model(match, label=label_words, glass=glass)
    if "color" in o.params:
        rgb = colour_of(o.params["color"])
        if rgb is None:
            raise SceneError(f"{where}.params.color: expected a colour name or three numbers 0..1, got {o.params['color']!r}")
        model = model.coloured(rgb)
    kinds = [kind for kind in entities.KINDS if kind.applies(o, match, model)]
    for kind in kinds:
        model = kind.shape(o, model)
    natural = model.size
    if o.size_m is not None:
        size = np.array(o.size_m) * np.array(o.scale)
        model = fit(model, size)
    else:
        size = natural * (1.0 if o.height_m is None else o.height_m / natural[2]) * np.array(o.scale)
        model = model.normalised(size)
    r = scene.room
    if max(size[0], size[1]) > math.hypot(r.bounds_m[2] - r.bounds_m[0], r.bounds_m[3] - r.bounds_m[1]) or size[2] > 3 * r.height_m:
        field_name = "size_m" if o.size_m is not None else "height_m" if o.height_m is not None else "scale"
        shown = tuple(round(float(v), 3) for v in size)
        raise SceneError(f"{where}.{field_name}: {o.handle} is larger than the room, got {shown} m")
    turn = rotation(o.pose.quaternion_xyzw)
    centre = np.array(o.pose.position_m, float)
    if o.origin == "base":
        centre = centre + turn @ np.array([0, 0, size[2] / 2])
    parts = [*model.parts, *(part for mobile in model.mobiles for part in mobile.parts)]
    vertices = np.concatenate([p.vertices for p in parts])
    if o.on_floor:
        centre[2] = r.floor_z_m - float((vertices @ turn.T)[:, 2].min())
    offsets = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    placed = Placed(
        handle=o.handle,
        category=o.category,
        match=match,
        model=model,
        size_m=size,
        home=Pose((float(centre[0]), float(centre[1]), float(centre[2])), o.pose.quaternion_xyzw),
        dynamic=o.dynamic,
        vertices=vertices,
        faces=np.concatenate([p.faces + n for p, n in zip(parts, offsets, strict=True)]),
        params=o.params,
        physical=_physical(o, match, size),
    )
    placed.entities = [kind(placed, o, scene) for kind in kinds]
    return placed


def _physical(o: Object, match: Match, size: Array) -> Physical:
    """The catalogue's mass and friction, unless the object states its own."""
    known = physical(match, (float(size[0]), float(size[1]), float(size[2])))
    return replace(
        known,
        mass_kg=float(o.params.get("mass_kg", known.mass_kg)),
        friction=float(o.params.get("friction", known.friction)),
        restitution=float(o.params.get("restitution", known.restitution)),
    )


# --- MuJoCo model -----------------------------------------------------------------------------------------------------


def _mirror(builder: Builder, body: mujoco.MjsBody, placed: Placed, toward: Array) -> None:
    """Frame and reflecting plane. Its thinnest axis is the normal; the side nearer to `toward` (world point) reflects."""
    size, turn = placed.size_m, rotation(placed.home.quaternion_xyzw)
    axis = int(np.argmin(size))
    towards_axis = float((turn.T @ (toward - np.array(placed.home.position_m)))[axis])
    sign = 1.0 if towards_axis >= 0 else -1.0
    normal = np.eye(3)[axis] * sign
    up = np.eye(3)[2 if axis != 2 else 1]
    right = np.cross(up, normal)
    frame = np.stack([right, up, normal], 1)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, frame.ravel())
    extent = np.abs(frame.T) @ size
    rim = min(0.04, 0.06 * float(min(extent[:2])))
    glass = Part(np.zeros((3, 3)), np.array([[0, 1, 2]]), rgb=(0.05, 0.05, 0.06), specular=1.0, shininess=1.0)
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[float(extent[0]) / 2 - rim, float(extent[1]) / 2 - rim, 0.1],
        quat=quat.tolist(),
        pos=(normal * (extent[2] / 2 + 0.002)).tolist(),
        material=builder.material(glass, reflectance=0.9),
        contype=0,
        conaffinity=0,
        group=GROUP_OPAQUE,
    )


def build(scene: Scene, start: Pose, catalogue: Catalogue, key: str) -> World:
    """Compile `scene`.

    Raises:
        SceneError: naming the field that cannot be built.
    """
    check_scene(scene, start)
    placed = [place(o, f"scene.objects[{i}]", scene, catalogue) for i, o in enumerate(scene.objects)]
    overlaps.refuse(scene, placed)
    mirrors = [i for i, p in enumerate(placed) if p.match.maker == "mirror"]
    if len(mirrors) > 1:
        raise SceneError(f"scene.objects[{mirrors[1]}].category: the renderer reflects in one mirror per scene, got {len(mirrors)} mirrors")
    builder = Builder()
    spec = builder.spec
    c, r = scene.camera, scene.room
    spec.option.timestep = 0.004
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.stat.extent = 1.0
    spec.stat.center = [0, 0, 0]
    getattr(spec.visual, "global").offwidth, getattr(spec.visual, "global").offheight = c.width, c.height
    spec.visual.quality.shadowsize, spec.visual.quality.offsamples = SHADOW_MAP, 4
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 60.0
    spec.visual.map.shadowscale = 1.0
    spec.visual.headlight.active = 1
    fovy = 2 * math.degrees(math.atan(math.tan(math.radians(c.hfov_deg) / 2) * c.height / c.width))
    spec.worldbody.add_camera(name="agent", fovy=fovy)

    lights.add(spec, scene)
    any_dynamic = any(p.dynamic for p in placed)

    bodies = []
    for i, p in enumerate(placed):
        body = spec.worldbody.add_body(
            name=f"object{i}", pos=list(p.home.position_m), quat=wxyz(p.home.quaternion_xyzw), mocap=not p.dynamic
        )
        bodies.append(body)
        if p.match.maker == "mirror":
            _mirror(
                builder, body, p, np.array([(r.bounds_m[0] + r.bounds_m[2]) / 2, (r.bounds_m[1] + r.bounds_m[3]) / 2, start.position_m[2]])
            )
        if p.dynamic:
            body.add_freejoint()
        for part in p.model.parts:
            builder.show(body, part, GROUP_CLEAR if part.alpha < 0.99 else GROUP_OPAQUE)
        if any_dynamic:
            add_colliders(builder, body, p)
        for entity in p.entities:
            entity.add(builder, body, placed)
    rubbing.pair(spec, placed, bodies)

    feet = decals.add(builder, placed)
    solids = _room(builder, scene, start, placed, catalogue, any_dynamic)
    try:
        model = spec.compile()
    except ValueError as error:
        raise SceneError(f"scene.objects: the physics engine could not build the scene ({str(error).splitlines()[0]})") from error
    for i, p in enumerate(placed):
        p.body = model.body(f"object{i}").id
        p.mocap = int(model.body_mocapid[p.body])
        if p.dynamic:
            joint = int(model.body_jntadr[p.body])
            p.qpos, p.dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    index = {p.body: i for i, p in enumerate(placed)}
    index |= {model.body(name).id: i for i, p in enumerate(placed) for name in p.more_bodies}
    geom_object = np.array([index.get(int(b), -1) for b in model.geom_bodyid], np.int32)
    clear = np.zeros(len(placed), bool)
    for g in np.flatnonzero(model.geom_group == GROUP_CLEAR):
        if geom_object[g] >= 0:
            clear[geom_object[g]] = True
    world = World(
        key,
        scene,
        start,
        model,
        placed,
        solids,
        geom_object,
        np.full(model.nskin, -1, np.int32),
        clear,
        bool(clear.any()),
        bool(mirrors),
        feet,
    )
    # What light passes through casts no shadow: the renderer knows whole ones alone.
    model.geom_castshadow[model.geom_group == GROUP_CLEAR] = False
    for entity in world.entities:
        entity.bind(world)
    return world


def _room(builder: Builder, scene: Scene, start: Pose, placed: list[Placed], catalogue: Catalogue, any_dynamic: bool) -> list[Furniture]:
    """Floor, walls, ceiling, openings and furniture; returns the furniture as solids."""
    world = builder.spec.worldbody
    r = scene.room
    x0, y0, x1, y1 = r.bounds_m
    collide = {"group": GROUP_COLLIDER, "contype": 1, "conaffinity": 1, "friction": [0.7, 0.01, 0.001]}
    if any_dynamic:
        world.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, r.floor_z_m], **collide)
        for position, half in (
            ((x0 - 0.1, (y0 + y1) / 2), (0.1, (y1 - y0) / 2)),
            ((x1 + 0.1, (y0 + y1) / 2), (0.1, (y1 - y0) / 2)),
            (((x0 + x1) / 2, y0 - 0.1), ((x1 - x0) / 2, 0.1)),
            (((x0 + x1) / 2, y1 + 0.1), ((x1 - x0) / 2, 0.1)),
        ):
            world.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX, size=[*half, r.height_m / 2], pos=[*position, r.floor_z_m + r.height_m / 2], **collide
            )
    boxes = []
    for p in placed:
        corners = p.vertices @ rotation(p.home.quaternion_xyzw).T + np.array(p.home.position_m)
        boxes.append((corners.min(0), corners.max(0)))
    for phase in scene.phases:
        for p in placed:
            if p.handle in phase.moved:
                pose = phase.moved[p.handle]
                corners = p.vertices @ rotation(pose.quaternion_xyzw).T + np.array(pose.position_m)
                boxes.append((corners.min(0), corners.max(0)))
    solids = [Furniture.box(*extent) for extent in furnished.wall_boxes(scene)]
    if any_dynamic:
        for wall in solids:
            world.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=wall.half.tolist(), pos=wall.centre.tolist(), **collide)
    for k, group in enumerate(furnished.build(scene, start, boxes, catalogue)):
        # The number names the rooms that the group belongs to, for `house_view`.
        name = f"space{sum(1 << i for i in group.spaces)}.{k}"
        shell = world.add_body(name=name)
        for part in group.parts:
            builder.show(shell, part, GROUP_ROOM if part.alpha > 0.99 else GROUP_CLEAR)
        for n, piece in enumerate(group.pieces):
            half_turn = math.radians(piece.yaw_deg) / 2
            turn = [math.cos(half_turn), 0, 0, math.sin(half_turn)]
            body = world.add_body(name=f"{name}.{n}", pos=list(piece.centre_m), quat=turn)
            for part in piece.model.parts:
                builder.show(body, part, GROUP_ROOM if part.alpha > 0.99 else GROUP_CLEAR)
            if piece.flat:
                continue
            size = piece.model.size
            if any_dynamic and not piece.on_wall:
                body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(size / 2).tolist(), **collide)
            vertices = np.concatenate([q.vertices for q in piece.model.parts])
            offsets = np.cumsum([0] + [len(q.vertices) for q in piece.model.parts[:-1]])
            solids.append(
                Furniture(
                    centre=np.array(piece.centre_m),
                    rotation=rotation((0.0, 0.0, math.sin(half_turn), math.cos(half_turn))),
                    half=size / 2,
                    vertices=vertices,
                    faces=np.concatenate([q.faces + o for q, o in zip(piece.model.parts, offsets, strict=True)]),
                    always=piece.model.solid,
                )
            )
    return solids
