"""A scene compiled to a MuJoCo model: validation, placement of objects, materials, lights, mirror.

Frames: world z up, metres. Every object is a body whose origin is the centre of its box; fixed objects are mocap bodies, so that
phases may move them without a new model.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge import validation
from sim_bridge.backends.mujoco import entities, lights, overlaps, rooms
from sim_bridge.backends.mujoco.catalogue import Catalogue, Match, colour_of
from sim_bridge.backends.mujoco.entities import Entity
from sim_bridge.backends.mujoco.physical import Physical, physical
from sim_bridge.backends.mujoco.shapes import Array, Cavity, Model, Part, Solid, axis_rotation, box
from sim_bridge.errors import SceneError
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Object, Pose, Quat, Scene

MAX_OBJECTS = 500
MAX_WIDTH, MAX_HEIGHT = 1920, 1080
SHADOW_MAP = 1024
"""Shadow map edge in pixels: 20 % cheaper than 2048; with `SPOT_CUTOFF_DEG` a texel is 9 mm on the floor below the light."""
SPOT_CUTOFF_DEG = 62.0
"""The map spans the light's cone: a wider cone (80°) at 2048 gives 14 mm texels and blocky shadows beside small objects."""
MAX_GEOMS = 4000
"""Capacity of the abstract scene; a room with furniture has 100–400 geoms."""
PARKED_Z_M = -500.0
"""Where absent objects wait: beyond the far plane."""
KNOWN_PARAMS = ("color", "label", "glass", "mass_kg", "friction", "restitution")
"""Object parameters of this backend: ``color`` (a name or three numbers 0..1) repaints; ``label`` replaces a package's printed words;
``glass`` true makes vases, bottles, jars and pitchers empty and see-through; ``mass_kg``, ``friction`` (sliding coefficient) and
``restitution`` (0..1) replace the catalogue's. Entities know more (`entities.known_params`)."""
FRICTION = 0.7
"""Sliding coefficient of what states none. MuJoCo takes the greater of two; an object with its own ``friction`` takes precedence."""

GROUP_ROOM, GROUP_OPAQUE, GROUP_CLEAR, GROUP_COLLIDER = 0, 1, 2, 4


@dataclass
class Placed:
    """One task object as built."""

    handle: str
    category: str
    match: Match
    model: Model
    size_m: Array
    home: Pose
    dynamic: bool
    body: int = -1
    mocap: int = -1
    qpos: int = -1
    dof: int = -1
    vertices: Array = field(default_factory=lambda: np.zeros((0, 3)))
    faces: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    params: dict[str, Any] = field(default_factory=dict)
    physical: Physical = field(default_factory=lambda: Physical(1.0, FRICTION))
    entities: list[Entity] = field(default_factory=list)
    more_bodies: list[str] = field(default_factory=list)
    """Bodies beside `body` whose pixels count as this object's (lids, doors)."""


@dataclass
class Furniture:
    """A piece of furniture, for clipping tests: own box and pose."""

    centre: Array
    rotation: Array
    half: Array
    vertices: Array
    faces: NDArray[np.int64]
    always: bool
    """Whether its whole box counts as solid."""

    @classmethod
    def box(cls, centre: Array, half: Array) -> Furniture:
        """A solid box along the world's axes (a wall)."""
        part = box(*(float(2 * h) for h in half)).moved(z=-float(half[2]))
        return cls(centre, np.eye(3), half, part.vertices, part.faces, True)


@dataclass
class World:
    """A compiled scene; shared by every session that plays it."""

    key: str
    scene: Scene
    start: Pose
    model: mujoco.MjModel
    objects: list[Placed]
    furniture: list[Furniture]
    geom_object: NDArray[np.int32]
    """geom id → index into `objects`, −1 for the room."""
    clear_objects: NDArray[np.bool_]
    """Which objects have see-through parts."""
    has_clear: bool
    has_mirror: bool

    @property
    def dynamic(self) -> bool:
        return bool(self.model.nv)

    @functools.cached_property
    def entities(self) -> list[Entity]:
        """All entities of all objects, in building order."""
        return [e for p in self.objects for e in p.entities]

    @functools.cached_property
    def _by_handle(self) -> dict[str, Placed]:
        return {p.handle: p for p in self.objects}

    def object(self, handle: str) -> Placed:
        return self._by_handle[handle]


def world_key(scene: Scene, start: Pose, catalogue_hash: str) -> str:
    """Identity of a compiled world: everything that may change its pixels."""
    return hashlib.sha256(msgspec.msgpack.encode((scene, start)) + catalogue_hash.encode()).hexdigest()


def rotation(quaternion_xyzw: Quat) -> Array:
    """Rotation matrix object → world."""
    return np.array(rotation_matrix(quaternion_xyzw))


def wxyz(quaternion_xyzw: Quat) -> list[float]:
    q = np.asarray(quaternion_xyzw, float) / np.linalg.norm(quaternion_xyzw)
    return [float(q[3]), float(q[0]), float(q[1]), float(q[2])]


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
        for kind in entities.kinds():
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
    kinds = [kind for kind in entities.kinds() if kind.applies(o, match, model)]
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


class Builder:
    """Collects meshes, textures and materials of one model, each once."""

    def __init__(self) -> None:
        self.spec = mujoco.MjSpec()
        self._meshes: dict[tuple[int, int, int], str] = {}
        self._textures: dict[int, str] = {}
        self._materials: dict[tuple[object, ...], str] = {}
        self._hulls = 0
        self._alive: list[object] = []  # ids above stay valid only while the objects live

    def mesh(self, part: Part) -> str:
        key = (id(part.vertices), id(part.faces), id(part.uv))
        if key not in self._meshes:
            self._alive.append(part)
            used, index = np.unique(part.faces, return_inverse=True)
            name = f"mesh{len(self._meshes)}"
            mesh = self.spec.add_mesh(name=name, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
            mesh.uservert = part.vertices[used].astype(np.float32).ravel().tolist()
            mesh.userface = index.reshape(-1, 3).astype(np.int32).ravel().tolist()
            if part.uv is not None and part.texture is not None:
                flipped = part.uv[used] * np.array([1.0, -1.0]) + np.array([0.0, 1.0])
                mesh.usertexcoord = flipped.astype(np.float32).ravel().tolist()
            self._meshes[key] = name
        return self._meshes[key]

    def hull(self, solid: Solid) -> str:
        """A mesh of points alone: contacts use its convex hull, which MuJoCo makes."""
        name = f"hull{self._hulls}"
        self._hulls += 1
        mesh = self.spec.add_mesh(name=name, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
        mesh.uservert = solid.points.astype(np.float32).ravel().tolist()
        return name

    def texture(self, image: NDArray[np.uint8]) -> str:
        if id(image) not in self._textures:
            self._alive.append(image)
            name = f"texture{len(self._textures)}"
            height, width, _ = image.shape
            texture = self.spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3)
            texture.data = np.ascontiguousarray(image).tobytes()
            self._textures[id(image)] = name
        return self._textures[id(image)]

    def material(self, part: Part, reflectance: float = 0.0) -> str:
        texture = self.texture(part.texture) if part.texture is not None and part.uv is not None else ""
        key = (texture, *(round(c, 4) for c in part.rgb), part.alpha, part.specular, part.shininess, part.emission, reflectance)
        if key not in self._materials:
            name = f"material{len(self._materials)}"
            material = self.spec.add_material(
                name=name,
                rgba=[*part.rgb, part.alpha],
                specular=part.specular,
                shininess=part.shininess,
                emission=part.emission,
                reflectance=reflectance,
            )
            if texture:
                slots = list(material.textures)
                slots[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
                material.textures = slots
            self._materials[key] = name
        return self._materials[key]

    def show(self, body: mujoco.MjsBody, part: Part, group: int) -> None:
        """Add a part as a visual geom without contacts."""
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=self.mesh(part),
            material=self.material(part),
            contype=0,
            conaffinity=0,
            group=group,
            mass=0.0,
        )


def add_colliders(builder: Builder, body: mujoco.MjsBody, placed: Placed) -> None:
    """Contact shape of an object: its convex pieces where the model gives them, else walls around its cavity, else one primitive."""
    model, known, half = placed.model, placed.physical, placed.size_m / 2
    solids = model.solids or (walls(model.cavity, placed.size_m) if model.cavity else ())
    look = collider_looks(known, "friction" in placed.params)
    if solids:
        add_solids(builder, body, solids, known.mass_kg, look)
    elif model.collider == "shell":
        add_solids(builder, body, ring(half), known.mass_kg, look)
    elif model.collider == "sphere":
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=half.tolist(), mass=known.mass_kg, **look)
    elif model.collider == "cylinder":
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[float(max(half[:2])), float(half[2]), 0], mass=known.mass_kg, **look)
    elif model.collider == "box":
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half.tolist(), mass=known.mass_kg, **look)
    else:
        add_solids(builder, body, (Solid(np.concatenate([p.vertices for p in model.parts])),), known.mass_kg, look)


def collider_looks(known: Physical, own_friction: bool) -> dict[str, Any]:
    """Settings of a contact geom. `own_friction` makes its coefficient the effective one against surfaces that state none."""
    settings: dict[str, Any] = {
        "group": GROUP_COLLIDER,
        "contype": 1,
        "conaffinity": 1,
        "friction": [known.friction, 0.01, 0.001],
        "priority": 1 if own_friction else 0,
    }
    if known.restitution > 0:
        # MuJoCo has no restitution: a contact's damping ratio below 1 lets things bounce (stiffness for a time constant of 8 ms).
        ratio = -math.log(known.restitution) / math.sqrt(math.pi**2 + math.log(known.restitution) ** 2)
        settings["solref"] = [0.008, max(ratio, 0.05)]
    return settings


def add_solids(builder: Builder, body: mujoco.MjsBody, solids: Sequence[Solid], mass_kg: float, settings: dict[str, Any]) -> None:
    """Convex pieces as contact geoms of a body; the mass is shared by volume."""
    volumes = [max(float(np.prod(np.ptp(q.points, axis=0))), 1e-12) for q in solids]
    for q, volume in zip(solids, volumes, strict=True):
        mass = mass_kg * volume / sum(volumes)
        if q.is_box and q.axes is not None:
            half = np.linalg.norm(q.axes, axis=0)
            turn = q.axes / half
            if np.linalg.det(turn) < 0:
                turn = turn * np.array([1.0, 1.0, -1.0])
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, turn.ravel())
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX, size=half.tolist(), pos=q.centre.tolist(), quat=quat.tolist(), mass=mass, **settings
            )
        else:
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=builder.hull(q), mass=mass, **settings)


def ring(half: Array, segments: int = 12) -> tuple[Solid, ...]:
    """Walls and floor of a round vessel that fills its box, for models that know no better."""
    wall = max(0.004, 0.06 * float(min(half[:2])))
    floor = Solid.box([float(half[0]) * 0.95, float(half[1]) * 0.95, wall], [0, 0, -half[2] + wall])
    pieces = [floor]
    for i in range(segments):
        a = 2 * math.pi * i / segments
        turn = axis_rotation("z", math.degrees(a))
        centre = [(half[0] - wall) * math.cos(a), (half[1] - wall) * math.sin(a), 0.0]
        pieces.append(Solid.box([wall, float(half[1]) * math.tan(math.pi / segments) * 1.05, float(half[2])], centre, turn))
    return tuple(pieces)


def walls(cavity: Cavity, size: Array) -> tuple[Solid, ...]:
    """Walls between a cavity and the box of the thing, outside the cavity so that its inside stays true."""
    if cavity.round:
        inner, z0, z1 = max(r for _, r in cavity.profile), cavity.profile[0][0], cavity.profile[-1][0]
        thick = 0.006
        pieces = [Solid.box([inner, inner, thick], [0, 0, z0 - thick])]
        for i in range(16):
            turn = axis_rotation("z", 360.0 * i / 16)
            centre = turn @ np.array([inner + thick, 0, (z0 + z1) / 2])
            pieces.append(Solid.box([thick, (inner + 2 * thick) * math.tan(math.pi / 16), (z1 - z0) / 2], centre, turn))
        return tuple(q.mapped(cavity.matrix, cavity.offset) for q in pieces)
    half, thick = np.asarray(cavity.half, float), 0.006
    pieces = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            if np.dot(np.eye(3)[axis] * sign, cavity.opening) > 0.5:
                continue
            extent = half + thick * 2
            extent[axis] = thick
            centre = np.eye(3)[axis] * sign * (half[axis] + thick)
            pieces.append(Solid.box(extent, centre))
    return tuple(q.mapped(cavity.matrix, cavity.offset) for q in pieces)


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
    world = World(key, scene, start, model, placed, solids, geom_object, clear, bool(clear.any()), bool(mirrors))
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
    solids = [Furniture.box(*extent) for extent in rooms.wall_boxes(scene)]
    if any_dynamic:
        for wall in solids:
            world.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=wall.half.tolist(), pos=wall.centre.tolist(), **collide)
    for k, group in enumerate(rooms.build(scene, start, boxes, catalogue)):
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
