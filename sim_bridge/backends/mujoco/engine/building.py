"""What a scene is built from: the shapes of a compiled world, and the builder that collects geometry for one model.

Everything here lies below the entities and the rooms, which add to a `Builder`; `world.build` puts them together.
Frames: world z up, metres.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim_bridge.backends.mujoco.catalogue.lookup import Match
from sim_bridge.backends.mujoco.catalogue.physical import Physical
from sim_bridge.backends.mujoco.meshes.shapes import Array, Cavity, Model, Part, Solid, axis_rotation, box
from sim_bridge.kinematics import rotation_matrix
from sim_bridge.spec import Pose, Quat, Scene

PARKED_Z_M = -500.0
"""Where absent objects wait: beyond the far plane."""
FRICTION = 0.7
"""Sliding coefficient of what states none. MuJoCo takes the greater of two; an object with its own ``friction`` takes precedence."""


GROUP_ROOM, GROUP_OPAQUE, GROUP_CLEAR, GROUP_COLLIDER = 0, 1, 2, 4


class Owned(Protocol):
    """What the engine asks of an entity, the physics that one object owns; `entities.base.Entity` says what each member means.

    Stated here without the session's type (`s`), so that a world need not know what plays in it.
    """

    follows: ClassVar[bool]
    steps: ClassVar[bool]
    cavity_body: int

    def add(self, builder: Builder, body: mujoco.MjsBody, placed: list[Placed]) -> None: ...

    def bind(self, world: World) -> None: ...

    def enter(self, s: Any) -> None: ...

    def step(self, s: Any) -> None: ...

    def load(self, s: Any) -> None: ...

    def follow(self, s: Any) -> None: ...

    def moved(self, s: Any, before: Pose, after: Pose) -> None: ...

    def vertices(self, s: Any, rest: Array) -> Array: ...

    def advance(self, s: Any) -> None: ...

    def busy(self, s: Any) -> bool: ...

    def flags(self, s: Any) -> dict[str, bool]: ...

    def levels(self, s: Any) -> dict[str, float]: ...


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
    entities: list[Owned] = field(default_factory=list)
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
    skin_object: NDArray[np.int32]
    """skin id → index of the object whose water it is, −1 for drops."""
    clear_objects: NDArray[np.bool_]
    """Which objects have see-through parts."""
    has_clear: bool
    has_mirror: bool
    feet: dict[int, Any] = field(default_factory=dict)
    """Index of an object → the shade at its foot (`decals.Foot`)."""

    @property
    def dynamic(self) -> bool:
        return bool(self.model.nv)

    @functools.cached_property
    def entities(self) -> list[Owned]:
        """All entities of all objects, in building order."""
        return [e for p in self.objects for e in p.entities]

    @functools.cached_property
    def _by_handle(self) -> dict[str, Placed]:
        return {p.handle: p for p in self.objects}

    def object(self, handle: str) -> Placed:
        """An object as built.

        Raises:
            KeyError: the scene has no such handle.
        """
        return self._by_handle[handle]


def rotation(quaternion_xyzw: Quat) -> Array:
    """Rotation matrix object → world."""
    return np.array(rotation_matrix(quaternion_xyzw))


def wxyz(quaternion_xyzw: Quat) -> list[float]:
    """A quaternion in MuJoCo's order, normalised."""
    q = np.asarray(quaternion_xyzw, float) / np.linalg.norm(quaternion_xyzw)
    return [float(q[3]), float(q[0]), float(q[1]), float(q[2])]


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
        """Name of the mesh with a part's triangles, added on first use."""
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
        """Name of the texture with an image (rows, columns, channels; uint8), added on first use."""
        if id(image) not in self._textures:
            self._alive.append(image)
            name = f"texture{len(self._textures)}"
            height, width, channels = image.shape
            texture = self.spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=channels)
            texture.data = np.ascontiguousarray(image).tobytes()
            self._textures[id(image)] = name
        return self._textures[id(image)]

    def material(self, part: Part, reflectance: float = 0.0) -> str:
        """Name of the material with a part's looks, added on first use; `reflectance`: how much of a mirror it is, 0 to 1."""
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

    def decal(self, name: str, image: NDArray[np.uint8]) -> None:
        """A material of a see-through image (H, W, 4) that no geom of the model has: pictures lay it over surfaces by its name."""
        material = self.spec.add_material(name=name, rgba=[1, 1, 1, 1], texrepeat=[1, 1])
        slots = list(material.textures)
        slots[mujoco.mjtTextureRole.mjTEXROLE_RGB] = self.texture(image)
        material.textures = slots

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
