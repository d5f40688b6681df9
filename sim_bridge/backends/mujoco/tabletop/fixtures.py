"""What is built for an episode beside the things: a small chest with a drawer, and grains to pour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from sim_bridge.backends.mujoco.engine.building import GROUP_COLLIDER, Builder
from sim_bridge.backends.mujoco.meshes import textures as tx
from sim_bridge.backends.mujoco.meshes.shapes import Array, Colour, Part, axis_rotation, ball, box, rounded_box, tube
from sim_bridge.backends.mujoco.tabletop.arm import GROUP_MOVES, METAL

TABLE_GROUP = 1
CHEST_M = (0.20, 0.24, 0.115)
"""Depth (along its own x), width, height of the chest. Its front faces −x."""
WALL_M = 0.010
HANDLE_OUT_M = 0.036
HANDLE_WIDTH_M = 0.014
TRAVEL_M = 0.125
WOODS: dict[str, Colour] = {
    "wooden": (0.66, 0.47, 0.29),
    "white": (0.90, 0.89, 0.87),
    "blue": (0.36, 0.50, 0.66),
    "green": (0.45, 0.58, 0.42),
}


@dataclass(frozen=True)
class Chest:
    """A chest with one drawer on the table: middle of its foot, its turn, colour."""

    x: float
    y: float
    z: float
    yaw_deg: float
    colour: str = "wooden"

    @property
    def name(self) -> str:
        return f"{self.colour} chest"

    @property
    def turn(self) -> Array:
        return axis_rotation("z", self.yaw_deg)

    def at(self, x: float, y: float, z: float) -> Array:
        """World place of a point of the chest."""
        return np.asarray(np.array([self.x, self.y, self.z]) + self.turn @ np.array([x, y, z]))

    @property
    def handle(self) -> Array:
        """Middle of the handle of the closed drawer."""
        return self.at(-CHEST_M[0] / 2 - HANDLE_OUT_M, 0.0, CHEST_M[2] * 0.52)

    @property
    def inside(self) -> Array:
        """Middle of the closed drawer's floor."""
        return self.at(0.0, 0.0, 2 * WALL_M + 0.002)

    @property
    def drawer_size(self) -> Array:
        deep, wide, high = CHEST_M
        return np.array([deep - WALL_M + HANDLE_OUT_M + 0.006, wide - 2 * WALL_M, high - 2 * WALL_M - 0.004])


def add_chest(builder: Builder, chest: Chest) -> None:
    """Bodies ``chest`` (fixed) and ``drawer`` (joint ``drawer`` slides out). Both have their origin in the middle of their box."""
    deep, wide, high = CHEST_M
    base = WOODS[chest.colour]
    wood: dict[str, Any] = {"texture": tx.wood(base, 5, 256, 6.0), "specular": 0.12, "shininess": 0.3}
    dark: dict[str, Any] = {"rgb": tuple(0.5 * c for c in base), "specular": 0.05}
    half = math.radians(chest.yaw_deg) / 2
    body = builder.spec.worldbody.add_body(name="chest", pos=chest.at(0, 0, high / 2).tolist(), quat=[math.cos(half), 0, 0, math.sin(half)])
    boards = (
        ((deep, wide, WALL_M), (0, 0, high - WALL_M)),
        ((deep, wide, WALL_M), (0, 0, 0)),
        ((deep, WALL_M, high - 2 * WALL_M), (0, wide / 2 - WALL_M / 2, WALL_M)),
        ((deep, WALL_M, high - 2 * WALL_M), (0, -wide / 2 + WALL_M / 2, WALL_M)),
        ((WALL_M, wide - 2 * WALL_M, high - 2 * WALL_M), (deep / 2 - WALL_M / 2, 0, WALL_M)),
    )
    for k, (size, at) in enumerate(boards):
        _board(builder, body, size, (at[0], at[1], at[2] - high / 2), TABLE_GROUP, **(dark if k == 4 else wood))
    box_m = chest.drawer_size
    # The drawer's box reaches from its back board to the outside of its handle.
    middle = chest.at(-deep / 2 - HANDLE_OUT_M - 0.006 + box_m[0] / 2, 0.0, WALL_M + 0.002 + box_m[2] / 2)
    drawer = builder.spec.worldbody.add_body(name="drawer", pos=middle.tolist(), quat=[math.cos(half), 0, 0, math.sin(half)], gravcomp=1)
    drawer.add_joint(name="drawer", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[-1, 0, 0], range=[0, TRAVEL_M], armature=20.0, damping=20.0)
    # Hands alone move the drawer: rubbing on the chest would stop it in every step, and it would slide under what lies in it.
    builder.spec.add_exclude(bodyname1="chest", bodyname2="drawer")
    drawer.mass, drawer.inertia, drawer.explicitinertial = 0.8, [0.01, 0.01, 0.01], True
    front = -box_m[0] / 2 + HANDLE_OUT_M + 0.006
    inner: dict[str, Any] = {"texture": tx.wood((0.80, 0.68, 0.50), 2, 256, 6.0), "specular": 0.05}
    long = box_m[0] / 2 - front - WALL_M
    boxes: tuple[tuple[tuple[float, float, float], tuple[float, float, float], dict[str, Any]], ...] = (
        ((WALL_M, box_m[1], box_m[2]), (front + WALL_M / 2, 0, 0), wood),
        ((long, box_m[1], 0.006), (front + WALL_M + long / 2, 0, 0), inner),
        ((long, 0.007, box_m[2] * 0.78), (front + WALL_M + long / 2, box_m[1] / 2 - 0.0035, 0), inner),
        ((long, 0.007, box_m[2] * 0.78), (front + WALL_M + long / 2, -box_m[1] / 2 + 0.0035, 0), inner),
        ((0.007, box_m[1], box_m[2] * 0.78), (box_m[0] / 2 - 0.0035, 0, 0), inner),
    )
    for shape, at, looks in boxes:
        _board(builder, drawer, shape, (at[0], at[1], at[2] - box_m[2] / 2), GROUP_MOVES, **looks)
    out, z = front - HANDLE_OUT_M + 0.006, 0.0
    for part in (
        tube([(out, 0, z - 0.024), (out, 0, z + 0.024)], HANDLE_WIDTH_M / 2, 10, **METAL),
        tube([(front, 0, z - 0.018), (out, 0, z - 0.018)], 0.005, 8, **METAL),
        tube([(front, 0, z + 0.018), (out, 0, z + 0.018)], 0.005, 8, **METAL),
        rounded_box(0.004, 0.030, 0.056, 6.0, 6, 12, **METAL).moved(front - 0.001, 0, z - 0.028),
    ):
        builder.show(drawer, part, GROUP_MOVES)


def _board(
    builder: Builder,
    body: mujoco.MjsBody,
    size: tuple[float, float, float],
    foot: tuple[float, float, float],
    group: int,
    **looks: Any,
) -> None:
    """A board that is seen and touched; `foot` is the middle of its underside."""
    builder.show(body, box(*size, **looks).moved(*foot), group)
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[s / 2 for s in size],
        pos=[foot[0], foot[1], foot[2] + size[2] / 2],
        group=GROUP_COLLIDER,
        friction=[0.6, 0.01, 0.001],
        mass=0,
    )


@dataclass(frozen=True)
class Grains:
    """Round things in a vessel: what they are called, how many, how large, their colour."""

    noun: str
    count: int
    radius_m: float
    rgb: Colour


GRAINS = (
    Grains("peas", 26, 0.0085, (0.42, 0.66, 0.22)),
    Grains("hazelnuts", 24, 0.0090, (0.55, 0.34, 0.17)),
    Grains("berries", 26, 0.0085, (0.72, 0.10, 0.16)),
    Grains("corn", 28, 0.0080, (0.95, 0.76, 0.20)),
)


def add_grains(builder: Builder, grains: Grains, over: Array, radius_m: float, rng: np.random.Generator) -> None:
    """Bodies ``grain0`` … in layers above a point (the vessel's floor), within `radius_m` of its axis; they fall into place."""
    shape: Part = ball(grains.radius_m, 6, 9, rgb=grains.rgb, specular=0.2)
    ring = max(1, int(2 * math.pi * (radius_m - grains.radius_m) / (2.15 * grains.radius_m)))
    for k in range(grains.count):
        layer, place = divmod(k, ring)
        angle = 2 * math.pi * (place + 0.5 * (layer % 2)) / ring
        reach = (radius_m - grains.radius_m) * (1.0 if layer % 2 == 0 else 0.55) * 0.95
        at = over + np.array([reach * math.cos(angle), reach * math.sin(angle), grains.radius_m * (1.1 + 2.05 * layer)])
        body = builder.spec.worldbody.add_body(name=f"grain{k}", pos=at.tolist(), quat=_random_turn(rng))
        body.add_freejoint()
        builder.show(body, shape, GROUP_MOVES)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[grains.radius_m, 0, 0],
            group=GROUP_COLLIDER,
            condim=3,
            friction=[0.4, 0.01, 0.001],
            solref=[0.008, 1.0],
            priority=1,
            mass=0.0025,
        )


def _random_turn(rng: np.random.Generator) -> list[float]:
    q = rng.normal(size=4)
    return [float(v) for v in q / np.linalg.norm(q)]
