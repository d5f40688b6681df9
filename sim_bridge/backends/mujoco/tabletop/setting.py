"""The set-ups: a room, a table, arms, fixed cameras and light, as one MuJoCo model."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.catalogue.lookup import Catalogue
from sim_bridge.backends.mujoco.engine.building import GROUP_COLLIDER, GROUP_ROOM, Builder, Placed, add_colliders, rotation, wxyz
from sim_bridge.backends.mujoco.engine.world import place
from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Part, box, lathe, rounded_box
from sim_bridge.backends.mujoco.rooms import furnished
from sim_bridge.backends.mujoco.tabletop import arm as arms
from sim_bridge.backends.mujoco.tabletop import fixtures
from sim_bridge.backends.mujoco.tabletop.arm import BLACK, GROUP_MOVES, RUBBER, WHITE, Mount, quaternion
from sim_bridge.backends.mujoco.tabletop.fixtures import Chest, Grains
from sim_bridge.rotations import about_z
from sim_bridge.spec import Camera, Object, Pose, Room, Scene

WIDTH, HEIGHT = 640, 480
TABLE_Z_M = 0.75
TIMESTEP_S = 0.004
ROOM_FACES = 12_000
"""Furniture is left out once a room has this many triangles: they cost time in every picture and its shadow pass."""
ROOM = (-1.5, -2.2, 2.7, 2.2)
CLEAR = (-0.9, -1.15, 1.45, 1.15)


@dataclass(frozen=True)
class View:
    """A fixed camera."""

    name: str
    position_m: tuple[float, float, float]
    target_m: tuple[float, float, float]
    fovy_deg: float


@dataclass(frozen=True)
class Setup:
    """A kind of robot at a table."""

    arm: str
    mounts: tuple[Mount, ...]
    views: tuple[View, ...]
    table: tuple[float, float, float, float]
    """(x0, y0, x1, y1) of its top."""
    area: tuple[float, float, float, float]
    """Where things lie."""


DUAL = Setup(
    "dual",
    (
        Mount("left", (0.10, 0.15, 1.14), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0), 0.35, 0.33, WHITE, (-23, 74, -65, 131, -13, -117, -33)),
        Mount("right", (0.10, -0.15, 1.14), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0), 0.35, 0.33, WHITE, (23, 74, 65, 131, 13, -117, 33)),
    ),
    (View("head", (0.10, 0.0, 1.46), (0.58, 0.0, 0.76), 56.0),),
    (0.30, -0.70, 1.05, 0.70),
    (0.42, -0.36, 0.74, 0.36),
)
SINGLE = Setup(
    "single",
    (Mount("arm", (0.08, 0.0, TABLE_Z_M), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.32, 0.30, BLACK, (0, -10, 0, 99, 0, 75, 0), 180.0),),
    (
        View("view1", (-0.32, 0.66, 1.52), (0.40, 0.0, 0.80), 43.0),
        View("view2", (0.55, 0.98, 1.24), (0.40, 0.0, 0.80), 45.0),
        View("view3", (1.22, -0.52, 1.32), (0.36, 0.0, 0.80), 45.0),
    ),
    (-0.12, -0.55, 0.90, 0.55),
    (0.32, -0.30, 0.62, 0.30),
)
SETUPS = {"dual": DUAL, "single": SINGLE}


@dataclass(frozen=True)
class Scenery:
    """What one scene looks like around the things."""

    room: str
    seed: int
    table: Colour
    mat: str = ""
    """A colour of `catalogue.COLOURS` for a cloth under the things; empty: none."""


@dataclass(frozen=True)
class Item:
    """One thing as planned: what, and where it stands (base on the table)."""

    name: str
    noun: str
    category: str
    colour: str
    position_m: tuple[float, float, float]
    yaw_deg: float
    size_m: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Named:
    """What the truth speaks of: a body of the model with the box around it."""

    name: str
    noun: str
    body: str
    size_m: Array
    """Full extents along the body's own axes; the body's origin is the middle."""


@dataclass
class Built:
    """A compiled set-up."""

    setup: Setup
    model: mujoco.MjModel
    things: list[Placed]
    """The free bodies ``thing0`` …."""
    named: list[Named]
    """The things in the same order, then what is built in."""


@functools.lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """The object models, loaded once."""
    return Catalogue.load()


GROUP_TABLE = 1
"""The table and what is fixed to it. Arms and things are in `GROUP_MOVES`, the room is in `GROUP_ROOM`."""


@functools.lru_cache(maxsize=8)
def _groups(kind: str, seed: int) -> list[furnished.Group]:
    scene = Scene(camera=Camera(), room=Room(bounds_m=ROOM, kind=kind, seed=seed, keep_clear_m=CLEAR))
    return furnished.build(scene, Pose((0.0, 0.0, 1.4)), [], catalogue())


def build(
    setup: Setup,
    scenery: Scenery,
    items: tuple[Item, ...],
    chest: Chest | None = None,
    grains: Grains | None = None,
    seed: int = 0,
) -> Built:
    """Compile the model of one episode. Things are free bodies ``thing0`` …, in the order of `items`; grains lie in the first of them."""
    builder = Builder()
    spec = builder.spec
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP_S
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # The solver stops by its gain relative to the mean inertia, which arms dominate: things of a few grams need it to go on.
    spec.option.tolerance = 1e-11
    spec.stat.extent, spec.stat.center = 1.0, [0, 0, 0]
    getattr(spec.visual, "global").offwidth, getattr(spec.visual, "global").offheight = WIDTH, HEIGHT
    spec.visual.quality.shadowsize, spec.visual.quality.offsamples = 1024, 0
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 12.0
    spec.visual.map.shadowscale = 1.0
    _light(spec)
    _room(builder, scenery)
    _table(builder, setup, scenery)
    for mount in setup.mounts:
        arms.add(builder, mount)
    _stand(builder, setup)
    for view in setup.views:
        _camera(spec, view)
    # A hand that holds a vessel does not give way: heavy, it keeps its grains in when it is lifted.
    things = [_thing(builder, k, item, 8.0 if grains is not None and k == 0 else None) for k, item in enumerate(items)]
    named = [Named(i.name, i.noun, f"thing{k}", p.size_m) for k, (i, p) in enumerate(zip(items, things, strict=True))]
    if chest is not None:
        fixtures.add_chest(builder, chest)
        named.append(Named(chest.name, "chest", "chest", np.array(fixtures.CHEST_M)))
        named.append(Named("drawer", "drawer", "drawer", chest.drawer_size))
    if grains is not None:
        inside = things[0].model.cavity
        if inside is None or not inside.round:
            raise ValueError(f"{items[0].name}: no round vessel to hold {grains.noun}")
        low = inside.matrix @ np.array([0, 0, inside.profile[0][0]]) + inside.offset
        heights, radii = np.array(inside.profile).T
        radius = float(np.interp(heights[0] + 0.02, heights, radii)) * float(np.linalg.norm(inside.matrix[:, 0]))
        turn = np.array(rotation(things[0].home.quaternion_xyzw))
        over = np.array(things[0].home.position_m) + turn @ low
        fixtures.add_grains(builder, grains, over, radius - 0.002, np.random.default_rng([seed, 8]))
    model = spec.compile()
    for k, placed in enumerate(things):
        body = model.body(f"thing{k}")
        placed.body = body.id
        placed.qpos, placed.dof = int(model.jnt_qposadr[body.jntadr[0]]), int(model.jnt_dofadr[body.jntadr[0]])
    return Built(setup, model, things, named)


def _thing(builder: Builder, k: int, item: Item, mass_kg: float | None = None) -> Placed:
    x, y, z = item.position_m
    params: dict[str, Any] = {"color": item.colour} if item.colour else {}
    if mass_kg is not None:
        params["mass_kg"] = mass_kg
    pose = Pose((x, y, z), about_z(math.radians(item.yaw_deg)))
    wanted = Object(f"thing{k}", item.category, pose, origin="base", dynamic=True, size_m=item.size_m, params=params)
    placed = place(wanted, f"items[{k}]", Scene(camera=Camera(), room=Room(bounds_m=ROOM), objects=(wanted,)), catalogue())
    body = builder.spec.worldbody.add_body(name=f"thing{k}", pos=list(placed.home.position_m), quat=wxyz(placed.home.quaternion_xyzw))
    body.add_freejoint()
    for part in placed.model.closed.parts:
        builder.show(body, part.looks(alpha=1.0), GROUP_MOVES)
    add_colliders(builder, body, placed)
    if placed.model.collider in ("sphere", "cylinder") or len(placed.model.solids) < 9:
        # Round things roll for ever on rigid contacts; what they lie on in life gives a little.
        for geom in body.geoms:
            if geom.contype:
                geom.condim, geom.friction = 6, [placed.physical.friction, 0.01, 0.003]
    return placed


def _camera(spec: mujoco.MjSpec, view: View) -> None:
    ahead = np.array(view.target_m) - np.array(view.position_m)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(right, ahead), -ahead], 1)
    spec.worldbody.add_camera(name=view.name, pos=list(view.position_m), quat=quaternion(turn), fovy=view.fovy_deg)


def _light(spec: mujoco.MjSpec) -> None:
    """Daylight: ambient, one spot over the table that casts shadows, two fills from the sides."""
    head = spec.visual.headlight
    head.active, head.ambient, head.diffuse, head.specular = 1, [0.43] * 3, [0.07] * 3, [0, 0, 0]
    # The shadow map spans the cone: a narrow one gives 2.5 mm texels on the table. Its edge is soft (exponent), so that no circle shows.
    spec.worldbody.add_light(
        name="spot",
        type=mujoco.mjtLightType.mjLIGHT_SPOT,
        pos=[0.80, 0.40, 2.60],
        dir=[-0.20, -0.20, -1.0],
        cutoff=38.0,
        exponent=7.0,
        castshadow=True,
        diffuse=[0.45, 0.437, 0.415],
        specular=[0.25] * 3,
        attenuation=[1.0, 0.0, 0.0],
    )
    for toward, strength in (((0.5, 0.6, -0.36), 0.22), ((-0.6, -0.3, -0.40), 0.15)):
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=[0, 0, 4],
            dir=list(toward),
            diffuse=[strength] * 3,
            specular=[0, 0, 0],
            castshadow=False,
        )


def _room(builder: Builder, scenery: Scenery) -> None:
    world = builder.spec.worldbody
    faces = 0
    for group in _groups(scenery.room, scenery.seed):
        for part in group.parts:
            # The floor goes with the table: hand cameras see it beyond the edge. (What belongs to no room is the view outside.)
            floor = bool(group.spaces) and float(part.vertices[:, 2].max()) < 0.01
            builder.show(world, part, GROUP_TABLE if floor else GROUP_ROOM)
        for piece in group.pieces:
            if faces + piece.model.faces > ROOM_FACES:
                continue
            faces += piece.model.faces
            body = world.add_body(pos=list(piece.centre_m), quat=wxyz(about_z(math.radians(piece.yaw_deg))))
            for part in piece.model.parts:
                builder.show(body, part, GROUP_ROOM)


def _table(builder: Builder, setup: Setup, scenery: Scenery) -> None:
    world = builder.spec.worldbody
    x0, y0, x1, y1 = setup.table
    wide, deep, thick = x1 - x0, y1 - y0, 0.032
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    texture = tx.wood(scenery.table, scenery.seed % 8, 512, 5.0)
    top = box(wide, deep, thick, divide=6, texture=texture, specular=0.12, shininess=0.4).moved(cx, cy, TABLE_Z_M - thick)
    builder.show(world, top, GROUP_TABLE)
    leg: dict[str, Any] = {"rgb": tuple(0.55 * c for c in scenery.table), "specular": 0.1}
    for x in (x0 + 0.06, x1 - 0.06):
        for y in (y0 + 0.06, y1 - 0.06):
            builder.show(world, box(0.06, 0.06, TABLE_Z_M - thick, **leg).moved(x, y), GROUP_TABLE)
    world.add_geom(
        name="table",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[wide / 2, deep / 2, 0.05],
        pos=[cx, cy, TABLE_Z_M - 0.05],
        group=GROUP_COLLIDER,
        friction=[0.8, 0.01, 0.001],
    )
    world.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], group=GROUP_COLLIDER)


def _stand(builder: Builder, setup: Setup) -> None:
    """What the arms are fixed to: a torso, or a plate on the table."""
    world = builder.spec.worldbody
    shell: dict[str, Any] = {"rgb": (0.86, 0.87, 0.88), "specular": 0.35, "shininess": 0.5}
    dark: dict[str, Any] = {"rgb": (0.20, 0.21, 0.23), "specular": 0.3, "shininess": 0.4}
    parts: list[Part] = []
    if setup.arm == "dual":
        parts = [
            rounded_box(0.20, 0.34, 0.36, 5.0, 14, 28, **shell).moved(0.02, 0, 0.93),
            box(0.16, 0.20, 0.85, **dark).moved(0.0, 0, 0.10),
            lathe([(0, 0), (0.26, 0), (0.25, 0.12), (0, 0.13)], 28, **dark).moved(0.0, 0, 0.02),
            lathe([(0.04, 0), (0.04, 0.10)], 20, **dark).moved(0.02, 0, 1.28),
        ]
    else:
        x, y, z = setup.mounts[0].position_m
        parts = [box(0.20, 0.20, 0.012, **dark).moved(x, y, z), box(0.05, 0.03, 0.02, **RUBBER).moved(x - 0.12, y, z)]
    for part in parts:
        builder.show(world, part, GROUP_TABLE)
